#ifndef KOMPAKT_PIPELINE_ENCODE_HPP
#define KOMPAKT_PIPELINE_ENCODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/finish.hpp>
#include <pipeline/tile_plan.hpp>
#include <span>
#include <type_traits>

// The walk over a field in two passes: measure every chunk, turn the sizes into offsets, and write at the offset. The first pass keeps the
// records of tiles, as far as the stream's memory has room for them (KeptRecords); OpenMP codes all tiles again.

namespace kompakt::impl {

/// A team sizes one chunk. Reads the field once, writes 4 bytes a chunk.
template <class CodecTypes, class T>
struct MeasureChunks {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const chunk = team.league_rank();
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(args.state->found.tile_shape, [&](auto shape) {
      using Shape = decltype(shape);
      if (chunk >= grid_t<CodecTypes, Shape>(args.extents).chunks()) return;
      int const words =
          chunk_words(measure_records<CodecTypes, Shape>(
                          team, args, EncodeContext<CodecTypes>::of(args), chunk, buffer),
                      args.asked.checksum);
      if (team.team_rank() == 0) args.chunk_words[chunk] = static_cast<std::uint32_t>(words);
    });
  }
};

/// Exclusive scan of the chunk sizes into the index, which has one entry more: the payload's size.
template <class T>
struct PlaceChunks {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& words, bool final) const {
    std::int64_t const chunks =
        chunk_count(args.asked.method, args.state->found.tile_shape, args.extents);
    if (i > chunks) return;
    if (final) {
      StreamLayout const layout = args.layout(chunks);
      if (i < chunks) {
        args.index(layout)[i] = words * word_bytes;
      } else {
        args.close_index(layout, chunks, words);
      }
    }
    if (i < chunks) words += args.chunk_words[i];
  }
};

/// Writes the record of a tile as planned: plan.words words.
/// \param original  EncodeArgs::original
template <class CodecTypes, class Shape, class T, class Team, class Box>
KOKKOS_INLINE_FUNCTION void write_record(Team const& team,
                                         typename CodecTypes::Coder::EncodeContext const& context,
                                         FieldTile<T const, Box> const& tile,
                                         TilePlan<typename CodecTypes::Coder, T> const& plan,
                                         std::type_identity_t<T> const* original,
                                         TileBuffer<CodecTypes, T>& buffer, std::uint32_t* out) {
  using Coder = typename CodecTypes::Coder;
  if (plan.form == RecordForm::empty) return;
  T const* const field = original == nullptr ? tile.field : original;
  Box const& box = tile.box;
  if (plan.form == RecordForm::raw) {
    using Steps = TileSteps<typename CodecTypes::Predictor, typename CodecTypes::Body>;
    Steps::template write_raw<Shape>(team, field, box, buffer.predictor, out);
    return;
  }
  if (team.team_rank() == 0) write_head(plan.head, plan.base, plan.tail, out);
  out += plan.head.words();
  Coder::template write<Shape>(team, context, plan.coder, buffer.bins, buffer.coder, out);
  out += plan.coder.words();
  if (plan.tail.any()) {
    write_tail<Shape>(team, field, box, plan.tail, buffer.exceptions, out);
  }
}

/// Writes one chunk: head, records, checksum. Returns its words, on all threads; 0, and nothing is
/// written, if all of its tiles are empty.
/// \param write_tile  writes the record of the t-th tile to a place; returns its words, on all threads
template <class Grid, class T, class Team, class WriteTile>
KOKKOS_INLINE_FUNCTION int write_chunk_of(Team const& team, EncodeArgs<T> const& args,
                                          std::int64_t chunk, std::uint32_t* out,
                                          WriteTile const& write_tile) {
  int const head_words = chunk_head_words(args.asked.checksum);
  int at = head_words;
  typename ChunkForm<Grid>::Head head;
  for (int t = 0; t < Grid::tiles_of_chunk; ++t) {
    int const words = write_tile(t, out + at);
    head.set_length(t, words);
    at += words;
    team.team_barrier();
  }
  if (at == head_words) return 0;
  if (team.team_rank() == 0) head.store(out, out + at);
  at += head.end_words();
  if (args.asked.checksum) {
    team.team_barrier();
    std::uint32_t const sum = chunk_checksum(team, chunk, out, at);
    if (team.team_rank() == 0) out[2] = sum;
  }
  return at;
}

