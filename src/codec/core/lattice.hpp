#ifndef KOMPAKT_CORE_LATTICE_HPP
#define KOMPAKT_CORE_LATTICE_HPP

#include <core/carver.hpp>
#include <core/tile.hpp>

// The levels that a field is seen in by a predictor that goes from coarse to fine. Level 0 has all values; each level
// above has every second one along each axis that a tile has, the first one among them. Each level is cut into tiles of
// its own, and tiles into chunks, which are numbered from the coarsest level on.

namespace kompakt::impl {

/// Whether a predictor sees a field in levels.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool has_levels(PredictionMethod method) {
  return method == PredictionMethod::interpolation;
}

inline constexpr int max_levels = 6;  ///< above level 0

/// How many levels there are above level 0, and how many tiles a chunk has along each axis. The coarsest level has
/// 1/512, 1/256 and 1/64 of the values; another level changed the ratio of seven smooth fields by less than 1 %.
template <class Shape>
struct LevelShape;
template <>
struct LevelShape<Tile<TileShape::chain>> {
  static constexpr int levels = 6, x = 32, y = 1, z = 1;
};
template <>
struct LevelShape<Tile<TileShape::square>> {
  static constexpr int levels = 4, x = 4, y = 8, z = 1;
};
template <>
struct LevelShape<Tile<TileShape::brick>> {
  static constexpr int levels = 3, x = 4, y = 4, z = 2;
};

/// One tile of a level: the box of its values in the field, `x_pitch` apart along x.
struct LevelTile : TileBox {
  std::int64_t x_pitch;
  int level;
  Extents3 at;  ///< where it starts in its level
  Extents3 n;   ///< extents of its level
};

/// A level's part of a box, as an array of its own: values from `begin` on. Rows are padded to whole packs of 16 bytes, and
/// begin at a multiple of as many values of the level, so that a row of a tile is loaded in packs.
struct LevelPart {
  static constexpr std::int64_t pack = 4;
  std::uint32_t* values = nullptr;
  Extents3 begin{0, 0, 0}, extents{0, 0, 0};

  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t row_pitch() const {
    return (extents.x + pack - 1) / pack * pack;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t slab_pitch() const {
    return row_pitch() * extents.y;
  }
  /// Values that it takes in memory.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t places() const {
    return slab_pitch() * extents.z;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index(std::int64_t x, std::int64_t y,
                                                 std::int64_t z) const {
    return (z - begin.z) * slab_pitch() + (y - begin.y) * row_pitch() + (x - begin.x);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return x >= begin.x && x < begin.x + extents.x && y >= begin.y && y < begin.y + extents.y &&
           z >= begin.z && z < begin.z + extents.z;
  }
  /// Whether a tile has values of it.
  KOKKOS_FORCEINLINE_FUNCTION bool meets(LevelTile const& tile) const {
    auto const meet = [](std::int64_t a, std::int64_t na, std::int64_t b, std::int64_t nb) {
      return a < b + nb && b < a + na;
    };
    return meet(begin.x, extents.x, tile.at.x, tile.nx) &&
           meet(begin.y, extents.y, tile.at.y, tile.ny) &&
           meet(begin.z, extents.z, tile.at.z, tile.nz);
  }
};

/// The parts of all levels; that of level 0 says what of the field is wanted and has no values.
struct LevelParts {
  LevelPart of[max_levels + 1];

  /// Values that all take in memory.
  constexpr std::size_t places() const {
    std::int64_t places = 0;
    for (int level = 1; level <= max_levels; ++level) places += of[level].places();
    return static_cast<std::size_t>(places);
  }
  /// The same with their values in an array of so many; in none without one.
  constexpr LevelParts in(std::uint32_t* memory) const {
    LevelParts placed = *this;
    for (int level = 1; level <= max_levels; ++level) {
      placed.of[level].values = memory;
      memory = behind(memory, static_cast<std::size_t>(of[level].places()));
    }
    return placed;
  }
};

/// The chunks of all levels of a field.
template <class Shape>
struct LevelGrid {
  using Levels = LevelShape<Shape>;
  static constexpr int levels = Levels::levels;
  static constexpr int tiles_of_chunk = Levels::x * Levels::y * Levels::z;
  /// Values of a chunk along each axis.
  static constexpr int chunk_x = Levels::x * Shape::X, chunk_y = Levels::y * Shape::Y,
                       chunk_z = Levels::z * Shape::Z;
  static_assert(tiles_of_chunk == sparse_chunk_tiles);

  Extents3 n;  ///< of the field, folded for this shape

  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit LevelGrid(Extents3 field)
      : n(Shape::fold(field)) {}

