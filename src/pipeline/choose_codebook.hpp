#ifndef KOMPAKT_PIPELINE_CHOOSE_CODEBOOK_HPP
#define KOMPAKT_PIPELINE_CHOOSE_CODEBOOK_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <coder/huffman/counter.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/choose_predictor.hpp>

// For coders with a codebook: what tile kind it is to be, by the exact size of a deterministic sample with
// the best codes for each kind, and the codes that are best for the whole field.

namespace kompakt::impl {

/// Slices of the counts. On a host teams have one each, so that they need no atomic additions.
template <class Exec>
inline constexpr int count_slices = generic_team_size<Exec> == 1 ? 16 : 1;
/// Teams that count for a tile kind.
template <class Exec>
inline constexpr int count_teams = generic_team_size<Exec> == 1 ? count_slices<Exec> : 1024;

/// Teams count the entries of the sampled chunks of every candidate, or of all chunks of the chosen kind.
/// Coder is huffman::Counter<T>, or what a backend has in its place.
template <class Coder, class T>
struct CountEntries {
  using Buffer = TileBuffer<Coder, T>;
  EncodeArgs<T> args;
  int teams;  // of a kind
  bool sample;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto const kind =
        sample ? static_cast<TileKind>(team.league_rank() / teams) : args.state->tile_kind;
    if ((args.candidates >> static_cast<int>(kind) & 1u) == 0) return;
    with_tile_shape(kind, [&](auto shape) { count<decltype(shape)>(team); });
  }

 private:
  template <class Shape, class Team>
  KOKKOS_FUNCTION void count(Team const& team) const {
    Buffer& buffer = team_buffer<Buffer>(team);
    TileGrid<Shape> const grid(args.extents);
    std::int64_t const chunks = grid.chunks();
    std::int64_t const count = sample && sample_chunks < chunks ? sample_chunks : chunks;
    int const mine = static_cast<int>(team.league_rank() % teams);
    auto const kind = static_cast<int>(Shape::kind);
    huffman::Counts const counts{args.book.counts_of(kind, mine % args.book.slices), args.radius};
    std::uint64_t words = 0, values = 0;
    for (std::int64_t i = mine; i < count; i += teams) {
      std::int64_t const chunk = sample ? sampled_chunk(i, count, chunks) : i;
      int const record_words = measure_records<Coder, Shape>(team, args, counts, chunk, buffer);
      words += static_cast<std::uint64_t>(sample_cost(record_words, args.checksum));
      values += static_cast<std::uint64_t>(chunk_values(grid, chunk));
    }
    if (!sample || team.team_rank() != 0) return;
    Kokkos::atomic_add(&args.state->sample_words[kind], words);
    Kokkos::atomic_add(&args.state->sample_values[kind], values);
  }
};

/// A team chooses the kind.
template <class T>
struct ChooseKindByCodes {
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    std::uint64_t bits[tile_kinds] = {}, values[tile_kinds] = {};
    for (int kind = 0; kind < tile_kinds; ++kind) {
      if ((args.candidates >> kind & 1u) == 0) continue;
      bits[kind] = 32 * args.state->sample_words[kind] + args.book.make_lengths(team, kind);
      values[kind] = args.state->sample_values[kind];
    }
    if (team.team_rank() == 0) {
      args.state->tile_kind = cheapest_kind(bits, values, args.candidates);
    }
  }
};

/// A team makes the book of the chosen kind and writes the section.
template <class T>
struct MakeCodebook {
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    args.book.make_lengths(team, static_cast<int>(args.state->tile_kind));
    args.book.make_words(team);
    std::byte* const section = args.stream + args.layout(0).codebook;
    huffman::store_codebook(team, args.book.lengths, args.radius, section);
    if (team.team_rank() == 0) {
      args.state->codebook_checksum = checksum_bytes(
          section, args.codebook_bytes(), static_cast<std::uint32_t>(SectionId::codebook));
    }
  }
};

template <class T>
struct ClearCounts {
  EncodeArgs<T> args;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { args.book.counts[i] = 0; }
};

/// Leaves the tile kind and the codebook in args.state, args.book and the stream.
template <class Coder, class Exec, class T>
void choose_codebook(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[generic]");
  using Count = CountEntries<Coder, T>;
  auto const clear = [&] {
    Kokkos::parallel_for("kompakt::choose_codebook::clear",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, args.book.count_entries()),
                         ClearCounts<T>{args});
  };
  constexpr std::size_t scratch = team_buffer_bytes<typename Count::Buffer>;
  clear();
  if ((args.candidates & (args.candidates - 1)) != 0) {
    int const teams = count_teams<Exec> < sample_chunks ? count_teams<Exec> : sample_chunks;
    Kokkos::parallel_for("kompakt::choose_codebook::sample",
                         generic_policy(exec, tile_kinds * teams, scratch),
                         Count{args, teams, true});
    Kokkos::parallel_for("kompakt::choose_codebook::choose", generic_policy(exec, 1, 0),
                         ChooseKindByCodes<T>{args});
    clear();
  } else {
    run_single(exec, "kompakt::choose_codebook::choose",
               ChooseKind<T>{args.state, args.candidates});
  }
  Kokkos::parallel_for("kompakt::choose_codebook::count",
                       generic_policy(exec, count_teams<Exec>, scratch),
                       Count{args, count_teams<Exec>, false});
  Kokkos::parallel_for("kompakt::choose_codebook::make", generic_policy(exec, 1, 0),
                       MakeCodebook<T>{args});
}

}  // namespace kompakt::impl

#endif
