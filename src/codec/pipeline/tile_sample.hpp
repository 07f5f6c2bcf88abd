#ifndef KOMPAKT_PIPELINE_TILE_SAMPLE_HPP
#define KOMPAKT_PIPELINE_TILE_SAMPLE_HPP

#include <Kokkos_Core.hpp>
#include <core/tile.hpp>
#include <kompakt/field.hpp>
#include <pipeline/sample.hpp>
#include <pipeline/strided_copy.hpp>

// A small field that stands for a large one. Records of a tile depend on the tile alone, so that many tiles from everywhere, side
// by side, say more than a few boxes of as many values.

namespace kompakt::impl {

/// Tiles of a field, one of each of its equal shares, as a dense field of their own.
struct TileSample {
  std::int64_t tile[max_rank];    ///< values of a tile along each axis, the fastest first
  std::int64_t along[max_rank];   ///< tiles along each axis
  std::int64_t stride[max_rank];  ///< of the field, in values
  std::int64_t tiles = 0;         ///< how many are in the sample
  int rank = 0;                   ///< axes with more than one value

  /// \param values  how many the sample shall have, about
  TileSample(FieldShape const& shape, Strides const& strides, std::int64_t values) {
    std::int64_t extent[max_rank] = {};
    for (int i = 0; i < shape.rank; ++i) {
      int const index = shape.order == Order::last_fastest ? shape.rank - 1 - i : i;
      auto const at = static_cast<std::size_t>(index);
      if (shape.extents[at] == 1) continue;
      extent[rank] = static_cast<std::int64_t>(shape.extents[at]);
      stride[rank] = strides[at];
      ++rank;
    }
    for (int axis = 0; axis < rank; ++axis) {
      tile[axis] = Kokkos::min(extent[axis], whole_tile(axis));
      along[axis] = extent[axis] / tile[axis];
    }
    tiles = Kokkos::clamp<std::int64_t>(values / tile_size(), 1, parts());
  }

  /// The sample as a field in C order.
  FieldShape shape(Dtype dtype) const {
    int const axes = Kokkos::min(rank, 3);
    FieldShape shape;
    shape.dtype = dtype;
    shape.rank = axes;
    for (int axis = 0; axis < axes; ++axis) {
      std::int64_t const stacked = axis == axes - 1 ? tiles : 1;
      shape.extents[static_cast<std::size_t>(axes - 1 - axis)] =
          static_cast<std::size_t>(stacked * tile[axis]);
    }
    return shape;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t rows_of_tile() const { return tile_size() / tile[0]; }

  /// Where a row of the sample begins in the field, in values.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset_of_row(std::int64_t row) const {
    std::int64_t part = sampled_part(row / rows_of_tile(), tiles, parts());
    std::int64_t in_tile = row % rows_of_tile(), offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      std::int64_t index = part % along[axis] * tile[axis];
      part /= along[axis];
      if (axis > 0) {
        index += in_tile % tile[axis];
        in_tile /= tile[axis];
      }
      offset += index * stride[axis];
    }
    return offset;
  }

 private:
  /// Values along an axis of the tiles that predictors take: 1024, 32 x 32, or 16 x 8 x 8 of a field.
  std::int64_t whole_tile(int axis) const {
    if (axis > 2) return 1;
    if (rank == 1) return Tile<TileShape::chain>::X;
    if (rank == 2) return Tile<TileShape::square>::X;
    return axis == 0 ? Tile<TileShape::brick>::X : Tile<TileShape::brick>::Y;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t tile_size() const { return product(tile); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t parts() const { return product(along); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t product(std::int64_t const* factors) const {
    std::int64_t all = 1;
    for (int axis = 0; axis < rank; ++axis) all *= factors[axis];
    return all;
  }
};

/// Brings the rows of a sample, one a step on a host and one value on a device.
template <class T, bool by_rows>
struct GatherTiles {
  TileSample sample;
  T const* field;
  T* to;

  KOKKOS_FUNCTION void operator()(std::int64_t step) const {
    std::int64_t const width = sample.tile[0];
    if constexpr (by_rows) {
      T const* const from = field + sample.offset_of_row(step);
      for (std::int64_t x = 0; x < width; ++x) to[step * width + x] = from[x * sample.stride[0]];
    } else {
      to[step] = field[sample.offset_of_row(step / width) + step % width * sample.stride[0]];
    }
  }
};

/// Copies a sample to `to`, in memory of the execution space. Of a field that only the host reaches it is complete on return.
template <class T, class Exec>
void gather_tiles(Exec const& exec, FieldSource const& field, TileSample const& sample, T* to) {
  auto const* const from = static_cast<T const*>(field.data);
  std::int64_t const rows = sample.tiles * sample.rows_of_tile(), values = rows * sample.tile[0];
  if (field.access == FieldAccess::staged) {
    Kokkos::View<T*, Kokkos::HostSpace> const staged(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kompakt::gather_tiles"), values);
    GatherTiles<T, true> const gather{sample, from, staged.data()};
    for (std::int64_t row = 0; row < rows; ++row) gather(row);
    Kokkos::deep_copy(exec, DeviceValues<T, Exec>(to, values), staged);
    exec.fence("kompakt::gather_tiles: staged");
    return;
  }
  constexpr bool by_rows = copy_block<Exec> != 1;
  Kokkos::parallel_for(
      "kompakt::gather_tiles",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, by_rows ? rows : values),
      GatherTiles<T, by_rows>{sample, from, to});
}

}  // namespace kompakt::impl

#endif
