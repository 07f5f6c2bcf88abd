#ifndef KOMPAKT_CODER_HUFFMAN_MAKE_BOOK_HPP
#define KOMPAKT_CODER_HUFFMAN_MAKE_BOOK_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/codebook.hpp>
#include <coder/huffman/prefix_code.hpp>
#include <core/team.hpp>
#include <cstddef>
#include <cstdint>

// From counts of entries to a book, by a team, in integers: the same on every space.

namespace kompakt::impl::huffman {

/// Base-2 logarithm of x > 0 in units of 2^-16, rounded down: a bit for each squaring of what is left.
KOKKOS_INLINE_FUNCTION std::uint32_t log2_fixed(std::uint32_t x) {
  int const whole = bit_width(x) - 1;
  std::uint64_t rest = static_cast<std::uint64_t>(x) << (31 - whole);  // 1 to 2 in units of 2^-31
  std::uint32_t bits = static_cast<std::uint32_t>(whole);
  for (int i = 0; i < 16; ++i) {
    rest = rest * rest >> 31;
    std::uint32_t const bit = rest >> 32 != 0 ? 1 : 0;
    rest >>= bit;
    bits = bits << 1 | bit;
  }
  return bits;
}

/// Bits, in units of 2^-16, that entries with these counts take in the best codes: their entropy, but no
/// code is shorter than a bit. On all threads.
template <class Team>
KOKKOS_INLINE_FUNCTION std::uint64_t ideal_bits(Team const& team, std::uint32_t const* counts,
                                                int n) {
  std::uint32_t part = 0;
  team_for(team, n, [&](int i) { part += counts[i]; });
  std::uint32_t const total = team_sum(team, part);
  if (total == 0) return 0;
  std::uint32_t const log_total = log2_fixed(total);
  std::uint64_t bits = 0;
  team_for(team, n, [&](int i) {
    if (counts[i] == 0) return;
    std::uint32_t const length = log_total - log2_fixed(counts[i]);
    constexpr std::uint32_t one = 1u << 16;
    bits += static_cast<std::uint64_t>(counts[i]) * (length < one ? one : length);
  });
  return team_sum(team, bits);
}

/// Entries that have a code in every book: what stands for others, at least one more in each alphabet, so that
/// no code is the only one, and the smallest residuals, so that those without a code lie far from zero.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool always_coded(int entry, int radius) {
  int const mask = entry - symbol_count(radius), quad = mask - mask_count;
  if (mask < 0)
    return entry == static_cast<int>(escape) || (entry >= radius - 1 && entry <= radius + 1);
  if (quad < 0) return mask == 0 || mask == static_cast<int>(full_mask);
  return quad == 0 || quad == static_cast<int>(other_quad);
}

/// Working memory of a team that makes a book.
struct BookMemory {
  BookCosts* costs;       ///< of the books of a dictionary
  std::uint32_t* counts;  ///< entry_count(radius)
  Numbering* numbering;
  CanonicalCode* code;
  std::byte* lists;  ///< a CodeMemory of the largest alphabet
  std::uint8_t* lengths;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int radius) {
    auto const entries = static_cast<std::size_t>(entry_count(radius));
    return sizeof(BookCosts) + entries * 5 + sizeof(Numbering) + sizeof(CanonicalCode) +
           list_bytes(radius) + 8;
  }
  /// Lays it out in bytes(radius), aligned to 8.
  KOKKOS_FORCEINLINE_FUNCTION static BookMemory in(std::byte* memory, int radius) {
    auto* const costs = reinterpret_cast<BookCosts*>(memory);
    auto* const counts = reinterpret_cast<std::uint32_t*>(costs + 1);
    auto* const numbering = reinterpret_cast<Numbering*>(counts + entry_count(radius));
    auto* const code = reinterpret_cast<CanonicalCode*>(numbering + 1);
    auto* const lists = reinterpret_cast<std::byte*>(code + 1);
    return {costs, counts, numbering,
            code,  lists,  reinterpret_cast<std::uint8_t*>(lists + list_bytes(radius))};
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t list_bytes(int radius) {
    std::size_t const symbols =
        CodeMemory::bytes(symbols_of(radius).count, symbols_of(radius).length_limit);
    std::size_t const masks = CodeMemory::bytes(mask_count, masks_of(radius).length_limit);
    return symbols > masks ? symbols : masks;
  }
};

