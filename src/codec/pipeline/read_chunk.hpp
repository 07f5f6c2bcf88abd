#ifndef KOMPAKT_PIPELINE_READ_CHUNK_HPP
#define KOMPAKT_PIPELINE_READ_CHUNK_HPP

#include <Kokkos_Core.hpp>
#include <core/exceptions.hpp>
#include <core/record.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/field_tile.hpp>
#include <pipeline/tile_steps.hpp>
#include <pipeline/tiles_ahead.hpp>

// A team reads a chunk. Chunks depend on nothing but their index entry. Nothing that is read is trusted: every length is compared with
// what there is before a word behind it is touched, and values are written only to places of the field.

namespace kompakt::impl {

/// Reads the tail word of a coded record of `length` words, of a tile with `size` values, and how many
/// coder's words there are; returns whether that fits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool check_head(RecordHead head, std::uint32_t const* record,
                                            int length, int size, Quantizer<T> const& quantizer,
                                            RecordTail& tail, int& coder_words) {
  tail = {};
  coder_words = length - head.words();
  if (!head.has_tail() || coder_words < 0) return coder_words >= 0;
  tail.word = record[head.words() - 1];
  if (!tail.any() || tail.exceptions() > size) return false;
  if (tail.mask() > (quantizer.has_masks() ? RecordTail::most : 0)) return false;
  if (tail.signs() > (quantizer.bins == Bins::relative ? RecordTail::most : 0)) return false;
  coder_words -= tail.words<T>();
  // A tile of masked values has nothing but their signs in its record.
  if (tail.mask() == RecordTail::all) return tail.exceptions() == 0 && coder_words == 0;
  return coder_words >= 0;
}

/// Brings the mask of an untrusted tail, a word a lane, to `places`; returns whether there are as many words as it tells.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION bool read_mask(Team const& team, RecordTail tail,
                                           std::uint32_t const* in, std::uint32_t* places) {
  TileMask const mask(tail.mask(), in);
  if (!mask.is_sound()) return false;
  team_for(team, tile_lanes, [&](int lane) { places[lane] = mask.word(lane); });
  team.team_barrier();
  return true;
}

/// Decodes a coded record of `length` words; returns whether it was sound, the same on all threads.
/// \param args  DecodeArgs, or what has its quantizer and what the contexts of coder and predictor are made of
template <class CodecTypes, class Shape, class Args, class T, class Team, class Box>
KOKKOS_INLINE_FUNCTION bool read_coded(Team const& team, Args const& args,
                                       FieldTile<T, Box> const& tile, std::uint32_t const* record,
                                       int length, TileBuffer<CodecTypes, T>& buffer) {
  using Coder = typename CodecTypes::Coder;
  using Predictor = typename CodecTypes::Predictor;
  using Steps = TileSteps<Predictor, typename CodecTypes::Body>;
  T* const field = tile.field;
  Box const& box = tile.box;
  RecordHead const head{record[0]};
  RecordTail tail;
  int coder_words;
  if (!check_head<T>(head, record, length, box.size(), args.quantizer, tail, coder_words)) {
    return false;
  }
  if constexpr (Predictor::has_levels) {
    if (box.level > 0 && tail.any()) return false;
  }
  MaskedValues<T> const masked = args.quantizer.masked();
  if (tail.is_one_value()) {
    fill_box<Shape>(team, tail.signs() != 0 ? masked.marked : masked.plain, box, field);
    return true;
  }
  std::uint32_t const* const coder = record + head.words();
  constexpr bool has_mask = takes_masks<typename Coder::DecodeContext, Predictor, Shape>;
  std::uint32_t* const places = buffer.exceptions.masked;
  if (has_mask && tail.mask() != 0 && !read_mask(team, tail, coder + coder_words, places)) {
    return false;
  }
  CodedTile const coded{has_classes<CodecTypes, Shape>(box), box.nx, box.ny, box.nz,
                        has_mask && tail.mask() != 0 ? places : nullptr};
  auto const context = context_of_tile(Coder::decode_context(args), coded);
  if (!Coder::template read<Shape>(team, context, head.coder_bits(), coder, coder_words,
                                   buffer.bins, buffer.coder)) {
    return false;
  }
  team_for(team, 1, [&](int) { buffer.bins[0] += read_base<unsigned_t<T>>(head, record); });
  team.team_barrier();
  Steps::template reconstruct<Shape>(team, Predictor::context(args), args.quantizer, buffer.bins,
                                     buffer.predictor, box, field);
  if (!tail.any()) return true;
  team.team_barrier();
  bool const sound =
      Steps::template read_tail<Shape>(team, coder + coder_words, tail, box, masked, field);
  return !team_any(team, !sound);
}

