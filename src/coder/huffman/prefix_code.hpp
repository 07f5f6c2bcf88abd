#ifndef KOMPAKT_CODER_HUFFMAN_PREFIX_CODE_HPP
#define KOMPAKT_CODER_HUFFMAN_PREFIX_CODE_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/team.hpp>
#include <cstddef>
#include <cstdint>

// Prefix codes by a team, in integers: lengths from counts, canonical codes from lengths, tables for
// decoding from canonical codes. The same result on every space, for any team.
//
// Lengths: package merge, which gives the shortest code with a limit on the lengths. Its lists are merged
// by ranks: an entry's place is its own number and the number of entries of the other list before it, so
// that a team needs no turns. Ties: leaves before packages, lower numbers before higher ones.
// Codes: canonical. Shorter ones first, then lower symbols; a code's bits are stored from its first bit
// up, so that a decoder reads from the low end of a word. A code is complete: every string of bits begins
// with a code word, so that a decoder need not ask.
//
// Source: L. Larmore and D. Hirschberg, A fast algorithm for optimal length-limited Huffman codes, JACM 37
// (1990); canonical codes as in cuSZ, Tian et al., PACT 2020, sec. 3.2.

namespace kompakt::impl::huffman {

inline constexpr int most_length = 24;

/// Numbers entries within their classes, in order: a slice of the entries for each thread.
struct Numbering {
  static constexpr int slices = 32;
  std::uint32_t count[most_length * slices];

  /// Counts the entries i < n of every class in [0, classes); total(class, how many) for each.
  template <class Team, class ClassOf, class Total>
  KOKKOS_INLINE_FUNCTION void prepare(Team const& team, int n, int classes, ClassOf const& class_of,
                                      Total const& total) {
    team_for(team, classes * slices, [&](int job) {
      std::uint32_t found = 0;
      for_slice(n, job, [&](int i) { found += class_of(i) == job / slices ? 1u : 0u; });
      count[job] = found;
    });
    team.team_barrier();
    team_for(team, classes, [&](int c) { total(c, sum(c * slices, slices)); });
    team.team_barrier();
  }
  /// take(i, class, number among those of its class), after prepare() with the same classes.
  template <class Team, class ClassOf, class Take>
  KOKKOS_INLINE_FUNCTION void number(Team const& team, int n, int classes, ClassOf const& class_of,
                                     Take const& take) {
    team_for(team, classes * slices, [&](int job) {
      std::uint32_t next = sum(job / slices * slices, job % slices);
      for_slice(n, job, [&](int i) {
        if (class_of(i) == job / slices) take(i, job / slices, next++);
      });
    });
    team.team_barrier();
  }

