#ifndef KOMPAKT_PREDICTOR_LORENZO_HPP
#define KOMPAKT_PREDICTOR_LORENZO_HPP

#include <Kokkos_Core.hpp>
#include <core/team.hpp>
#include <core/tile.hpp>
#include <predictor/table.hpp>

// A predictor turns the bins of a tile into residuals and back; every team does it by itself, from the bins of the
// tile and what the predictor's section holds. A class of the folder predictor has
//
//   Context, context(args)                      what it takes from the arguments of a walk
//   difference<Shape>(team, context, bins, halo)       in place, natural order; the first place keeps its bin
//   integrate<Shape>(team, context, residuals, halo)   the inverse, of any residuals
//   prepare(exec, args)                         if it has a section: the launches that make it, before tiles are chosen
//                                               (EncodeArgs::predictor_section(), HeaderFound::predictor_checksum)
//
// and a seat in predictor/table.hpp. Integer Lorenzo prediction inside a tile: the Lorenzo difference is the
// composition of first differences along each axis, its inverse of prefix sums; neighbours outside
// the tile count as 0, so the first place keeps its bin and every tile stands alone. Arithmetic
// modulo 2^32 or 2^64 makes both exact whatever the input.
// Values beyond the field's edge lie at higher places only and never reach those inside.
// Source: Tian et al., cuSZ, PACT 2020, sec. 3.1.2.

namespace kompakt::impl {

// A row along x is worked on in segments of at most a lane; only a chain has more than one.
template <class Shape>
inline constexpr int segment_values = Shape::X < lane_values ? Shape::X : lane_values;
template <class Shape>
inline constexpr int segments = tile_values / segment_values<Shape>;

struct Lorenzo : TilePredictor {
  /// Neighbours of the tile are all it needs.
  struct Context {};
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static Context context(Args const&) {
    return {};
  }

  /// bins -> residuals. `halo` is scratch of at least 32 entries. Ends with a barrier.
  template <class Shape, class U, class Team>
  KOKKOS_INLINE_FUNCTION static void difference(Team const& team, Context, U* bins, U* halo) {
    constexpr int X = Shape::X, Y = Shape::Y, Z = Shape::Z;
    if constexpr (Z > 1) {
      for (int z = Z - 1; z > 0; --z) {
        U* const slab = bins + z * X * Y;
        team_for_rows<X * Y>(team, 1, [=](int, int i) { slab[i] -= slab[i - X * Y]; });
      }
      team.team_barrier();
    }
    if constexpr (Y > 1) {
      for (int y = Y - 1; y > 0; --y) {
        U* const rows = bins + y * X;
        team_for_rows<X>(team, Z,
                         [=](int z, int x) { rows[z * X * Y + x] -= rows[z * X * Y + x - X]; });
      }
      team.team_barrier();
    }
    constexpr int S = segment_values<Shape>;
    if constexpr (X > S) {
      team_for(team, segments<Shape>, [=](int s) { halo[s] = s == 0 ? U{0} : bins[s * S - 1]; });
      team.team_barrier();
    }
    // Called out of line it cost 3 % of the instructions of bitshuffle, double, on a CPU.
    team_for(
        team, segments<Shape>, [=](int s) __attribute__((always_inline)) {
          U* const segment = bins + s * S;
          U old[S];
          for (int x = 0; x < S; ++x) old[x] = segment[x];
          if constexpr (X > S) segment[0] = old[0] - halo[s];
          for (int x = 1; x < S; ++x) segment[x] = old[x] - old[x - 1];
        });
    team.team_barrier();
  }

  /// residuals -> bins. `halo` is scratch of at least 32 entries. Ends with a barrier.
  template <class Shape, class U, class Team>
  KOKKOS_INLINE_FUNCTION static void integrate(Team const& team, Context, U* residuals, U* halo) {
    constexpr int X = Shape::X, Y = Shape::Y, Z = Shape::Z;
    if constexpr (Z > 1) {
      for (int z = 1; z < Z; ++z) {
        U* const slab = residuals + z * X * Y;
        team_for_rows<X * Y>(team, 1, [=](int, int i) { slab[i] += slab[i - X * Y]; });
      }
      team.team_barrier();
    }
    if constexpr (Y > 1) {
      for (int y = 1; y < Y; ++y) {
        U* const rows = residuals + y * X;
        team_for_rows<X>(team, Z,
                         [=](int z, int x) { rows[z * X * Y + x] += rows[z * X * Y + x - X]; });
      }
      team.team_barrier();
    }
    constexpr int S = segment_values<Shape>;
    if constexpr (X > S) {
      team_for(team, segments<Shape>, [=](int s) {
        U sum = 0;
        for (int x = 0; x < S; ++x) sum += residuals[s * S + x];
        halo[s] = sum;
      });
      team.team_barrier();
    }
    team_for(team, segments<Shape>, [=](int s) {
      U sum = 0;
      if constexpr (X > S) {
        for (int before = 0; before < s; ++before) sum += halo[before];
      }
      for (int x = 0; x < S; ++x) {
        sum += residuals[s * S + x];
        residuals[s * S + x] = sum;
      }
    });
    team.team_barrier();
  }
};

template <>
struct PredictorAt<seat::Lorenzo> {
  using type = Lorenzo;
};

}  // namespace kompakt::impl

#endif
