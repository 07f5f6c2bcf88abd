#ifndef KOMPAKT_PIPELINE_DECODE_HPP
#define KOMPAKT_PIPELINE_DECODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/decode_ahead.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/read_chunk.hpp>
#include <span>

// The walk backwards: chunks of a field side by side.

namespace kompakt::impl {

/// A team decodes one chunk, on a host some for a coder that looks ahead. On a device it decodes one tile, because a team codes a
/// tile of some coders by a single thread, and few chunks of the coarsest levels have many tiles. Reads a chunk's bytes (twice
/// with a checksum), writes its values once.
template <class CodecTypes, class Shape, class T>
struct ReadChunks {
  using Buffer = TileBuffer<CodecTypes, T>;
  static constexpr int tiles_of_chunk = grid_t<CodecTypes, Shape>::tiles_of_chunk;
  template <class Exec>
  static constexpr int teams_of_chunk = generic_team_size<Exec> == 1 ? 1 : tiles_of_chunk;
  static constexpr int chunks_of_team = [] {
    if constexpr (LooksAhead<Buffer>)
      return ceil_div(CodecTypes::Coder::Ahead::tiles, tiles_of_chunk);
    return 1;
  }();
  DecodeArgs<T> args;
  std::int64_t first, end;  ///< of the chunks to decode, by their numbers
  TilesAhead ahead;         ///< those of these chunks

  template <class Exec>
  std::int64_t teams() const {
    return ceil_div<std::int64_t>(end - first, chunks_of_team) * teams_of_chunk<Exec>;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    Buffer& buffer = team_buffer<Buffer>(team, decoder_buffer_bytes<CodecTypes, T>);
    grid_t<CodecTypes, Shape> const grid(args.extents);
    constexpr int teams = teams_of_chunk<typename Team::execution_space>;
    int const rank = team.league_rank(), only = teams > 1 ? rank % teams : -1;
    std::int64_t const begin = first + std::int64_t{rank / teams} * chunks_of_team;
    if constexpr (LooksAhead<Buffer>) {
      look_ahead<CodecTypes, Shape>(args, grid, begin, end_of(begin), buffer);
    }
    for (std::int64_t number = begin; number < end_of(begin); ++number) {
      DecodeFault const fault = read_chunk<CodecTypes, Shape>(
          team, args, grid, number, buffer, only, ahead, (number - first) * tiles_of_chunk);
      if (fault != DecodeFault::none && team.team_rank() == 0) args.result->report(fault);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end_of(std::int64_t begin) const {
    if constexpr (chunks_of_team == 1) return begin + 1;
    return begin + chunks_of_team < end ? begin + chunks_of_team : end;
  }
};

/// Decodes the chunks from one to before another, by their numbers.
/// \param ahead  their tiles, or none
template <class CodecTypes, class Shape, class Exec, class T>
void read_some_chunks(char const* label, Exec const& exec, DecodeArgs<T> const& args,
                      std::int64_t first, std::int64_t end, TilesAhead const& ahead = {}) {
  using Read = ReadChunks<CodecTypes, Shape, T>;
  Read const read{args, first, end, ahead};
  parallel_teams(label,
                 generic_policy(exec, read.template teams<Exec>(),
                                decoder_buffer_bytes<CodecTypes, T> + team_buffer_margin),
                 read);
}

/// Decodes `count` chunks, as many at a time as there is memory to take their tiles ahead.
template <class CodecTypes, class Shape, class Exec, class T>
void read_chunks(char const* label, Exec const& exec, DecodeArgs<T> const& args,
                 std::int64_t count) {
  std::int64_t first = 0;
  if constexpr (TakesAhead<TileBuffer<CodecTypes, T>>) {
    constexpr int tiles_of_chunk = grid_t<CodecTypes, Shape>::tiles_of_chunk;
    auto const ahead = TilesAhead::in(args.coder_scratch, args.coder_scratch_bytes);
    std::int64_t const taken = chunks_with_levels<CodecTypes, Shape>(args) - args.first;
    if (taken > 0) {
      first = std::min(taken, count);
      read_some_chunks<CodecTypes, Shape>(label, exec, args, 0, first,
                                          ahead.from(args.first * tiles_of_chunk));
    }
    std::int64_t const step = ahead.tiles / tiles_of_chunk;
    while (step > 0 && (count - first) * tiles_of_chunk >= TilesAhead::least) {
      std::int64_t const end = std::min(first + step, count);
      take_ahead<CodecTypes, Shape>(exec, args, ahead, first, end - first);
      read_some_chunks<CodecTypes, Shape>(label, exec, args, first, end, ahead);
      first = end;
    }
  }
  if (first < count) read_some_chunks<CodecTypes, Shape>(label, exec, args, first, count);
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
