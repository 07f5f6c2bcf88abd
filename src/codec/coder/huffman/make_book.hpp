#ifndef KOMPAKT_CODER_HUFFMAN_MAKE_BOOK_HPP
#define KOMPAKT_CODER_HUFFMAN_MAKE_BOOK_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/choose_books.hpp>
#include <coder/huffman/code_lengths.hpp>
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
  KOMPAKT_ROLL
  for (int i = 0; i < 16; ++i) {
    rest = rest * rest >> 31;
    std::uint32_t const bit = rest >> 32 != 0 ? 1 : 0;
    rest >>= bit;
    bits = bits << 1 | bit;
  }
  return bits;
}

/// Bits that entries with given counts take in the best codes: their entropy, but no code is shorter than a bit.
struct IdealBits {
  std::uint64_t all_alphabets, symbols_only;
  Digits digits;  ///< of the counts

  KOKKOS_FORCEINLINE_FUNCTION bool prefers_symbols_only() const {
    return symbols_only < all_alphabets;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t least() const {
    return prefers_symbols_only() ? symbols_only : all_alphabets;
  }
};

/// By a team, on all threads.
/// \param digits_only  leaves out the bits
template <class Team>
KOKKOS_INLINE_FUNCTION IdealBits ideal_bits(Team const& team, int radius,
                                            std::uint32_t const* counts, bool digits_only = false) {
  Alphabets const set = alphabets_of(radius);
  Sums<std::uint32_t, alphabet_count + 3> totals{};  // of alphabets, then digits
  KOMPAKT_ROLL
  for (int i = team_first(team); i < set.entries(); i += team_step(team)) {
    int const a = set.of(i);
    Digits const digits = digits_told_by(i, radius, counts[i]);
    KOMPAKT_UNROLL
    for (int k = 0; k < alphabet_count; ++k) {
      totals.of[k] += a == k ? counts[i] : 0;
      totals.of[alphabet_count + k] += digits.of[k];
    }
  }
  totals = team_joined(team, totals);
  IdealBits ideal{};
  std::uint32_t values = totals.of[0];
  KOMPAKT_UNROLL
  for (int k = 0; k < 3; ++k) {
    ideal.digits.of[k] = totals.of[alphabet_count + k];
    values += ideal.digits.of[k];
  }
  if (digits_only) return ideal;
  auto const log_of = [](std::uint32_t total) { return total > 0 ? log2_fixed(total) : 0; };
  PerAlphabet<std::uint32_t> log_totals{};
  KOMPAKT_UNROLL
  for (int k = 0; k < alphabet_count; ++k) log_totals.list[k] = log_of(totals.of[k]);
  std::uint32_t const log_values = log_of(values);
  auto const bits_of = [](std::uint32_t count, std::uint32_t log_total) {
    if (count == 0) return std::uint64_t{0};
    constexpr std::uint32_t one = 1u << 16;
    std::uint32_t const length = log_total - log2_fixed(count);
    return static_cast<std::uint64_t>(count) * (length < one ? one : length);
  };
  Sums<std::uint64_t, 2> bits{};
  KOMPAKT_ROLL
  for (int i = team_first(team); i < set.entries(); i += team_step(team)) {
    bits.of[0] += bits_of(counts[i], log_totals.get(set.of(i)));
    if (i < symbol_count(radius)) {
      bits.of[1] += bits_of(counts[i] + told_by_quads(ideal.digits, i, radius), log_values);
    }
  }
  bits = team_joined(team, bits);
  ideal.all_alphabets = bits.of[0] >> 16;
  ideal.symbols_only = bits.of[1] >> 16;
  return ideal;
}

/// Entries that have a code in every book with codes of their alphabet: what stands for others, at least one
/// more in each alphabet, so that no code is the only one, and the smallest residuals, so that those without a
/// code lie far from zero.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool always_coded(int entry, int radius) {
  int const mask = entry - symbol_count(radius), quad = mask - mask_count;
  if (mask < 0)
    return entry == static_cast<int>(escape) || (entry >= radius - 1 && entry <= radius + 1);
  if (quad < 0) return mask == 0 || mask == static_cast<int>(full_mask);
  return quad == 0 || quad == static_cast<int>(other_quad);
}

/// Working memory of a team that makes a book.
struct BookMemory {
  BookChoice* choice;  ///< of a dictionary
  CodeMemory making;
  CanonicalCode* codes;  ///< one an alphabet
  std::uint8_t* lengths;

  /// entry_count(radius); lost when lengths are made.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* counts() const { return making.packages; }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr BookMemory in(Carver& carver, int radius) {
    BookMemory m{};
    m.choice = carver.take<BookChoice>();
    m.codes = carver.take<CanonicalCode>(alphabet_count);
    m.making = CodeMemory::in(carver, alphabets_of(radius));
    m.lengths = carver.take<std::uint8_t>(static_cast<std::size_t>(entry_count(radius)));
    return m;
  }
  KOKKOS_FORCEINLINE_FUNCTION static BookMemory in(std::byte* memory, int radius) {
    Carver carver(memory);
    return in(carver, radius);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int radius) {
    return carved_bytes([=](Carver& carver) { in(carver, radius); });
  }
};

