#ifndef KOMPAKT_CORE_TILE_HPP
#define KOMPAKT_CORE_TILE_HPP

#include <Kokkos_Macros.hpp>
#include <core/bits.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <kompakt/prediction.hpp>

namespace kompakt::impl {

/// Extents of a field folded to three axes, x fastest; 1 where there is no axis.
struct Extents3 {
  std::int64_t x = 1, y = 1, z = 1;

  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t size() const { return x * y * z; }
};

/// Shape of a tile and the order of its values. A value's place is either
/// - natural: (z * Y + y) * X + x, as in the field, or
/// - in lanes: 32 * lane + register, the order of records. A lane's 32 values are 8 quads of 4
///   neighbours along x, so that a lane loads 16-byte packs:
///     chain   lane l owns values 32 l … 32 l + 31
///     square  lane = (8 rows, quad of x)
///     brick   lane = (z, quad of x), all 8 y: the first slab, which has no neighbour before it, then
///             fills 4 lanes instead of a quad of each (ratio of 30 real fields 18.2 against 17.8)
template <TileShape shape>
struct Tile;

template <>
struct Tile<TileShape::chain> {
  static constexpr TileShape shape = TileShape::chain;
  static constexpr int X = 1024, Y = 1, Z = 1;
  static constexpr int quad_stride = 4;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_offset(int lane) { return 32 * lane; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Extents3 fold(Extents3 n) {
    return {n.size(), 1, 1};
  }
};

template <>
struct Tile<TileShape::square> {
  static constexpr TileShape shape = TileShape::square;
  static constexpr int X = 32, Y = 32, Z = 1;
  static constexpr int quad_stride = X;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_offset(int lane) {
    return (lane / 8) * 8 * X + (lane % 8) * 4;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Extents3 fold(Extents3 n) {
    return {n.x, n.y * n.z, 1};
  }
};

template <>
struct Tile<TileShape::brick> {
  static constexpr TileShape shape = TileShape::brick;
  static constexpr int X = 16, Y = 8, Z = 8;
  static constexpr int quad_stride = X;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int lane_offset(int lane) {
    return (lane / 4) * X * Y + (lane % 4) * 4;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Extents3 fold(Extents3 n) { return n; }
};

/// Natural place of a value from its place in lanes.
template <class Shape>
KOKKOS_FORCEINLINE_FUNCTION constexpr int natural_place(int lane, int reg) {
  return Shape::lane_offset(lane) + (reg / 4) * Shape::quad_stride + reg % 4;
}

/// The inverse: 32 * lane + register.
template <class Shape>
KOKKOS_FORCEINLINE_FUNCTION constexpr int place_in_lanes(int natural) {
  if constexpr (Shape::shape == TileShape::chain) {
    return natural;
  } else {
    int const x = natural % Shape::X, row = natural / Shape::X;
    return (row / 8 * (Shape::X / 4) + x / 4) * lane_values + row % 8 * 4 + x % 4;
  }
}

/// One tile of a field: where it starts and how much of it lies inside.
struct TileBox {
  std::int64_t origin;                 ///< index of its first value in the field
  std::int64_t row_pitch, slab_pitch;  ///< steps along y and z
  int nx, ny, nz;                      ///< clipped extents, 0 for a tile number beyond the last
  KOKKOS_FORCEINLINE_FUNCTION constexpr int size() const { return nx * ny * nz; }
  /// The same values side by side in an array, from index `first` on.
  KOKKOS_FORCEINLINE_FUNCTION constexpr TileBox packed(std::int64_t first) const {
    return {first, nx, static_cast<std::int64_t>(nx) * ny, nx, ny, nz};
  }
};

/// Tiles are numbered along x first, then y, then z; chunks are 4 consecutive numbers.
template <class Shape>
struct TileGrid {
  static constexpr int tiles_of_chunk = chunk_tiles;
  Extents3 n;  ///< of the field, folded for this shape
  std::int64_t tiles_x, tiles_y, tiles;

  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit TileGrid(Extents3 field)
      : n(Shape::fold(field)),
        tiles_x(ceil_div<std::int64_t>(n.x, Shape::X)),
        tiles_y(ceil_div<std::int64_t>(n.y, Shape::Y)),
        tiles(tiles_x * tiles_y * ceil_div<std::int64_t>(n.z, Shape::Z)) {}

  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t chunks() const {
    return ceil_div<std::int64_t>(tiles, chunk_tiles);
  }

  /// Where in the field a tile starts.
  KOKKOS_FORCEINLINE_FUNCTION constexpr Extents3 corner(std::int64_t tile) const {
    if constexpr (Shape::Y == 1) return {tile * Shape::X, 0, 0};
    std::int64_t const row = tile / tiles_x;
    return {(tile - row * tiles_x) * Shape::X, (row % tiles_y) * Shape::Y,
            (row / tiles_y) * Shape::Z};
  }

  /// Number of the tile with the value at `at`; -1 outside of the field.
  KOKKOS_INLINE_FUNCTION constexpr std::int64_t tile_at(Extents3 at) const {
    bool const inside =
        at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < n.x && at.y < n.y && at.z < n.z;
    if (!inside) return -1;
    return (at.z / Shape::Z * tiles_y + at.y / Shape::Y) * tiles_x + at.x / Shape::X;
  }

  /// Values of the field that lie in the chunks before this one.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t values_before_chunk(std::int64_t chunk) const {
    return values_before(chunk * chunk_tiles);
  }
  /// Values of the field that lie in the tiles before this one.
  KOKKOS_INLINE_FUNCTION constexpr std::int64_t values_before(std::int64_t tile) const {
    if (tile >= tiles) return n.size();
    Extents3 const at = corner(tile);
    TileBox const b = box(tile);
    return at.z * n.y * n.x + b.nz * (at.y * n.x + b.ny * at.x);
  }

  /// The t-th tile of a chunk.
  KOKKOS_FORCEINLINE_FUNCTION constexpr TileBox tile(std::int64_t chunk, int t) const {
    return box(chunk * chunk_tiles + t);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr TileBox box(std::int64_t tile) const {
    TileBox b{0, n.x, n.x * n.y, 0, 0, 0};
    if (tile >= tiles) return b;
    Extents3 const at = corner(tile);
    b.origin = (at.z * n.y + at.y) * n.x + at.x;
    b.nx = clip(n.x - at.x, Shape::X);
    b.ny = clip(n.y - at.y, Shape::Y);
    b.nz = clip(n.z - at.z, Shape::Z);
    return b;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int clip(std::int64_t left, int extent) {
    return left < extent ? static_cast<int>(left) : extent;
  }
};

/// Number of chunks for a shape known at run time.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t chunk_count(TileShape shape, Extents3 n) {
  switch (shape) {
    case TileShape::chain: return TileGrid<Tile<TileShape::chain>>(n).chunks();
    case TileShape::square: return TileGrid<Tile<TileShape::square>>(n).chunks();
    case TileShape::brick: return TileGrid<Tile<TileShape::brick>>(n).chunks();
  }
  return 0;
}

/// Calls body(Tile<shape>{}) for a shape known at run time.
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_tile_shape(TileShape shape, Body const& body) {
  switch (shape) {
    case TileShape::chain: body(Tile<TileShape::chain>{}); break;
    case TileShape::square: body(Tile<TileShape::square>{}); break;
    case TileShape::brick: body(Tile<TileShape::brick>{}); break;
  }
}

}  // namespace kompakt::impl

#endif
