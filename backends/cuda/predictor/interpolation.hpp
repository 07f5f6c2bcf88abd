#ifndef KOMPAKT_CUDA_PREDICTOR_INTERPOLATION_HPP
#define KOMPAKT_CUDA_PREDICTOR_INTERPOLATION_HPP

#include <core/lattice.hpp>
#include <core/tile.hpp>
#include <cuda/tile_io.hpp>
#include <cuda/warp.hpp>
#include <predictor/interpolation.hpp>
#include <type_traits>

// predictor/interpolation.hpp for a tile by a warp: the same integers. What the level above knows comes to shared memory
// in packs and is interpolated along x there, in its place. Then a lane has a column of cells, a cell being a point of
// every class: along the column it interpolates and corrects in registers, across it neighbours are other lanes.

// What is rare takes its arguments by value: one whose address is taken would lie in memory for all.

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

/// Known points and those between them along x in the place of known points, quads of a row by lanes. Ends with a
/// warp::sync().
template <class Shape>
__device__ __forceinline__ void interpolate_rows(std::uint32_t* window) {
  using Window = WarpWindow<Shape>;
  constexpr int quads = HalfTile<Shape>::X / 4, items = Window::rows * quads;
  static_assert(32 % quads == 0);  // a row is read and written in one round
#pragma unroll
  for (int first = 0; first < items; first += 32) {
    int const item = first + warp::lane(), quad = item % quads;
    bool const active = items - first >= 32 || item < items;
    std::uint32_t* const row = window + item / quads * Window::pitch;
    std::uint32_t known[7] = {};
    if (active) {
      std::uint32_t const* const own = row + Window::before + 4 * quad;
      known[0] = own[-1];
      auto const pack = *reinterpret_cast<uint4 const*>(own);
      auto const behind = *reinterpret_cast<uint2 const*>(own + 4);
      known[1] = pack.x, known[2] = pack.y, known[3] = pack.z, known[4] = pack.w;
      known[5] = behind.x, known[6] = behind.y;
    }
    std::uint32_t odd[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      odd[i] = Interpolation::between(known[i], known[i + 1], known[i + 2], known[i + 3]);
    }
    warp::sync();
    if (active) {
      auto* const to = reinterpret_cast<uint4*>(row + 8 * quad);
      to[0] = make_uint4(known[1], odd[0], known[2], odd[1]);
      to[1] = make_uint4(known[3], odd[2], known[4], odd[3]);
    }
  }
  warp::sync();
}

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

/// What the level above says of the points of a lane's cells, from the window after interpolate_rows(), in registers.
template <class Shape>
class InterpolatedColumn {
  using Cells = CellColumns<Shape>;
  using Window = WarpWindow<Shape>;
  static constexpr int half_classes = Cells::classes / 2;

 public:
  __device__ __forceinline__ explicit InterpolatedColumn(std::uint32_t const* window) {
    int const lane = warp::lane();
    if constexpr (Cells::axes == 1) {
#pragma unroll
      for (int cell = 0; cell < Cells::cells; ++cell) {
        std::uint32_t const* const p = window + Window::before - 1 + lane + 32 * cell;
        m_lines[0][cell] = p[1];
        m_lines[0][Cells::cells + cell] = Interpolation::between(p[0], p[1], p[2], p[3]);
      }
    } else {
      std::uint32_t const* const first =
          window + Cells::y(lane, 0) * Window::pitch + 2 * Cells::x(lane, 0);
#pragma unroll
      for (int i = 0; i < Cells::cells + 3; ++i) take_line(i, first);
    }
  }

  template <int c>
  __device__ __forceinline__ std::uint32_t at(int cell) const {
    if constexpr (Cells::axes == 1) {
      return m_lines[0][c * Cells::cells + cell];
    } else {
      std::uint32_t const* const line = m_lines[c % half_classes] + cell;
      return c < half_classes ? line[1]
                              : Interpolation::between(line[0], line[1], line[2], line[3]);
    }
  }

