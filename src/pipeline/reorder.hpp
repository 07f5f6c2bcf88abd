#ifndef KOMPAKT_PIPELINE_REORDER_HPP
#define KOMPAKT_PIPELINE_REORDER_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <kompakt/field.hpp>

namespace kompakt::impl {

/// Copies a field from one index order to the other: element (i, j, …) stays element (i, j, …).
/// A thread moves one value; reads and writes each value once, one of the two with strides.
template <class T>
struct ReorderValues {
  T const* from;
  T* to;
  std::int64_t extents[max_rank];  // in the order of `to`, fastest first
  int rank;

  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    // `from` has the same indices with the fastest and slowest exchanged, and so on inwards.
    std::int64_t rest = position, source = 0, pitch = 1;
    std::int64_t index[max_rank];
    for (int i = 0; i < rank; ++i) {
      index[i] = rest % extents[i];
      rest /= extents[i];
    }
    for (int i = rank - 1; i >= 0; --i) {
      source += index[i] * pitch;
      pitch *= extents[i];
    }
    to[position] = from[source];
  }
};

/// \param to_shape  extents and order of the destination; the source has the other order
template <class Exec, class T>
void reorder(Exec const& exec, T const* from, T* to, FieldShape const& to_shape) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::reorder[generic]");
  ReorderValues<T> kernel{from, to, {}, to_shape.rank};
  for (int i = 0; i < to_shape.rank; ++i) {
    int const axis = to_shape.order == Order::last_fastest ? to_shape.rank - 1 - i : i;
    kernel.extents[i] = static_cast<std::int64_t>(to_shape.extents[static_cast<std::size_t>(axis)]);
  }
  Kokkos::parallel_for("kompakt::reorder::values",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(to_shape.size())),
                       kernel);
}

}  // namespace kompakt::impl

#endif