  KOKKOS_FORCEINLINE_FUNCTION constexpr Extents3 extents(int level) const {
    std::int64_t const before = (std::int64_t{1} << level) - 1;
    return {(n.x + before) >> level, (n.y + before) >> level, (n.z + before) >> level};
  }
  /// How many chunks a level has along each axis.
  KOKKOS_FORCEINLINE_FUNCTION constexpr Extents3 chunks_along(int level) const {
    Extents3 const e = extents(level);
    return {ceil_div<std::int64_t>(e.x, chunk_x), ceil_div<std::int64_t>(e.y, chunk_y),
            ceil_div<std::int64_t>(e.z, chunk_z)};
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t chunks_of(int level) const {
    return chunks_along(level).size();
  }
  KOKKOS_INLINE_FUNCTION constexpr std::int64_t first_chunk(int level) const {
    std::int64_t first = 0;
    for (int above = levels; above > level; --above) first += chunks_of(above);
    return first;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t chunks() const {
    return first_chunk(0) + chunks_of(0);
  }

  /// A chunk of a level: which level, where it starts there.
  struct Index {
    int level;
    Extents3 at;
  };
  KOKKOS_INLINE_FUNCTION constexpr Index place_of(std::int64_t chunk) const {
    int level = levels;
    while (level > 0 && chunk >= chunks_of(level)) chunk -= chunks_of(level--);
    Extents3 const along = chunks_along(level);
    return place_in(level, chunk, along.x, along.y);
  }
  /// The place of a chunk by its number in its level, which has so many along x and y. They are counted in 32 bits: more
  /// than one call can take are refused before.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Index place_in(int level, std::int64_t number,
                                                              std::int64_t chunks_x,
                                                              std::int64_t chunks_y) {
    auto const chunk = static_cast<std::uint32_t>(number);
    auto const along_x = static_cast<std::uint32_t>(chunks_x),
               along_y = static_cast<std::uint32_t>(chunks_y);
    std::uint32_t const row = chunk / along_x, slab = row / along_y;
    return {level,
            {std::int64_t{chunk - row * along_x} * chunk_x,
             std::int64_t{row - slab * along_y} * chunk_y, std::int64_t{slab} * chunk_z}};
  }

  KOKKOS_INLINE_FUNCTION constexpr LevelTile tile(std::int64_t chunk, int t) const {
    Index const place = place_of(chunk);
    std::int64_t const step = std::int64_t{1} << place.level;
    return tile(place, t, extents(place.level), {step, step * n.x, step * n.x * n.y});
  }
  /// The same of a level with these extents, whose values lie `pitch` apart in the field.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr LevelTile tile(Index const& place, int t,
                                                              Extents3 const& e,
                                                              Extents3 const& pitch) {
    Extents3 const at{place.at.x + t % Levels::x * Shape::X,
                      place.at.y + t / Levels::x % Levels::y * Shape::Y,
                      place.at.z + t / (Levels::x * Levels::y) * Shape::Z};
    LevelTile tile{};
    tile.level = place.level;
    tile.at = at;
    tile.n = e;
    tile.x_pitch = pitch.x;
    tile.row_pitch = pitch.y;
    tile.slab_pitch = pitch.z;
    tile.origin = (at.x << place.level) + at.y * pitch.y + at.z * pitch.z;
    tile.nx = clip(e.x - at.x, Shape::X);
    tile.ny = clip(e.y - at.y, Shape::Y);
    tile.nz = clip(e.z - at.z, Shape::Z);
    if (tile.size() == 0) tile.nx = tile.ny = tile.nz = 0;
    return tile;
  }

  /// Values in all chunks before this one, of all levels.
  KOKKOS_INLINE_FUNCTION constexpr std::int64_t values_before_chunk(std::int64_t chunk) const {
    std::int64_t before = 0;
    for (int level = levels; level >= 0; --level) {
      Extents3 const e = extents(level);
      if (chunk >= chunks_of(level)) {
        before += e.size();
        chunk -= chunks_of(level);
        continue;
      }
      Extents3 const at = place_of(first_chunk(level) + chunk).at;
      return before + at.z * e.y * e.x +
             clip(e.z - at.z, chunk_z) * (at.y * e.x + clip(e.y - at.y, chunk_y) * at.x);
    }
    return before;
  }
  /// Values of all levels above 0.
  KOKKOS_INLINE_FUNCTION constexpr std::int64_t values_above() const {
    std::int64_t values = 0;
    for (int level = levels; level > 0; --level) values += extents(level).size();
    return values;
  }

  /// All of every level.
  KOKKOS_INLINE_FUNCTION constexpr LevelParts whole() const {
    LevelParts parts;
    for (int level = 0; level <= levels; ++level) parts.of[level].extents = extents(level);
    return parts;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int clip(std::int64_t left, int extent) {
    if (left < 0) return 0;
    return left < extent ? static_cast<int>(left) : extent;
  }
};

/// The one shape of tiles that a predictor with levels has for a field of these folded extents: bricks, unless most of
/// each would lie outside.
KOKKOS_INLINE_FUNCTION constexpr TileShape level_shape(Extents3 n) {
  if (n.y == 1) return TileShape::chain;
  return n.z > 4 ? TileShape::brick : TileShape::square;
}

/// What of a field's levels must be known where its predictor is not.
struct LevelCounts {
  std::int64_t chunks;        ///< of all levels
  std::int64_t first_chunk;   ///< of level 0
  std::int64_t values_above;  ///< of all levels above level 0
};
KOKKOS_INLINE_FUNCTION constexpr LevelCounts level_counts(Extents3 n) {
  LevelCounts counts{};
  auto const of = [&](auto const& grid) {
    counts = {grid.chunks(), grid.first_chunk(0), grid.values_above()};
  };
  switch (level_shape(n)) {
    case TileShape::chain: of(LevelGrid<Tile<TileShape::chain>>(n)); break;
    case TileShape::square: of(LevelGrid<Tile<TileShape::square>>(n)); break;
    case TileShape::brick: of(LevelGrid<Tile<TileShape::brick>>(n)); break;
  }
  return counts;
}

/// Number of chunks of a field.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t chunk_count(PredictionMethod method, TileShape shape,
                                                          Extents3 n) {
  return has_levels(method) ? level_counts(n).chunks : chunk_count(shape, n);
}
/// The largest such number for the shapes of tiles of a set, bit per TileShape.
constexpr std::int64_t max_chunks(PredictionMethod method, std::uint32_t shapes, Extents3 n) {
  std::int64_t most = 0;
  for (int shape = 0; shape < tile_shapes; ++shape) {
    if ((shapes >> shape & 1u) == 0) continue;
    std::int64_t const count = chunk_count(method, static_cast<TileShape>(shape), n);
    most = count > most ? count : most;
  }
  return most;
}

}  // namespace kompakt::impl

#endif
