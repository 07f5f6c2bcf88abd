#ifndef KOMPAKT_CUDA_LEVEL_TILE_IO_HPP
#define KOMPAKT_CUDA_LEVEL_TILE_IO_HPP

#include <core/lattice.hpp>
#include <core/tile.hpp>
#include <cuda/tile_io.hpp>
#include <cuda/warp.hpp>
#include <predictor/interpolation.hpp>

// A tile of a level between global memory, shared memory and the registers of a warp, in which a lane has a column of
// cells, a cell being a point of every class; and the window of known points around it. What is rare takes its arguments
// by value: one whose address is taken would lie in memory for all.

namespace kompakt::impl::cuda {

/// What of a level of a field a warp needs for its tiles, so that no tile works out again what does not depend on it: 64 bits
/// make that dear.
struct LevelOfField {
  int level = 0;
  std::int64_t first_chunk = 0;
  Extents3 n, pitch,
      chunks;  ///< of the level; between its values in the field; how many of them along each axis
  LevelPart part, above;  ///< where its points are, if it is not level 0, and those of the next one

  template <class Shape>
  KOKKOS_INLINE_FUNCTION static LevelOfField of(LevelGrid<Shape> const& grid, int level,
                                                LevelParts const& parts) {
    std::int64_t const step = std::int64_t{1} << level;
    LevelOfField result;
    result.level = level;
    result.first_chunk = grid.first_chunk(level);
    result.n = grid.extents(level);
    result.pitch = {step, step * grid.n.x, step * grid.n.x * grid.n.y};
    result.chunks = grid.chunks_along(level);
    result.part = parts.of[level];
    if (level < grid.levels) result.above = parts.of[level + 1];
    return result;
  }
  template <class Shape>
  __device__ __forceinline__ LevelTile tile(std::int64_t chunk, int t) const {
    auto const place = LevelGrid<Shape>::place_in(level, chunk - first_chunk, chunks.x, chunks.y);
    return LevelGrid<Shape>::tile(place, t, n, pitch);
  }
};

/// Which points of a tile the lanes of a warp have: each a column of cells along the tile's last axis. Of a chain cells of
/// a lane are 32 apart. Points of a lane are numbered cell by cell, class by class, so that two that are neighbours along
/// x are a pair.
template <class Shape>
struct CellColumns {
  using Half = HalfTile<Shape>;
  static constexpr int axes = Half::axes, classes = Half::classes;
  static constexpr int cells = Half::values / 32;
  static constexpr int pairs = lane_values / 2;
  static constexpr int lanes_x = axes > 1 ? Half::X : 32;

  __device__ __forceinline__ static constexpr int number(int c, int cell) {
    return cell * classes + c;
  }
  /// Where a cell lies among those of the tile.
  __device__ __forceinline__ static constexpr int x(int lane, int cell) {
    return lane % lanes_x + (axes == 1 ? 32 * cell : 0);
  }
  __device__ __forceinline__ static constexpr int y(int lane, int cell) {
    if constexpr (axes == 2) return lane / lanes_x * cells + cell;
    return axes == 3 ? lane / lanes_x : 0;
  }
  __device__ __forceinline__ static constexpr int z(int, int cell) { return axes == 3 ? cell : 0; }
  __device__ __forceinline__ static constexpr int row(int lane, int cell) {
    return z(lane, cell) * Half::Y + y(lane, cell);
  }

  /// Where a pair of the lane lies behind its first one, of an array with these pitches.
  __device__ __forceinline__ static constexpr std::int64_t offset_of_pair(
      int pair, std::int64_t row_pitch, std::int64_t slab_pitch, std::int64_t x_pitch = 1) {
    if constexpr (axes == 3) return pair / 2 * slab_pitch + pair % 2 * row_pitch;
    return axes == 2 ? pair * row_pitch : 64 * pair * x_pitch;
  }
  /// body(pair, pointer) for the pairs of the lane in an array in which the tile begins at `first`.
  template <class V, class Body>
  __device__ __forceinline__ static void for_pairs(V* first, std::int64_t x_pitch,
                                                   std::int64_t row_pitch, std::int64_t slab_pitch,
                                                   Body const& body) {
    int const lane = warp::lane();
    V* at = first + 2 * x(lane, 0) * x_pitch + 2 * y(lane, 0) * row_pitch;
    constexpr int of_step = axes > 1 ? 2 : 1;
    std::int64_t const step = offset_of_pair(of_step, row_pitch, slab_pitch, x_pitch);
#pragma unroll
    for (int pair = 0; pair < pairs; pair += of_step) {
      body(pair, at);
      if constexpr (axes > 1) body(pair + 1, at + row_pitch);
      at += step;
    }
  }
  /// Bit a point: which of the lane's lie outside of a tile's clipped extents.
  __device__ __noinline__ static std::uint32_t outside(TileBox box) {
    std::uint32_t outside = 0;
    for (int i = 0; i < lane_values; ++i) {
      int const cell = i / classes, c = i % classes, lane = warp::lane();
      bool const in = 2 * x(lane, cell) + (c & 1) < box.nx &&
                      2 * y(lane, cell) + (c >> 1 & 1) < box.ny &&
                      2 * z(lane, cell) + (c >> 2 & 1) < box.nz;
      outside |= static_cast<std::uint32_t>(!in) << i;
    }
    return outside;
  }

