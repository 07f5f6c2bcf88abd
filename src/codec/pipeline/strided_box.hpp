#ifndef KOMPAKT_PIPELINE_STRIDED_BOX_HPP
#define KOMPAKT_PIPELINE_STRIDED_BOX_HPP

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>

namespace kompakt::impl {

/// A box of a dense field, and an array of any strides that has an element for each value of the box. Axes
/// are those with more than one value in the field, the fastest first.
struct StridedBox {
  std::int64_t extent[max_rank] = {};                     ///< of the field
  std::int64_t begin[max_rank] = {}, end[max_rank] = {};  ///< of the box
  std::int64_t stride[max_rank] = {};                     ///< of the array
  int rank = 0;

  /// \param shape    extents and order of the field
  /// \param strides  of the array, for each index
  /// \param first    of the box, for each index
  /// \param last     behind it
  StridedBox(FieldShape const& shape, Strides const& strides, std::size_t const* first,
             std::size_t const* last) {
    for (int i = 0; i < shape.rank; ++i) {
      int const index = shape.order == Order::last_fastest ? shape.rank - 1 - i : i;
      auto const at = static_cast<std::size_t>(index);
      if (shape.extents[at] == 1) continue;
      extent[rank] = static_cast<std::int64_t>(shape.extents[at]);
      begin[rank] = static_cast<std::int64_t>(first[at]);
      end[rank] = static_cast<std::int64_t>(last[at]);
      stride[rank] = strides[at];
      ++rank;
    }
  }
  static StridedBox whole(FieldShape const& shape, Strides const& strides) {
    std::size_t const origin[max_rank] = {};
    return {shape, strides, origin, shape.extents.data()};
  }

  /// body(i, at) for those of `count` values of the field, from `position` on, that lie in the box: the
  /// i-th of them belongs to place `at` of the array.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_values(std::int64_t position, int count,
                                              Body const& body) const {
    if (rank == 0) return body(0, std::int64_t{0});
    std::int64_t index[max_rank];
    for (int axis = 0; axis < rank; ++axis) {
      index[axis] = position % extent[axis];
      position /= extent[axis];
    }
    for (int done = 0; done < count;) {
      // What is left of a row: only the first index changes in it.
      std::int64_t const row_left = extent[0] - index[0];
      int const row = row_left < count - done ? static_cast<int>(row_left) : count - done;
      std::int64_t at = 0;
      bool inside = true;
      for (int axis = 1; axis < rank; ++axis) {
        inside &= index[axis] >= begin[axis] && index[axis] < end[axis];
        at += (index[axis] - begin[axis]) * stride[axis];
      }
      if (inside) {
        std::int64_t const low = begin[0] > index[0] ? begin[0] : index[0];
        std::int64_t const high = end[0] < index[0] + row ? end[0] : index[0] + row;
        for (std::int64_t x = low; x < high; ++x) {
          body(done + static_cast<int>(x - index[0]), at + (x - begin[0]) * stride[0]);
        }
      }
      done += row;
      index[0] += row;
      for (int axis = 0; axis < rank - 1 && index[axis] == extent[axis]; ++axis) {
        index[axis] = 0;
        ++index[axis + 1];
      }
    }
  }
};

}  // namespace kompakt::impl

#endif
