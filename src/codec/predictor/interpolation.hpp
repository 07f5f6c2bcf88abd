#ifndef KOMPAKT_PREDICTOR_INTERPOLATION_HPP
#define KOMPAKT_PREDICTOR_INTERPOLATION_HPP

#include <Kokkos_Core.hpp>
#include <core/exceptions.hpp>
#include <core/half_tile.hpp>
#include <core/lattice.hpp>
#include <core/lattice_scale.hpp>
#include <predictor/lorenzo.hpp>
#include <type_traits>
#include <utility>

// Prediction from values that are reconstructed already, from coarse to fine, in integers. Values are rounded to a
// lattice finer than the bound first; all that follows is integer arithmetic on it:
//
//   coarsest level   multiples of a bin, and their Lorenzo residuals inside each tile
//   each finer one   its new points lie between known ones. What cubic interpolation along x, y and z says of them comes
//                    from the level above alone, so that tiles and points need not wait for each other
//   corrections      inside a tile, what the points on the edges of a cell were off predicts its faces, and these its
//                    middle: the error of an interpolation along x and y is nearly the sum of those along x and along
//                    y (transfinite interpolation, of Coons and Gordon). Beyond the tile the nearest one counts
//   bins             a new point is corrected by a multiple of the bin, 31 steps of the lattice at level 0 and less
//                    above, whose errors reach more values
//
// A residual is the number of bins. Tiles of one level depend on the level above only, so all chunks are decoded by
// themselves once the lattices above are there.
// Sources: interpolation of reconstructed values level by level, Zhao et al., SZ3 (ICDE 2021); finer bounds on coarser
// levels, Liu et al., QoZ (SC 2022); several axes at a time, Liu et al., HPEZ (SIGMOD 2024). The lattice, the pyramid
// that makes tiles independent and the transfinite correction are ours.

namespace kompakt::impl {

/// The level above around a tile of any shape, and what follows from it.
struct InterpolationWindow {
  std::uint32_t known[560];         ///< points of the level above
  std::uint32_t along_x[784];       ///< with those between them along x
  std::uint32_t along_y[896];       ///< and along y
  std::uint32_t corrections[1280];  ///< of each class
};

/// What the prediction of a tile works on.
template <class T>
struct InterpolationScratch {
  union {
    InterpolationWindow window;
    T values[tile_values];  ///< of a tile of the coarsest level
  };
  unsigned_t<T> halo[tile_lanes];
  /// First the lattice's values, as the field has them, of each class, then as they are reconstructed. Of a tile of the
  /// coarsest level: in natural order.
  std::uint32_t lattice[tile_values];
};

/// The points of a window along one axis: which of them a level has.
struct WindowAxis {
  std::int64_t origin;
  int first, end, count;

