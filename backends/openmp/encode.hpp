#ifndef KOMPAKT_OPENMP_ENCODE_HPP
#define KOMPAKT_OPENMP_ENCODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/parallel_teams.hpp>
#include <cstring>
#include <openmp/tile_steps.hpp>
#include <pipeline/encode.hpp>

// Encoding in one pass over the field. Each team codes a range of chunks and writes them, one behind
// the other, to where they would lie if everything before them were stored raw; once all sizes are
// known the ranges move down, in order, to where they belong. The stream's own memory is the only
// buffer. Against two passes over the field: one read of it and one quantisation less, one copy of the
// compressed bytes more.

namespace kompakt::impl {

/// Where the ranges of chunks start, and where their bytes lie before they move.
template <class Grid>
struct ChunkRanges {
  Grid grid;
  std::int64_t count;
  int head_words, words_per_value;

  std::int64_t first(std::int64_t range) const { return range * grid.chunks() / count; }
  std::size_t staging_word(std::int64_t range) const {
    std::int64_t const chunk = first(range);
    return static_cast<std::size_t>(grid.values_before_chunk(chunk) * words_per_value +
                                    chunk * head_words);
  }
};

/// One team codes one range.
template <class CodecTypes, class Shape, class T>
struct CodeRange {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;
  ChunkRanges<grid_t<CodecTypes, Shape>> ranges;

  template <class Team>
  void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    Buffer& buffer = team_buffer<Buffer>(team);
    StreamLayout const layout = args.layout(ranges.grid.chunks());
    std::int64_t const range = team.league_rank();
    std::uint32_t* out = args.payload(layout) + ranges.staging_word(range);
    for (std::int64_t c = ranges.first(range); c < ranges.first(range + 1); ++c) {
      int const words = write_chunk<CodecTypes, Shape>(team, args, ranges.grid, c, buffer, out);
      args.chunk_words[c] = static_cast<std::uint32_t>(words);
      out += words;
    }
  }
};

template <class CodecTypes, class Shape, class T>
void encode_ranges(Kokkos::OpenMP const& exec, EncodeArgs<T> const& args,
                   grid_t<CodecTypes, Shape> grid) {
  // More ranges than threads even out their work; a range of one chunk would make a move of each.
  std::int64_t const most = ceil_div<std::int64_t>(grid.chunks(), 16);
  std::int64_t const wanted = 4 * static_cast<std::int64_t>(exec.concurrency());
  using Grid = grid_t<CodecTypes, Shape>;
  ChunkRanges<Grid> const ranges{grid, wanted < most ? wanted : most,
                                 max_chunk_head_words(Grid::tiles_of_chunk, args.asked.checksum),
                                 value_words<T>};
  parallel_teams("kompakt::encode::code_ranges",
                 generic_policy(exec, ranges.count, team_buffer_bytes<TileBuffer<CodecTypes, T>>),
                 CodeRange<CodecTypes, Shape, T>{args, ranges});
  place_chunks(exec, args);  // complete on return, as every kernel of Kokkos::OpenMP
  StreamLayout const layout = args.layout(grid.chunks());
  std::uint64_t const* const index = args.index(layout);
  std::uint32_t* const payload = args.payload(layout);
  for (std::int64_t range = 1; range < ranges.count; ++range) {
    std::uint64_t const start = index[ranges.first(range)], end = index[ranges.first(range + 1)];
    std::memmove(payload + start / word_bytes, payload + ranges.staging_word(range), end - start);
  }
}

template <class CodecTypes, class T>
void encode(openmp_tag, Kokkos::OpenMP const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode[openmp]");
  with_tile_shape(args.state->found.tile_shape, [&](auto shape) {
    using Grid = grid_t<CodecTypes, decltype(shape)>;
    Grid const grid(args.extents);
    auto const values = static_cast<std::size_t>(grid.values_before_chunk(grid.chunks()));
    std::size_t const worst =
        worst_case_bytes(args.layout(grid.chunks()), grid.chunks(), values * sizeof(T),
                         max_chunk_head_words(Grid::tiles_of_chunk, args.asked.checksum));
    if (worst <= args.capacity) {
      encode_ranges<CodecTypes, decltype(shape)>(exec, args, grid);
      finish_stream(args);
    } else {
      encode<CodecTypes>(generic_tag{}, exec, args);  // no room to stage
    }
  });
}

}  // namespace kompakt::impl

#endif