  /// Where a point's residual lies in a tile of lanes; the lane's share and the point's have no bit in common.
  __device__ __forceinline__ static constexpr int place_of_lane(int lane) {
    return place_in_lanes<Shape>(Half::place(0, row(lane, 0), x(lane, 0)));
  }
  __device__ __forceinline__ static constexpr int place_of_point(int c, int cell) {
    return place_in_lanes<Shape>(Half::place(c, row(0, cell), x(0, cell)));
  }
  /// A function from a point of the lane to where its residual lies in a shared tile.
  __device__ __forceinline__ static auto residual_of(SharedTile<std::uint32_t>& tile) {
    int const place = place_of_lane(warp::lane());
    auto mine = static_cast<unsigned>(SharedTile<std::uint32_t>::slot(place) * 4 + place % 4);
    warp::keep(mine);  // once, not for every point
    auto* const words = reinterpret_cast<std::uint32_t*>(&tile);
    return [=](int number) -> std::uint32_t& {
      int const point = place_of_point(number % classes, number / classes);
      auto const of_point =
          static_cast<unsigned>(SharedTile<std::uint32_t>::slot(point) * 4 + point % 4);
      return words[mine ^ of_point];
    };
  }
};

/// The window of known points in shared memory. Rows begin a pack before those of the tile, of which one point is
/// needed, and have room for what they become along x.
template <class Shape>
struct WarpWindow {
  using Half = HalfTile<Shape>;
  static constexpr int before = 4;
  static constexpr int known = before + Half::X + 4;
  static constexpr int pitch = Half::axes > 1 && 2 * Half::X > known ? 2 * Half::X : known;
  static constexpr int rows = Half::window_y * Half::window_z;
  static constexpr int words = rows * pitch;
  static_assert(known % 4 == 0 && pitch % 4 == 0);
};
inline constexpr int warp_window_words = 784;  ///< of the shape that has most
static_assert(WarpWindow<Tile<TileShape::brick>>::words == warp_window_words &&
              WarpWindow<Tile<TileShape::square>>::words <= warp_window_words &&
              WarpWindow<Tile<TileShape::chain>>::words <= warp_window_words);

/// load_window() of a tile whose window is not all inside its level: points beyond its ends are those at the ends.
template <class Shape>
__device__ __noinline__ void load_clipped_window(LevelPart above, LevelTile tile,
                                                 std::uint32_t* window) {
  using Window = WarpWindow<Shape>;
  using Half = HalfTile<Shape>;
  auto const axes = InterpolationAxes<Shape>::of(tile);
#pragma unroll 1
  for (int i = warp::lane(); i < Window::rows * Half::window_x; i += 32) {
    int const row = i / Half::window_x, x = i % Half::window_x;
    warp::copy_async<4>(
        window + row * Window::pitch + Window::before - 1 + x,
        above.values + above.index(axes.x.inside(x), axes.y.inside(row % Half::window_y),
                                   axes.z.inside(row / Half::window_y)));
  }
}
/// Starts to load the window of a tile. After wait_for_copies(), a warp::sync() and complete_window() it is there.
/// \param is_inside  InterpolationAxes::lie_inside()
template <class Shape>
__device__ __forceinline__ void load_window(LevelPart const& above, LevelTile const& tile,
                                            bool is_inside, std::uint32_t* window) {
  using Window = WarpWindow<Shape>;
  using Half = HalfTile<Shape>;
  if (!warp::any(is_inside)) {
    return load_clipped_window<Shape>(above, tile, window);
  }
  constexpr int packs = Window::known / 4;
  std::int64_t const row_pitch = above.row_pitch();
  std::uint32_t const* const first =
      above.values + above.index(tile.at.x / 2 - Window::before,
                                 Half::axes > 1 ? tile.at.y / 2 - 1 : 0,
                                 Half::axes > 2 ? tile.at.z / 2 - 1 : 0);
  int const lane = warp::lane();
  if constexpr (packs >= 32) {
    for (int pack = lane; pack < packs; pack += 32) {
      warp::copy_async<16>(window + 4 * pack, first + 4 * pack);
    }
  } else {
    // As many rows of a slab at a time as there are lanes for.
    constexpr int rows = Half::window_y < 32 / packs ? Half::window_y : 32 / packs;
    int const my_row = lane / packs, my_pack = lane % packs * 4;
    std::uint32_t const* from = first + my_row * row_pitch + my_pack;
    std::uint32_t* const to = window + my_row * Window::pitch + my_pack;
    std::int64_t const slab_pitch = row_pitch * above.extents.y;
#pragma unroll
    for (int slab = 0; slab < Half::window_z; ++slab) {
      std::uint32_t const* row = from;
#pragma unroll
      for (int y = 0; y < Half::window_y; y += rows) {
        if (my_row < rows && my_row + y < Half::window_y) {
          warp::copy_async<16>(to + (slab * Half::window_y + y) * Window::pitch, row);
        }
        row += rows * row_pitch;
      }
      from += slab_pitch;
    }
  }
}
template <class Shape>
__device__ __noinline__ void extend_window(LevelTile tile, std::uint32_t* window) {
  Interpolation::extend_window<Shape, WarpWindow<Shape>::pitch>(
      warp::Team(), InterpolationAxes<Shape>::of(tile), window + WarpWindow<Shape>::before - 1);
}
/// Continues what of a window is beyond the ends of its level.
template <class Shape>
__device__ __forceinline__ void complete_window(LevelTile const& tile, bool is_inside,
                                                std::uint32_t* window) {
  if (!warp::any(is_inside)) extend_window<Shape>(tile, window);
}

/// The values of a tile of a level in shared memory.
template <class T>
struct LevelValues {
  SharedTile<unsigned_t<T>> tile;

