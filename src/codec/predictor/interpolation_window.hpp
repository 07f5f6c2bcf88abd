#ifndef KOMPAKT_PREDICTOR_INTERPOLATION_WINDOW_HPP
#define KOMPAKT_PREDICTOR_INTERPOLATION_WINDOW_HPP

#include <Kokkos_Core.hpp>
#include <core/half_tile.hpp>
#include <core/lattice.hpp>
#include <core/team.hpp>
#include <core/types.hpp>
#include <predictor/interpolation_rules.hpp>
#include <type_traits>

// What the prediction of a tile from the level above works on: that level around the tile, and the tile's points by class.

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
  /// Of the first members, while a tile is coded: only its lattice is needed until it is written.
  static constexpr std::size_t free_bytes = sizeof(InterpolationWindow);
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

/// body(Run) for all points of a class, in any order.
template <class Shape, class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_runs([[maybe_unused]] Team const& team, int c,
                                          Body const& body) {
  using Half = HalfTile<Shape>;
  KOKKOS_IF_ON_HOST((for (int row = 0; row < Half::rows; ++row) {
    body(Run<Shape, Half::X>{c, row, 0});
  }))
  KOKKOS_IF_ON_DEVICE((for (int i = team.team_rank(); i < Half::values; i += team.team_size()) {
    body(Run<Shape, 1>{c, i / Half::X, i % Half::X});
  }))
}

/// The axes along which points of a class with one odd index carry on from those before them: those on which it is even, and
/// of a chain its only one.
template <class Shape, int c>
struct CarryAxes {
  static constexpr int axes = HalfTile<Shape>::axes;
  static constexpr bool x = axes == 1 || (c & 1) == 0,
                        y = axes > 1 && (c & 2) == 0, z = axes > 2 && (c & 4) == 0;
};

/// body(Run) for all points of a class with one odd index, each behind those that it carries on from.
template <class Shape, int c, class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_runs_in_order([[maybe_unused]] Team const& team,
                                                   Body const& body) {
  using Half [[maybe_unused]] = HalfTile<Shape>;
  using Axes [[maybe_unused]] = CarryAxes<Shape, c>;
  KOKKOS_IF_ON_HOST((for (int row = 0; row < Half::rows; ++row) {
    if constexpr (Axes::x) {
      for (int x = 0; x < Half::X; ++x) body(Run<Shape, 1>{c, row, x});
    } else {
      body(Run<Shape, Half::X>{c, row, 0});
    }
  }))
  KOKKOS_IF_ON_DEVICE((for_waves<Shape, c>(team, body);))
}
/// The same on a device: points whose numbers along these axes have the same sum do not wait for each other.
template <class Shape, int c, class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_waves(Team const& team, Body const& body) {
  using Half = HalfTile<Shape>;
  using Axes = CarryAxes<Shape, c>;
  if constexpr (Half::axes == 1) {
    for (int x = 0; team.team_rank() == 0 && x < Half::X; ++x) body(Run<Shape, 1>{c, 0, x});
    team.team_barrier();
  } else {
    constexpr int waves =
        (Axes::x ? Half::X - 1 : 0) + (Axes::y ? Half::Y - 1 : 0) + (Axes::z ? Half::Z - 1 : 0) + 1;
    for (int wave = 0; wave < waves; ++wave) {
      for (int i = team.team_rank(); i < Half::values; i += team.team_size()) {
        int const x = i % Half::X, row = i / Half::X;
        int const mine =
            (Axes::x ? x : 0) + (Axes::y ? row % Half::Y : 0) + (Axes::z ? row / Half::Y : 0);
        if (mine == wave) body(Run<Shape, 1>{c, row, x});
      }
      team.team_barrier();
    }
  }
}

/// What the points before one of a class with one odd index are corrected by, along two axes: twice the same where one lacks.
/// \param of_class  corrections, rows `pitch` apart
template <class Shape, int c>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t carried_sum(std::uint32_t const* of_class, int pitch,
                                                      int row, int x) {
  using Half = HalfTile<Shape>;
  using Axes = CarryAxes<Shape, c>;
  std::uint32_t const* const own = of_class + row * pitch + x;
  std::uint32_t sum = 0;
  int points = 0;
  auto const add = [&](bool is_there, int back) {
    if (!is_there) return;
    sum += own[-back];
    ++points;
  };
  if constexpr (Axes::x) add(x > 0, 1);
  if constexpr (Axes::y) add(row % Half::Y > 0, pitch);
  if constexpr (Axes::z) add(row / Half::Y > 0, Half::Y * pitch);
  return points == 1 ? 2 * sum : sum;
}
/// What of it is carried on.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t carried(std::uint32_t sum, std::uint32_t quarters) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(quarters * sum + 4) >> 3);
}

/// What the points before and behind one of class c along an axis on which its index is odd are corrected by, together.
template <class Shape, int c, int axis>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t pair_sum(std::uint32_t const* corrections, int row,
                                                   int x) {
  using Half = HalfTile<Shape>;
  std::uint32_t const* const before =
      corrections + ((c ^ 1 << axis) * Half::rows + row) * Half::padded + x;
  int const to_next = axis == 0   ? 1
                      : axis == 1 ? (row % Half::Y + 1 < Half::Y ? Half::padded : 0)
                                  : (row / Half::Y + 1 < Half::Z ? Half::Y * Half::padded : 0);
  return before[0] + before[to_next];
}

/// What the corrections around a point of class c come to for it, by these weights.
template <class Shape, int c>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t weighed(CorrectionWeights const& weights,
                                                  std::uint32_t const* corrections, int row,
                                                  int x) {
  std::uint32_t sum = weights.half;
  if constexpr ((c & 1) != 0) sum += weights.along[0] * pair_sum<Shape, c, 0>(corrections, row, x);
  if constexpr ((c & 2) != 0) sum += weights.along[1] * pair_sum<Shape, c, 1>(corrections, row, x);
  if constexpr ((c & 4) != 0) sum += weights.along[2] * pair_sum<Shape, c, 2>(corrections, row, x);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(sum) >> weights.shift);
}

/// (-a + 9 b + 9 c - d) / 16, rounded to nearest, halves up.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t between(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                  std::uint32_t d) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(9 * (b + c) - (a + d) + 8) >> 4);
}
/// (a + b) / 2, rounded up.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t halfway(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(a + b + 1) >> 1);
}
/// One or the other, between the second and the third of four points `step` apart.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t between_by(bool linear, std::uint32_t const* p,
                                                     int step) {
  return linear ? halfway(p[step], p[2 * step]) : between(p[0], p[step], p[2 * step], p[3 * step]);
}

}  // namespace kompakt::impl

#endif
