#ifndef KOMPAKT_PIPELINE_ENCODE_HPP
#define KOMPAKT_PIPELINE_ENCODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/arguments.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/finish.hpp>
#include <pipeline/tile_plan.hpp>

// The walk over a field in two passes: measure every chunk, turn the sizes into offsets, quantise
// again and write at the offset. The second read costs less memory than keeping the bins would.

namespace kompakt::impl {

/// A team sizes one chunk. Reads the field once, writes 4 bytes a chunk.
template <class Coder, class T>
struct MeasureChunks {
  using Buffer = TileBuffer<Coder, T>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const chunk = team.league_rank();
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(args.state->tile_kind, [&](auto shape) {
      using Shape = decltype(shape);
      if (chunk >= TileGrid<Shape>(args.extents).chunks()) return;
      int const words = chunk_words(
          measure_records<Coder, Shape>(team, args, Coder::encode_context(args), chunk, buffer),
          args.checksum);
      if (team.team_rank() == 0) args.chunk_words[chunk] = static_cast<std::uint32_t>(words);
    });
  }
};

/// Exclusive scan of the chunk sizes into the index, which has one entry more: the payload's size.
template <class T>
struct PlaceChunks {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& words, bool final) const {
    std::int64_t const chunks = chunk_count(args.state->tile_kind, args.extents);
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
template <class Coder, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION void write_record(Team const& team,
                                         typename Coder::EncodeContext const& context,
                                         T const* field, TileBox const& box,
                                         TilePlan<Coder, T> const& plan,
                                         TileBuffer<Coder, T>& buffer, std::uint32_t* out) {
  if (plan.form == RecordForm::empty) return;
  if (plan.form == RecordForm::raw) {
    team_for_values<Shape>(team, box, [&](int place, std::int64_t index) {
      store_value(field[index], out + packed_place<Shape>(box, place) * value_words<T>);
    });
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
template <class Coder, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION int write_chunk(Team const& team, EncodeArgs<T> const& args,
                                       TileGrid<Shape> const& grid, std::int64_t chunk,
                                       TileBuffer<Coder, T>& buffer, std::uint32_t* out) {
  int const head_words = chunk_head_words(args.checksum);
  int at = head_words;
  std::uint32_t lengths[2] = {0, 0};
  std::uint64_t exceptions = 0;
  auto const context = Coder::encode_context(args);
  for (int t = 0; t < chunk_tiles; ++t) {
    TileBox const box = grid.box(chunk * chunk_tiles + t);
    auto const plan =
        plan_tile<Coder, Shape>(team, args.field, args.state->quantizer, context, box, buffer);
    write_record<Coder, Shape>(team, context, args.field, box, plan, buffer, out + at);
    lengths[t / 2] |= static_cast<std::uint32_t>(plan.words) << (t % 2 * 16);
    at += plan.words;
    exceptions += static_cast<std::uint64_t>(plan.tail.exceptions());
    team.team_barrier();
  }
  if (at == head_words) return 0;
  if (team.team_rank() == 0) {
    out[0] = lengths[0];
    out[1] = lengths[1];
    if (exceptions > 0) Kokkos::atomic_add(&args.state->exceptions, exceptions);
  }
  if (args.checksum) {
    team.team_barrier();
    std::uint32_t const sum = chunk_checksum(team, chunk, out, at);
    if (team.team_rank() == 0) out[2] = sum;
  }
  return at;
}

/// A team writes one chunk where the index says. Reads the field once and writes the chunk's bytes
/// once.
template <class Coder, class T>
struct WriteChunks {
  using Buffer = TileBuffer<Coder, T>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    if (args.state->overflow) return;
    std::int64_t const chunk = team.league_rank();
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(args.state->tile_kind, [&](auto shape) {
      TileGrid<decltype(shape)> const grid(args.extents);
      if (chunk >= grid.chunks()) return;
      StreamLayout const layout = args.layout(grid.chunks());
      std::uint64_t const* const index = args.index(layout);
      if (index[chunk + 1] == index[chunk]) return;
      write_chunk<Coder>(team, args, grid, chunk, buffer,
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

/// Bytes that a backend keeps between the calls of a workspace, for fields of so many chunks.
inline std::size_t kept_bytes(generic_tag, std::int64_t) { return 0; }

/// The stream and *args.result. Expects the bound and the tile kind in args.state.
template <class Coder, class Exec, class T>
void encode(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode[generic]");
  std::int64_t const chunks = args.max_chunks();
  auto const policy = generic_policy(exec, chunks, team_buffer_bytes<TileBuffer<Coder, T>>);
  Kokkos::parallel_for("kompakt::encode::measure", policy, MeasureChunks<Coder, T>{args});
  place_chunks(exec, args);
  Kokkos::parallel_for("kompakt::encode::write", policy, WriteChunks<Coder, T>{args});
  run_single(exec, "kompakt::encode::finish", FinishStream<T>{args});
}

}  // namespace kompakt::impl

#endif
