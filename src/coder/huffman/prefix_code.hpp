#ifndef KOMPAKT_CODER_HUFFMAN_PREFIX_CODE_HPP
#define KOMPAKT_CODER_HUFFMAN_PREFIX_CODE_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/team.hpp>
#include <cstdint>

// Prefix codes by a team, in integers: lengths from counts, canonical codes from lengths, tables for
// decoding from canonical codes. The same result on every space, for any team.
//
// Lengths: package merge, which gives the shortest code with a limit on the lengths. Its lists are merged
// by ranks: an entry's place is its own number and the number of entries of the other list before it, so
// that a team needs no turns. Ties: leaves before packages, lower numbers before higher ones.
// Codes: canonical. Shorter ones first, then lower symbols; a code's bits are stored from its first bit
// up, so that a decoder reads from the low end of a word.
//
// Source: L. Larmore and D. Hirschberg, A fast algorithm for optimal length-limited Huffman codes, JACM 37
// (1990); canonical codes as in cuSZ, Tian et al., PACT 2020, sec. 3.2.

namespace kompakt::impl::huffman {

inline constexpr int most_length = 24;

/// Working memory of code_lengths() for alphabets of up to `n` entries, with `limit` levels.
struct CodeMemory {
  std::uint64_t* weights[2];   ///< n each: of sorted leaves; the other for sorting
  std::uint32_t* numbers[2];   ///< n each: which leaves they are
  std::uint64_t* merged;       ///< 2 n
  std::uint64_t* packages;     ///< n
  std::uint32_t* leaf_places;  ///< n a level: places in the merged list

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int n, int limit) {
    return static_cast<std::size_t>(n) * (5 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t) +
                                          static_cast<std::size_t>(limit) * sizeof(std::uint32_t));
  }
  /// Lays it out in bytes(n, limit) bytes, aligned to 8.
  KOKKOS_FORCEINLINE_FUNCTION static CodeMemory in(std::byte* memory, int n) {
    auto* const wide = reinterpret_cast<std::uint64_t*>(memory);
    auto* const narrow = reinterpret_cast<std::uint32_t*>(wide + 5 * n);
    return {{wide, wide + n}, {narrow, narrow + n}, wide + 2 * n, wide + 4 * n, narrow + 2 * n};
  }
};

namespace detail {

// How many of the ascending numbers are below `bound`, or not above it.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION int count_below(Number const* sorted, int count, Number bound,
                                            bool equal_too) {
  int low = 0, high = count;
  while (low < high) {
    int const middle = (low + high) / 2;
    bool const below = equal_too ? sorted[middle] <= bound : sorted[middle] < bound;
    (below ? low : high) = below ? middle + 1 : middle;
  }
  return low;
}

// Collects the entries that occur, in order, and sorts them by count; returns how many there are. They
// end in memory.weights[0] and numbers[0].
template <class Team>
KOKKOS_INLINE_FUNCTION int sort_leaves(Team const& team, std::uint64_t const* counts, int n,
                                       CodeMemory& memory) {
  int leaves = 0;
  for (int i = 0; i < n; ++i) {
    if (counts[i] == 0) continue;
    if (team.team_rank() == 0) {
      memory.weights[0][leaves] = counts[i];
      memory.numbers[0][leaves] = static_cast<std::uint32_t>(i);
    }
    ++leaves;
  }
  team.team_barrier();
  for (int run = 1; run < leaves; run *= 2) {
    std::uint64_t const* const from = memory.weights[0];
    team_for(team, leaves, [&](int i) {
      int const first = i / (2 * run) * (2 * run);
      int const middle = first + run < leaves ? first + run : leaves;
      int const end = first + 2 * run < leaves ? first + 2 * run : leaves;
      bool const right = i >= middle;
      int const others = right ? count_below(from + first, middle - first, from[i], true)
                               : count_below(from + middle, end - middle, from[i], false);
      int const to = first + (right ? i - middle : i - first) + others;
      memory.weights[1][to] = from[i];
      memory.numbers[1][to] = memory.numbers[0][i];
    });
    team.team_barrier();
    auto* const weights = memory.weights[0];
    memory.weights[0] = memory.weights[1];
    memory.weights[1] = weights;
    auto* const numbers = memory.numbers[0];
    memory.numbers[0] = memory.numbers[1];
    memory.numbers[1] = numbers;
  }
  return leaves;
}

}  // namespace detail