/// Codes a tile and writes its record; returns its plan, on all threads.
template <class CodecTypes, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION TilePlan<typename CodecTypes::Coder, T> write_tile(
    Team const& team, EncodeArgs<T> const& args, EncodeContext<CodecTypes> const& context,
    grid_t<CodecTypes, Shape> const& grid, std::int64_t chunk, int t,
    TileBuffer<CodecTypes, T>& buffer, std::uint32_t* out) {
  TileSource const source(team, args, grid.tile(chunk, t));
  auto const plan =
      plan_tile<CodecTypes, Shape>(team, args.state->quantizer, context, source.tile(), buffer);
  write_record<CodecTypes, Shape>(team, context.coder, source.tile(), plan, args.original, buffer,
                                  out);
  return plan;
}

/// write_chunk_of() of tiles that are coded now.
template <class CodecTypes, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION int write_chunk(Team const& team, EncodeArgs<T> const& args,
                                       grid_t<CodecTypes, Shape> const& grid, std::int64_t chunk,
                                       TileBuffer<CodecTypes, T>& buffer, std::uint32_t* out) {
  std::uint64_t exceptions = 0;
  auto const context = EncodeContext<CodecTypes>::of(args);
  int const words = write_chunk_of<grid_t<CodecTypes, Shape>>(
      team, args, chunk, out, [&](int t, std::uint32_t* record) {
        auto const plan =
            write_tile<CodecTypes, Shape>(team, args, context, grid, chunk, t, buffer, record);
        exceptions += static_cast<std::uint64_t>(plan.tail.exceptions());
        return plan.words;
      });
  if (team.team_rank() == 0 && exceptions > 0) {
    Kokkos::atomic_add(&args.state->found.exceptions, exceptions);
  }
  return words;
}

/// A team writes one chunk where the index says. Reads the field once, unless records are kept, and writes the chunk's bytes once.
template <class CodecTypes, class T>
struct WriteChunks {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    if (args.state->overflow) return;
    std::int64_t const chunk = team.league_rank();
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(args.state->found.tile_shape, [&](auto shape) {
      grid_t<CodecTypes, decltype(shape)> const grid(args.extents);
      if (chunk >= grid.chunks()) return;
      StreamLayout const layout = args.layout(grid.chunks());
      std::uint64_t const* const index = args.index(layout);
      if (index[chunk + 1] == index[chunk]) return;
      std::uint32_t* const out = args.payload(layout) + index[chunk] / word_bytes;
      if constexpr (keeps_records<typename Team::execution_space>) {
        write_kept<decltype(shape)>(team, grid, chunk, buffer, out);
      } else {
        write_chunk<CodecTypes, decltype(shape)>(team, args, grid, chunk, buffer, out);
      }
    });
  }

 private:
  /// Writes a chunk of records that are kept; codes the others again.
  template <class Shape, class Team>
  KOKKOS_FUNCTION void write_kept(Team const& team, grid_t<CodecTypes, Shape> const& grid,
                                  std::int64_t chunk, Buffer& buffer, std::uint32_t* out) const {
    using Grid = grid_t<CodecTypes, Shape>;
    write_chunk_of<Grid>(team, args, chunk, out, [&](int t, std::uint32_t* record) {
      std::int64_t const tile = chunk * Grid::tiles_of_chunk + t;
      int const words = args.kept.words_of(tile);
      if (words == 0) return 0;
      std::uint64_t const from_end = args.kept.from_end(tile);
      if (from_end > args.words_behind(args.state->stream_bytes)) {
        return write_tile<CodecTypes, Shape>(team, args, EncodeContext<CodecTypes>::of(args), grid,
                                             chunk, t, buffer, record)
            .words;
      }
      std::uint32_t const* const kept = args.kept_record(from_end);
      team_for(team, words, [&](int i) { record[i] = kept[i]; });
      return words;
    });
  }
};