/// The words of all alphabets, from memory.lengths; those without a code get the words of what stands for them.
template <class Team>
KOKKOS_INLINE_FUNCTION void make_words(Team const& team, BookMemory const& memory,
                                       CodebookHead const& head, CodeWord* words) {
  Alphabets const set = alphabets_of(head.radius, head.symbols_only);
  int const coded = set.entries();
  team_for_rolled(team, entry_count(head.radius) - coded,
                  [&](int i) { words[coded + i].word = 0; });
  make_code_words(team, set, memory.lengths, *memory.making.numbering, memory.codes,
                  memory.making.numbers, words);
  EncodeBook::complete(team, words, head.radius);
}

/// Takes counts over into memory.counts(): those of entries that always have a code are one higher. For a book
/// of symbols only, what masks and quads tell is counted as symbols.
/// \param digits  of all counts
template <class Team>
KOKKOS_INLINE_FUNCTION void take_counts(Team const& team, std::uint32_t const* counts, int radius,
                                        Digits const& digits, bool symbols_only,
                                        BookMemory const& memory) {
  team_for_rolled(team, alphabets_of(radius, symbols_only).entries(), [&](int i) {
    memory.counts()[i] = counts[i] + (always_coded(i, radius) ? 1 : 0) +
                         (symbols_only ? told_by_quads(digits, i, radius) : 0);
  });
  team.team_barrier();
}

/// Leaves the lengths of the shortest codes for memory.counts(); returns how their section begins, on all
/// threads.
template <class Team>
KOKKOS_INLINE_FUNCTION CodebookHead make_lengths(Team const& team, BookMemory const& memory,
                                                 int radius, bool symbols_only) {
  code_lengths(team, alphabets_of(radius, symbols_only), memory.counts(), memory.making,
               memory.lengths);
  int first = -symbol_count(radius), last = 0;
  team_for_rolled(team, symbol_count(radius) - 1, [&](int i) {
    int const symbol = i + 1;
    if (memory.lengths[symbol] == 0) return;
    first = -symbol > first ? -symbol : first;
    last = symbol > last ? symbol : last;
  });
  CodebookHead head;
  head.radius = radius;
  head.symbols_only = symbols_only;
  head.first_symbol = -team_max(team, first);
  head.symbols = team_max(team, last) - head.first_symbol + 1;
  return head;
}

/// The words of a dictionary's books; returns how their section begins.
template <class Team>
KOKKOS_INLINE_FUNCTION CodebookHead take_words(Team const& team, BookNumbers books,
                                               CodeWord* words) {
  DictionaryBooks const d{books};
  team_for_rolled(team, entry_count(default_radius), [&](int i) {
    unsigned const own = d.entry(i), code = own != 0 ? own : d.entry(stand_in(i, default_radius));
    words[i] = CodeWord::of(code >> 4, DictionaryBooks::length(code));
  });
  team.team_barrier();
  return CodebookHead::of_books(books);
}

/// What the counts of a shape of tiles come to.
struct ShapeCost {
  IdealBits ideal;
  BookCost books[Dictionary::books];
};

/// Working memory of an encoder: counts of a sample's entries, what they cost, and the book made from them.
struct EncodeMemory {
  int radius, slices;
  CodeWord* words;
  std::uint32_t* counts;  ///< entry_count(radius) for each shape of tiles and slice
  std::uint32_t* ready;   ///< teams that are, 0 between launches; one behind the counts
  ShapeCost* costs;       ///< one a shape
  std::byte* making;      ///< a BookMemory, for teams without so much scratch

  KOKKOS_INLINE_FUNCTION static constexpr EncodeMemory in(Carver& carver, int radius, int slices) {
    EncodeMemory m{};
    m.radius = radius;
    m.slices = slices;
    m.words = carver.take<CodeWord>(static_cast<std::size_t>(entry_count(radius)));
    m.counts = carver.take<std::uint32_t>(m.zero_words());
    m.ready = behind(m.counts, m.zero_words() - 1);
    m.costs = carver.take<ShapeCost>(tile_shapes);
    m.making = carver.take<std::byte>(BookMemory::bytes(radius));
    return m;
  }
  static constexpr std::size_t bytes(int radius, int slices) {
    return carved_bytes([=](Carver& carver) { in(carver, radius, slices); });
  }
  /// The counts of a shape, by a slice of the sample.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* counts_of(int shape, int slice = 0) const {
    return counts + (static_cast<std::ptrdiff_t>(shape) * slices + slice) * entry_count(radius);
  }
  /// The counts and `ready`, which begin as zeros.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t zero_words() const {
    return static_cast<std::size_t>(entry_count(radius)) *
               static_cast<std::size_t>(tile_shapes * slices) +
           1;
  }
};

}  // namespace kompakt::impl::huffman

#endif