/// Lengths of the shortest prefix code for entries that occur counts[i] times, none longer than `limit`;
/// 0 for those that do not occur, 1 for one that is alone. n <= 2^limit. Ends with a barrier.
template <class Team>
KOKKOS_INLINE_FUNCTION void code_lengths(Team const& team, std::uint64_t const* counts, int n,
                                         int limit, CodeMemory memory, std::uint8_t* lengths) {
  team_for(team, n, [&](int i) { lengths[i] = 0; });
  int const leaves = detail::sort_leaves(team, counts, n, memory);
  if (leaves <= 1) {
    team_for(team, leaves, [&](int) { lengths[memory.numbers[0][0]] = 1; });
    team.team_barrier();
    return;
  }
  std::uint64_t const* const weights = memory.weights[0];
  int packages = 0;
  for (int level = 0; level < limit; ++level) {
    std::uint32_t* const places = memory.leaf_places + static_cast<std::ptrdiff_t>(level) * n;
    team_for(team, leaves, [&](int i) {
      int const place = i + detail::count_below(memory.packages, packages, weights[i], false);
      memory.merged[place] = weights[i];
      places[i] = static_cast<std::uint32_t>(place);
    });
    team_for(team, packages, [&](int i) {
      std::uint64_t const weight = memory.packages[i];
      memory.merged[i + detail::count_below(weights, leaves, weight, true)] = weight;
    });
    team.team_barrier();
    packages = (leaves + packages) / 2;
    team_for(team, packages,
             [&](int i) { memory.packages[i] = memory.merged[2 * i] + memory.merged[2 * i + 1]; });
    team.team_barrier();
  }
  // A leaf is as long as there are levels on which it is among those taken.
  int taken = 2 * leaves - 2;
  for (int level = limit - 1; level >= 0; --level) {
    std::uint32_t const* const places = memory.leaf_places + static_cast<std::ptrdiff_t>(level) * n;
    int const taken_leaves =
        detail::count_below(places, leaves, static_cast<std::uint32_t>(taken), false);
    team_for(team, taken_leaves, [&](int i) { ++lengths[memory.numbers[0][i]]; });
    taken = 2 * (taken - taken_leaves);
  }
  team.team_barrier();
}

/// A code and its length, as encoders look them up.
struct CodeWord {
  std::uint32_t word;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits() const { return word & 0xffffffu; }
  KOKKOS_FORCEINLINE_FUNCTION int length() const { return static_cast<int>(word >> 24); }
};

/// How many codes of each length there are, the first code of each and how many come before.
struct CanonicalCode {
  std::uint32_t count[most_length + 1];
  std::uint32_t first[most_length + 1];
  std::uint32_t before[most_length + 1];

  /// From counts; whether a prefix code can have such lengths.
  KOKKOS_INLINE_FUNCTION bool complete() {
    std::uint32_t code = 0, total = 0;
    bool fits = true;
    count[0] = first[0] = before[0] = 0;
    for (int length = 1; length <= most_length; ++length) {
      code = (code + count[length - 1]) << 1;
      first[length] = code;
      before[length] = total;
      total += count[length];
      fits &= code + count[length] <= std::uint32_t{1} << length;
    }
    return fits;
  }
};

/// The first `length` bits of a code turned around: the first one lowest.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reverse_bits(std::uint32_t code, int length) {
  std::uint32_t reversed = 0;
  for (int i = 0; i < length; ++i) reversed |= (code >> i & 1u) << (length - 1 - i);
  return reversed;
}