  /// The tile's memory for a lane's own points, by their numbers; pairs lie side by side.
  __device__ __forceinline__ T* pair(int number) {
    return reinterpret_cast<T*>(&tile) + (number / 2 * 32 + warp::lane()) * 2;
  }
  __device__ __forceinline__ T& value(int number) { return pair(number)[number % 2]; }
  /// The same place for a point's residual.
  __device__ __forceinline__ std::uint32_t& bin(int number) {
    return *reinterpret_cast<std::uint32_t*>(&value(number));
  }
};

/// Whether the pairs of tiles that lie inside an array with these pitches can be moved as such.
template <class Shape, class T>
__device__ __forceinline__ bool has_aligned_pairs(T const* values, std::int64_t row_pitch,
                                                  std::int64_t slab_pitch) {
  std::int64_t const pitches = (Shape::Y > 1 ? row_pitch : 0) | (Shape::Z > 1 ? slab_pitch : 0);
  return (pitches & 1) == 0 &&
         (reinterpret_cast<std::uintptr_t>(values) & (2 * sizeof(T) - 1)) == 0;
}

/// load_values() of a tile of which not all lies inside the field.
template <class Shape, class T>
__device__ __noinline__ void load_clipped_values(T const* field, LevelTile tile,
                                                 LevelValues<T>& memory) {
  using Cells = CellColumns<Shape>;
  std::uint32_t const outside = Cells::outside(tile);
  Cells::for_pairs(field + tile.origin, tile.x_pitch, tile.row_pitch, tile.slab_pitch,
                   [&](int pair, T const* from) {
#pragma unroll
                     for (int i = 0; i < 2; ++i) {
                       if ((outside >> (2 * pair + i) & 1u) != 0) continue;
                       warp::copy_async<sizeof(T)>(&memory.value(2 * pair + i),
                                                   from + i * tile.x_pitch);
                     }
                   });
}
/// Starts to load the values of a tile, by the lanes that will use them; those outside the field stay as they are.
/// \param has_pairs  whether what lies inside can be moved in pairs
template <class Shape, class T>
__device__ __forceinline__ void load_values(T const* field, LevelTile const& tile, bool has_pairs,
                                            LevelValues<T>& memory) {
  if (!warp::any(tile.size() == tile_values)) {
    return load_clipped_values<Shape>(field, tile, memory);
  }
  T const* const first = field + tile.origin;
  if (warp::any(has_pairs)) {
    CellColumns<Shape>::for_pairs(first, 1, tile.row_pitch, tile.slab_pitch,
                                  [&](int pair, T const* from) {
                                    warp::copy_async<2 * sizeof(T)>(memory.pair(2 * pair), from);
                                  });
  } else {
    CellColumns<Shape>::for_pairs(
        first, tile.x_pitch, tile.row_pitch, tile.slab_pitch, [&](int pair, T const* from) {
          warp::copy_async<sizeof(T)>(memory.pair(2 * pair), from);
          warp::copy_async<sizeof(T)>(memory.pair(2 * pair) + 1, from + tile.x_pitch);
        });
  }
}

/// Where the points of a tile go: an array in which they lie side by side along x.
/// \tparam whole  whether all pairs are stored as such
template <class Shape, class V, bool whole>
class PairTarget {
  using Cells = CellColumns<Shape>;

