#ifndef KOMPAKT_PIPELINE_TILES_AHEAD_HPP
#define KOMPAKT_PIPELINE_TILES_AHEAD_HPP

#include <core/lattice.hpp>
#include <core/tile.hpp>
#include <cstddef>
#include <cstdint>

// Where residuals lie that threads of a device have taken before the chunks of their tiles are read (decode_ahead.hpp).

namespace kompakt::impl {

/// Whether threads take the tiles of a coder ahead.
template <class Buffer>
concept TakesAhead = requires(Buffer& buffer) {
  buffer.coder.ahead.zigzags;
};

/// Memory for the residuals of tiles that are taken ahead. Those of tiles that threads of a warp take lie side by side.
struct TilesAhead {
  static constexpr int side_by_side = 32;
  /// Fewer tiles of a field without levels are decoded as fast one after the other, by teams (H200: 0.4 ms for up to 1024).
  static constexpr std::int64_t least = 4096;
  static constexpr std::int64_t most = 80 * 1024;  ///< threads that an H200 holds
  static constexpr std::size_t bytes_of_tile =
      tile_values * sizeof(std::uint32_t) + sizeof(std::uint8_t);

  std::uint32_t* residuals = nullptr;
  std::uint8_t* known = nullptr;
  std::int64_t tiles = 0;  ///< that there is memory for

  /// For so many values, of a field with levels for the tiles of all of them.
  static std::size_t bytes(std::size_t values, bool has_levels) {
    auto tiles = static_cast<std::int64_t>(ceil_div(values, std::size_t{tile_values}));
    if (tiles == 0 || (!has_levels && tiles < least)) return 0;
    if (has_levels) tiles += tiles / 4 + max_levels * sparse_chunk_tiles;
    tiles = ceil_div<std::int64_t>(tiles, side_by_side) * side_by_side;
    return static_cast<std::size_t>(tiles < most ? tiles : most) * bytes_of_tile;
  }
  static TilesAhead in(std::byte* memory, std::size_t bytes) {
    auto const tiles = static_cast<std::int64_t>(bytes / bytes_of_tile);
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    return {words, reinterpret_cast<std::uint8_t*>(words + tiles * tile_values), tiles};
  }
  /// Those from a tile on whose number is a multiple of side_by_side.
  TilesAhead from(std::int64_t tile) const {
    return {residuals + tile * tile_values, known + tile, tiles - tile};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* place(std::int64_t i) const {
    return residuals + i / side_by_side * side_by_side * tile_values + i % side_by_side;
  }
  /// Of the i-th tile, if they are known.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* found(std::int64_t i) const {
    return tiles > 0 && known[i] != 0 ? place(i) : nullptr;
  }
};

}  // namespace kompakt::impl

#endif
