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

/// A book of each alphabet.
struct BookNumbers {
  int symbols = 0, masks = 0, quads = 0;
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
    return dictionary().masks[books.masks * mask_count + m];
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned quad(int q) const {
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

/// What given counts cost with every book: bits of the codes, and what of other alphabets stands for entries
/// without one.
struct BookCosts {
  static constexpr int books = Dictionary::books;
  std::uint64_t symbols[books];
  std::uint64_t quads[books], digits[3][books];   ///< symbols -1, 0, 1 behind `other`
  std::uint64_t masks[books], zero_quads[books];  ///< told as `other` and four zeros

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* words() { return symbols; }
  static constexpr int word_count = 7 * books;
};

namespace detail {

// Adds to the costs what the `slice`-th of `slices` parts of each alphabet comes to with book b. A device looks
// up what it does not need, so that no lookup waits for a decision.
struct CountCosts {
  static constexpr int slices = 32;
  std::uint32_t const* counts;
  int list_bits;
  BookCosts* costs;

  KOKKOS_INLINE_FUNCTION void symbols(int b, int slice) const {
    DictionaryBooks const d{{b, 0, 0}};
    int const escaped = DictionaryBooks::length(d.symbol(static_cast<int>(escape))) + list_bits;
    std::uint64_t bits = 0;
    KOMPAKT_UNROLL
    for (int s = slice; s < symbol_count(default_radius); s += slices) {
      std::uint64_t const count = counts[s];
      KOKKOS_IF_ON_HOST((if (count == 0) continue;))
      int const length = DictionaryBooks::length(d.symbol(s));
      bits += count * static_cast<unsigned>(length > 0 ? length : escaped);
    }
    Kokkos::atomic_add(&costs->symbols[b], bits);
  }
  KOKKOS_INLINE_FUNCTION void quads(int b, int slice) const {
    DictionaryBooks const d{{0, 0, b}};
    int const other = DictionaryBooks::length(d.quad(static_cast<int>(other_quad)));
    std::uint64_t bits = 0, digits[3] = {0, 0, 0};
    for (int q = slice; q < quad_count; q += slices) {
      std::uint64_t const count = counts[quads_of(default_radius).first + q];
      int const length = DictionaryBooks::length(d.quad(q));
      bits += count * static_cast<unsigned>(length > 0 ? length : other);
      if (length > 0) continue;  // the symbols behind `other` itself have been counted
      std::uint32_t residuals[quad_values];
      residuals_of_quad(static_cast<std::uint32_t>(q), residuals);
      for (std::uint32_t const r : residuals) {
        for (std::uint32_t k = 0; k < 3; ++k) digits[k] += r + 1 == k ? count : 0;
      }
    }
    Kokkos::atomic_add(&costs->quads[b], bits);
    for (int k = 0; k < 3; ++k) {
      if (digits[k] > 0) Kokkos::atomic_add(&costs->digits[k][b], digits[k]);
    }
  }
  KOKKOS_INLINE_FUNCTION void masks(int b, int slice) const {
    DictionaryBooks const d{{0, b, 0}};
    int const full = DictionaryBooks::length(d.mask(static_cast<int>(full_mask)));
    std::uint64_t bits = 0, zero_quads = 0;
    KOMPAKT_UNROLL
    for (int m = slice; m < mask_count; m += slices) {
      std::uint64_t const count = counts[masks_of(default_radius).first + m];
      KOKKOS_IF_ON_HOST((if (count == 0) continue;))
      int const length = DictionaryBooks::length(d.mask(m));
      bits += count * static_cast<unsigned>(length > 0 ? length : full);
      int const zeros = lane_quads - popcount(static_cast<std::uint32_t>(m));
      zero_quads += length > 0 ? 0 : count * static_cast<unsigned>(zeros);
    }
    Kokkos::atomic_add(&costs->masks[b], bits);
    if (zero_quads > 0) Kokkos::atomic_add(&costs->zero_quads[b], zero_quads);
  }
};

// The lowest cost(b), of the first b that has it.
template <class Cost>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t cheapest(Cost const& cost, int& number) {
  std::uint64_t least = cost(0);
  number = 0;
  for (int b = 1; b < Dictionary::books; ++b) {
    std::uint64_t const bits = cost(b);
    if (bits >= least) continue;
    least = bits;
    number = b;
  }
  return least;
}

}  // namespace detail

/// The books that code the counts of a default radius in the fewest bits; ties to the lowest number. By a team;
/// bits: what they take, on all threads.
/// \param list_bits  of a residual in the wide list
/// \param costs      scratch of the team
template <class Team>
KOKKOS_INLINE_FUNCTION BookNumbers choose_books(Team const& team, std::uint32_t const* counts,
                                                int list_bits, BookCosts& costs,
                                                std::uint64_t& bits) {
  team_for(team, BookCosts::word_count, [&](int i) { costs.words()[i] = 0; });
  team.team_barrier();
  detail::CountCosts const count{counts, list_bits, &costs};
  constexpr int slices = detail::CountCosts::slices, jobs = Dictionary::books * slices;
  team_for(team, jobs, [&](int job) { count.symbols(job / slices, job % slices); });
  team_for(team, jobs, [&](int job) { count.masks(job / slices, job % slices); });
  team_for(team, jobs, [&](int job) { count.quads(job / slices, job % slices); });
  team.team_barrier();
  BookNumbers best;
  bits = detail::cheapest([&](int b) { return costs.symbols[b]; }, best.symbols);
  DictionaryBooks chosen{best};
  std::uint64_t of_digit[3];
  for (int k = 0; k < 3; ++k) {
    of_digit[k] =
        static_cast<unsigned>(DictionaryBooks::length(chosen.symbol(default_radius - 1 + k)));
  }
  bits += detail::cheapest(
      [&](int b) {
        std::uint64_t of_quads = costs.quads[b];
        for (int k = 0; k < 3; ++k) of_quads += of_digit[k] * costs.digits[k][b];
        return of_quads;
      },
      best.quads);
  chosen = {best};
  std::uint64_t const zero_quad =
      static_cast<unsigned>(DictionaryBooks::length(chosen.quad(static_cast<int>(other_quad)))) +
      quad_values * of_digit[1];
  bits += detail::cheapest([&](int b) { return costs.masks[b] + zero_quad * costs.zero_quads[b]; },
                           best.masks);
  return best;
}

}  // namespace kompakt::impl::huffman

#endif
