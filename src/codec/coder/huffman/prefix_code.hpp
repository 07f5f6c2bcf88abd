#ifndef KOMPAKT_CODER_HUFFMAN_PREFIX_CODE_HPP
#define KOMPAKT_CODER_HUFFMAN_PREFIX_CODE_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/numbering.hpp>
#include <core/bits.hpp>
#include <core/team.hpp>
#include <cstdint>
#include <type_traits>

// Canonical prefix codes: the codes follow from their lengths, shorter ones first, of one length lower entries
// first.
// Source: as in cuSZ, Tian et al., PACT 2020, sec. 3.2.

namespace kompakt::impl::huffman {

/// A code and its length, as encoders look them up: the length in the lowest byte, so that words add up
/// to the sum of their lengths.
struct CodeWord {
  std::uint32_t word;

  KOKKOS_FORCEINLINE_FUNCTION static CodeWord of(std::uint32_t bits, int length) {
    return {bits << 8 | static_cast<std::uint32_t>(length)};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits() const { return word >> 8; }
  KOKKOS_FORCEINLINE_FUNCTION int length() const { return static_cast<int>(word & 0xffu); }
  friend KOKKOS_FORCEINLINE_FUNCTION bool operator==(CodeWord a, CodeWord b) {
    return a.word == b.word;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION bool operator!=(CodeWord a, CodeWord b) { return !(a == b); }
};

/// An entry found by its code.
struct Decoded {
  std::uint32_t value;
  int length;
};

/// How many codes of each length there are, the first code of each and how many come before.
struct CanonicalCode {
  std::uint32_t count[max_length + 1];
  std::uint32_t first[max_length + 1];
  std::uint32_t before[max_length + 1];

  /// From counts; whether they are those of a complete prefix code.
  KOKKOS_INLINE_FUNCTION bool make() {
    std::uint32_t code = 0, total = 0;
    bool fits = true;
    count[0] = first[0] = before[0] = 0;
    KOMPAKT_UNROLL
    for (int length = 1; length <= max_length; ++length) {
      code = (code + count[length - 1]) << 1;
      first[length] = code;
      before[length] = total;
      total += count[length];
      fits &= code + count[length] <= std::uint32_t{1} << length;
    }
    return fits && code + count[max_length] == std::uint32_t{1} << max_length;
  }
  /// Entries with a code.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t total() const {
    return before[max_length] + count[max_length];
  }
  /// The entry that the lowest bits begin with, of a complete code; of length 0 if its code is longer than
  /// `most` bits.
  /// \param sorted  all entries in the order of their codes
  KOKKOS_INLINE_FUNCTION Decoded decode(std::uint32_t bits, std::uint16_t const* sorted,
                                        int most = max_length) const {
    std::uint32_t word = 0;
    for (int length = 1; length <= most; ++length) {
      word = word << 1 | (bits >> (length - 1) & 1u);
      std::uint32_t const number = word - first[length];
      if (number < count[length]) return {sorted[before[length] + number], length};
    }
    return {0, 0};
  }
};

/// The words of a string of bits, seen from its low end or, mirrored, from its high end.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reverse_word(std::uint32_t word) {
  word = (word >> 1 & 0x55555555u) | (word & 0x55555555u) << 1;
  word = (word >> 2 & 0x33333333u) | (word & 0x33333333u) << 2;
  word = (word >> 4 & 0x0f0f0f0fu) | (word & 0x0f0f0f0fu) << 4;
  word = (word >> 8 & 0x00ff00ffu) | (word & 0x00ff00ffu) << 8;
  return word >> 16 | word << 16;
}
/// The `length` > 0 bits of a code turned around: the first one lowest.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reverse_bits(std::uint32_t code, int length) {
  return reverse_word(code) >> (32 - length);
}