 private:
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_slice(int n, int job, Body const& body) {
    int const size = ceil_div(n, slices), first = job % slices * size;
    for (int i = first; i < first + size && i < n; ++i) body(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum(int first, int jobs) const {
    std::uint32_t found = 0;
    for (int job = first; job < first + jobs; ++job) found += count[job];
    return found;
  }
};

/// Working memory of code_lengths() for alphabets of up to `n` entries, with `limit` levels.
struct CodeMemory {
  std::uint32_t *weights, *other_weights;  ///< n each: of sorted leaves; the other for sorting
  std::uint32_t* merged;                   ///< 2 n
  std::uint32_t* packages;                 ///< n
  std::uint32_t* is_leaf;  ///< level_words(n) a level: bit a place of the merged list
  std::uint16_t *numbers, *other_numbers;  ///< n each: which leaves they are
  Numbering* numbering;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int level_words(int n) { return n / 16 + 1; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int n, int limit) {
    return static_cast<std::size_t>(6 * n + limit * level_words(n)) * sizeof(std::uint32_t);
  }
  /// Lays it out in bytes(n, limit) bytes, aligned to 4.
  KOKKOS_FORCEINLINE_FUNCTION static CodeMemory in(std::byte* memory, int n, Numbering& numbering) {
    auto* const at = reinterpret_cast<std::uint32_t*>(memory);
    auto* const numbers = reinterpret_cast<std::uint16_t*>(at + 5 * n);
    return {at, at + n, at + 2 * n, at + 4 * n, at + 6 * n, numbers, numbers + n, &numbering};
  }
};

namespace detail {

// How many of the ascending numbers are below `bound`, or not above it.
KOKKOS_FORCEINLINE_FUNCTION int count_below(std::uint32_t const* sorted, int count,
                                            std::uint32_t bound, bool equal_too) {
  int low = 0, high = count;
  while (low < high) {
    int const middle = (low + high) / 2;
    bool const below = equal_too ? sorted[middle] <= bound : sorted[middle] < bound;
    (below ? low : high) = below ? middle + 1 : middle;
  }
  return low;
}

// Collects the entries that occur, in order, and sorts them by count; returns how many there are. They
// end in memory.weights and memory.numbers.
template <class Team>
KOKKOS_INLINE_FUNCTION int sort_leaves(Team const& team, std::uint32_t const* counts, int n,
                                       CodeMemory& memory) {
  auto const class_of = [=](int i) { return counts[i] == 0 ? 1 : 0; };
  Numbering& numbering = *memory.numbering;
  numbering.prepare(team, n, 1, class_of, [&](int, std::uint32_t sum) { memory.merged[0] = sum; });
  auto const leaves = static_cast<int>(memory.merged[0]);
  numbering.number(team, n, 1, class_of, [&](int i, int, std::uint32_t number) {
    memory.weights[number] = counts[i];
    memory.numbers[number] = static_cast<std::uint16_t>(i);
  });
  for (int run = 1; run < leaves; run *= 2) {
    std::uint32_t const* const from = memory.weights;
    team_for(team, leaves, [&](int i) {
      int const first = i & ~(2 * run - 1);
      int const middle = first + run < leaves ? first + run : leaves;
      int const end = first + 2 * run < leaves ? first + 2 * run : leaves;
      bool const right = i >= middle;
      int const others = right ? count_below(from + first, middle - first, from[i], true)
                               : count_below(from + middle, end - middle, from[i], false);
      int const to = first + (right ? i - middle : i - first) + others;
      memory.other_weights[to] = from[i];
      memory.other_numbers[to] = memory.numbers[i];
    });
    team.team_barrier();
    Kokkos::kokkos_swap(memory.weights, memory.other_weights);
    Kokkos::kokkos_swap(memory.numbers, memory.other_numbers);
  }
  return leaves;
}

KOKKOS_FORCEINLINE_FUNCTION void set_bit(std::uint32_t* bits, int at) {
  std::uint32_t const bit = std::uint32_t{1} << (at % 32);
  KOKKOS_IF_ON_HOST((bits[at / 32] |= bit;))  // a team is one thread
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_or(bits + at / 32, bit);))
}

// How many of the lowest `count` bits are set. Every thread of a team counts all of them: there are few, and
// a reduction takes barriers.
KOKKOS_INLINE_FUNCTION int count_bits(std::uint32_t const* bits, int count) {
  int found = 0;
  for (int i = 0; i < count / 32; ++i) found += popcount(bits[i]);
  if (count % 32 == 0) return found;
  return found + popcount(bits[count / 32] & ((std::uint32_t{1} << (count % 32)) - 1));
}

}  // namespace detail

/// Lengths of the shortest prefix code for entries that occur counts[i] times, none longer than `limit`;
/// 0 for those that do not occur, 1 for one that is alone. n <= 2^limit; the sum of all counts, times the
/// limit, is below 2^32. Ends with a barrier.
template <class Team>
KOKKOS_INLINE_FUNCTION void code_lengths(Team const& team, std::uint32_t const* counts, int n,
                                         int limit, CodeMemory memory, std::uint8_t* lengths) {
  int const level_words = CodeMemory::level_words(n);
  team_for(team, n, [&](int i) { lengths[i] = 0; });
  team_for(team, limit * level_words, [&](int i) { memory.is_leaf[i] = 0; });
  int const leaves = detail::sort_leaves(team, counts, n, memory);
  if (leaves <= 1) {
    team_for(team, leaves, [&](int) { lengths[memory.numbers[0]] = 1; });
    team.team_barrier();
    return;
  }
  std::uint32_t const* const weights = memory.weights;
  int packages = 0;
  for (int level = 0; level < limit; ++level) {
    team_for(team, leaves, [&](int i) {
      int const place = i + detail::count_below(memory.packages, packages, weights[i], false);
      memory.merged[place] = weights[i];
      detail::set_bit(memory.is_leaf + level * level_words, place);
    });
    team_for(team, packages, [&](int i) {
      std::uint32_t const weight = memory.packages[i];
      memory.merged[i + detail::count_below(weights, leaves, weight, true)] = weight;
    });
    team.team_barrier();
    packages = (leaves + packages) / 2;
    team_for(team, packages,
             [&](int i) { memory.packages[i] = memory.merged[2 * i] + memory.merged[2 * i + 1]; });
    team.team_barrier();
  }
  // A leaf is as long as there are levels on which it is among those taken.
  int taken_leaves[most_length];
  int taken = 2 * leaves - 2;
  for (int level = limit - 1; level >= 0; --level) {
    taken_leaves[level] = detail::count_bits(memory.is_leaf + level * level_words, taken);
    taken = 2 * (taken - taken_leaves[level]);
  }
  team_for(team, leaves, [&](int i) {
    int length = 0;
    for (int level = 0; level < limit; ++level) length += i < taken_leaves[level] ? 1 : 0;
    lengths[memory.numbers[i]] = static_cast<std::uint8_t>(length);
  });
  team.team_barrier();
}

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
  std::uint32_t count[most_length + 1];
  std::uint32_t first[most_length + 1];
  std::uint32_t before[most_length + 1];

