#ifndef KOMPAKT_PIPELINE_CHOOSE_CODEBOOK_HPP
#define KOMPAKT_PIPELINE_CHOOSE_CODEBOOK_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <coder/huffman/counter.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/choose_predictor.hpp>

// For coders with a codebook: from the counts of a deterministic sample, what tile kind it is to be, by what
// the best codes for each kind would come to, and the book. What the sample lacks has codes that stand for
// it, so the field is read once, by the encoder.

namespace kompakt::impl {

/// Chunks that are counted for each tile kind; of fields with fewer, all: 2 million values.
inline constexpr std::int64_t book_sample_chunks = 512;

/// Slices of the counts. On a host teams have one each, so that they need no atomic additions.
template <class Exec>
inline constexpr int count_slices = generic_team_size<Exec> == 1 ? 16 : 1;
/// Teams that count for a tile kind.
template <class Exec>
inline constexpr int count_teams = generic_team_size<Exec> == 1
                                       ? count_slices<Exec>
                                       : static_cast<int>(book_sample_chunks);

/// Teams count the entries of the sampled chunks of every candidate. Coder is huffman::Counter<T>, or what a
/// backend has in its place.
template <class Coder, class T>
struct CountEntries {
  using Buffer = TileBuffer<Coder, T>;
  EncodeArgs<T> args;
  int teams;  // of a kind

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto const kind = static_cast<TileKind>(team.league_rank() / teams);
    if ((args.candidates >> static_cast<int>(kind) & 1u) == 0) return;
    with_tile_shape(kind, [&](auto shape) { count<decltype(shape)>(team); });
  }

 private:
  template <class Shape, class Team>
  KOKKOS_FUNCTION void count(Team const& team) const {
    Buffer& buffer = team_buffer<Buffer>(team);
    TileGrid<Shape> const grid(args.extents);
    std::int64_t const chunks = grid.chunks();
    std::int64_t const samples = book_sample_chunks < chunks ? book_sample_chunks : chunks;
    int const mine = static_cast<int>(team.league_rank() % teams);
    auto const kind = static_cast<int>(Shape::kind);
    huffman::Counts const counts{args.book.counts_of(kind, mine % args.book.slices), args.radius};
    std::uint64_t words = 0, values = 0;
    for (std::int64_t i = mine; i < samples; i += teams) {
      std::int64_t const chunk = sampled_part(i, samples, chunks);
      int const record_words = measure_records<Coder, Shape>(team, args, counts, chunk, buffer);
      words += static_cast<std::uint64_t>(sample_cost(record_words, args.checksum));
      values += static_cast<std::uint64_t>(chunk_values(grid, chunk));
    }
    if (team.team_rank() != 0) return;
    Kokkos::atomic_add(&args.state->sample_words[kind], words);
    Kokkos::atomic_add(&args.state->sample_values[kind], values);
  }
};

/// Moves the counts of all slices into the first one.
template <class T>
struct SumCounts {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int i) const {
    int const entries = huffman::entry_count(args.radius), kind = i / entries;
    std::uint32_t* const sum = args.book.counts_of(kind) + i % entries;
    for (int slice = 1; slice < args.book.slices; ++slice) {
      *sum += sum[slice * entries];
      sum[slice * entries] = 0;
    }
  }
};

/// Teams weigh the books of the dictionary and work out what the best codes come to, one for each book and
/// tile kind; the last one that is ready chooses the kind, makes the book and writes the section.
template <class T>
struct MakeCodebook {
  /// What a team may have as scratch on every device.
  static constexpr std::size_t most_scratch = 40 * 1024;
  EncodeArgs<T> args;

