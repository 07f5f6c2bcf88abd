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
      std::int64_t const chunk = sampled_chunk(i, samples, chunks);
      int const record_words = measure_records<Coder, Shape>(team, args, counts, chunk, buffer);
      words += static_cast<std::uint64_t>(sample_cost(record_words, args.checksum));
      values += static_cast<std::uint64_t>(chunk_values(grid, chunk));
    }
    if (team.team_rank() != 0) return;
    Kokkos::atomic_add(&args.state->sample_words[kind], words);
    Kokkos::atomic_add(&args.state->sample_values[kind], values);
  }
};

/// A team chooses the kind, makes the book and writes the section.
template <class T>
struct MakeCodebook {
  /// What a team may have as scratch on every device.
  static constexpr std::size_t most_scratch = 40 * 1024;
  EncodeArgs<T> args;

  std::size_t scratch_bytes() const {
    std::size_t const bytes = huffman::BookMemory::bytes(args.radius);
    return bytes <= most_scratch ? bytes : 0;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    std::size_t const bytes = huffman::BookMemory::bytes(args.radius);
    auto const memory = huffman::BookMemory::in(
        bytes <= most_scratch
            ? static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(bytes, 8))
            : args.book.making,
        args.radius);
    TileKind const kind = choose_kind(team, memory);
    args.book.sum_counts(team, static_cast<int>(kind), memory.counts);
    huffman::CodebookHead const head = choose_book(team, memory, kind);
    std::uint32_t const checksum = huffman::store_codebook(
        team, head, memory.lengths, static_cast<std::uint32_t>(SectionId::codebook),
        reinterpret_cast<std::uint32_t*>(args.stream +
                                         StreamLayout(args.shape.rank, 0, 1).codebook));
    if (team.team_rank() != 0) return;
    args.state->tile_kind = kind;
    args.state->codebook_bytes = head.section_bytes();
    args.state->codebook_checksum = checksum;
  }

 private:
  // Bits of the best codes for memory.counts.
  template <class Team>
  KOKKOS_FUNCTION std::uint64_t ideal_bits(Team const& team,
                                           huffman::BookMemory const& memory) const {
    std::uint64_t bits = 0;
    for (int i = 0; i < huffman::alphabet_count; ++i) {
      huffman::Alphabet const a = huffman::nth_alphabet(i, args.radius);
      bits += huffman::ideal_bits(team, memory.counts + a.first, a.count);
    }
    return bits >> 16;
  }

  // Leaves the words for memory.counts, of the dictionary's codes or of those made for them.
  template <class Team>
  KOKKOS_FUNCTION huffman::CodebookHead choose_book(Team const& team,
                                                    huffman::BookMemory const& memory,
                                                    TileKind kind) const {
    if (args.variant != Variant::custom && args.radius == huffman::default_radius) {
      constexpr int list_bits = 16 + 32 * value_words<T>;
      std::uint64_t bits;
      auto const books = huffman::choose_books(team, memory.counts, list_bits, *memory.costs, bits);
      if (args.variant == Variant::dictionary ||
          !custom_pays(bits, ideal_bits(team, memory), kind)) {
        return huffman::take_words(team, books, args.book.words);
      }
    }
    team_for(team, huffman::entry_count(args.radius),
             [&](int i) { memory.counts[i] += huffman::always_coded(i, args.radius) ? 1 : 0; });
    team.team_barrier();
    auto const head = huffman::make_lengths(team, memory, args.radius);
    huffman::make_words(team, memory, args.radius, args.book.words);
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

  template <class Team>
  KOKKOS_FUNCTION TileKind choose_kind(Team const& team, huffman::BookMemory const& memory) const {
    std::uint64_t bits[tile_kinds] = {}, values[tile_kinds] = {};
    if ((args.candidates & (args.candidates - 1)) == 0) {
      return static_cast<TileKind>(bit_width(args.candidates) - 1);
    }
    for (int kind = 0; kind < tile_kinds; ++kind) {
      if ((args.candidates >> kind & 1u) == 0) continue;
      args.book.sum_counts(team, kind, memory.counts);
      bits[kind] = 32 * args.state->sample_words[kind] + ideal_bits(team, memory);
      values[kind] = args.state->sample_values[kind];
    }
    return cheapest_kind(bits, values, args.candidates);
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
                       Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(args.book.all_counts())),
                       ClearCounts<T>{args});
}
/// Makes the book from counts.
template <class Exec, class T>
void make_codebook(Exec const& exec, EncodeArgs<T> const& args) {
  MakeCodebook<T> const make{args};
  Kokkos::parallel_for("kompakt::choose_codebook::make",
                       one_team_policy(exec, make.scratch_bytes()), make);
}

/// Leaves the tile kind and the codebook in args.state, args.book and the stream.
template <class Coder, class Exec, class T>
void choose_codebook(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[generic]");
  using Count = CountEntries<Coder, T>;
  constexpr int teams = count_teams<Exec>;
  clear_counts(exec, args);
  Kokkos::parallel_for(
      "kompakt::choose_codebook::count",
      generic_policy(exec, tile_kinds * teams, team_buffer_bytes<typename Count::Buffer>),
      Count{args, teams});
  make_codebook(exec, args);
}

}  // namespace kompakt::impl

#endif
