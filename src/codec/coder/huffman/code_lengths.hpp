#ifndef KOMPAKT_CODER_HUFFMAN_CODE_LENGTHS_HPP
#define KOMPAKT_CODER_HUFFMAN_CODE_LENGTHS_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/numbering.hpp>
#include <core/bits.hpp>
#include <core/carver.hpp>
#include <core/team.hpp>
#include <cstddef>
#include <cstdint>

// The lengths of the shortest prefix codes with a limit, by package merge: on each level the leaves and the
// packages, pairs of neighbours of the level before, are merged by weight. A merge is a binary search for
// each of both, so a level is two steps of a team, for all alphabets at once. (Huffman's tree would be a
// thousand steps, one behind the other.)
// Source: Larmore and Hirschberg, A fast algorithm for optimal length-limited Huffman codes, JACM 37 (1990).

namespace kompakt::impl::huffman {

/// Working memory of code_lengths(). Every alphabet has the part of a list that begins at its first entry,
/// of `merged` at twice that.
struct CodeMemory {
  /// What all threads look at between two steps.
  struct Shared {
    std::uint32_t leaves[alphabet_count];
    std::uint32_t taken_leaves[alphabet_count][max_length];  // by level
  };
  Shared* shared;
  Numbering* numbering;
  std::uint32_t* weights;        ///< n: of sorted leaves
  std::uint32_t* packages;       ///< n; may be the counts, which are lost then
  std::uint32_t* merged;         ///< 2 n
  std::uint32_t* is_leaf;        ///< level_words() a level: bit a place of the merged list
  std::uint32_t* leaves_before;  ///< as many: in the words of its level and alphabet before
  std::uint16_t* numbers;        ///< n: which leaves they are, in their alphabet

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int level_words(Alphabets const& set) {
    return first_word(set.entries(), set.count);
  }
  /// The first of a level's words that belongs to an alphabet.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first_word(int first_entry, int alphabet) {
    return first_entry / 16 + alphabet;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr CodeMemory in(Carver& carver, Alphabets const& set) {
    auto const n = static_cast<std::size_t>(set.entries());
    auto const words = static_cast<std::size_t>(set.largest_limit() * level_words(set));
    CodeMemory m{};
    m.shared = carver.take<Shared>();
    m.numbering = carver.take<Numbering>();
    m.weights = carver.take<std::uint32_t>(n);
    m.packages = carver.take<std::uint32_t>(n);
    m.merged = carver.take<std::uint32_t>(2 * n);
    m.is_leaf = carver.take<std::uint32_t>(words);
    m.leaves_before = carver.take<std::uint32_t>(words);
    m.numbers = carver.take<std::uint16_t>(n);
    return m;
  }
};

namespace detail {

// How many of the ascending numbers are below `bound`.
KOKKOS_FORCEINLINE_FUNCTION int count_below(std::uint32_t const* sorted, int count,
                                            std::uint32_t bound) {
  int low = 0, high = count;
  while (low < high) {
    int const middle = (low + high) / 2;
    bool const below = sorted[middle] < bound;
    low = below ? middle + 1 : low;
    high = below ? high : middle;
  }
  return low;
}

// body(alphabet, i) for all i < counts of each alphabet, in parallel and evenly, whatever the counts. In turn on
// a host.
template <class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_of(Team const& team, PerAlphabet<int> const& counts,
                                             Body const& body) {
  int const first = counts.list[0], second = first + counts.list[1];
  int const all = second + counts.list[2];
  KOMPAKT_ROLL
  for (int job = team_first(team); job < all; job += team_step(team)) {
    int const a = job < first ? 0 : (job < second ? 1 : 2);
    body(a, job - (a == 0 ? 0 : (a == 1 ? first : second)));
  }
}

struct Leaves {
  std::uint32_t* weights;
  std::uint16_t* numbers;
};

// Leaf i of `count` ones goes where the merge of two sorted runs has it.
KOKKOS_FORCEINLINE_FUNCTION void merge_leaf(Leaves from, Leaves to, int i, int count, int run) {
  int const first = i & ~(2 * run - 1);
  int const middle = first + run < count ? first + run : count;
  int const end = first + 2 * run < count ? first + 2 * run : count;
  bool const right = i >= middle;
  std::uint32_t const weight = from.weights[i];
  int const others = right ? count_below(from.weights + first, middle - first, weight + 1)
                           : count_below(from.weights + middle, end - middle, weight);
  int const place = first + (right ? i - middle : i - first) + others;
  to.weights[place] = weight;
  to.numbers[place] = from.numbers[i];
}

// Collects the entries of each alphabet that occur, in order, and sorts them by count, into memory.weights
// and memory.numbers; returns how many there are.
template <class Team>
KOKKOS_INLINE_FUNCTION PerAlphabet<int> sort_leaves(Team const& team, Alphabets const& set,
                                                    std::uint32_t const* counts,
                                                    CodeMemory const& memory) {
  int const n = set.entries();
  auto const class_of = [=](int i) { return counts[i] == 0 ? -1 : set.of(i); };
  memory.numbering->prepare(team, n, set.count, class_of,
                            [&](int a, std::uint32_t sum) { memory.shared->leaves[a] = sum; });
  PerAlphabet<int> leaves{};
  int most = 1;
  KOMPAKT_UNROLL
  for (int a = 0; a < alphabet_count; ++a) {
    leaves.list[a] = a < set.count ? static_cast<int>(memory.shared->leaves[a]) : 0;
    most = leaves.list[a] > most ? leaves.list[a] : most;
  }
  Leaves from{memory.weights, memory.numbers};
  Leaves to{memory.merged, reinterpret_cast<std::uint16_t*>(memory.merged + n)};
  bool const odd_rounds = bit_width(static_cast<unsigned>(most - 1)) % 2 != 0;
  if (odd_rounds) Kokkos::kokkos_swap(from, to);
  memory.numbering->number(team, n, set.count, class_of, [&](int i, int a, std::uint32_t number) {
    int const first = set.get(a).first, place = first + static_cast<int>(number);
    from.weights[place] = counts[i];
    from.numbers[place] = static_cast<std::uint16_t>(i - first);
  });
  KOMPAKT_ROLL
  for (int run = 1; run < most; run *= 2) {
    for_each_of(team, leaves, [&](int a, int i) {
      int const first = set.get(a).first;
      merge_leaf({from.weights + first, from.numbers + first},
                 {to.weights + first, to.numbers + first}, i, leaves.get(a), run);
    });
    team.team_barrier();
    Kokkos::kokkos_swap(from, to);
  }
  return leaves;
}

KOKKOS_FORCEINLINE_FUNCTION void set_bit(std::uint32_t* bits, int at) {
  std::uint32_t const bit = std::uint32_t{1} << (at % 32);
  KOKKOS_IF_ON_HOST((bits[at / 32] |= bit;))  // a team is one thread
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_or(bits + at / 32, bit);))
}

