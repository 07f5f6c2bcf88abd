#ifndef KOMPAKT_PREDICTOR_INTERPOLATION_HPP
#define KOMPAKT_PREDICTOR_INTERPOLATION_HPP

#include <Kokkos_Core.hpp>
#include <core/exceptions.hpp>
#include <core/lattice.hpp>
#include <core/lattice_scale.hpp>
#include <predictor/lorenzo.hpp>

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

/// Half of a tile along each of its axes: the points of one parity, of which there are `classes`, in rows along x.
/// Class c has the points with an odd index along x, y, z where its bits 0, 1, 2 are set.
template <class Shape>
struct HalfTile {
  static constexpr int axes = Shape::Z > 1 ? 3 : (Shape::Y > 1 ? 2 : 1);
  static constexpr int X = Shape::X / 2, Y = axes > 1 ? Shape::Y / 2 : 1,
                       Z = axes > 2 ? Shape::Z / 2 : 1;
  static constexpr int classes = 1 << axes, values = X * Y * Z, rows = Y * Z;
  static_assert(classes * values == tile_values);
  /// The window of known points: one before and two behind those of the tile.
  static constexpr int window_x = X + 3, window_y = axes > 1 ? Y + 3 : 1,
                       window_z = axes > 2 ? Z + 3 : 1;
  /// Corrections are kept with the last one of a row twice.
  static constexpr int padded = X + 1;