/// The words of all alphabets, from memory.lengths; those without a code get the words of what stands for them.
template <class Team>
KOKKOS_INLINE_FUNCTION void make_words(Team const& team, BookMemory const& memory, int radius,
                                       CodeWord* words) {
  for (int i = 0; i < alphabet_count; ++i) {
    Alphabet const a = nth_alphabet(i, radius);
    make_code_words(team, memory.lengths + a.first, a.count, a.length_limit, *memory.numbering,
                    *memory.code, words + a.first);
  }
  EncodeBook::complete(team, words, radius);
}

/// Leaves the lengths of the shortest codes for memory.counts; returns how their section begins, on all threads.
template <class Team>
KOKKOS_INLINE_FUNCTION CodebookHead make_lengths(Team const& team, BookMemory const& memory,
                                                 int radius) {
  for (int i = 0; i < alphabet_count; ++i) {
    Alphabet const a = nth_alphabet(i, radius);
    code_lengths(team, memory.counts + a.first, a.count, a.length_limit,
                 CodeMemory::in(memory.lists, a.count, *memory.numbering),
                 memory.lengths + a.first);
  }
  int first = -symbol_count(radius), last = 0;
  team_for(team, symbol_count(radius) - 1, [&](int i) {
    int const symbol = i + 1;
    if (memory.lengths[symbol] == 0) return;
    first = -symbol > first ? -symbol : first;
    last = symbol;
  });
  CodebookHead head;
  head.radius = radius;
  head.first_symbol = -team_most(team, first);
  head.symbols = team_most(team, last) - head.first_symbol + 1;
  return head;
}

/// The words of a dictionary's books; returns how their section begins.
template <class Team>
KOKKOS_INLINE_FUNCTION CodebookHead take_words(Team const& team, BookNumbers books,
                                               CodeWord* words) {
  team_for(team, entry_count(default_radius), [&](int i) {
    unsigned const code = DictionaryBooks{books}.entry(i);
    words[i] = CodeWord::of(code >> 4, DictionaryBooks::length(code));
  });
  team.team_barrier();
  EncodeBook::complete(team, words, default_radius);
  return CodebookHead::of_books(books);
}

/// Working memory of an encoder: counts of a sample's entries and the book made from them.
struct EncodeMemory {
  int radius, slices;
  std::uint32_t* counts;  ///< entry_count(radius) for each tile kind and slice
  CodeWord* words;
  std::byte* making;  ///< a BookMemory, for teams without so much scratch

  static constexpr std::size_t bytes(int radius, int slices) {
    return align8(count_words(radius, slices) * 4) +
           align8(static_cast<std::size_t>(entry_count(radius)) * 4) + BookMemory::bytes(radius);
  }
  /// Lays it out in bytes(), aligned to 8.
  static EncodeMemory in(std::byte* memory, int radius, int slices) {
    std::byte* const words = memory + align8(count_words(radius, slices) * 4);
    return {radius, slices, reinterpret_cast<std::uint32_t*>(memory),
            reinterpret_cast<CodeWord*>(words),
            words + align8(static_cast<std::size_t>(entry_count(radius)) * 4)};
  }
  /// Those of a tile kind, by a slice of the sample.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* counts_of(int kind, int slice) const {
    return counts + (static_cast<std::ptrdiff_t>(kind) * slices + slice) * entry_count(radius);
  }
  std::size_t all_counts() const { return count_words(radius, slices); }
  KOKKOS_FORCEINLINE_FUNCTION EncodeBook book() const { return {words, radius}; }

  /// Adds the slices of a kind together; by a team.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void sum_counts(Team const& team, int kind, std::uint32_t* sums) const {
    team_for(team, entry_count(radius), [&](int i) {
      std::uint32_t sum = 0;
      for (int slice = 0; slice < slices; ++slice) sum += counts_of(kind, slice)[i];
      sums[i] = sum;
    });
    team.team_barrier();
  }

 private:
  static constexpr std::size_t align8(std::size_t bytes) {
    return ceil_div<std::size_t>(bytes, 8) * 8;
  }
  static constexpr std::size_t count_words(int radius, int slices) {
    return static_cast<std::size_t>(entry_count(radius)) *
           static_cast<std::size_t>(tile_kinds * slices);
  }
};

}  // namespace kompakt::impl::huffman

#endif