/// A team codes a tile and keeps its record, if the stream's memory has room. Reads the field once, writes the records once.
template <class CodecTypes, class T>
struct KeepTiles {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;
  std::int64_t first;  ///< tile of this launch

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(args.state->found.tile_shape, [&]<class Shape>(Shape) {
      keep<Shape>(team, first + team.league_rank(), buffer);
    });
  }

 private:
  /// Of a tile by its number among those of all chunks, if there is such a chunk.
  template <class Shape, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void keep(Team const& team, std::int64_t number,
                                        Buffer& buffer) const {
    using Grid = grid_t<CodecTypes, Shape>;
    Grid const grid(args.extents);
    std::int64_t const chunk = number / Grid::tiles_of_chunk;
    if (chunk >= grid.chunks()) return;
    auto const context = EncodeContext<CodecTypes>::of(args);
    TileSource const source(team, args,
                            grid.tile(chunk, static_cast<int>(number % Grid::tiles_of_chunk)));
    auto const plan =
        plan_tile<CodecTypes, Shape>(team, args.state->quantizer, context, source.tile(), buffer);
    std::uint64_t const room = args.words_behind(args.layout(grid.chunks()).payload);
    std::uint64_t const from_end = place_of(team, plan.words, room);
    if (from_end != KeptRecords::nowhere) {
      write_record<CodecTypes, Shape>(team, context.coder, source.tile(), plan, args.original,
                                      buffer, args.kept_record(from_end));
    }
    if (team.team_rank() != 0) return;
    args.kept.note(number, from_end, plan.words);
    if (plan.tail.exceptions() > 0) {
      Kokkos::atomic_add(&args.state->found.exceptions,
                         static_cast<std::uint64_t>(plan.tail.exceptions()));
    }
  }
  /// Where a record is kept, of so many words in front of the end, on all threads.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place_of(Team const& team, int words,
                                                     std::uint64_t room) const {
    if (words == 0) return KeptRecords::nowhere;
    auto const count = static_cast<std::uint64_t>(words);
    std::uint64_t from_end = 0;
    if (team.team_rank() == 0) {
      from_end = Kokkos::atomic_fetch_add(&args.state->kept_words, count) + count;
    }
    team.team_broadcast(from_end, 0);
    return from_end <= room ? from_end : KeptRecords::nowhere;
  }
};

/// Sizes a chunk by its kept records.
template <class CodecTypes, class T>
struct SizeChunks {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
    with_tile_shape(args.state->found.tile_shape, [&](auto shape) {
      using Grid = grid_t<CodecTypes, decltype(shape)>;
      if (chunk >= Grid(args.extents).chunks()) return;
      int const words = words_of_records<Grid>(
          [&](int t) { return args.kept.words_of(chunk * Grid::tiles_of_chunk + t); });
      args.chunk_words[chunk] = static_cast<std::uint32_t>(chunk_words(words, args.asked.checksum));
    });
  }
};

/// Codes all tiles. A launch has no more teams than an int counts, and there are several tiles a chunk.
template <class CodecTypes, class Exec, class T>
void keep_tiles(Exec const& exec, EncodeArgs<T> const& args) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  std::int64_t const tiles = args.max_turns() * chunk_tiles;
  for (std::int64_t first = 0; first < tiles; first += most) {
    parallel_teams("kompakt::encode::keep",
                   generic_policy(exec, tiles - first < most ? tiles - first : most,
                                  team_buffer_bytes<TileBuffer<CodecTypes, T>>),
                   KeepTiles<CodecTypes, T>{args, first});
  }
}

/// Turns args.chunk_words into the index and the payload's size.
template <class Exec, class T>
void place_chunks(Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::parallel_scan(
      "kompakt::encode::place",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, args.max_chunks() + 1),
      PlaceChunks<T>{args});
}

/// The stream and *args.result. Expects quantizer and shape of tiles in args.state.
template <class CodecTypes, class Exec, class T>
void encode(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode[generic]");
  std::int64_t const chunks = args.max_chunks();
  auto const policy = generic_policy(exec, chunks, team_buffer_bytes<TileBuffer<CodecTypes, T>>);
  if constexpr (keeps_records<Exec>) {
    keep_tiles<CodecTypes>(exec, args);
    Kokkos::parallel_for(
        "kompakt::encode::size",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, chunks),
        SizeChunks<CodecTypes, T>{args});
  } else {
    parallel_teams("kompakt::encode::measure", policy, MeasureChunks<CodecTypes, T>{args});
  }
  place_chunks(exec, args);
  parallel_teams("kompakt::encode::write", policy, WriteChunks<CodecTypes, T>{args});
  run_single(exec, "kompakt::encode::finish", FinishStream<T>{args});
}

/// The streams of several calls that have been prepared. Only backends that share launches have a body.
template <class CodecTypes, class Exec, class T>
void encode_batch(generic_tag, Exec const&, std::span<EncodeArgs<T> const>, BatchMemory&) = delete;

}  // namespace kompakt::impl

#endif
