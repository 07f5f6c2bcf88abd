#ifndef KOMPAKT_PREDICTOR_INTERPOLATION_HPP
#define KOMPAKT_PREDICTOR_INTERPOLATION_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/exceptions.hpp>
#include <core/lattice_scale.hpp>
#include <predictor/interpolation_rules.hpp>
#include <predictor/interpolation_window.hpp>
#include <predictor/lorenzo.hpp>
#include <predictor/rule_choice.hpp>
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

/// \tparam Rules  OneRule for all tiles, or TileRules of each, whose number lies in the place of a base
template <class Rules>
struct InterpolationBy {
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
    load_known<Shape>(team, context, tile, scratch.window);
    Rules rules;
    if constexpr (Rules::may_differ) {
      RuleChoice<Shape, T>(scratch, bin_steps(tile.level)).choose_edges(team, rules);
    }
    interpolate<Shape>(team, rules, scratch.window);
    float const inverse = 1.0f / static_cast<float>(bin_steps(tile.level));
    correct<Shape, Rules::may_differ>(
        team, tile.level, scratch, rules,
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
    if constexpr (Rules::may_differ) {
      team_for(team, 1, [&](int) { bins[0] = unzigzag(unsigned_t<T>{rules.number}); });
      team.team_barrier();
    }
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
    auto rules = Rules::of_number(static_cast<std::uint32_t>(zigzag(residuals[0])));
    load_known<Shape>(team, context, tile, scratch.window);
    interpolate<Shape>(team, rules, scratch.window);
    correct<Shape, false>(
        team, tile.level, scratch, rules,
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
      load_known<Shape>(team, context, tile, scratch.window);
      interpolate<Shape>(team, Rules{}, scratch.window);
      [&]<int... c>(std::integer_sequence<int, c...>) {
        (store_interpolated<Shape, c>(team, Rules{}, scratch.window, lattice), ...);
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

  // The level above around a tile, in window.known. Ends with a barrier.
  template <class Shape, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void load_known(Team const& team, Context const& context,
                                                     LevelTile const& tile,
                                                     InterpolationWindow& window) {
    load_window<Shape, HalfTile<Shape>::window_x>(team, context.parts.of[tile.level + 1], tile,
                                                  window.known);
  }

  // What the level above, in window.known, says of all points of a tile, by class: along x, then y; z is left to interpolated().
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void interpolate(Team const& team, Rules const& rules,
                                                 InterpolationWindow& window) {
    using Half = HalfTile<Shape>;
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
        along_x[(rows_x + row) * Half::X + x] = between_by(rules.is_linear(0), p, 1);
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
              between_by(rules.is_linear(1), p, Half::X);
        });
      }
      team.team_barrier();
    }
  }

  // The prediction of a point of class c from what interpolate() left.
  template <class Shape, int c>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t interpolated(Rules const& rules,
                                                                InterpolationWindow const& window,
                                                                int row, int x) {
    using Half = HalfTile<Shape>;
    if constexpr (Half::axes == 1) {
      std::uint32_t const* const p = window.known + x;
      return c == 0 ? p[1] : between_by(rules.is_linear(0), p, 1);
    } else {
      // The last axis is left to this place.
      constexpr int step = Half::axes == 2 ? Half::X : Half::Y * Half::X;
      constexpr int rows = Half::axes == 2 ? Half::window_y : Half::window_z * Half::Y;
      std::uint32_t const* const rows_of_class =
          (Half::axes == 2 ? window.along_x : window.along_y) +
          c % (Half::classes / 2) * rows * Half::X;
      std::uint32_t const* const p = rows_of_class + row * Half::X + x;
      return c < Half::classes / 2 ? p[step] : between_by(rules.is_linear(Half::axes - 1), p, step);
    }
  }

  // What the level above says of a class, as the lattice's values.
  template <class Shape, int c, class Team>
  KOKKOS_INLINE_FUNCTION static void store_interpolated(Team const& team, Rules const& rules,
                                                        InterpolationWindow const& window,
                                                        std::uint32_t* lattice) {
    std::uint32_t* const of_class = lattice + c * HalfTile<Shape>::values;
    for_runs<Shape>(team, c, [&]<int count>(Run<Shape, count> run) {
      KOMPAKT_INDEPENDENT
      for (int i = 0; i < count; ++i) {
        of_class[run.first() + i] = interpolated<Shape, c>(rules, window, run.row, run.x + i);
      }
    });
  }

  // Takes the classes from the edges of cells to their middles: residual_of(run, values, predicted, residuals)
  // tells what points are corrected by; leaves the lattice's values.
  template <class Shape, bool chooses, class T, class Team, class Residual>
  KOKKOS_INLINE_FUNCTION static void correct(Team const& team, int level, Scratch<T>& scratch,
                                             Rules& rules, Residual const& residual_of) {
    constexpr int axes = HalfTile<Shape>::axes;
    store_interpolated<Shape, 0>(team, rules, scratch.window, scratch.lattice);
    auto const correct_next = [&]<int c>(std::integral_constant<int, c>) {
      correct_class<Shape, c, chooses>(team, level, scratch, rules, residual_of);
    };
    correct_next(std::integral_constant<int, 1>());
    if constexpr (axes > 1) correct_next(std::integral_constant<int, 2>());
    if constexpr (axes > 2) correct_next(std::integral_constant<int, 4>());
    if constexpr (axes > 1) {
      team.team_barrier();
      correct_next(std::integral_constant<int, 3>());
    }
    if constexpr (axes > 2) {
      correct_next(std::integral_constant<int, 5>());
      correct_next(std::integral_constant<int, 6>());
      team.team_barrier();
      correct_next(std::integral_constant<int, 7>());
    }
  }
  template <class Shape, int c, bool chooses, class T, class Team, class Residual>
  KOKKOS_INLINE_FUNCTION static void correct_class(Team const& team, int level, Scratch<T>& scratch,
                                                   Rules& rules, Residual const& residual_of) {
    using Half = HalfTile<Shape>;
    constexpr bool is_edge = (c & (c - 1)) == 0;
    std::uint32_t* const lattice = scratch.lattice + c * Half::values;
    std::uint32_t* const all = scratch.window.corrections;
    auto const& window = scratch.window;
    auto const bin = static_cast<std::uint32_t>(bin_steps(level));
    if constexpr (chooses && !is_edge) {
      RuleChoice<Shape, T>(scratch, bin_steps(level))
          .template choose_weights<c>(
              team, [&](int row, int x) { return interpolated<Shape, c>(rules, window, row, x); },
              rules);
    }
    auto const correct_run = [&]<int count>(Run<Shape, count> run) {
      std::uint32_t from_tile[count], predicted[count], residuals[count];
      KOMPAKT_INDEPENDENT
      for (int i = 0; i < count; ++i) {
        from_tile[i] = correction<Shape, c>(rules, all, run.row, run.x + i);
        predicted[i] = interpolated<Shape, c>(rules, window, run.row, run.x + i) + from_tile[i];
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
    };
    if constexpr (is_edge && Rules::may_differ) {
      if (rules.carry(c) != 0) return for_runs_in_order<Shape, c>(team, correct_run);
    }
    for_runs<Shape>(team, c, correct_run);
  }

  // What the corrections of the points around a new one say of its own.
  template <class Shape, int c>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t correction(Rules const& rules,
                                                              std::uint32_t const* all, int row,
                                                              int x) {
    using Half = HalfTile<Shape>;
    if constexpr ((c & (c - 1)) != 0) {
      return weighed<Shape, c>(weights_by<c>(rules), all, row, x);
    } else if constexpr (Rules::may_differ) {
      if (rules.carry(c) == 0) return 0;
      std::uint32_t const* const of_class = all + c * Half::rows * Half::padded;
      return carried(carried_sum<Shape, c>(of_class, Half::padded, row, x), rules.carry(c));
    } else {
      return 0;
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

using Interpolation = InterpolationBy<OneRule>;
using RuledInterpolation = InterpolationBy<TileRules>;

template <>
struct PredictorAt<seat::Interpolation> {
  using type = Interpolation;
};
template <class CoderSeat>
requires CoderSeat::has_tile_rules struct PredictorFor<seat::Interpolation, CoderSeat> {
  using type = RuledInterpolation;
};

}  // namespace kompakt::impl

#endif
