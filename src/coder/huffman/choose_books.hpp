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

/// Lengths of codes in a dictionary's books, for the default radius; 0: no code.
struct DictionaryBooks {
  BookNumbers books;

  KOKKOS_FORCEINLINE_FUNCTION int symbol(int s) const {
    Dictionary const& d = dictionary();
    int const last = d.symbol_last[books.symbols];
    int const place = s - default_radius + last + 1;
    if (s == static_cast<int>(escape)) return nibble(d.symbol_lengths + first_symbol(), 0);
    if (place < 1 || place > 2 * last + 1) return 0;
    return nibble(d.symbol_lengths + first_symbol(), place);
  }
  KOKKOS_FORCEINLINE_FUNCTION int mask(int m) const {
    return nibble(dictionary().mask_lengths + books.masks * Dictionary::mask_bytes, m);
  }
  KOKKOS_FORCEINLINE_FUNCTION int quad(int q) const {
    return nibble(dictionary().quad_lengths + books.quads * Dictionary::quad_bytes, q);
  }
  /// Of an entry of any alphabet.
  KOKKOS_FORCEINLINE_FUNCTION int entry(int i) const {
    int const mask_number = i - symbol_count(default_radius),
              quad_number = mask_number - mask_count;
    if (mask_number < 0) return symbol(i);
    return quad_number < 0 ? mask(mask_number) : quad(quad_number);
  }

  /// Bits of an entry with what stands for it if it has no code.
  KOKKOS_FORCEINLINE_FUNCTION int symbol_bits(int s, int list_bits) const {
    int const length = symbol(s);
    return length > 0 ? length : symbol(static_cast<int>(escape)) + list_bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION int quad_bits(int q) const {
    int const length = q == static_cast<int>(other_quad) ? 0 : quad(q);
    if (length > 0) return length;
    int bits = quad(static_cast<int>(other_quad));
    std::uint32_t residuals[quad_values];
    residuals_of_quad(static_cast<std::uint32_t>(q), residuals);
    for (std::uint32_t const r : residuals) {
      bits += symbol(static_cast<int>(r) + default_radius);
    }
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION int mask_bits(int m) const {
    int const length = mask(m);
    if (length > 0) return length;
    int const zero_quads = lane_quads - popcount(static_cast<std::uint32_t>(m));
    return mask(static_cast<int>(full_mask)) + zero_quads * quad_bits(static_cast<int>(other_quad));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int first_symbol() const {
    return dictionary().symbol_offsets[books.symbols];
  }
  KOKKOS_FORCEINLINE_FUNCTION static int nibble(std::uint8_t const* bytes, int i) {
    return bytes[i / 2] >> (i % 2 * 4) & 15;
  }
};

/// The books that code the counts of a default radius in the fewest bits; ties to the lowest number. By a team;
/// bits: what they take, on all threads.
/// \param list_bits  of a residual in the wide list
/// \param costs      Dictionary::books of them, scratch
template <class Team>
KOKKOS_INLINE_FUNCTION BookNumbers choose_books(Team const& team, std::uint32_t const* counts,
                                                int list_bits, std::uint64_t* costs,
                                                std::uint64_t& bits) {
  DictionaryBooks chosen;
  bits = 0;
  // The best of an alphabet's books; cost(books, i): bits of its entry i.
  auto const best = [&](Alphabet const& a, int BookNumbers::*which, auto const& cost) {
    constexpr int slices = 32;
    team_for(team, Dictionary::books, [&](int b) { costs[b] = 0; });
    team.team_barrier();
    team_for(team, Dictionary::books * slices, [&](int job) {
      DictionaryBooks tried = chosen;
      tried.books.*which = job / slices;
      std::uint64_t sum = 0;
      // A device looks up what it does not need, so that no lookup waits for a decision.
      KOMPAKT_UNROLL
      for (int i = job % slices; i < a.count; i += slices) {
        std::uint32_t const count = counts[a.first + i];
        KOKKOS_IF_ON_HOST((if (count == 0) continue;))
        sum += static_cast<std::uint64_t>(count) * static_cast<unsigned>(cost(tried, i));
      }
      Kokkos::atomic_add(costs + job / slices, sum);
    });
    team.team_barrier();
    int number = 0;
    for (int b = 1; b < Dictionary::books; ++b) number = costs[b] < costs[number] ? b : number;
    bits += costs[number];
    team.team_barrier();
    chosen.books.*which = number;
  };
  best(symbols_of(default_radius), &BookNumbers::symbols,
       [=](DictionaryBooks const& d, int i) { return d.symbol_bits(i, list_bits); });
  // The symbols behind `other` have been counted.
  best(quads_of(default_radius), &BookNumbers::quads, [](DictionaryBooks const& d, int i) {
    return i == static_cast<int>(other_quad) ? d.quad(i) : d.quad_bits(i);
  });
  best(masks_of(default_radius), &BookNumbers::masks,
       [](DictionaryBooks const& d, int i) { return d.mask_bits(i); });
  return chosen.books;
}

}  // namespace kompakt::impl::huffman

#endif