// One level: its merged list, of which is_leaf tells the leaves, then its packages.
template <class Team>
KOKKOS_INLINE_FUNCTION void merge_level(Team const& team, Alphabets const& set,
                                        PerAlphabet<int> const& leaves, int level,
                                        PerAlphabet<int>& packages, CodeMemory const& memory) {
  std::uint32_t* const bits = memory.is_leaf + level * CodeMemory::level_words(set);
  PerAlphabet<int> merged;
  KOMPAKT_UNROLL
  for (int a = 0; a < alphabet_count; ++a) {
    bool const has_level = level < set.parts.list[a].length_limit;
    merged.list[a] = has_level ? leaves.list[a] + packages.list[a] : 0;
  }
  for_each_of(team, merged, [&](int a, int i) {
    int const first = set.get(a).first, leaf_count = leaves.get(a);
    bool const is_leaf = i < leaf_count;
    int const place = is_leaf ? i : i - leaf_count;
    std::uint32_t const* const own = (is_leaf ? memory.weights : memory.packages) + first;
    std::uint32_t const* const others = (is_leaf ? memory.packages : memory.weights) + first;
    std::uint32_t const weight = own[place];
    // Leaves come before packages of the same weight.
    int const before =
        count_below(others, is_leaf ? packages.get(a) : leaf_count, is_leaf ? weight : weight + 1);
    memory.merged[2 * first + place + before] = weight;
    if (is_leaf) set_bit(bits + CodeMemory::first_word(first, a), place + before);
  });
  team.team_barrier();
  KOMPAKT_UNROLL
  for (int a = 0; a < alphabet_count; ++a) {
    if (merged.list[a] > 0) packages.list[a] = merged.list[a] / 2;
  }
  for_each_of(team, packages, [&](int a, int i) {
    int const at = set.get(a).first + i;
    memory.packages[at] = memory.merged[2 * at] + memory.merged[2 * at + 1];
  });
  team.team_barrier();
}

