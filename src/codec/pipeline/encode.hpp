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

// The walk over a field in two passes: measure every chunk, turn the sizes into offsets, quantise
// again and write at the offset. The second read costs less memory than keeping the bins would.

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
template <class CodecTypes, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION int write_chunk(Team const& team, EncodeArgs<T> const& args,
                                       grid_t<CodecTypes, Shape> const& grid, std::int64_t chunk,
                                       TileBuffer<CodecTypes, T>& buffer, std::uint32_t* out) {
  int const head_words = chunk_head_words(args.asked.checksum);
  int at = head_words;
  using Grid = grid_t<CodecTypes, Shape>;
  typename ChunkForm<Grid>::Head head;
  std::uint64_t exceptions = 0;
  auto const context = EncodeContext<CodecTypes>::of(args);
  for (int t = 0; t < Grid::tiles_of_chunk; ++t) {
    TileSource const source(team, args, grid.tile(chunk, t));
    auto const plan =
        plan_tile<CodecTypes, Shape>(team, args.state->quantizer, context, source.tile(), buffer);
    write_record<CodecTypes, Shape>(team, context.coder, source.tile(), plan, args.original, buffer,
                                    out + at);
    head.set_length(t, plan.words);
    at += plan.words;
    exceptions += static_cast<std::uint64_t>(plan.tail.exceptions());
    team.team_barrier();
  }
  if (at == head_words) return 0;
  if (team.team_rank() == 0) {
    head.store(out, out + at);
    if (exceptions > 0) Kokkos::atomic_add(&args.state->found.exceptions, exceptions);
  }
  at += head.end_words();
  if (args.asked.checksum) {
    team.team_barrier();
    std::uint32_t const sum = chunk_checksum(team, chunk, out, at);
    if (team.team_rank() == 0) out[2] = sum;
  }
  return at;
}

/// A team writes one chunk where the index says. Reads the field once and writes the chunk's bytes
/// once.
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
      write_chunk<CodecTypes, decltype(shape)>(team, args, grid, chunk, buffer,
                                               args.payload(layout) + index[chunk] / word_bytes);
    });
  }
};

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
  parallel_teams("kompakt::encode::measure", policy, MeasureChunks<CodecTypes, T>{args});
  place_chunks(exec, args);
  parallel_teams("kompakt::encode::write", policy, WriteChunks<CodecTypes, T>{args});
  run_single(exec, "kompakt::encode::finish", FinishStream<T>{args});
}

/// The streams of several calls that have been prepared. Only backends that share launches have a body.
template <class CodecTypes, class Exec, class T>
void encode_batch(generic_tag, Exec const&, std::span<EncodeArgs<T> const>, BatchMemory&) = delete;

}  // namespace kompakt::impl

#endif
