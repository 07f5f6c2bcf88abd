#ifndef KOMPAKT_CODER_HUFFMAN_ALPHABET_HPP
#define KOMPAKT_CODER_HUFFMAN_ALPHABET_HPP

#include <Kokkos_Macros.hpp>
#include <core/types.hpp>
#include <cstdint>

// The three alphabets of the huffman pipeline.
//
//   symbols  residuals r with |r| < radius as r + radius; 0 stands for all others, which a list holds
//   masks    which of a lane's 8 quads have a residual that is not 0
//   quads    of those quads: four residuals of -1, 0 and 1 as the digits of a number to the base of 3, the
//            first one highest; 40, which would be four zeros, stands for all others, which four symbols
//            follow
//
// A book may have codes of symbols only. Then every lane has the full mask and every quad stands for four
// symbols, without a code, and each value has one, as in cuSZ: where most quads have a larger residual, their
// codes tell little and take a bit each (turbulence at 1e-3: 6 % of the stream).
//
// Source: codes around a radius, Tian et al., cuSZ, PACT 2020, sec. 3.2. Ours: masks and quads, which let
// smooth fields fall below the bit a value that a prefix code for single values ends at (geometric mean of
// 30 real fields, bounds of 1e-2 / 1e-3 / 1e-4 of the range: 43 / 21.8 / 10.7 without, 53 / 23.7 / 11.1
// with masks, 57 / 24.7 / 11.4 with both).

namespace kompakt::impl::huffman {

inline constexpr int quad_values = 4;
inline constexpr int lane_quads = lane_values / quad_values;
inline constexpr int mask_count = 1 << lane_quads;
inline constexpr int quad_count = 81;
inline constexpr std::uint32_t other_quad = 40;
inline constexpr std::uint32_t escape = 0;
inline constexpr std::uint32_t full_mask = mask_count - 1;

inline constexpr int default_radius = 512, smallest_radius = 32, largest_radius = 32768;

/// Symbols of a radius.
KOKKOS_FORCEINLINE_FUNCTION constexpr int symbol_count(int radius) { return 2 * radius; }
/// All alphabets: symbols, masks, quads.
KOKKOS_FORCEINLINE_FUNCTION constexpr int entry_count(int radius) {
  return symbol_count(radius) + mask_count + quad_count;
}

/// Bits that decoders look up at once. A quad and two symbols take 32 together, a word of the stream; with 10
/// for quads the ratio is 0.3 % higher, with 11 and 10 for symbols and quads 0.7 % lower.
inline constexpr int symbol_window = 12, mask_window = 10, quad_window = 8;

/// Where an alphabet lies among the entries of a book, and the longest code that it may have.
struct Alphabet {
  int first, count, length_limit;
};
/// Symbols: what one lookup decodes, for the default radius and below; what fits in half a byte; more, where
/// there are more symbols than that has codes.
KOKKOS_FORCEINLINE_FUNCTION constexpr Alphabet symbols_of(int radius) {
  return {0, symbol_count(radius),
          radius <= default_radius ? symbol_window : (radius <= 8192 ? 15 : 20)};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Alphabet masks_of(int radius) {
  return {symbol_count(radius), mask_count, mask_window};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Alphabet quads_of(int radius) {
  return {symbol_count(radius) + mask_count, quad_count, quad_window};
}
inline constexpr int alphabet_count = 3;

/// A value for each of a few alphabets, to be had by a number that is not a constant without being in memory.
template <class V>
struct PerAlphabet {
  V list[alphabet_count];

  KOKKOS_FORCEINLINE_FUNCTION constexpr V get(int number) const {
    V found = list[0];
    KOMPAKT_UNROLL
    for (int k = 1; k < alphabet_count; ++k) {
      if (number == k) found = list[k];
    }
    return found;
  }
};

/// Alphabets side by side, the entries of one behind those of the other: a team that does a step for all of
/// them needs the barriers of one.
struct Alphabets {
  PerAlphabet<Alphabet> parts;
  int count;  ///< of parts, the first ones

  KOKKOS_FORCEINLINE_FUNCTION constexpr Alphabet get(int number) const { return parts.get(number); }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int entries() const {
    Alphabet const last = get(count - 1);
    return last.first + last.count;
  }
  /// Number of the alphabet of an entry.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int of(int entry) const {
    int number = 0;
    KOMPAKT_UNROLL
    for (int k = 1; k < alphabet_count; ++k) {
      number += k < count && entry >= parts.list[k].first ? 1 : 0;
    }
    return number;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int largest_limit() const {
    int most = 0;
    KOMPAKT_UNROLL
    for (int k = 0; k < alphabet_count; ++k) {
      int const limit = k < count ? parts.list[k].length_limit : 0;
      most = limit > most ? limit : most;
    }
    return most;
  }
};
/// The alphabets that have codes in a book.
KOKKOS_FORCEINLINE_FUNCTION constexpr Alphabets alphabets_of(int radius,
                                                             bool symbols_only = false) {
  return {{{symbols_of(radius), masks_of(radius), quads_of(radius)}},
          symbols_only ? 1 : alphabet_count};
}

/// The entry whose code stands for one without: a mask has none to look up.
KOKKOS_FORCEINLINE_FUNCTION constexpr int stand_in(int entry, int radius) {
  int const quads = symbol_count(radius) + mask_count;
  if (entry < symbol_count(radius)) return static_cast<int>(escape);
  return entry < quads ? entry : quads + static_cast<int>(other_quad);
}

/// Codes of the longest string: a mask, and of every quad five.
inline constexpr int max_codes = 1 + lane_quads * (1 + quad_values);

template <class U>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t symbol_of(U residual, int radius) {
  U const shifted = residual + static_cast<U>(radius);
  bool const fits = shifted - 1 < static_cast<U>(2 * radius - 1);
  return fits ? static_cast<std::uint32_t>(shifted) : escape;
}
/// The escape comes back as 0.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION U residual_of(std::uint32_t symbol, int radius) {
  return symbol == escape ? U{0} : static_cast<U>(symbol) - static_cast<U>(radius);
}

/// Bit q is set where quad q of a lane's 32 residuals is not all zero.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t mask_of(U const* residuals) {
  std::uint32_t mask = 0;
  KOMPAKT_UNROLL
  for (int q = 0; q < lane_quads; ++q) {
    U const any =
        residuals[4 * q] | residuals[4 * q + 1] | residuals[4 * q + 2] | residuals[4 * q + 3];
    mask |= static_cast<std::uint32_t>(any != 0) << q;
  }
  return mask;
}

/// The number of a quad.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t quad_of(U const* residuals) {
  std::uint32_t number = 0;  // of digits -1, 0, 1
  U most = 0;
  KOMPAKT_UNROLL
  for (int i = 0; i < quad_values; ++i) {
    U const digit = residuals[i] + 1;
    most = digit > most ? digit : most;
    number = 3 * number + static_cast<std::uint32_t>(residuals[i]);
  }
  return other_quad + (most <= 2 ? number : 0);
}
/// The residuals of a quad that no symbols follow.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION void residuals_of_quad(std::uint32_t number, U* residuals) {
  KOMPAKT_UNROLL
  for (int i = quad_values - 1; i >= 0; --i) {
    residuals[i] = static_cast<U>(number % 3) - 1;
    number /= 3;
  }
}

}  // namespace kompakt::impl::huffman

#endif