// How many leaves are among those that an alphabet's code takes from each level: of the last level twice
// the leaves but two, of each before it the pairs that make the packages taken.
template <class Team>
KOKKOS_INLINE_FUNCTION void take_leaves(Team const& team, Alphabets const& set,
                                        CodeMemory const& memory) {
  int const level_words = CodeMemory::level_words(set);
  team_for_rolled(team, set.count * set.largest_limit(), [&](int job) {
    int const a = job % set.count, level = job / set.count;
    Alphabet const alphabet = set.get(a);
    int const first = level * level_words + CodeMemory::first_word(alphabet.first, a);
    std::uint32_t before = 0;
    for (int i = first; i <= first + alphabet.count / 16; ++i) {
      memory.leaves_before[i] = before;
      before += static_cast<std::uint32_t>(popcount(memory.is_leaf[i]));
    }
  });
  team.team_barrier();
  team_for_rolled(team, set.count, [&](int a) {
    Alphabet const alphabet = set.get(a);
    std::uint32_t const count = memory.shared->leaves[a];
    std::uint32_t taken = count > 1 ? 2 * count - 2 : 0;
    for (int level = alphabet.length_limit - 1; level >= 0; --level) {
      auto const at = static_cast<std::uint32_t>(level * level_words +
                                                 CodeMemory::first_word(alphabet.first, a)) +
                      taken / 32;
      std::uint32_t const below = (std::uint32_t{1} << (taken % 32)) - 1;
      std::uint32_t const taken_leaves =
          memory.leaves_before[at] +
          static_cast<std::uint32_t>(popcount(memory.is_leaf[at] & below));
      memory.shared->taken_leaves[a][level] = taken_leaves;
      taken = 2 * (taken - taken_leaves);
    }
  });
  team.team_barrier();
}

}  // namespace detail

/// Lengths of the shortest prefix code of each alphabet for entries that occur counts[i] times, none longer
/// than the alphabet's limit; 0 for those that do not occur, 1 for one that is alone. By a team; ends with a
/// barrier. Of an alphabet of n entries n <= 2^limit, and the sum of all counts, times the limit, is below 2^32.
template <class Team>
KOKKOS_INLINE_FUNCTION void code_lengths(Team const& team, Alphabets const& set,
                                         std::uint32_t const* counts, CodeMemory const& memory,
                                         std::uint8_t* lengths) {
  int const n = set.entries(), levels = set.largest_limit();
  team_for_rolled(team, n, [&](int i) { lengths[i] = 0; });
  team_for_rolled(team, levels * CodeMemory::level_words(set),
                  [&](int i) { memory.is_leaf[i] = 0; });
  PerAlphabet<int> const leaves = detail::sort_leaves(team, set, counts, memory);
  PerAlphabet<int> packages{};
  KOMPAKT_ROLL
  for (int level = 0; level < levels; ++level) {
    detail::merge_level(team, set, leaves, level, packages, memory);
  }
  detail::take_leaves(team, set, memory);
  // A leaf is as long as there are levels on which it is among those taken.
  team_for_rolled(team, n, [&](int i) {
    int const a = set.of(i);
    Alphabet const alphabet = set.get(a);
    auto const place = static_cast<std::uint32_t>(i - alphabet.first);
    if (place >= memory.shared->leaves[a]) return;
    int length = leaves.get(a) == 1 ? 1 : 0;
    for (int level = 0; level < alphabet.length_limit; ++level) {
      length += place < memory.shared->taken_leaves[a][level] ? 1 : 0;
    }
    lengths[alphabet.first + memory.numbers[i]] = static_cast<std::uint8_t>(length);
  });
  team.team_barrier();
}

}  // namespace kompakt::impl::huffman

#endif