/// Leaves the canonical code of each alphabet; returns, on all threads, whether the lengths, none above the
/// alphabet's limit, are those of complete codes. By a team; ends with a barrier.
/// \param codes   one an alphabet
/// \param sorted  entries within their alphabet in the order of their codes, from its first entry on
template <class Team>
KOKKOS_INLINE_FUNCTION bool assign_codes(Team const& team, Alphabets const& set,
                                         std::uint8_t const* lengths, Numbering& numbering,
                                         CanonicalCode* codes, std::uint16_t* sorted) {
  // A class for each length of each alphabet.
  int const limits[] = {set.parts.list[0].length_limit, set.parts.list[1].length_limit,
                        set.parts.list[2].length_limit};
  PerAlphabet<int> const classes_before{{0, limits[0], limits[0] + limits[1]}};
  int const last = set.count - 1, n = set.entries();
  int const classes = classes_before.get(last) + set.get(last).length_limit;
  auto const class_of = [=](int i) {
    return lengths[i] == 0 ? -1 : classes_before.get(set.of(i)) + lengths[i] - 1;
  };
  auto const alphabet_of = [=](int c) {
    return (c >= classes_before.list[1] ? 1 : 0) + (c >= classes_before.list[2] ? 1 : 0);
  };
  team_for_rolled(team, set.count * max_length, [&](int job) {
    int const a = job % set.count, length = job / set.count + 1;
    if (length > set.get(a).length_limit) codes[a].count[length] = 0;
  });
  numbering.prepare(team, n, classes, class_of, [&](int c, std::uint32_t count) {
    int const a = alphabet_of(c);
    codes[a].count[c - classes_before.get(a) + 1] = count;
  });
  bool sound = true;
  team_for_rolled(team, set.count, [&](int a) { sound &= codes[a].make(); });
  if (team_any(team, !sound)) return false;  // also the barrier
  numbering.number(team, n, classes, class_of, [&](int entry, int c, std::uint32_t number) {
    int const a = alphabet_of(c), first = set.get(a).first;
    std::uint32_t const before = codes[a].before[c - classes_before.get(a) + 1];
    sorted[first + static_cast<int>(before + number)] = static_cast<std::uint16_t>(entry - first);
  });
  return true;
}

/// The code words from the lengths, none above the alphabet's limit, of complete codes; 0 where there is none.
/// By a team; ends with a barrier.
/// \param codes, sorted  as assign_codes() leaves them
template <class Team>
KOKKOS_INLINE_FUNCTION void make_code_words(Team const& team, Alphabets const& set,
                                            std::uint8_t const* lengths, Numbering& numbering,
                                            CanonicalCode* codes, std::uint16_t* sorted,
                                            CodeWord* words) {
  team_for_rolled(team, set.entries(), [&](int i) { words[i].word = 0; });
  assign_codes(team, set, lengths, numbering, codes, sorted);
  team_for_rolled(team, set.entries(), [&](int i) {
    int const a = set.of(i), first = set.get(a).first;
    auto const place = static_cast<std::uint32_t>(i - first);
    if (place >= codes[a].total()) return;
    int const entry = first + sorted[i], length = lengths[entry];
    std::uint32_t const code = codes[a].first[length] + (place - codes[a].before[length]);
    words[entry] = CodeWord::of(reverse_bits(code, length), length);
  });
  team.team_barrier();
}

/// Decodes an alphabet: a table of what codes of up to `Window` bits begin with.
template <int Window>
struct DecodeTable {
  static constexpr int window = Window;
  std::uint32_t entry[1 << Window];  ///< value | length << 16; 0: a longer code

  /// What the lowest bits begin with; of length 0 for a longer code.
  KOKKOS_FORCEINLINE_FUNCTION Decoded decode(std::uint32_t bits) const {
    std::uint32_t const found = entry[bits & ((1u << Window) - 1)];
    return {found & 0xffffu, static_cast<int>(found >> 16)};
  }
};

/// Makes tables, those of the alphabets that the set has, from untrusted lengths, none above the alphabet's
/// limit; returns, on all threads, whether they are those of complete codes. Leaves the codes and, in `sorted`, the entries
/// of each alphabet in the order of their codes. By a team; ends with a barrier.
template <class Team, class... Tables>
KOKKOS_INLINE_FUNCTION bool make_tables(Team const& team, Alphabets const& set,
                                        std::uint8_t const* lengths, Numbering& numbering,
                                        CanonicalCode* codes, std::uint16_t* sorted,
                                        Tables&... tables) {
  if (!assign_codes(team, set, lengths, numbering, codes, sorted)) return false;
  int a = 0;
  auto const fill = [&](auto& table) {
    constexpr int window = std::remove_reference_t<decltype(table)>::window;
    std::uint16_t const* const of_alphabet = sorted + set.get(a).first;
    team_for(team, a < set.count ? 1 << window : 0, [&](int i) {
      Decoded const found = codes[a].decode(static_cast<std::uint32_t>(i), of_alphabet, window);
      table.entry[i] = found.value | static_cast<std::uint32_t>(found.length) << 16;
    });
    ++a;
  };
  (fill(tables), ...);
  team.team_barrier();
  return true;
}

}  // namespace kompakt::impl::huffman

#endif
