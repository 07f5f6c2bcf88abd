#ifndef KOMPAKT_CODER_HUFFMAN_CHOOSE_BOOKS_HPP
#define KOMPAKT_CODER_HUFFMAN_CHOOSE_BOOKS_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/dictionary.hpp>
#include <core/team.hpp>
#include <cstdint>

// Which books of the dictionary code given counts in the fewest bits, exactly, in integers. First the symbols';
// then, as a quad without a code takes symbols, the quads'; then the masks', which can take both.
// Source: Shah et al., Lightweight Huffman Coding for Efficient GPU Compression, ICS 2023, sec. 4: by cross
// entropy there.

namespace kompakt::impl::huffman {

/// A book of each alphabet, or of symbols only.
struct BookNumbers {
  static constexpr int none = 255;  ///< of masks and quads
  int symbols = 0, masks = 0, quads = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool symbols_only() const { return quads == none; }
};

/// Codes of a dictionary's books, for the default radius: above four bits of their lengths; 0: no code.
struct DictionaryBooks {
  BookNumbers books;

  KOKKOS_FORCEINLINE_FUNCTION unsigned symbol(int s) const {
    Dictionary const& d = dictionary();
    int const last = d.symbol_last[books.symbols], r = s - default_radius;
    int const place = s == static_cast<int>(escape) ? 0 : r + last + 1;
    bool const listed = place == 0 ? s == static_cast<int>(escape) : r >= -last && r <= last;
    return listed ? d.symbols[d.symbol_offsets[books.symbols] + place] : 0u;
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned mask(int m) const {
    if (books.symbols_only()) return 0;
    return dictionary().masks[books.masks * mask_count + m];
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned quad(int q) const {
    if (books.symbols_only()) return 0;
    return dictionary().quads[books.quads * quad_count + q];
  }
  /// Of an entry of any alphabet.
  KOKKOS_FORCEINLINE_FUNCTION unsigned entry(int i) const {
    int const m = i - symbol_count(default_radius), q = m - mask_count;
    if (m < 0) return symbol(i);
    return q < 0 ? mask(m) : quad(q);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int length(unsigned code) {
    return static_cast<int>(code & 15u);
  }
};

/// What given counts cost with a book of each alphabet: bits of the codes, and what of other alphabets stands
/// for entries without one.
struct BookCost {
  enum Part {
    symbols,
    quads,
    digits,  ///< three: symbols -1, 0, 1 behind `other`
    masks = digits + 3,
    zero_quads,  ///< told as `other` and four zeros
    parts
  };
  Sums<std::uint32_t, parts> sums;
};

/// What a team chooses from and with.
struct BookChoice {
  enum Step {
    of_symbols,
    of_values,  ///< symbols, of a book of symbols only
    of_quads,
    of_masks,
    steps
  };
  BookCost costs[Dictionary::books];
  std::uint32_t bits[steps][Dictionary::books];
  int cheapest[steps];
};

/// Symbols -1, 0 and 1 beside those that follow `other`: of the values that masks and quads tell.
using Digits = Sums<std::uint32_t, 3>;

namespace detail {

KOKKOS_FORCEINLINE_FUNCTION unsigned code_bits(unsigned code) {
  return static_cast<unsigned>(DictionaryBooks::length(code));
}

// The values -1, 0 and 1 of a quad.
KOKKOS_FORCEINLINE_FUNCTION Digits digits_of(int quad) {
  std::uint32_t residuals[quad_values];
  residuals_of_quad(static_cast<std::uint32_t>(quad), residuals);
  Digits digits{};
  for (std::uint32_t const r : residuals) {
    for (std::uint32_t k = 0; k < 3; ++k) digits.of[k] += r + 1 == k ? 1 : 0;
  }
  return digits;
}
// The entry whose code stands for one without: of a mask the full one.
KOKKOS_FORCEINLINE_FUNCTION int coded_as(int entry) {
  int const mask = entry - symbol_count(default_radius);
  return mask >= 0 && mask < mask_count ? entry - mask + static_cast<int>(full_mask)
                                        : stand_in(entry, default_radius);
}
KOKKOS_FORCEINLINE_FUNCTION unsigned zero_quads_of(int mask) {
  return static_cast<unsigned>(lane_quads - popcount(static_cast<std::uint32_t>(mask)));
}

// Looks for the lowest cost(b) in a step of a choice, of the first b that has it; ends with a barrier.
template <class Team, class Cost>
KOKKOS_FORCEINLINE_FUNCTION void find_cheapest(Team const& team, BookChoice& choice, int step,
                                               Cost const& cost) {
  auto& bits = choice.bits[step];
  team_for_rolled(team, Dictionary::books, [&](int b) { bits[b] = cost(b); });
  team.team_barrier();
  team_for_rolled(team, Dictionary::books, [&](int b) {
    std::uint32_t const own = bits[b];
    bool first = true;
    KOMPAKT_UNROLL
    for (int other = 0; other < Dictionary::books; ++other) {
      first &= other < b ? own < bits[other] : own <= bits[other];
    }
    if (first) choice.cheapest[step] = b;
  });
  team.team_barrier();
}

}  // namespace detail

/// How many of them are a symbol.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t told_by_quads(Digits const& digits, int symbol,
                                                        int radius) {
  if (symbol == radius) return digits.of[1];
  if (symbol == radius - 1) return digits.of[0];
  return symbol == radius + 1 ? digits.of[2] : 0;
}

/// The digits that one entry tells which occurs `count` times.
KOKKOS_FORCEINLINE_FUNCTION Digits digits_told_by(int entry, int radius, std::uint32_t count) {
  int const mask = entry - symbol_count(radius), quad = mask - mask_count;
  Digits digits{};
  if (mask >= 0 && quad < 0) digits.of[1] = quad_values * detail::zero_quads_of(mask);
  // The symbols behind `other` have been counted.
  if (quad >= 0 && quad != static_cast<int>(other_quad)) digits = detail::digits_of(quad);
  for (std::uint32_t& digit : digits.of) digit *= count;
  return digits;
}

/// What counts of a default radius cost with the b-th book of each alphabet; by a team, on all threads. The sum
/// of all counts, times what the longest entry takes, is below 2^32.
/// \param list_bits  of a residual in the outlier list
template <class Team>
KOKKOS_INLINE_FUNCTION BookCost weigh_books(Team const& team, std::uint32_t const* counts, int b,
                                            int list_bits) {
  DictionaryBooks const d{{b, b, b}};
  Alphabets const set = alphabets_of(default_radius);
  BookCost cost{};
  auto& sums = cost.sums.of;
  unsigned const escaped = static_cast<unsigned>(list_bits);
  // A device looks up what it does not need, so that no lookup waits for a decision.
  KOMPAKT_UNROLL
  for (int i = team_first(team); i < set.entries(); i += team_step(team)) {
    std::uint32_t const count = counts[i];
    KOKKOS_IF_ON_HOST((if (count == 0) continue;))
    unsigned const own = detail::code_bits(d.entry(i));
    unsigned const length = own > 0 ? own : detail::code_bits(d.entry(detail::coded_as(i)));
    int const a = set.of(i);
    if (a == 0) sums[BookCost::symbols] += count * (length + (own > 0 ? 0 : escaped));
    if (a == 1) sums[BookCost::masks] += count * length;
    if (a == 2) sums[BookCost::quads] += count * length;
    if (own > 0) continue;
    Digits const digits = digits_told_by(i, default_radius, count);
    if (a == 1) sums[BookCost::zero_quads] += digits.of[1] / quad_values;
    for (int k = 0; k < 3 && a == 2; ++k) sums[BookCost::digits + k] += digits.of[k];
  }
  cost.sums = team_joined(team, cost.sums);
  return cost;
}

/// The books that cost the least; ties to the lowest number, and to books of all alphabets. By a team, after a
/// barrier; on all threads.
/// \param choice  with the costs
/// \param digits  of all counts
/// \param bits    what the books take
template <class Team>
KOKKOS_INLINE_FUNCTION BookNumbers choose_books(Team const& team, BookChoice& choice,
                                                Digits const& digits, std::uint64_t& bits) {
  auto const part = [&](int b, int which) { return choice.costs[b].sums.of[which]; };
  auto const digit_bits = [](int book, int k) {
    return detail::code_bits(DictionaryBooks{{book, 0, 0}}.symbol(default_radius - 1 + k));
  };
  BookNumbers best{};
  // One program for all steps.
  KOMPAKT_ROLL
  for (int step = 0; step < BookChoice::steps; ++step) {
    bool const of_quads = step == BookChoice::of_quads, of_masks = step == BookChoice::of_masks;
    detail::find_cheapest(team, choice, step, [&](int b) {
      int const book = step == BookChoice::of_values ? b : best.symbols;
      std::uint32_t const zero = digit_bits(book, 1);
      std::uint32_t const of_digit[3] = {digit_bits(book, 0), zero, digit_bits(book, 2)};
      std::uint32_t cost = part(b, BookCost::symbols);
      if (of_quads) cost = part(b, BookCost::quads);
      KOMPAKT_UNROLL
      for (int k = 0; k < 3; ++k) {
        if (step == BookChoice::of_values) cost += digits.of[k] * of_digit[k];
        if (of_quads) cost += part(b, BookCost::digits + k) * of_digit[k];
      }
      if (of_masks) {
        DictionaryBooks const quads{{0, 0, best.quads}};
        unsigned const other = detail::code_bits(quads.quad(static_cast<int>(other_quad)));
        cost =
            part(b, BookCost::masks) + part(b, BookCost::zero_quads) * (other + quad_values * zero);
      }
      return cost;
    });
    int const cheapest = choice.cheapest[step];
    if (step == BookChoice::of_symbols) best.symbols = cheapest;
    if (of_quads) best.quads = cheapest;
    if (of_masks) best.masks = cheapest;
  }
  auto const least = [&](int step) {
    return static_cast<std::uint64_t>(choice.bits[step][choice.cheapest[step]]);
  };
  bits = least(BookChoice::of_symbols) + least(BookChoice::of_quads) + least(BookChoice::of_masks);
  if (least(BookChoice::of_values) >= bits) return best;
  bits = least(BookChoice::of_values);
  return {choice.cheapest[BookChoice::of_values], BookNumbers::none, BookNumbers::none};
}

}  // namespace kompakt::impl::huffman

#endif