  /// From counts; whether they are those of a complete prefix code.
  KOKKOS_INLINE_FUNCTION bool make() {
    std::uint32_t code = 0, total = 0;
    bool fits = true;
    count[0] = first[0] = before[0] = 0;
    KOMPAKT_UNROLL
    for (int length = 1; length <= most_length; ++length) {
      code = (code + count[length - 1]) << 1;
      first[length] = code;
      before[length] = total;
      total += count[length];
      fits &= code + count[length] <= std::uint32_t{1} << length;
    }
    return fits && code + count[most_length] == std::uint32_t{1} << most_length;
  }
  /// The entry that the lowest of at least most_length bits begin with, of a complete code.
  /// \param sorted  all entries in the order of their codes
  KOKKOS_INLINE_FUNCTION Decoded decode(std::uint32_t bits, std::uint16_t const* sorted) const {
    std::uint32_t word = 0;
    for (int length = 1;; ++length) {
      word = word << 1 | (bits >> (length - 1) & 1u);
      std::uint32_t const number = word - first[length];
      if (number < count[length]) return {sorted[before[length] + number], length};
    }
  }
};

/// The first `length` bits of a code turned around: the first one lowest.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reverse_bits(std::uint32_t code, int length) {
  std::uint32_t reversed = 0;
  for (int i = 0; i < length; ++i) reversed |= (code >> i & 1u) << (length - 1 - i);
  return reversed;
}

/// Calls take(entry, length, number among those of its length) for every entry with a length, in parallel,
/// and leaves the canonical code; returns, on all threads, whether the lengths, none above `limit`, are
/// those of a complete code. Barriers before and after take().
template <class Team, class Take>
KOKKOS_INLINE_FUNCTION bool assign_codes(Team const& team, std::uint8_t const* lengths, int n,
                                         int limit, Numbering& numbering, CanonicalCode& code,
                                         Take const& take) {
  auto const class_of = [=](int i) { return lengths[i] - 1; };
  team_for(team, most_length - limit, [&](int i) { code.count[limit + 1 + i] = 0; });
  numbering.prepare(team, n, limit, class_of,
                    [&](int c, std::uint32_t count) { code.count[c + 1] = count; });
  bool sound = true;
  team_for(team, 1, [&](int) { sound = code.make(); });
  if (team_any(team, !sound)) return false;  // also the barrier
  numbering.number(team, n, limit, class_of,
                   [&](int entry, int c, std::uint32_t number) { take(entry, c + 1, number); });
  return true;
}

/// The code words of an alphabet of n entries from the lengths, none above `limit`, of a complete code; 0 where there is none.
template <class Team>
KOKKOS_INLINE_FUNCTION void make_code_words(Team const& team, std::uint8_t const* lengths, int n,
                                            int limit, Numbering& numbering, CanonicalCode& code,
                                            CodeWord* words) {
  team_for(team, n, [&](int i) { words[i].word = 0; });
  assign_codes(
      team, lengths, n, limit, numbering, code, [&](int entry, int length, std::uint32_t number) {
        words[entry] = CodeWord::of(reverse_bits(code.first[length] + number, length), length);
      });
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

/// Makes a table from untrusted lengths, none above `limit`; returns, on all threads, whether they are
/// those of a complete code. Leaves the code and, in `sorted`, its entries in the order of their codes.
template <int Window, class Team>
KOKKOS_INLINE_FUNCTION bool make_decode_table(Team const& team, std::uint8_t const* lengths, int n,
                                              int limit, Numbering& numbering, CanonicalCode& code,
                                              std::uint16_t* sorted, DecodeTable<Window>& table) {
  team_for(team, 1 << Window, [&](int i) { table.entry[i] = 0; });
  bool const complete = assign_codes(
      team, lengths, n, limit, numbering, code, [&](int entry, int length, std::uint32_t number) {
        sorted[code.before[length] + number] = static_cast<std::uint16_t>(entry);
      });
  if (!complete) return false;
  // A short code fills much of the table: several threads a code.
  constexpr unsigned parts = 16;
  auto const entries = static_cast<int>(code.before[most_length] + code.count[most_length]);
  team_for(team, entries * static_cast<int>(parts), [&](int job) {
    auto const place = static_cast<std::uint32_t>(job) / parts;
    unsigned const value = sorted[place];
    int const length = lengths[value];
    if (length > Window) return;
    std::uint32_t const word =
        reverse_bits(code.first[length] + (place - code.before[length]), length);
    for (std::uint32_t at = word + (static_cast<unsigned>(job) % parts << length);
         at < 1u << Window; at += parts << length) {
      table.entry[at] = value | static_cast<std::uint32_t>(length) << 16;
    }
  });
  team.team_barrier();
  return true;
}

}  // namespace kompakt::impl::huffman

#endif