/// Calls take(entry, number among those of its length) for every entry with a length, in parallel by
/// lengths, and leaves the canonical code; returns, on all threads, whether there is one. Barriers
/// before and after take().
template <class Team, class Take>
KOKKOS_INLINE_FUNCTION bool assign_codes(Team const& team, std::uint8_t const* lengths, int n,
                                         CanonicalCode& code, Take const& take) {
  team_for(team, most_length, [&](int i) {
    std::uint32_t count = 0;
    for (int entry = 0; entry < n; ++entry) count += lengths[entry] == i + 1 ? 1 : 0;
    code.count[i + 1] = count;
  });
  team.team_barrier();
  bool sound = true;
  team_for(team, 1, [&](int) { sound = code.complete(); });
  if (team_any(team, !sound)) return false;  // also the barrier
  team_for(team, most_length, [&](int i) {
    int const length = i + 1;
    std::uint32_t number = 0;
    for (int entry = 0; entry < n && number < code.count[length]; ++entry) {
      if (lengths[entry] == length) take(entry, length, number++);
    }
  });
  team.team_barrier();
  return true;
}

/// The code words of an alphabet of n entries, from lengths that a prefix code can have.
template <class Team>
KOKKOS_INLINE_FUNCTION void make_code_words(Team const& team, std::uint8_t const* lengths, int n,
                                            CanonicalCode& code, CodeWord* words) {
  team_for(team, n, [&](int i) { words[i].word = 0; });
  assign_codes(team, lengths, n, code, [&](int entry, int length, std::uint32_t number) {
    words[entry].word = reverse_bits(code.first[length] + number, length) |
                        static_cast<std::uint32_t>(length) << 24;
  });
}

/// Decodes an alphabet: a table of what codes of up to `window` bits begin with, and for longer ones the
/// canonical code.
struct DecodeTable {
  static constexpr int window = 12;
  std::uint32_t entry[1 << window];  ///< value | length << 16; 0: longer, or no code
  CanonicalCode code;

  struct Decoded {
    std::uint32_t value;
    int length;  ///< 0: the bits are no code
  };
  /// What the lowest of at least most_length bits begin with. sorted: of make_decode_table().
  KOKKOS_FORCEINLINE_FUNCTION Decoded decode(std::uint32_t bits,
                                             std::uint16_t const* sorted) const {
    std::uint32_t const found = entry[bits & ((1u << window) - 1)];
    if (found != 0) return {found & 0xffffu, static_cast<int>(found >> 16)};
    return decode_long(bits, sorted);
  }

 private:
  KOKKOS_INLINE_FUNCTION Decoded decode_long(std::uint32_t bits,
                                             std::uint16_t const* sorted) const {
    std::uint32_t word = 0;
    for (int length = 1; length <= most_length; ++length) {
      word = word << 1 | (bits >> (length - 1) & 1u);
      std::uint32_t const number = word - code.first[length];
      if (number < code.count[length]) return {sorted[code.before[length] + number], length};
    }
    return {0, 0};
  }
};

/// Makes a table from untrusted lengths; returns, on all threads, whether a prefix code can have them.
/// sorted: n entries, the alphabet in the order of its codes.
template <class Team>
KOKKOS_INLINE_FUNCTION bool make_decode_table(Team const& team, std::uint8_t const* lengths, int n,
                                              DecodeTable& table, std::uint16_t* sorted) {
  constexpr int window = DecodeTable::window;
  team_for(team, 1 << window, [&](int i) { table.entry[i] = 0; });
  return assign_codes(
      team, lengths, n, table.code, [&](int entry, int length, std::uint32_t number) {
        sorted[table.code.before[length] + number] = static_cast<std::uint16_t>(entry);
        if (length > window) return;
        std::uint32_t const found = static_cast<std::uint32_t>(entry | length << 16);
        std::uint32_t at = reverse_bits(table.code.first[length] + number, length);
        for (; at < 1u << window; at += 1u << length) table.entry[at] = found;
      });
}

}  // namespace kompakt::impl::huffman

#endif
