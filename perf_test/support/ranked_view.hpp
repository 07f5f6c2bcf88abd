#ifndef KOMPAKT_PERF_SUPPORT_RANKED_VIEW_HPP
#define KOMPAKT_PERF_SUPPORT_RANKED_VIEW_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/field.hpp>

namespace kompakt::perf {

/// T with `rank` stars, the first argument of a View.
template <class T, int rank>
struct Stars {
  using type = typename Stars<T, rank - 1>::type*;
};
template <class T>
struct Stars<T, 0> {
  using type = T;
};

/// Calls function(view) with a C-ordered View of the rank that `shape` says.
template <class Space, int rank = 1, class T, class Function>
void with_ranked_view(T* data, FieldShape const& shape, Function const& function) {
  if constexpr (rank < max_rank) {
    if (shape.rank > rank) return with_ranked_view<Space, rank + 1>(data, shape, function);
  }
  Kokkos::LayoutRight layout;
  for (int i = 0; i < rank; ++i) layout.dimension[i] = shape.extents[static_cast<std::size_t>(i)];
  function(Kokkos::View<typename Stars<T, rank>::type, Kokkos::LayoutRight, Space>(data, layout));
}

}  // namespace kompakt::perf

#endif