  /// \param at, n  of the tile and its level; of the level above every second one
  KOKKOS_FORCEINLINE_FUNCTION static WindowAxis of(std::int64_t at, std::int64_t n, int count) {
    if (count == 1) return {0, 0, 1, 1};
    std::int64_t const origin = at / 2 - 1, left = ceil_div<std::int64_t>(n, 2) - origin;
    return {origin, origin < 0 ? 1 : 0, left < count ? static_cast<int>(left) : count, count};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_whole() const { return first == 0 && end == count; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t inside(int i) const {
    return origin + (i < first ? first : (i < end ? i : end - 1));
  }
};

/// Those of the window around a tile.
template <class Shape>
struct InterpolationAxes {
  WindowAxis x, y, z;

  KOKKOS_FORCEINLINE_FUNCTION static InterpolationAxes of(LevelTile const& tile) {
    using Half = HalfTile<Shape>;
    return {WindowAxis::of(tile.at.x, tile.n.x, Half::window_x),
            WindowAxis::of(tile.at.y, tile.n.y, Half::window_y),
            WindowAxis::of(tile.at.z, tile.n.z, Half::window_z)};
  }
  /// Whether all axes of a tile's window are whole: one point before it, two behind.
  KOKKOS_FORCEINLINE_FUNCTION static bool lie_inside(LevelTile const& tile) {
    using Half = HalfTile<Shape>;
    auto const inside = [](std::int64_t at, int extent, std::int64_t n) {
      return at > 0 && at + extent + 2 < n;
    };
    return inside(tile.at.x, Shape::X, tile.n.x) &&
           (Half::axes < 2 || inside(tile.at.y, Shape::Y, tile.n.y)) &&
           (Half::axes < 3 || inside(tile.at.z, Shape::Z, tile.n.z));
  }
};

/// Neighbouring points of a class, `count` of them from x on: a row on a host, where loops over them are vectorised, and
/// one on a device.
template <class Shape, int count>
struct Run {
  using Half = HalfTile<Shape>;
  static constexpr int quad = count < 4 ? count : 4;  // residuals of more do not lie side by side
  int c, row, x;

  KOKKOS_FORCEINLINE_FUNCTION int first() const { return row * Half::X + x; }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t const* from, U* residuals) const {
    for (int q = 0; q < count; q += quad) {
      U* const to = residuals + Half::place(c, row, x + q);
      for (int i = 0; i < quad; ++i) {
        to[i] = static_cast<U>(
            static_cast<std::make_signed_t<U>>(static_cast<std::int32_t>(from[q + i])));
      }
    }
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void load(U const* residuals, std::uint32_t* to) const {
    for (int q = 0; q < count; q += quad) {
      U const* const from = residuals + Half::place(c, row, x + q);
      for (int i = 0; i < quad; ++i) to[q + i] = static_cast<std::uint32_t>(from[i]);
    }
  }
};

struct Interpolation {
  template <class Shape>
  using Grid = LevelGrid<Shape>;
  template <class T>
  using Scratch = InterpolationScratch<T>;
  static constexpr bool has_levels = true;

  struct Context {
    LevelParts parts;
  };
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static Context context(Args const& args) {
    return {args.levels};
  }

  /// Of a tile of the field: the residuals in `bins`, and what it is reconstructed as in scratch.lattice. Ends with a
  /// barrier.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void difference(Team const& team, Context const& context,
                                                LatticeScale<T> const& scale, T const* field,
                                                LevelTile const& tile, unsigned_t<T>* bins,
                                                Scratch<T>& scratch, ExceptionScratch& unused) {
    if (tile.level == LevelGrid<Shape>::levels) {
      return difference_coarsest<Shape>(team, scale, field, tile, bins, scratch, unused);
    }
    load_values<Shape>(team, scale, field, tile, scratch.lattice);
    interpolate<Shape>(team, context.parts.of[tile.level + 1], tile, scratch.window);
    float const inverse = 1.0f / static_cast<float>(bin_steps(tile.level));
    correct<Shape>(
        team, tile.level, scratch,
        [&]<int count>(Run<Shape, count> run, std::uint32_t const* values,
                       std::uint32_t const* predicted, std::uint32_t* residuals) {
          KOMPAKT_INDEPENDENT
          for (int i = 0; i < count; ++i) {
            auto const off = static_cast<std::int32_t>(values[i] - predicted[i]);
            auto const bin =
                static_cast<std::int32_t>(round_to_even(static_cast<float>(off) * inverse));
            residuals[i] =
                static_cast<std::uint32_t>(values[i] == LatticeScale<T>::no_value ? 0 : bin);
          }
          run.store(residuals, bins);
        });
    for_runs<Shape>(team, 0, [&]<int count>(Run<Shape, count> run) {
      std::uint32_t const none[count] = {};
      run.store(none, bins);
    });
    team.team_barrier();
  }

  /// The inverse: leaves what the tile is reconstructed as in scratch.lattice. Uses `residuals` as working memory. Ends
  /// with a barrier.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void integrate(Team const& team, Context const& context,
                                               LevelTile const& tile, unsigned_t<T>* residuals,
                                               Scratch<T>& scratch) {
    if (tile.level == LevelGrid<Shape>::levels) {
      Lorenzo::integrate<Shape>(team, {}, residuals, scratch.halo);
      return store_coarsest<Shape>(team, residuals, scratch.lattice);
    }
    interpolate<Shape>(team, context.parts.of[tile.level + 1], tile, scratch.window);
    correct<Shape>(team, tile.level, scratch,
                   [&]<int count>(Run<Shape, count> run, std::uint32_t const*, std::uint32_t const*,
                                  std::uint32_t* of_run) { run.load(residuals, of_run); });
    team.team_barrier();
  }
  /// The same of residuals that are all 0.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void integrate_zeros(Team const& team, Context const& context,
                                                     LevelTile const& tile, Scratch<T>& scratch) {
    std::uint32_t* const lattice = scratch.lattice;
    if (tile.level == LevelGrid<Shape>::levels) {
      team_for(team, tile_values, [=](int place) { lattice[place] = 0; });
    } else {
      interpolate<Shape>(team, context.parts.of[tile.level + 1], tile, scratch.window);
      [&]<int... c>(std::integer_sequence<int, c...>) {
        (store_interpolated<Shape, c>(team, scratch.window, lattice), ...);
      }
      (std::make_integer_sequence<int, HalfTile<Shape>::classes>{});
    }
    team.team_barrier();
  }

