#ifndef KOMPAKT_PIPELINE_STREAM_TILES_HPP
#define KOMPAKT_PIPELINE_STREAM_TILES_HPP

#include <Kokkos_Core.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/decode_args.hpp>

// Single tiles of a stream whose header the host has checked, for kernels of users. Only of predictors whose tiles stand
// alone.

namespace kompakt::impl {

/// What of a stream's DecodeArgs one tile takes; trivially copyable, for the kernels of users.
template <class T>
struct StreamTiles {
  using Value = T;
  Extents3 extents;
  TileShape tile_shape;
  Quantizer<T> quantizer;
  bool checksum;
  std::uint64_t const* index;
  std::uint32_t const* payload;
  std::uint64_t payload_bytes;
  std::byte* coder_scratch;

  static StreamTiles of(DecodeArgs<T> const& args) {
    return {args.extents, args.tile_shape, args.quantizer,     args.checksum,
            args.index,   args.payload,    args.payload_bytes, args.coder_scratch};
  }
};

/// A record that lies inside its stream; no words: the tile is empty.
struct RecordSpan {
  std::uint32_t const* in;
  int words;
};

/// The words of a chunk, from its index entry; nothing of them has been looked at.
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION DecodeFault find_chunk(StreamTiles<T> const& tiles,
                                              TileGrid<Shape> const& grid, std::int64_t chunk,
                                              ChunkSpan& span) {
  return span_of_chunk(tiles, tiles.index[chunk], tiles.index[chunk + 1], grid.chunks(), chunk,
                       span);
}

/// The record of a tile, which is one of the grid's.
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION DecodeFault find_record(StreamTiles<T> const& tiles,
                                               TileGrid<Shape> const& grid, std::int64_t tile,
                                               RecordSpan& record) {
  ChunkSpan span;
  DecodeFault const fault = find_chunk(tiles, grid, tile / chunk_tiles, span);
  record = {nullptr, 0};
  if (fault != DecodeFault::none || span.words == 0) return fault;
  ChunkHead const head = ChunkHead::of(span.in);
  int const of_chunk = static_cast<int>(tile % chunk_tiles);
  int at = chunk_head_words(tiles.checksum);
  for (int t = 0; t < of_chunk; ++t) at += head.length(t);
  record = {span.in + at, head.length(of_chunk)};
  return at + record.words <= span.words ? DecodeFault::none : DecodeFault::record;
}

/// A team judges a chunk: its place, its checksum and the lengths of its records.
template <class Shape, class T>
struct CheckChunks {
  StreamTiles<T> tiles;
  DecodeResult* result;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    DecodeFault const fault = check(team, team.league_rank());
    if (fault != DecodeFault::none && team.team_rank() == 0) result->report(fault);
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION DecodeFault check(Team const& team, std::int64_t chunk) const {
    ChunkSpan span;
    DecodeFault const fault = find_chunk(tiles, TileGrid<Shape>(tiles.extents), chunk, span);
    if (fault != DecodeFault::none || span.words == 0) return fault;
    if (tiles.checksum && chunk_checksum(team, chunk, span.in, span.words) != span.in[2]) {
      return DecodeFault::checksum;
    }
    ChunkHead const head = ChunkHead::of(span.in);
    int words = chunk_head_words(tiles.checksum);
    for (int t = 0; t < chunk_tiles; ++t) words += head.length(t);
    return words == span.words ? DecodeFault::none : DecodeFault::record;
  }
};

}  // namespace kompakt::impl

#endif