 private:
  // The points of a cell and its neighbours across the column.
  __device__ __forceinline__ void take_line(int i, std::uint32_t const* first) {
    constexpr int pitch = Window::pitch;
    if constexpr (Cells::axes == 2) {
      auto const pair = *reinterpret_cast<uint2 const*>(first + i * pitch);
      m_lines[0][i] = pair.x;
      m_lines[1][i] = pair.y;
    } else {
      uint2 rows[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        rows[k] =
            *reinterpret_cast<uint2 const*>(first + (i * HalfTile<Shape>::window_y + k) * pitch);
      }
      m_lines[0][i] = rows[1].x;
      m_lines[1][i] = rows[1].y;
      m_lines[2][i] = Interpolation::between(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
      m_lines[3][i] = Interpolation::between(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
    }
  }

  // Of a chain both classes.
  static constexpr int line = Cells::axes == 1 ? 2 * Cells::cells : Cells::cells + 3;
  std::uint32_t m_lines[half_classes][line];
};

/// Takes the classes of a tile from the edges of cells to their middles: point(class, cell, predicted) tells what each
/// point is corrected by.
template <class Shape>
class ColumnCorrection {
  using Cells = CellColumns<Shape>;
  static constexpr int cells = Cells::cells;

 public:
  template <class Point>
  __device__ __forceinline__ static void run(InterpolatedColumn<Shape> const& known,
                                             Point const& point) {
    ColumnCorrection correction;
    correction.correct<0>(known, point);
    correction.correct<1>(known, point);
    if constexpr (Cells::axes > 2) correction.correct<4>(known, point);
    if constexpr (Cells::axes > 1) {
      correction.correct<2>(known, point);
      correction.correct<3>(known, point);
    }
    if constexpr (Cells::axes > 2) {
      correction.correct<5>(known, point);
      correction.correct<6>(known, point);
      correction.correct<7>(known, point);
    }
  }

 private:
  __device__ __forceinline__ ColumnCorrection() {
    int const lane = warp::lane();
    bool const is_last_x = lane % Cells::lanes_x + 1 == Cells::lanes_x;
    m_right = is_last_x ? lane : lane + 1;
    m_across = lane + Cells::lanes_x < 32 ? lane + Cells::lanes_x : lane;
  }

  template <int c, class Point>
  __device__ __forceinline__ void correct(InterpolatedColumn<Shape> const& known,
                                          Point const& point) {
    std::uint32_t from_tile[cells];
    predict<c>(from_tile);
    m_any[c] = 0;
#pragma unroll
    for (int cell = 0; cell < cells; ++cell) {
      std::uint32_t const off = point(std::integral_constant<int, c>{}, cell,
                                      known.template at<c>(cell) + from_tile[cell]);
      m_kept[c][cell] = from_tile[cell] + off;
      m_any[c] |= m_kept[c][cell];
    }
  }

  // What the corrections of the points around those of a class say of its own; nothing, as a rule.
  template <int c>
  __device__ __forceinline__ void predict(std::uint32_t* from_tile) const {
    constexpr int order = (c & 1) + (c >> 1 & 1) + (c >> 2 & 1);
#pragma unroll
    for (int cell = 0; cell < cells; ++cell) from_tile[cell] = 0;
    if constexpr (order > 1) {
      std::uint32_t any = 0;
#pragma unroll
      for (int axis = 1; axis < Cells::classes; axis *= 2) {
        if ((c & axis) != 0) any |= m_any[c ^ axis];
      }
      if (!warp::any(any != 0)) return;
      constexpr int shift = order - 1;
#pragma unroll
      for (int cell = 0; cell < cells; ++cell) {
        std::uint32_t sum = 1u << (shift - 1);
        if constexpr ((c & 1) != 0) sum += m_kept[c ^ 1][cell] + next_x(m_kept[c ^ 1], cell);
        if constexpr ((c & 2) != 0) sum += m_kept[c ^ 2][cell] + next_y(m_kept[c ^ 2], cell);
        if constexpr ((c & 4) != 0) sum += m_kept[c ^ 4][cell] + next_z(m_kept[c ^ 4], cell);
        from_tile[cell] = static_cast<std::uint32_t>(static_cast<std::int32_t>(sum) >> shift);
      }
    }
  }
  // Of the next cell along an axis; the last one of a tile is its own.
  __device__ __forceinline__ std::uint32_t next_x(std::uint32_t const* kept, int cell) const {
    return warp::from_lane(kept[cell], m_right);
  }
  __device__ __forceinline__ std::uint32_t next_y(std::uint32_t const* kept, int cell) const {
    if constexpr (Cells::axes == 3) return warp::from_lane(kept[cell], m_across);
    if (cell + 1 < cells) return kept[cell + 1];
    std::uint32_t const across = warp::from_lane(kept[0], m_across);
    return m_across == warp::lane() ? kept[cell] : across;
  }
  __device__ __forceinline__ std::uint32_t next_z(std::uint32_t const* kept, int cell) const {
    return kept[cell + 1 < cells ? cell + 1 : cell];
  }

  int m_right, m_across;  // lanes with the next cell
  std::uint32_t m_kept[Cells::classes][cells];
  std::uint32_t m_any[Cells::classes];
};

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

/// Quantises a tile whose window has been interpolated along x. For every point of the lane
///   value(number)                    its value on the lattice, as long as nothing else is said: bin() is asked
///   bin(number, off)                 what of `off` steps is coded, as a number of bins
///   body(number, bin, reconstructed)
template <class Shape, class Value, class Bin, class Body>
__device__ __forceinline__ void quantize_column(InterpolatedColumn<Shape> const& known, int level,
                                                Value const& value, Bin const& bin_of,
                                                Body const& body) {
  auto const steps = static_cast<std::uint32_t>(bin_steps(level));
  float const inverse = 1.0f / static_cast<float>(steps);
  ColumnCorrection<Shape>::run(
      known, [&]<int c>(std::integral_constant<int, c>, int cell, std::uint32_t predicted) {
        int const number = CellColumns<Shape>::number(c, cell);
        std::uint32_t const on_lattice = value(number);
        std::uint32_t bin = 0;
        if constexpr (c > 0) {
          auto const off = static_cast<std::int32_t>(on_lattice - predicted);
          bin = bin_of(number, static_cast<std::uint32_t>(
                                   warp::nearest_integer(static_cast<float>(off) * inverse)));
        }
        std::uint32_t const off = bin * steps;
        body(number, bin, predicted + off);
        return off;
      });
}

/// The inverse: body(number, reconstructed) from bin(number).
template <class Shape, class Bin, class Body>
__device__ __forceinline__ void reconstruct_column(InterpolatedColumn<Shape> const& known,
                                                   int level, Bin const& bin, Body const& body) {
  auto const steps = static_cast<std::uint32_t>(bin_steps(level));
  ColumnCorrection<Shape>::run(
      known, [&]<int c>(std::integral_constant<int, c>, int cell, std::uint32_t predicted) {
        int const number = CellColumns<Shape>::number(c, cell);
        std::uint32_t off = 0;
        if constexpr (c > 0) off = bin(number) * steps;
        body(number, predicted + off);
        return off;
      });
}

/// What quantising a column found.
struct ColumnFound {
  bool any;  ///< residual of the lane that is not 0
  bool
      refused;  ///< value of the lane that is not inside the bound, as far as the cheap check tells
};

/// Quantises the values of a tile in memory, all of which lie on the lattice, as a rule: body(number, bin,
/// reconstructed) for every point of the lane. Returns whether they did; if not, what body() was told is void.
/// \param size      of the tile
/// \param compares  whether the values are held to the bound
template <class Shape, class T, class Body>
__device__ __forceinline__ bool quantize_plain(LatticeScale<T> const& scale,
                                               InterpolatedColumn<Shape> const& known, int size,
                                               int level, bool compares, LevelValues<T>& memory,
                                               ColumnFound& found, Body const& body) {
  bool const may_be =
      size == tile_values && !scale.values.fill.known && scale.lattice.bins == Bins::linear;
  if (!warp::any(may_be)) return false;
  T const inverse = scale.lattice.inverse, step = scale.lattice.step, limit = scale.values.limit;
  T energy = 0;           // sum of squares in steps: no value is above its root
  T worst = 0;            // largest difference
  T values[lane_values];  // of those that are under way
  std::uint32_t any = 0;
  quantize_column(
      known, level,
      [&](int number) {
        if (number % 2 == 0) {
          T const* const two = memory.pair(number);
          values[number] = two[0];
          values[number + 1] = two[1];
        }
        T const scaled = values[number] * inverse;
        energy = Kokkos::fma(scaled, scaled, energy);
        return static_cast<std::uint32_t>(warp::nearest_integer(scaled));
      },
      [](int, std::uint32_t bin) { return bin; },
      [&](int number, std::uint32_t bin, std::uint32_t value) {
        any |= bin;
        if (compares) {
          T const back = static_cast<T>(static_cast<std::int32_t>(value)) * step;
          worst = Kokkos::fmax(worst, Kokkos::fabs(values[number] - back));
        }
        body(number, bin, value);
      });
  found = {any != 0, !(worst < limit)};
  bool const is_plain = energy < scale.most * scale.most;  // a NaN fails
  return !warp::any(!is_plain);
}

/// The same of any tile; leaves the bins in the places of their values.
template <class Shape, class T>
__device__ __noinline__ ColumnFound quantize_any(LatticeScale<T> const& scale,
                                                 InterpolatedColumn<Shape> const known,
                                                 LevelTile const& tile, LevelValues<T>& memory) {
  std::uint32_t const outside = tile.size() < tile_values ? CellColumns<Shape>::outside(tile) : 0;
  bool any = false, refused = false;
  quantize_column(
      known, tile.level,
      [&](int number) {
        return (outside >> number & 1u) != 0 ? LatticeScale<T>::no_value
                                             : scale.lattice_value(memory.value(number));
      },
      [&](int number, std::uint32_t bin) {
        bool const is_outside = (outside >> number & 1u) != 0;
        bool const is_missing =
            is_outside || scale.lattice_value(memory.value(number)) == LatticeScale<T>::no_value;
        refused |= is_missing && !is_outside;
        return is_missing ? 0u : bin;
      },
      [&](int number, std::uint32_t bin, std::uint32_t value) {
        any |= bin != 0;
        if ((outside >> number & 1u) == 0) {
          refused |= !scale.accepts(memory.value(number), scale.reconstruct(value));
        }
        memory.bin(number) = bin;
      });
  return {any, refused};
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
