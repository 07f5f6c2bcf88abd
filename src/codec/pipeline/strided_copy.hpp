#ifndef KOMPAKT_PIPELINE_STRIDED_COPY_HPP
#define KOMPAKT_PIPELINE_STRIDED_COPY_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/fp_environment.hpp>
#include <cstdint>
#include <pipeline/chunk.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/stored.hpp>
#include <pipeline/strided_box.hpp>

// Between what the walk reads and writes, which is dense, and arrays of any strides. On a host a step has
// many values, so that the indices of few are worked out; on a device neighbouring threads have
// neighbouring values.

namespace kompakt::impl {

template <class Exec>
inline constexpr int copy_block = generic_team_size<Exec> == 1 ? tile_values : 1;

/// Values that a thread of a device copies at once.
inline constexpr int copy_pack_values = 4;

enum class CopyTo { dense, strided };

/// Copies a field, `block` values a step. Reads and writes each value once.
template <CopyTo to_array, class From, class To, int block>
struct CopyStrided {
  From const* from;
  To* to;
  StridedBox box;
  std::int64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t step) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const position = step * block, left = size - position;
    int const count = left < block ? static_cast<int>(left) : block;
    box.for_values(position, count, [&](int i, std::int64_t at) {
      if constexpr (to_array == CopyTo::dense) {
        to[position + i] = convert_stored<To>(from[at]);
      } else {
        to[at] = convert_stored<To>(from[position + i]);
      }
    });
  }
};

/// Values that lie side by side, which a device loads or stores at once.
template <class V>
struct alignas(copy_pack_values * sizeof(V)) CopyPack {
  V values[copy_pack_values];

  static bool is_aligned(V const* values) {
    return reinterpret_cast<std::uintptr_t>(values) % alignof(CopyPack) == 0;
  }
};

/// Copies values that lie side by side on both ends, a pack a step.
template <class From, class To>
struct CopyPacks {
  From const* from;
  To* to;
  std::int64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t step) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const first = step * copy_pack_values;
    if (first + copy_pack_values > size) {
      for (std::int64_t i = first; i < size; ++i) to[i] = convert_stored<To>(from[i]);
      return;
    }
    auto const in = *reinterpret_cast<CopyPack<From> const*>(from + first);
    CopyPack<To> out;
    for (int i = 0; i < copy_pack_values; ++i) out.values[i] = convert_stored<To>(in.values[i]);
    *reinterpret_cast<CopyPack<To>*>(to + first) = out;
  }
};

/// Copies from `from` to `to`, of which one is dense in shape's order and the other has these strides.
template <CopyTo to_array, class Exec, class From, class To>
void copy_strided(Exec const& exec, From const* from, To* to, FieldShape const& shape,
                  Strides const& strides) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::copy_strided[generic]");
  constexpr int block = copy_block<Exec>;
  auto const size = static_cast<std::int64_t>(shape.size());
  if constexpr (generic_team_size<Exec> != 1) {
    // Of integers on an H200 a fifth of the time: the indices of a value take longer than the value.
    if (is_dense(shape, strides) && CopyPack<From>::is_aligned(from) &&
        CopyPack<To>::is_aligned(to)) {
      return Kokkos::parallel_for("kompakt::copy_strided::packs",
                                  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                                      exec, 0, ceil_div<std::int64_t>(size, copy_pack_values)),
                                  CopyPacks<From, To>{from, to, size});
    }
  }
  Kokkos::parallel_for(
      "kompakt::copy_strided::values",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
          exec, 0, ceil_div<std::int64_t>(size, block)),
      CopyStrided<to_array, From, To, block>{from, to, StridedBox::whole(shape, strides), size});
}

/// Moves those values of decoded chunks that lie in a box to an array of any strides, `block` values of a
/// tile's row a step.
template <class Grid, class Shape, class T, class Stored, int block>
struct PlaceBox {
  static constexpr std::int64_t chunk_places = Grid::tiles_of_chunk * tile_values;
  T const* packed;             ///< as DecodeArgs has listed chunks decoded
  std::int64_t const* chunks;  ///< their numbers
  Extents3 extents;            ///< folded, of the field
  StridedBox box;
  Stored* array;

  KOKKOS_FUNCTION void operator()(std::int64_t step) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const number = step * block / chunk_places;
    int const in_chunk = static_cast<int>(step * block % chunk_places);
    int const t = in_chunk / tile_values, place = in_chunk % tile_values;
    TileBox const tile = Grid(extents).tile(chunks[number], t);
    int const x = place % Shape::X, y = place / Shape::X % Shape::Y,
              z = place / (Shape::X * Shape::Y);
    if (x >= tile.nx || y >= tile.ny || z >= tile.nz) return;
    T const* const from =
        packed + number * chunk_places + t * tile_values + packed_place<Shape>(tile, place);
    int const count = tile.nx - x < block ? tile.nx - x : block;
    box.for_values(tile.origin + z * tile.slab_pitch + y * tile.row_pitch + x, count,
                   [&](int i, std::int64_t at) { array[at] = convert_stored<Stored>(from[i]); });
  }
};

/// Places what decode() made of args.listed chunks.
template <class Exec, class T, class Stored>
void place_box(Exec const& exec, DecodeArgs<T> const& args, StridedBox const& box, Stored* array) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::place_box[generic]");
  with_tile_shape(args.tile_shape, [&](auto shape) {
    using Shape = decltype(shape);
    constexpr int block = copy_block<Exec> == 1 ? 1 : Shape::X;
    auto const place = [&]<class Grid>(Grid const*) {
      using Kernel = PlaceBox<Grid, Shape, T, Stored, block>;
      Kokkos::parallel_for("kompakt::place_box::values",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                               exec, 0, args.listed * (Kernel::chunk_places / block)),
                           Kernel{args.field, args.chunks, args.extents, box, array});
    };
    if (has_levels(args.method)) {
      place(static_cast<LevelGrid<Shape> const*>(nullptr));
    } else {
      place(static_cast<TileGrid<Shape> const*>(nullptr));
    }
  });
}

}  // namespace kompakt::impl

#endif
