#ifndef KOMPAKT_PIPELINE_DECODE_HPP
#define KOMPAKT_PIPELINE_DECODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exceptions.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <core/record.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/field_tile.hpp>
#include <pipeline/tile_steps.hpp>
#include <span>

// The walk backwards. Chunks depend on nothing but their index entry. Nothing that is read is
// trusted: every length is compared with what there is before a word behind it is touched, and
// values are written only to places of the field.

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
/// \param only  the tile, by whose team the checksum is judged if it is the first one; -1: all of them
template <class CodecTypes, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION DecodeFault read_chunk(Team const& team, DecodeArgs<T> const& args,
                                              grid_t<CodecTypes, Shape> const& grid,
                                              std::int64_t number,
                                              TileBuffer<CodecTypes, T>& buffer, int only = -1) {
  using Grid = grid_t<CodecTypes, Shape>;
  using Form = ChunkForm<Grid>;
  std::int64_t const chunk = args.chunk(number);
  ChunkSpan span;
  DecodeFault const fault = span_of_chunk(args, args.index[chunk], args.index[chunk + 1],
                                          grid.chunks(), chunk, span, Grid::tiles_of_chunk);
  if (fault != DecodeFault::none) return fault;
  auto const [in, words] = span;
  int const head_words = chunk_head_words(args.checksum);
  int at = words == 0 ? 0 : head_words;
  if (args.checksum && words > 0 && only <= 0 && chunk_checksum(team, chunk, in, words) != in[2]) {
    return DecodeFault::checksum;
  }
  std::uint32_t const empty[ChunkHead::length_words] = {};
  typename Form::Lengths const lengths({}, words == 0 ? empty : in, words);
  if (lengths.end() < at || !lengths.is_sound()) return DecodeFault::record;
  for (int t = 0; t < Grid::tiles_of_chunk; ++t) {
    auto const box = args.target(grid.tile(chunk, t), number, t);
    int const length = lengths(t);
    if (length > lengths.end() - at) return DecodeFault::record;
    if ((only < 0 || t == only) && args.wants(box)) {
      TileTarget const target(team, args, box);
      if (!read_record<CodecTypes, Shape>(team, args, target.tile(), in + at, length, buffer)) {
        return DecodeFault::record;
      }
      target.finish(args, box);
      team.team_barrier();
    }
    at += length;
  }
  return at == lengths.end() ? DecodeFault::none : DecodeFault::record;
}

/// Shows a coder the records of some chunks before they are decoded one by one, so that it can decode several at once. What is
/// damaged or special is left to read_chunk().
template <class CodecTypes, class Shape, class T>
void look_ahead(DecodeArgs<T> const& args, grid_t<CodecTypes, Shape> const& grid,
                std::int64_t first, std::int64_t end, TileBuffer<CodecTypes, T>& buffer) {
  using Grid = grid_t<CodecTypes, Shape>;
  auto& ahead = buffer.coder.ahead;
  ahead.clear();
  for (std::int64_t number = first; number < end; ++number) {
    std::int64_t const chunk = args.chunk(number);
    ChunkSpan span;
    if (span_of_chunk(args, args.index[chunk], args.index[chunk + 1], grid.chunks(), chunk, span,
                      Grid::tiles_of_chunk) != DecodeFault::none ||
        span.words == 0) {
      continue;
    }
    typename ChunkForm<Grid>::Lengths const lengths({}, span.in, span.words);
    int at = chunk_head_words(args.checksum);
    if (lengths.end() < at || !lengths.is_sound()) continue;
    for (int t = 0; t < Grid::tiles_of_chunk && lengths(t) <= lengths.end() - at; ++t) {
      auto const box = args.target(grid.tile(chunk, t), number, t);
      int const length = lengths(t);
      std::uint32_t const* const record = span.in + at;
      at += length;
      if (length == 0 || length >= box.size() * value_words<T> || !args.wants(box)) continue;
      RecordHead const head{record[0]};
      RecordTail tail;
      int words;
      if (!check_head<T>(head, record, length, box.size(), args.quantizer, tail, words)) continue;
      if (tail.mask() != 0) continue;
      ahead.add(record + head.words(), words, head.coder_bits(),
                CodedTile{has_classes<CodecTypes, Shape>(box), box.nx, box.ny, box.nz});
    }
  }
  ahead.template decode<Shape>();
}

