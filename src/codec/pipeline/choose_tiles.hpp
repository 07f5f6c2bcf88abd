#ifndef KOMPAKT_PIPELINE_CHOOSE_TILES_HPP
#define KOMPAKT_PIPELINE_CHOOSE_TILES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/sample.hpp>
#include <pipeline/tile_plan.hpp>

namespace kompakt::impl {

/// Chunks sampled for each shape of tiles, at most; of fields with fewer, all (a quarter of those of 64 chunks, and of 256,
/// would save a batch half its time, but cost 0.7 % of the ratio). 128 chunks are 3 % of a field of 256^3 values.
inline constexpr std::int64_t sample_chunks = 128;

/// What a chunk costs: its words and those of its index entry.
KOKKOS_FORCEINLINE_FUNCTION int sample_cost(int record_words, bool checksum) {
  return 2 + chunk_words(record_words, checksum);
}

/// A team measures one sampled chunk in tiles of one shape.
template <class CodecTypes, class T>
struct SampleCost {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto const number = static_cast<int>(team.league_rank() / sample_chunks);
    std::int64_t const sample = team.league_rank() % sample_chunks;
    if (!args.may_have(number)) return;
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(static_cast<TileShape>(number), [&](auto shape) {
      using Shape = decltype(shape);
      grid_t<CodecTypes, Shape> const grid(args.extents);
      std::int64_t const chunks = grid.chunks();
      std::int64_t const samples = SampleSize{sample_chunks}.of(chunks);
      if (sample >= samples) return;
      std::int64_t const chunk = sampled_part(sample, samples, chunks);
      int const words =
          sample_cost(measure_records<CodecTypes, Shape>(
                          team, args, EncodeContext<CodecTypes>::of(args), chunk, buffer),
                      args.asked.checksum);
      int const values = chunk_values(grid, chunk);
      if (team.team_rank() == 0) {
        Kokkos::atomic_add(&args.state->sample_words[number], static_cast<std::uint64_t>(words));
        Kokkos::atomic_add(&args.state->sample_values[number], static_cast<std::uint64_t>(values));
      }
    });
  }
};

/// The shape with the fewest words a value, ties to the lower number; in integers.
KOKKOS_INLINE_FUNCTION TileShape cheapest_shape(std::uint64_t const* words,
                                                std::uint64_t const* values, std::uint32_t shapes) {
  int best = -1;
  for (int shape = 0; shape < tile_shapes; ++shape) {
    if ((shapes >> shape & 1u) == 0) continue;
    if (best < 0 || words[shape] * values[best] < words[best] * values[shape]) best = shape;
  }
  return static_cast<TileShape>(best);
}

/// Takes the shape of tiles whose sample was cheapest; by one thread.
template <class T>
struct ChooseShape {
  EncodeState<T>* state;
  std::uint32_t shapes;

  KOKKOS_FUNCTION void operator()(int) const {
    state->found.tile_shape = cheapest_shape(state->sample_words, state->sample_values, shapes);
  }
};

/// Chooses the shape of tiles among args.shapes by the exact size of a deterministic sample, and
/// leaves it in args.state.
template <class CodecTypes, class Exec, class T>
void choose_tiles(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_tiles[generic]");
  if (args.has_choice_of_shapes()) {
    using Kernel = SampleCost<CodecTypes, T>;
    parallel_teams("kompakt::choose_tiles::sample",
                   generic_policy(exec, tile_shapes * sample_chunks,
                                  team_buffer_bytes<typename Kernel::Buffer>),
                   Kernel{args});
  }
  run_single(exec, "kompakt::choose_tiles::choose", ChooseShape<T>{args.state, args.shapes});
}

}  // namespace kompakt::impl

#endif
