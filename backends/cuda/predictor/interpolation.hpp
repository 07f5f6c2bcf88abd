#ifndef KOMPAKT_CUDA_PREDICTOR_INTERPOLATION_HPP
#define KOMPAKT_CUDA_PREDICTOR_INTERPOLATION_HPP

#include <core/lattice_scale.hpp>
#include <cuda/level_tile_io.hpp>
#include <cuda/warp.hpp>
#include <predictor/interpolation.hpp>
#include <type_traits>

// predictor/interpolation.hpp for a tile by a warp: the same integers. What is known is interpolated along x in shared
// memory, in its place. Then a lane has a column of cells: along it it interpolates and corrects in registers, across it
// neighbours are other lanes.

namespace kompakt::impl::cuda {

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
      odd[i] = impl::between(known[i], known[i + 1], known[i + 2], known[i + 3]);
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
        m_lines[0][Cells::cells + cell] = impl::between(p[0], p[1], p[2], p[3]);
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
      return c < half_classes ? line[1] : impl::between(line[0], line[1], line[2], line[3]);
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
      m_lines[2][i] = impl::between(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
      m_lines[3][i] = impl::between(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
    }
  }

  // Of a chain both classes.
  static constexpr int line = Cells::axes == 1 ? 2 * Cells::cells : Cells::cells + 3;
  std::uint32_t m_lines[half_classes][line];
};

/// What the window of a tile that is there says of its points; the window is then free.
template <class Shape>
__device__ __forceinline__ InterpolatedColumn<Shape> interpolate_window(LevelTile const& tile,
                                                                        bool is_inside,
                                                                        std::uint32_t* window) {
  complete_window<Shape>(tile, is_inside, window);
  if constexpr (CellColumns<Shape>::axes > 1) interpolate_rows<Shape>(window);
  InterpolatedColumn<Shape> const known(window);
  warp::sync();
  return known;
}

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

/// Quantises a tile whose window has been interpolated along x. For every point of the lane
///   value(number)                     its value on the lattice, anything where it has none
///   bin(number, nearest)              what is coded: the nearest number of bins, or 0 for a value that is not there
///   body(number, bin, reconstructed)  takes what comes of it
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
  /// Value of the lane that is not inside the bound, as far as the cheap check tells, or needs a sign.
  bool refused;
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

/// The same of any tile: values may be masked, outside the field or not on the lattice. Leaves the bins in the places of
/// their values.
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
          refused |= !scale.is_plain(memory.value(number), scale.reconstruct(value));
        }
        memory.bin(number) = bin;
      });
  return {any, refused};
}

}  // namespace kompakt::impl::cuda

#endif
