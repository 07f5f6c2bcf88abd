#ifndef KOMPAKT_FIELD_HPP
#define KOMPAKT_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <string>
#include <type_traits>

namespace kompakt {

inline constexpr int max_rank = 8;  // Kokkos::View's own limit

/// Type of a field's values. The numbers are part of the format.
enum class Dtype : std::uint8_t { f32 = 0, f64 = 1 };

/// Which index of a field runs fastest in memory. The numbers are part of the format.
enum class Order : std::uint8_t {
  last_fastest = 0,   ///< C order, Kokkos::LayoutRight
  first_fastest = 1,  ///< Fortran order, Kokkos::LayoutLeft
};

constexpr std::size_t size_of(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 8; }
char const* to_string(Dtype dtype) noexcept;

/// Type, extents (in the order of the indices) and memory order of a dense field.
struct FieldShape {
  Dtype dtype = Dtype::f32;
  Order order = Order::last_fastest;
  int rank = 1;                                 ///< 1..max_rank
  std::array<std::size_t, max_rank> extents{};  ///< the first `rank` entries count

  /// Number of values; 0 when an extent is 0. Valid only if the product fits in 64 bits.
  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extents[i];
    return n;
  }
  constexpr std::size_t bytes() const { return size() * size_of(dtype); }
  friend bool operator==(FieldShape const&, FieldShape const&) = default;
};

/// A Kokkos View of float or double, rank 1..8, that kompakt can compress.
template <class V>
concept Field = Kokkos::is_view_v<V> &&(V::rank() >= 1 && V::rank() <= max_rank) &&
                (std::same_as<typename V::non_const_value_type, float> ||
                 std::same_as<typename V::non_const_value_type, double>);

/// A Field whose memory kernels of Exec can read and write.
template <class V, class Exec>
concept FieldReachableFrom = Field<V> &&
    static_cast<bool>(Kokkos::SpaceAccessibility<typename Exec::execution_space,
                                                 typename V::memory_space>::accessible);

/// Shape of a contiguous View. Says which index is fastest; a View of one dimension is C order.
template <Field V>
FieldShape shape_of(V const& view) {
  FieldShape shape;
  shape.dtype = std::is_same_v<typename V::non_const_value_type, float> ? Dtype::f32 : Dtype::f64;
  shape.rank = static_cast<int>(V::rank());
  shape.order = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft> && V::rank() > 1
                    ? Order::first_fastest
                    : Order::last_fastest;
  for (int i = 0; i < shape.rank; ++i) shape.extents[i] = view.extent(i);
  return shape;
}

namespace impl {

/// Throws unless the values of `view` lie side by side in memory.
template <Field V>
void require_contiguous(char const* function, V const& view) {
  constexpr bool dense_layout = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft> ||
                                std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>;
  if (dense_layout && view.span_is_contiguous()) return;
  throw Error(Status::bad_argument,
              std::string(function) + ": the View '" + view.label() +
                  "' is strided or a subview with gaps; deep_copy it into a contiguous "
                  "LayoutLeft or LayoutRight View first");
}

}  // namespace impl

/// A dense field whose type and rank are known only at run time: the values of a file, an array of
/// another language. The memory must be what the execution space of a call can reach, aligned to
/// its values.
struct FieldData {
  void* data = nullptr;
  FieldShape shape{};
};
struct ConstFieldData {
  void const* data = nullptr;
  FieldShape shape{};

  ConstFieldData(void const* values, FieldShape const& values_shape)
      : data(values), shape(values_shape) {}
  ConstFieldData(FieldData const& field) : data(field.data), shape(field.shape) {}
};

}  // namespace kompakt

#endif