  /// body(row, x, value) for every point of a tile that lies inside the field, and what the lattice has for it.
  template <class Shape, class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_lattice([[maybe_unused]] Team const& team,
                                                      LevelTile const& tile,
                                                      std::uint32_t const* lattice,
                                                      Body const& body) {
    constexpr int X = Shape::X, Y = Shape::Y;
    bool const has_classes = tile.level < LevelGrid<Shape>::levels;
    KOKKOS_IF_ON_HOST((for (int row = 0; row < tile_values / X; ++row) {
      if (row % Y >= tile.ny || row / Y >= tile.nz) continue;
      std::uint32_t values[X];
      if (has_classes) {
        std::uint32_t const* const even = lattice + lattice_place<Shape>(0, row % Y, row / Y);
        std::uint32_t const* const odd = lattice + lattice_place<Shape>(1, row % Y, row / Y);
        for (int i = 0; i < X / 2; ++i) {
          values[2 * i] = even[i];
          values[2 * i + 1] = odd[i];
        }
      } else {
        for (int x = 0; x < X; ++x) values[x] = lattice[row * X + x];
      }
      if (tile.nx == X) {
        KOMPAKT_INDEPENDENT
        for (int x = 0; x < X; ++x) body(row, x, values[x]);
      } else {
        for (int x = 0; x < tile.nx; ++x) body(row, x, values[x]);
      }
    }))
    KOKKOS_IF_ON_DEVICE(
        (for (int place = team.team_rank(); place < tile_values; place += team.team_size()) {
          int const x = place % X, row = place / X;
          if (x >= tile.nx || row % Y >= tile.ny || row / Y >= tile.nz) continue;
          body(row, x, lattice[has_classes ? lattice_place<Shape>(x, row % Y, row / Y) : place]);
        }))
  }
  /// Where the lattice's value of a point of a tile lies, of levels that have classes.
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lattice_place(int x, int y, int z) {
    using Half = HalfTile<Shape>;
    int const c = x % 2 + (Half::axes > 1 ? y % 2 * 2 : 0) + (Half::axes > 2 ? z % 2 * 4 : 0);
    int const row = (Half::axes > 2 ? z / 2 : 0) * Half::Y + (Half::axes > 1 ? y / 2 : 0);
    return c * Half::values + row * Half::X + x / 2;
  }