 public:
  /// \param tile_start  of the tile in the array
  /// \param skipped     bit a point of the lane: those that are not stored
  __device__ __forceinline__ PairTarget(V* tile_start, std::int64_t row_pitch,
                                        std::int64_t slab_pitch, std::uint32_t skipped)
      : m_first(tile_start + 2 * Cells::x(warp::lane(), 0) +
                2 * Cells::y(warp::lane(), 0) * row_pitch),
        m_row_pitch(row_pitch),
        m_slab_pitch(slab_pitch),
        m_skipped(skipped) {}

  /// Stores the points `number` and the one before it, a pair.
  __device__ __forceinline__ void store(int number, V const* points) const {
    V* const to = m_first + Cells::offset_of_pair(number / 2, m_row_pitch, m_slab_pitch);
    if constexpr (whole) {
      warp::store_pair(to, points[number - 1], points[number]);
    } else {
      if ((m_skipped >> (number - 1) & 1u) == 0) to[0] = points[number - 1];
      if ((m_skipped >> number & 1u) == 0) to[1] = points[number];
    }
  }

 private:
  V* m_first;
  std::int64_t m_row_pitch, m_slab_pitch;
  std::uint32_t m_skipped;
};

/// Bit a point of the lane: what of a tile is not in the part of its level.
template <class Shape>
__device__ __noinline__ std::uint32_t outside_part(LevelPart part, LevelTile tile) {
  using Cells = CellColumns<Shape>;
  std::uint32_t outside = Cells::outside(tile);
#pragma unroll 1
  for (int i = 0; i < lane_values; ++i) {
    int const cell = i / Cells::classes, c = i % Cells::classes, lane = warp::lane();
    bool const is_there = part.has(tile.at.x + 2 * Cells::x(lane, cell) + (c & 1),
                                   tile.at.y + 2 * Cells::y(lane, cell) + (c >> 1 & 1),
                                   tile.at.z + 2 * Cells::z(lane, cell) + (c >> 2 & 1));
    outside |= static_cast<std::uint32_t>(!is_there) << i;
  }
  return outside;
}
/// Whether all of a tile is in the part of its level.
template <class Shape>
__device__ __forceinline__ bool is_in_part(LevelPart const& part, LevelTile const& tile) {
  return tile.size() == tile_values && part.has(tile.at.x, tile.at.y, tile.at.z) &&
         part.has(tile.at.x + Shape::X - 1, tile.at.y + Shape::Y - 1, tile.at.z + Shape::Z - 1);
}
/// body(target) for the PairTarget of a tile in the part of its level.
template <class Shape, class Body>
__device__ __forceinline__ void with_target_in_part(LevelPart const& part, LevelTile const& tile,
                                                    bool is_whole, Body const& body) {
  std::uint32_t* const first = part.values + part.index(tile.at.x, tile.at.y, tile.at.z);
  if (warp::any(is_whole)) {
    body(PairTarget<Shape, std::uint32_t, true>(first, part.row_pitch(), part.slab_pitch(), 0));
  } else {
    body(PairTarget<Shape, std::uint32_t, false>(first, part.row_pitch(), part.slab_pitch(),
                                                 outside_part<Shape>(part, tile)));
  }
}
/// The same of a tile in a field.
/// \param is_whole  whether it is all inside, in pairs
template <class Shape, class T, class Body>
__device__ __forceinline__ void with_target_in_field(T* field, LevelTile const& tile, bool is_whole,
                                                     Body const& body) {
  T* const first = field + tile.origin;
  if (warp::any(is_whole)) {
    body(PairTarget<Shape, T, true>(first, tile.row_pitch, tile.slab_pitch, 0));
  } else {
    body(PairTarget<Shape, T, false>(first, tile.row_pitch, tile.slab_pitch,
                                     CellColumns<Shape>::outside(tile)));
  }
}

}  // namespace kompakt::impl::cuda

#endif
