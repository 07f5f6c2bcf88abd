#ifndef KOMPAKT_CLI_WITH_VIEW_HPP
#define KOMPAKT_CLI_WITH_VIEW_HPP

#include <Kokkos_Core.hpp>
#include <kompakt/field.hpp>
#include <type_traits>

namespace kompakt::cli {

/// T with `rank` stars, the first argument of a View.
template <class T, int rank>
struct Stars {
  using type = typename Stars<T, rank - 1>::type*;
};
template <class T>
struct Stars<T, 0> {
  using type = T;
};

template <class T, class Space, class Layout, int rank = 1, class Function>
auto with_ranked_view(T* data, FieldShape const& shape, Function const& function) {
  if constexpr (rank < max_rank) {
    if (shape.rank > rank) {
      return with_ranked_view<T, Space, Layout, rank + 1>(data, shape, function);
    }
  }
  Layout layout;
  for (int i = 0; i < rank; ++i) layout.dimension[i] = shape.extents[i];
  return function(Kokkos::View<typename Stars<T, rank>::type, Layout, Space>(data, layout));
}

/// Calls function(view) with a View of the field at `data`, which is memory of Space: of the type,
/// rank and layout that `shape` says. Byte is std::byte, const or not, and so are the values.
template <class Space, class Byte, class Function>
auto with_view(Byte* data, FieldShape const& shape, Function const& function) {
  auto const typed = [&]<class T>(T* values) {
    return shape.order == Order::first_fastest
               ? with_ranked_view<T, Space, Kokkos::LayoutLeft>(values, shape, function)
               : with_ranked_view<T, Space, Kokkos::LayoutRight>(values, shape, function);
  };
  using F32 = std::conditional_t<std::is_const_v<Byte>, float const, float>;
  using F64 = std::conditional_t<std::is_const_v<Byte>, double const, double>;
  return shape.dtype == Dtype::f32 ? typed(reinterpret_cast<F32*>(data))
                                   : typed(reinterpret_cast<F64*>(data));
}

}  // namespace kompakt::cli

#endif