/// A team decodes one chunk, on a host some for a coder that looks ahead, on a device one tile of it: a thread codes a tile of some coders, and few chunks of the coarsest
/// levels have many tiles. Reads a chunk's bytes (twice with a checksum), writes its values once.
template <class CodecTypes, class Shape, class T>
struct ReadChunks {
  using Buffer = TileBuffer<CodecTypes, T>;
  static constexpr int tiles_of_chunk = grid_t<CodecTypes, Shape>::tiles_of_chunk;
  template <class Exec>
  static constexpr int teams_of_chunk = generic_team_size<Exec> == 1 ? 1 : tiles_of_chunk;
  static constexpr bool looks_ahead = requires(Buffer & buffer) { buffer.coder.ahead.clear(); };
  static constexpr int chunks_of_team = [] {
    if constexpr (looks_ahead) return ceil_div(CodecTypes::Coder::Ahead::tiles, tiles_of_chunk);
    return 1;
  }();
  DecodeArgs<T> args;
  std::int64_t count;  ///< of chunks to decode

  template <class Exec>
  std::int64_t teams() const {
    return ceil_div<std::int64_t>(count, chunks_of_team) * teams_of_chunk<Exec>;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    Buffer& buffer = team_buffer<Buffer>(team, decoder_buffer_bytes<CodecTypes, T>);
    grid_t<CodecTypes, Shape> const grid(args.extents);
    constexpr int teams = teams_of_chunk<typename Team::execution_space>;
    int const rank = team.league_rank(), only = teams > 1 ? rank % teams : -1;
    std::int64_t const first = std::int64_t{rank / teams} * chunks_of_team;
    if constexpr (looks_ahead) {
      look_ahead<CodecTypes, Shape>(args, grid, first, end_of(first), buffer);
    }
    for (std::int64_t number = first; number < end_of(first); ++number) {
      DecodeFault const fault =
          read_chunk<CodecTypes, Shape>(team, args, grid, number, buffer, only);
      if (fault != DecodeFault::none && team.team_rank() == 0) args.result->report(fault);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end_of(std::int64_t first) const {
    if constexpr (chunks_of_team == 1) return first + 1;
    return first + chunks_of_team < count ? first + chunks_of_team : count;
  }
};

/// Decodes `count` chunks.
template <class CodecTypes, class Shape, class Exec, class T>
void read_chunks(char const* label, Exec const& exec, DecodeArgs<T> const& args,
                 std::int64_t count) {
  using Read = ReadChunks<CodecTypes, Shape, T>;
  Read const read{args, count};
  parallel_teams(label,
                 generic_policy(exec, read.template teams<Exec>(),
                                decoder_buffer_bytes<CodecTypes, T> + team_buffer_margin),
                 read);
}

/// Decodes all chunks, or those of a list; leaves in *args.result, zero before, what was wrong.
template <class CodecTypes, class Exec, class T>
void decode(generic_tag, Exec const& exec, DecodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decode[generic]");
  with_tile_shape(args.tile_shape, [&](auto shape) {
    read_chunks<CodecTypes, decltype(shape)>("kompakt::decode::chunks", exec, args, args.count());
  });
}

/// Judges the checksum of the predictor's section, by one team.
template <class T>
struct CheckPredictorSection {
  DecodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    SectionBytes const section = args.predictor_section;
    std::uint32_t const sum =
        checksum_words(team, reinterpret_cast<std::uint32_t const*>(section.data),
                       static_cast<int>(section.bytes / word_bytes),
                       static_cast<std::uint32_t>(SectionId::predictor));
    if (team.team_rank() == 0 && sum != section.checksum) {
      args.result->report(DecodeFault::section);
    }
  }
};
template <class Exec, class T>
void check_predictor_section(Exec const& exec, DecodeArgs<T> const& args) {
  parallel_teams("kompakt::decode::predictor", large_team_policy(exec, 1, 0),
                 CheckPredictorSection<T>{args});
}

/// The values of a stream whose header the host has not seen. Only backends that decode speculatively have a body.
template <class CodecTypes, class Exec, class T>
void decode_speculative(generic_tag, Exec const&, SpeculativeArgs<T> const&) = delete;
/// The same of several streams. Only backends that share launches have a body.
template <class CodecTypes, class Exec, class T>
void decode_batch(generic_tag, Exec const&, std::span<SpeculativeArgs<T> const>,
                  BatchMemory&) = delete;

}  // namespace kompakt::impl

#endif
