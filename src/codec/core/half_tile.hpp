#ifndef KOMPAKT_CORE_HALF_TILE_HPP
#define KOMPAKT_CORE_HALF_TILE_HPP

#include <core/tile.hpp>

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

}  // namespace kompakt::impl

#endif