  /// Where the residual of a point lies in the natural order of the tile: a class fills lanes, and a lane has a block of
  /// 4 x 4 x 2, 4 x 8 or 32 of its points. So what is known already, class 0, leaves whole lanes without residuals.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int c, int row, int x) {
    constexpr int lanes = tile_lanes / classes;
    if constexpr (axes == 1) return natural_place<Shape>(c * lanes + x / 32, x % 32);
    if constexpr (axes == 2) {
      return natural_place<Shape>(c * lanes + row / 8 * (X / 4) + x / 4, row % 8 * 4 + x % 4);
    }
    int const y = row % Y, z = row / Y;
    return natural_place<Shape>(c * lanes + z / 2 * (X / 4) + x / 4, z % 2 * 16 + y * 4 + x % 4);
  }
};

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
    correct<Shape>(team, tile.level, scratch,
                   [&](int c, int row, int x, std::uint32_t value, std::uint32_t predicted) {
                     auto const off = static_cast<std::int32_t>(value - predicted);
                     float const bin = round_to_even(static_cast<float>(off) * inverse);
                     auto const residual =
                         value == LatticeScale<T>::no_value ? 0 : static_cast<std::int32_t>(bin);
                     bins[HalfTile<Shape>::place(c, row, x)] =
                         static_cast<unsigned_t<T>>(static_cast<bin_t<T>>(residual));
                     return static_cast<std::uint32_t>(residual);
                   });
    for_points<Shape>(team, [&](int row, int x) { bins[HalfTile<Shape>::place(0, row, x)] = 0; });
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
    correct<Shape>(
        team, tile.level, scratch, [&](int c, int row, int x, std::uint32_t, std::uint32_t) {
          return static_cast<std::uint32_t>(residuals[HalfTile<Shape>::place(c, row, x)]);
        });
    team.team_barrier();
  }

  /// body(place, value) for the lattice's value at each natural place of a tile.
  template <class Shape, class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_lattice(Team const& team, int level,
                                                      std::uint32_t const* lattice,
                                                      Body const& body) {
    if (level == LevelGrid<Shape>::levels) {
      team_for(team, tile_values, [&](int place) { body(place, lattice[place]); });
      return;
    }
    team_for_rows<Shape::X>(team, tile_values / Shape::X, [&](int row, int x) {
      int const y = row % Shape::Y, z = row / Shape::Y;
      body(row * Shape::X + x, lattice[lattice_place<Shape>(x, y, z)]);
    });
  }
  /// Where the lattice's value of a point of a tile lies, of levels that have classes.
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lattice_place(int x, int y, int z) {
    using Half = HalfTile<Shape>;
    int const c = x % 2 + (Half::axes > 1 ? y % 2 * 2 : 0) + (Half::axes > 2 ? z % 2 * 4 : 0);
    int const row = (Half::axes > 2 ? z / 2 : 0) * Half::Y + (Half::axes > 1 ? y / 2 : 0);
    return c * Half::values + row * Half::X + x / 2;
  }

 private:
  // body(row, x) for the points of any class.
  template <class Shape, class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_points(Team const& team, Body const& body) {
    team_for_rows<HalfTile<Shape>::X>(team, HalfTile<Shape>::rows, body);
  }

  // The lattice's values of a tile, by class.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void load_values(Team const& team, LatticeScale<T> const& scale,
                                                 T const* field, LevelTile const& tile,
                                                 std::uint32_t* lattice) {
    auto const store = [&](int row, int x, std::uint32_t value) {
      lattice[lattice_place<Shape>(x, row % Shape::Y, row / Shape::Y)] = value;
    };
    if (tile.size() < tile_values || tile.x_pitch > 1) {
      team_for_rows<Shape::X>(team, tile_values / Shape::X, [&](int row, int x) {
        int const y = row % Shape::Y, z = row / Shape::Y;
        bool const inside = x < tile.nx && y < tile.ny && z < tile.nz;
        std::int64_t const index =
            tile.origin + x * tile.x_pitch + y * tile.row_pitch + z * tile.slab_pitch;
        store(row, x, inside ? scale.lattice_value(field[index]) : LatticeScale<T>::no_value);
      });
    } else {
      team_for_rows<Shape::X>(team, tile_values / Shape::X, [&](int row, int x) {
        int const y = row % Shape::Y, z = row / Shape::Y;
        T const* const values = field + tile.origin + y * tile.row_pitch + z * tile.slab_pitch;
        store(row, x, scale.lattice_value(values[x]));
      });
    }
    team.team_barrier();
  }

  // (-a + 9 b + 9 c - d) / 16, rounded to nearest, halves up.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t between(std::uint32_t a, std::uint32_t b,
                                                           std::uint32_t c, std::uint32_t d) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(9 * (b + c) - (a + d) + 8) >> 4);
  }

  // A point beyond the ends of a level along one axis, as its last two go on in a straight line: first + weight * (first
  // - second).
  struct Extension {
    std::int64_t first, second;
    std::uint32_t weight;

    KOKKOS_FORCEINLINE_FUNCTION static Extension of(std::int64_t i, std::int64_t n) {
      if (i >= 0 && i < n) return {i, i, 0};
      if (n == 1) return {0, 0, 0};
      if (i < 0) return {0, 1, static_cast<std::uint32_t>(-i)};
      std::int64_t const beyond = i - (n - 1) < 2 ? i - (n - 1) : 2;
      return {n - 1, n - 2, static_cast<std::uint32_t>(beyond)};
    }
  };

  // The points of the level above around those of a tile.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void load_window(Team const& team, LevelPart const& above,
                                                 LevelTile const& tile, std::uint32_t* window) {
    using Half = HalfTile<Shape>;
    std::int64_t const x0 = tile.at.x / 2 - 1, y0 = Half::axes > 1 ? tile.at.y / 2 - 1 : 0,
                       z0 = Half::axes > 2 ? tile.at.z / 2 - 1 : 0;
    Extents3 const n{ceil_div<std::int64_t>(tile.n.x, 2), ceil_div<std::int64_t>(tile.n.y, 2),
                     ceil_div<std::int64_t>(tile.n.z, 2)};
    bool const inside = x0 >= 0 && y0 >= 0 && z0 >= 0 && x0 + Half::window_x <= n.x &&
                        y0 + Half::window_y <= n.y && z0 + Half::window_z <= n.z;
    constexpr int rows = Half::window_y * Half::window_z;
    if (inside) {
      team_for_rows<Half::window_x>(team, rows, [&](int row, int x) {
        std::uint32_t const* const known =
            above.values + above.index(x0, y0 + row % Half::window_y, z0 + row / Half::window_y);
        window[row * Half::window_x + x] = known[x];
      });
    } else {
      team_for_rows<Half::window_x>(team, rows, [&](int row, int x) {
        window[row * Half::window_x + x] = extended(above, Extension::of(x0 + x, n.x),
                                                    Extension::of(y0 + row % Half::window_y, n.y),
                                                    Extension::of(z0 + row / Half::window_y, n.z));
      });
    }
    team.team_barrier();
  }
  KOKKOS_INLINE_FUNCTION static std::uint32_t extended(LevelPart const& above, Extension x,
                                                       Extension y, Extension z) {
    auto const along_x = [&](std::int64_t at_y, std::int64_t at_z) {
      std::uint32_t const first = above.values[above.index(x.first, at_y, at_z)];
      if (x.weight == 0) return first;
      return first + x.weight * (first - above.values[above.index(x.second, at_y, at_z)]);
    };
    auto const along_y = [&](std::int64_t at_z) {
      std::uint32_t const first = along_x(y.first, at_z);
      return y.weight == 0 ? first : first + y.weight * (first - along_x(y.second, at_z));
    };
    std::uint32_t const first = along_y(z.first);
    return z.weight == 0 ? first : first + z.weight * (first - along_y(z.second));
  }

  // What the level above says of all points of a tile, by class, in place of window.known: along x, then y, then z.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void interpolate(Team const& team, LevelPart const& above,
                                                 LevelTile const& tile,
                                                 InterpolationWindow& window) {
    using Half = HalfTile<Shape>;
    load_window<Shape>(team, above, tile, window.known);
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
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t interpolated(InterpolationWindow const& window,
                                                                int c, int row, int x) {
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

  // Takes the classes from the edges of cells to their middles: residual_of(class, row, x, value, predicted) is what a
  // point is corrected by; leaves the lattice's values.
  template <class Shape, class T, class Team, class Residual>
  KOKKOS_INLINE_FUNCTION static void correct(Team const& team, int level, Scratch<T>& scratch,
                                             Residual const& residual_of) {
    using Half = HalfTile<Shape>;
    std::uint32_t* const lattice = scratch.lattice;
    auto const& window = scratch.window;
    for_points<Shape>(team, [&](int row, int x) {
      lattice[row * Half::X + x] = interpolated<Shape>(window, 0, row, x);
    });
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
    for_points<Shape>(team, [&](int row, int x) {
      std::uint32_t const from_level = interpolated<Shape>(window, c, row, x);
      std::uint32_t const from_tile = correction<Shape, c>(all, row, x);
      std::uint32_t const predicted = from_level + from_tile;
      std::uint32_t const off = residual_of(c, row, x, lattice[row * Half::X + x], predicted) * bin;
      lattice[row * Half::X + x] = predicted + off;
      std::uint32_t* const kept = all + (c * Half::rows + row) * Half::padded + x;
      kept[0] = from_tile + off;
      if (x + 1 == Half::X) kept[1] = kept[0];
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
    quantize_tile<Shape>(team, scale.quantizer_of_bins(bin_steps(tile.level)),
                         static_cast<T const*>(values), box, bins, scratch.halo, unused);
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