  /// (-a + 9 b + 9 c - d) / 16, rounded to nearest, halves up.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t between(std::uint32_t a, std::uint32_t b,
                                                           std::uint32_t c, std::uint32_t d) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(9 * (b + c) - (a + d) + 8) >> 4);
  }

  /// The points of the level above around those of a tile, rows `pitch` apart. Ends with a barrier.
  template <class Shape, int pitch, class Team>
  KOKKOS_INLINE_FUNCTION static void load_window(Team const& team, LevelPart const& above,
                                                 LevelTile const& tile, std::uint32_t* window) {
    using Half = HalfTile<Shape>;
    auto const axes = InterpolationAxes<Shape>::of(tile);
    WindowAxis const &x = axes.x, &y = axes.y, &z = axes.z;
    constexpr int rows = Half::window_y * Half::window_z, X = Half::window_x;
    // Rows beyond the ends take those of the nearest inside, which are there.
    auto const row_of = [&](int row) {
      return above.values +
             above.index(0, y.inside(row % Half::window_y), z.inside(row / Half::window_y));
    };
    KOKKOS_IF_ON_HOST((for (int row = 0; row < rows; ++row) {
      std::uint32_t const* const known = row_of(row) + x.origin;
      if (x.first == 0 && x.end == X) {
        KOMPAKT_INDEPENDENT
        for (int i = 0; i < X; ++i) window[row * pitch + i] = known[i];
      } else {
        for (int i = 0; i < X; ++i) {
          window[row * pitch + i] = known[x.inside(i) - x.origin];
        }
      }
    }))
    KOKKOS_IF_ON_DEVICE((for (int i = team.team_rank(); i < rows * X; i += team.team_size()) {
      window[i / X * pitch + i % X] = row_of(i / X)[x.inside(i % X)];
    }))
    team.team_barrier();
    extend_window<Shape, pitch>(team, axes, window);
  }

  /// Continues what of a window is beyond the ends of its level, in the straight line through the last two points.
  template <class Shape, int pitch, class Team>
  KOKKOS_INLINE_FUNCTION static void extend_window(Team const& team,
                                                   InterpolationAxes<Shape> const& axes,
                                                   std::uint32_t* window) {
    using Half = HalfTile<Shape>;
    constexpr int X = Half::window_x;
    extend(team, axes.x, window, Half::window_y * Half::window_z, 1, pitch);
    if constexpr (Half::axes > 1) {
      for (int slab = 0; slab < Half::window_z; ++slab) {
        extend(team, axes.y, window + slab * Half::window_y * pitch, X, pitch, 1);
      }
    }
    if constexpr (Half::axes > 2) {
      extend(team, axes.z, window, (Half::window_y - 1) * pitch + X, Half::window_y * pitch, 1);
    }
  }

 private:
  // body(Run) for all points of a class.
  template <class Shape, class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_runs([[maybe_unused]] Team const& team, int c,
                                                   Body const& body) {
    using Half = HalfTile<Shape>;
    KOKKOS_IF_ON_HOST((for (int row = 0; row < Half::rows; ++row) {
      body(Run<Shape, Half::X>{c, row, 0});
    }))
    KOKKOS_IF_ON_DEVICE((for (int i = team.team_rank(); i < Half::values; i += team.team_size()) {
      body(Run<Shape, 1>{c, i / Half::X, i % Half::X});
    }))
  }

  // The lattice's values of a tile, by class.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void load_values([[maybe_unused]] Team const& team,
                                                 LatticeScale<T> const& by, T const* field,
                                                 LevelTile const& tile, std::uint32_t* lattice) {
    LatticeScale<T> const scale = by;  // its members then live in registers
    KOKKOS_IF_ON_HOST((scale.of_kind([&](auto kind) {
      for (int row = 0; row < tile_values / Shape::X; ++row) {
        load_row<Shape>(kind, scale, field, tile, row, lattice);
      }
    });))
    KOKKOS_IF_ON_DEVICE(
        (for (int place = team.team_rank(); place < tile_values; place += team.team_size()) {
          int const x = place % Shape::X, y = place / Shape::X % Shape::Y,
                    z = place / (Shape::X * Shape::Y);
          bool const inside = x < tile.nx && y < tile.ny && z < tile.nz;
          std::int64_t const index =
              tile.origin + x * tile.x_pitch + y * tile.row_pitch + z * tile.slab_pitch;
          lattice[lattice_place<Shape>(x, y, z)] =
              inside ? scale.lattice_value(field[index]) : LatticeScale<T>::no_value;
        }))
    team.team_barrier();
  }
  // Those of a row, on a host: in the order of the field, then apart.
  template <class Shape, class Kind, class T>
  static void load_row(Kind kind, LatticeScale<T> const& scale, T const* field,
                       LevelTile const& tile, int row, std::uint32_t* lattice) {
    int const y = row % Shape::Y, z = row / Shape::Y;
    std::uint32_t values[Shape::X];
    int const inside = y < tile.ny && z < tile.nz ? tile.nx : 0;
    T const* const from = field + tile.origin + y * tile.row_pitch + z * tile.slab_pitch;
    if (inside == Shape::X && tile.x_pitch == 1) {
      for (int x = 0; x < Shape::X; ++x) values[x] = scale.lattice_value(kind, from[x]);
    } else {
      for (int x = 0; x < inside; ++x) {
        values[x] = scale.lattice_value(kind, from[x * tile.x_pitch]);
      }
      for (int x = inside; x < Shape::X; ++x) values[x] = LatticeScale<T>::no_value;
    }
    std::uint32_t* const even = lattice + lattice_place<Shape>(0, y, z);
    std::uint32_t* const odd = lattice + lattice_place<Shape>(1, y, z);
    for (int i = 0; i < Shape::X / 2; ++i) {
      even[i] = values[2 * i];
      odd[i] = values[2 * i + 1];
    }
  }

  // Continues `lines` lines, `pitch` apart, whose points are `step` apart.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void extend(Team const& team, WindowAxis const& axis,
                                            std::uint32_t* window, int lines, int step, int pitch) {
    bool const single = axis.end - axis.first == 1;  // then it is there already
    if (single || axis.is_whole()) return;
    auto const continue_to = [&](int from, int before, int to, std::uint32_t times) {
      team_for(team, lines, [&](int line) {
        std::uint32_t* const of_line = window + line * pitch;
        of_line[to * step] =
            of_line[from * step] + times * (of_line[from * step] - of_line[before * step]);
      });
    };
    if (axis.first > 0) continue_to(1, 2, 0, 1);
    for (int beyond = 0; axis.end + beyond < axis.count; ++beyond) {
      continue_to(axis.end - 1, axis.end - 2, axis.end + beyond, beyond < 1 ? 1 : 2);
    }
    team.team_barrier();
  }

  // What the level above says of all points of a tile, by class, in place of window.known: along x, then y, then z.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void interpolate(Team const& team, LevelPart const& above,
                                                 LevelTile const& tile,
                                                 InterpolationWindow& window) {
    using Half = HalfTile<Shape>;
    load_window<Shape, Half::window_x>(team, above, tile, window.known);
    constexpr int rows_x = Half::window_y * Half::window_z;
    static_assert(rows_x * Half::window_x <= 560 &&
                  (Half::axes == 1 || 2 * rows_x * Half::X <= 784));
    std::uint32_t const* const known = window.known;
    // A chain has one row, whose points are the classes.
    std::uint32_t* const along_x = window.along_x;
    if constexpr (Half::axes > 1) {
      team_for_rows<Half::X>(team, rows_x, [=](int row, int x) {
        std::uint32_t const* const p = known + row * Half::window_x + x;
        along_x[row * Half::X + x] = p[1];
        along_x[(rows_x + row) * Half::X + x] = between(p[0], p[1], p[2], p[3]);
      });
      team.team_barrier();
    }
    if constexpr (Half::axes > 2) {
      constexpr int rows_y = Half::window_z * Half::Y;  // of each of four classes
      static_assert(4 * rows_y * Half::X <= 896);
      std::uint32_t* const along_y = window.along_y;
      for (int c = 0; c < 2; ++c) {
        team_for_rows<Half::X>(team, rows_y, [=](int row, int x) {
          int const y = row % Half::Y, z = row / Half::Y;
          std::uint32_t const* const p =
              along_x + (c * rows_x + z * Half::window_y + y) * Half::X + x;
          along_y[(c * rows_y + row) * Half::X + x] = p[Half::X];
          along_y[((c + 2) * rows_y + row) * Half::X + x] =
              between(p[0], p[Half::X], p[2 * Half::X], p[3 * Half::X]);
        });
      }
      team.team_barrier();
    }
  }

  // The prediction of a point of class c from what interpolate() left.
  template <class Shape, int c>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t interpolated(InterpolationWindow const& window,
                                                                int row, int x) {
    using Half = HalfTile<Shape>;
    if constexpr (Half::axes == 1) {
      std::uint32_t const* const p = window.known + x;
      return c == 0 ? p[1] : between(p[0], p[1], p[2], p[3]);
    } else {
      // The last axis is left to this place.
      constexpr int step = Half::axes == 2 ? Half::X : Half::Y * Half::X;
      constexpr int rows = Half::axes == 2 ? Half::window_y : Half::window_z * Half::Y;
      std::uint32_t const* const rows_of_class =
          (Half::axes == 2 ? window.along_x : window.along_y) +
          c % (Half::classes / 2) * rows * Half::X;
      std::uint32_t const* const p = rows_of_class + row * Half::X + x;
      return c < Half::classes / 2 ? p[step] : between(p[0], p[step], p[2 * step], p[3 * step]);
    }
  }

  // What the level above says of a class, as the lattice's values.
  template <class Shape, int c, class Team>
  KOKKOS_INLINE_FUNCTION static void store_interpolated(Team const& team,
                                                        InterpolationWindow const& window,
                                                        std::uint32_t* lattice) {
    std::uint32_t* const of_class = lattice + c * HalfTile<Shape>::values;
    for_runs<Shape>(team, c, [&]<int count>(Run<Shape, count> run) {
      KOMPAKT_INDEPENDENT
      for (int i = 0; i < count; ++i) {
        of_class[run.first() + i] = interpolated<Shape, c>(window, run.row, run.x + i);
      }
    });
  }

  // Takes the classes from the edges of cells to their middles: residual_of(run, values, predicted, residuals)
  // tells what points are corrected by; leaves the lattice's values.
  template <class Shape, class T, class Team, class Residual>
  KOKKOS_INLINE_FUNCTION static void correct(Team const& team, int level, Scratch<T>& scratch,
                                             Residual const& residual_of) {
    using Half = HalfTile<Shape>;
    store_interpolated<Shape, 0>(team, scratch.window, scratch.lattice);
    correct_class<Shape, 1>(team, level, scratch, residual_of);
    if constexpr (Half::axes > 1) correct_class<Shape, 2>(team, level, scratch, residual_of);
    if constexpr (Half::axes > 2) correct_class<Shape, 4>(team, level, scratch, residual_of);
    if constexpr (Half::axes > 1) {
      team.team_barrier();
      correct_class<Shape, 3>(team, level, scratch, residual_of);
    }
    if constexpr (Half::axes > 2) {
      correct_class<Shape, 5>(team, level, scratch, residual_of);
      correct_class<Shape, 6>(team, level, scratch, residual_of);
      team.team_barrier();
      correct_class<Shape, 7>(team, level, scratch, residual_of);
    }
  }
  template <class Shape, int c, class T, class Team, class Residual>
  KOKKOS_INLINE_FUNCTION static void correct_class(Team const& team, int level, Scratch<T>& scratch,
                                                   Residual const& residual_of) {
    using Half = HalfTile<Shape>;
    std::uint32_t* const lattice = scratch.lattice + c * Half::values;
    std::uint32_t* const all = scratch.window.corrections;
    auto const& window = scratch.window;
    auto const bin = static_cast<std::uint32_t>(bin_steps(level));
    for_runs<Shape>(team, c, [&]<int count>(Run<Shape, count> run) {
      std::uint32_t from_tile[count], predicted[count], residuals[count];
      KOMPAKT_INDEPENDENT
      for (int i = 0; i < count; ++i) {
        from_tile[i] = correction<Shape, c>(all, run.row, run.x + i);
        predicted[i] = interpolated<Shape, c>(window, run.row, run.x + i) + from_tile[i];
      }
      std::uint32_t* const values = lattice + run.first();
      residual_of(run, values, predicted, residuals);
      std::uint32_t* const kept = all + (c * Half::rows + run.row) * Half::padded + run.x;
      KOMPAKT_INDEPENDENT
      for (int i = 0; i < count; ++i) {
        std::uint32_t const off = residuals[i] * bin;
        values[i] = predicted[i] + off;
        kept[i] = from_tile[i] + off;
      }
      if (run.x + count == Half::X) kept[count] = kept[count - 1];
    });
  }

  // What the corrections of the points around a new one say of its own.
  template <class Shape, int c>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t correction(std::uint32_t const* all, int row,
                                                              int x) {
    using Half = HalfTile<Shape>;
    constexpr int order = (c & 1) + (c >> 1 & 1) + (c >> 2 & 1);
    if constexpr (order == 1) {
      return 0;
    } else {
      std::uint32_t sum = 0;
      auto const add = [&](int from, int to_next) {
        std::uint32_t const* const p = all + (from * Half::rows + row) * Half::padded + x;
        sum += p[0] + p[to_next];
      };
      if constexpr ((c & 1) != 0) add(c ^ 1, 1);
      if constexpr ((c & 2) != 0) add(c ^ 2, row % Half::Y + 1 < Half::Y ? Half::padded : 0);
      if constexpr ((c & 4) != 0) {
        add(c ^ 4, row / Half::Y + 1 < Half::Z ? Half::Y * Half::padded : 0);
      }
      // Means along each axis; those of the faces count twice along each, so the middle takes half of them.
      constexpr int shift = order - 1;
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(sum + (1u << (shift - 1))) >>
                                        shift);
    }
  }

  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void difference_coarsest(Team const& team,
                                                         LatticeScale<T> const& scale,
                                                         T const* field, LevelTile const& tile,
                                                         unsigned_t<T>* bins, Scratch<T>& scratch,
                                                         ExceptionScratch& unused) {
    // Side by side, the tile is one of a field of its own.
    TileBox box{0, Shape::X, Shape::X * Shape::Y, tile.nx, tile.ny, tile.nz};
    T* const values = scratch.values;
    team_for_values<Shape>(team, box, [&](int place, std::int64_t) {
      int const x = place % Shape::X, y = place / Shape::X % Shape::Y,
                z = place / (Shape::X * Shape::Y);
      values[place] =
          field[tile.origin + x * tile.x_pitch + y * tile.row_pitch + z * tile.slab_pitch];
    });
    team.team_barrier();
    int const steps = bin_steps(tile.level);
    quantize_tile<Shape>(team, scale.quantizer_of_bins(steps), static_cast<T const*>(values), box,
                         bins, scratch.halo, unused);
    if (scale.origin != 0) {
      team_for(team, tile_values,
               [&](int place) { bins[place] = scale.bin_from_origin(bins[place], steps); });
      team.team_barrier();
    }
    store_coarsest<Shape>(team, bins, scratch.lattice);
    Lorenzo::difference<Shape>(team, {}, bins, scratch.halo);
    unsigned_t<T> const base = bins[0];
    team.team_barrier();
    team_for(team, tile_values, [&](int place) {
      if (field_index<Shape>(box, place) < 0) bins[place] = 0;
    });
    team_for(team, 1, [&](int) { bins[0] = base; });
    team.team_barrier();
  }

  // The lattice's values of bins of the coarsest level.
  template <class Shape, class U, class Team>
  KOKKOS_INLINE_FUNCTION static void store_coarsest(Team const& team, U const* bins,
                                                    std::uint32_t* lattice) {
    constexpr auto bin = static_cast<std::uint32_t>(bin_steps(LevelGrid<Shape>::levels));
    team_for(team, tile_values,
             [&](int place) { lattice[place] = static_cast<std::uint32_t>(bins[place]) * bin; });
    team.team_barrier();
  }
};

template <>
struct PredictorAt<seat::Interpolation> {
  using type = Interpolation;
};

}  // namespace kompakt::impl

#endif
