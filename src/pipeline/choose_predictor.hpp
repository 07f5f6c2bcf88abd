#ifndef KOMPAKT_PIPELINE_CHOOSE_PREDICTOR_HPP
#define KOMPAKT_PIPELINE_CHOOSE_PREDICTOR_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/arguments.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/sample.hpp>
#include <pipeline/tile_plan.hpp>

namespace kompakt::impl {

/// Chunks sampled for each tile kind; fields with fewer are measured whole. 128 chunks are 3 % of a
/// field of 256^3 values.
inline constexpr std::int64_t sample_chunks = 128;

/// What a chunk costs: its words and those of its index entry.
KOKKOS_FORCEINLINE_FUNCTION int sample_cost(int record_words, bool checksum) {
  return 2 + chunk_words(record_words, checksum);
}

/// A team measures one sampled chunk in one tile kind.
template <class Coder, class T>
struct SampleCost {
  using Buffer = TileBuffer<Coder, T>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto const kind = static_cast<TileKind>(team.league_rank() / sample_chunks);
    std::int64_t const sample = team.league_rank() % sample_chunks;
    if ((args.candidates >> static_cast<int>(kind) & 1u) == 0) return;
    Buffer& buffer = team_buffer<Buffer>(team);
    with_tile_shape(kind, [&](auto shape) {
      using Shape = decltype(shape);
      TileGrid<Shape> const grid(args.extents);
      std::int64_t const chunks = grid.chunks();
      std::int64_t const samples = chunks < sample_chunks ? chunks : sample_chunks;
      if (sample >= samples) return;
      std::int64_t const chunk = sampled_part(sample, samples, chunks);
      int const words = sample_cost(
          measure_records<Coder, Shape>(team, args, Coder::encode_context(args), chunk, buffer),
          args.checksum);
      int const values = chunk_values(grid, chunk);
      if (team.team_rank() == 0) {
        Kokkos::atomic_add(&args.state->sample_words[static_cast<int>(kind)],
                           static_cast<std::uint64_t>(words));
        Kokkos::atomic_add(&args.state->sample_values[static_cast<int>(kind)],
                           static_cast<std::uint64_t>(values));
      }
    });
  }
};

/// The kind with the fewest words a value, ties to the lower number; in integers.
KOKKOS_INLINE_FUNCTION TileKind cheapest_kind(std::uint64_t const* words,
                                              std::uint64_t const* values,
                                              std::uint32_t candidates) {
  int best = -1;
  for (int kind = 0; kind < tile_kinds; ++kind) {
    if ((candidates >> kind & 1u) == 0) continue;
    if (best < 0 || words[kind] * values[best] < words[best] * values[kind]) best = kind;
  }
  return static_cast<TileKind>(best);
}

/// Takes the kind of tiles whose sample was cheapest; by one thread.
template <class T>
struct ChooseKind {
  EncodeState<T>* state;
  std::uint32_t candidates;

  KOKKOS_FUNCTION void operator()(int) const {
    state->tile_kind = cheapest_kind(state->sample_words, state->sample_values, candidates);
  }
};

/// Chooses the tile kind among args.candidates by the exact size of a deterministic sample, and
/// leaves it in args.state.
template <class Coder, class Exec, class T>
void choose_predictor(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_predictor[generic]");
  bool const choice = (args.candidates & (args.candidates - 1)) != 0;
  if (choice) {
    using Kernel = SampleCost<Coder, T>;
    Kokkos::parallel_for("kompakt::choose_predictor::sample",
                         generic_policy(exec, tile_kinds * sample_chunks,
                                        team_buffer_bytes<typename Kernel::Buffer>),
                         Kernel{args});
  }
  run_single(exec, "kompakt::choose_predictor::choose", ChooseKind<T>{args.state, args.candidates});
}

}  // namespace kompakt::impl

#endif