/// Decodes one record of any form; args as of read_coded().
template <class CodecTypes, class Shape, class Args, class T, class Team, class Box>
KOKKOS_INLINE_FUNCTION bool read_record(Team const& team, Args const& args,
                                        FieldTile<T, Box> const& tile, std::uint32_t const* record,
                                        int length, TileBuffer<CodecTypes, T>& buffer) {
  using Steps = TileSteps<typename CodecTypes::Predictor, typename CodecTypes::Body>;
  T* const field = tile.field;
  Box const& box = tile.box;
  int const raw_words = box.size() * value_words<T>;
  if (length > raw_words) return false;
  auto const context = CodecTypes::Predictor::context(args);
  if (length == raw_words) {
    Steps::template read_raw<Shape>(team, context, record, box, field);
    return true;
  }
  if (length > 0) return read_coded<CodecTypes, Shape>(team, args, tile, record, length, buffer);
  Steps::template read_empty<Shape>(team, context, args.quantizer, buffer.bins, buffer.predictor,
                                    box, field);
  return true;
}

/// The words of a chunk; none if all of its tiles are empty.
struct ChunkSpan {
  std::uint32_t const* in;
  int words;
};

/// Where a chunk lies, from its untrusted index entry: where it starts and ends in the payload.
/// \param args  DecodeArgs or StreamTiles
template <class Args>
KOKKOS_FORCEINLINE_FUNCTION DecodeFault span_of_chunk(Args const& args, std::uint64_t start,
                                                      std::uint64_t end, std::int64_t chunks,
                                                      std::int64_t chunk, ChunkSpan& span,
                                                      int tiles = chunk_tiles) {
  using T = typename Args::Value;
  if (!is_place_of_chunk(start, end, args.payload_bytes, chunk, chunks)) return DecodeFault::index;
  // No chunk is longer than raw tiles and a head.
  auto const longest = static_cast<std::uint64_t>(tiles * tile_values * value_words<T> +
                                                  max_chunk_head_words(tiles, true));
  std::uint64_t const words = (end - start) / word_bytes;
  if (words > longest) return DecodeFault::index;
  span = {args.payload + start / word_bytes, static_cast<int>(words)};
  bool const no_head = words > 0 && span.words < chunk_head_words(args.checksum);
  return no_head ? DecodeFault::index : DecodeFault::none;
}

/// Decodes one chunk, the number-th to decode, or a tile of it; returns what was wrong, the same on all threads.
/// \param only   the tile, by whose team the checksum is judged if it is the first one; -1: all of them
/// \param ahead  residuals of the chunk's tiles that are known, if the coder asks for such, as tiles from first_ahead on
template <class CodecTypes, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION DecodeFault read_chunk(Team const& team, DecodeArgs<T> const& args,
                                              grid_t<CodecTypes, Shape> const& grid,
                                              std::int64_t number,
                                              TileBuffer<CodecTypes, T>& buffer, int only = -1,
                                              [[maybe_unused]] TilesAhead const& ahead = {},
                                              [[maybe_unused]] std::int64_t first_ahead = 0) {
  using Grid = grid_t<CodecTypes, Shape>;
  using Form = ChunkForm<Grid>;
  std::int64_t const chunk = args.chunk(number);
  ChunkSpan span;
  DecodeFault const fault = span_of_chunk(args, args.index[chunk], args.index[chunk + 1],
                                          grid.chunks(), chunk, span, Grid::tiles_of_chunk);
  if (fault != DecodeFault::none) return fault;
  std::uint32_t const* const in = span.in;
  int const words = span.words;
  int const head_words = chunk_head_words(args.checksum);
  int at = words == 0 ? 0 : head_words;
  if (args.checksum && words > 0 && only <= 0 && chunk_checksum(team, chunk, in, words) != in[2]) {
    return DecodeFault::checksum;
  }
  std::uint32_t const empty[ChunkHead::length_words] = {};
  typename Form::Lengths const lengths({}, words == 0 ? empty : in, words);
  if (lengths.end() < at || !lengths.is_sound(team)) return DecodeFault::record;
  auto const read_tile = [&](int t, int from) {
    auto const box = args.target(grid.tile(chunk, t), number, t);
    if (!args.wants(box)) return true;
    TileTarget const target(team, args, box);
    if constexpr (TakesAhead<TileBuffer<CodecTypes, T>>) {
      if (team.team_rank() == 0) buffer.coder.ahead.zigzags = ahead.found(first_ahead + t);
      team.team_barrier();
    }
    if (!read_record<CodecTypes, Shape>(team, args, target.tile(), in + from, lengths(t), buffer)) {
      return false;
    }
    target.finish(args, box);
    team.team_barrier();
    return true;
  };
  if (only >= 0) {
    int before = 0, all = 0;
    team_for(team, Grid::tiles_of_chunk, [&](int t) {
      int const length = lengths(t);
      before += t < only ? length : 0;
      all += length;
    });
    before = team_sum(team, before);
    all = team_sum(team, all);
    bool const fits = at + all == lengths.end();
    return fits && read_tile(only, at + before) ? DecodeFault::none : DecodeFault::record;
  }
  for (int t = 0; t < Grid::tiles_of_chunk; ++t) {
    int const length = lengths(t);
    if (length > lengths.end() - at || !read_tile(t, at)) return DecodeFault::record;
    at += length;
  }
  return at == lengths.end() ? DecodeFault::none : DecodeFault::record;
}

}  // namespace kompakt::impl

#endif