  std::size_t scratch_bytes() const {
    std::size_t const bytes = huffman::BookMemory::bytes(args.radius);
    return bytes <= most_scratch ? bytes : 0;
  }
  int teams() const { return popcount(args.candidates) * jobs_of_kind(); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    weigh(team);
    if (!is_last(team)) return;
    std::size_t const bytes = huffman::BookMemory::bytes(args.radius);
    auto const memory = huffman::BookMemory::in(
        bytes <= most_scratch
            ? static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(bytes, 8))
            : args.book.making,
        args.radius);
    TileKind const kind = choose_kind();
    if (team.team_rank() == 0) args.state->codebook_checksum = 0;
    huffman::CodebookHead const head = choose_book(team, memory, kind);
    huffman::store_codebook(
        team, head, memory.lengths, static_cast<std::uint32_t>(SectionId::codebook),
        reinterpret_cast<std::uint32_t*>(args.codebook()), args.state->codebook_checksum);
    if (team.team_rank() != 0) return;
    args.state->tile_kind = kind;
    args.state->codebook_bytes = head.section_bytes();
    *args.book.ready = 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool has_choice_of_kinds() const {
    return (args.candidates & (args.candidates - 1)) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool weighs_books() const {
    return args.variant != Variant::custom && args.radius == huffman::default_radius;
  }
  KOKKOS_FORCEINLINE_FUNCTION int jobs_of_kind() const {
    return 1 + (weighs_books() ? huffman::Dictionary::books : 0);
  }

  template <class Team>
  KOKKOS_FUNCTION void weigh(Team const& team) const {
    int const jobs = jobs_of_kind(), book = team.league_rank() % jobs - 1;
    int kind = 0;
    for (int before = team.league_rank() / jobs; before > 0 || (args.candidates >> kind & 1u) == 0;
         ++kind) {
      before -= static_cast<int>(args.candidates >> kind & 1u);
    }
    huffman::KindCost& cost = args.book.costs[kind];
    std::uint32_t const* const counts = args.book.counts_of(kind);
    if (book >= 0) {
      constexpr int list_bits = 16 + 32 * value_words<T>;
      huffman::BookCost const of_book = huffman::weigh_books(team, counts, book, list_bits);
      if (team.team_rank() == 0) cost.books[book] = of_book;
    } else {
      bool const digits_only = args.variant == Variant::dictionary && !has_choice_of_kinds();
      auto const bits = huffman::ideal_bits(team, args.radius, counts, digits_only);
      if (team.team_rank() == 0) cost.ideal = bits;
    }
  }

  // Whether all other teams are ready, and what they have written is there to be read.
  template <class Team>
  KOKKOS_FUNCTION bool is_last(Team const& team) const {
    std::uint32_t before = 0;
    if (team.team_rank() == 0) {
      Kokkos::memory_fence();
      before = Kokkos::atomic_fetch_add(args.book.ready, 1u);
      Kokkos::memory_fence();
    }
    team.team_broadcast(before, 0);
    return before + 1 == static_cast<std::uint32_t>(team.league_size());
  }

  // Leaves the words, of the dictionary's codes or of those made for the counts of the kind.
  template <class Team>
  KOKKOS_INLINE_FUNCTION huffman::CodebookHead choose_book(Team const& team,
                                                           huffman::BookMemory const& memory,
                                                           TileKind kind) const {
    huffman::KindCost const& cost = args.book.costs[static_cast<int>(kind)];
    if (weighs_books()) {
      team_for_rolled(team, huffman::Dictionary::books,
                      [&](int b) { memory.choice->costs[b] = cost.books[b]; });
      team.team_barrier();
      std::uint64_t bits;
      huffman::BookNumbers const books =
          huffman::choose_books(team, *memory.choice, cost.ideal.digits, bits);
      if (args.variant == Variant::dictionary || !custom_pays(bits, cost.ideal.least(), kind)) {
        return huffman::take_words(team, books, args.book.words);
      }
    }
    bool const symbols_only = cost.ideal.prefers_symbols_only();
    huffman::take_counts(team, args.book.counts_of(static_cast<int>(kind)), args.radius,
                         cost.ideal.digits, symbols_only, memory);
    auto const head = huffman::make_lengths(team, memory, args.radius, symbols_only);
    huffman::make_words(team, memory, head, args.book.words);
    return head;
  }

  // Whether codes that take `ideal` bits, and a section, are worth more than 2 % of the sample against those
  // of the dictionary, and the section.
  KOKKOS_FUNCTION bool custom_pays(std::uint64_t bits, std::uint64_t ideal, TileKind kind) const {
    if (bits <= ideal) return false;
    std::uint64_t const loss = bits - ideal;
    std::uint64_t const rest = 32 * args.state->sample_words[static_cast<int>(kind)];
    auto const chunks = static_cast<std::uint64_t>(chunk_count(kind, args.extents));
    std::uint64_t const samples =
        chunks < static_cast<std::uint64_t>(book_sample_chunks) ? chunks : book_sample_chunks;
    return 50 * loss > ideal + rest &&
           loss / samples * chunks > 8 * huffman::most_codebook_bytes(args.radius);
  }

  KOKKOS_FUNCTION TileKind choose_kind() const {
    if (!has_choice_of_kinds()) return static_cast<TileKind>(bit_width(args.candidates) - 1);
    std::uint64_t bits[tile_kinds] = {};
    for (int kind = 0; kind < tile_kinds; ++kind) {
      if ((args.candidates >> kind & 1u) == 0) continue;
      bits[kind] = 32 * args.state->sample_words[kind] + args.book.costs[kind].ideal.least();
    }
    return cheapest_kind(bits, args.state->sample_values, args.candidates);
  }
};

template <class T>
struct ClearCounts {
  EncodeArgs<T> args;
  KOKKOS_FUNCTION void operator()(int i) const { args.book.counts[i] = 0; }
};

/// Clears the counts of a book.
template <class Exec, class T>
void clear_counts(Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::parallel_for("kompakt::choose_codebook::clear",
                       Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(args.book.zero_words())),
                       ClearCounts<T>{args});
}
/// From counts leaves the tile kind and the codebook in args.state, args.book and the stream; the same again
/// when it is called again.
template <class Exec, class T>
void make_codebook(Exec const& exec, EncodeArgs<T> const& args) {
  if (args.book.slices > 1) {
    Kokkos::parallel_for(
        "kompakt::choose_codebook::sum",
        Kokkos::RangePolicy<Exec>(exec, 0, tile_kinds * huffman::entry_count(args.radius)),
        SumCounts<T>{args});
  }
  MakeCodebook<T> const make{args};
  Kokkos::parallel_for("kompakt::choose_codebook::make",
                       large_team_policy(exec, make.teams(), make.scratch_bytes()), make);
}

/// Counts the entries of the sampled chunks for each tile kind that may be chosen.
template <class Coder, class Exec, class T>
void count_entries(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[generic]");
  using Count = CountEntries<Coder, T>;
  constexpr int teams = count_teams<Exec>;
  clear_counts(exec, args);
  Kokkos::parallel_for(
      "kompakt::choose_codebook::count",
      generic_policy(exec, tile_kinds * teams, team_buffer_bytes<typename Count::Buffer>),
      Count{args, teams});
}

}  // namespace kompakt::impl

#endif
