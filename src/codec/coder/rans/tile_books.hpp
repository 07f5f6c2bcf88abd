#ifndef KOMPAKT_CODER_RANS_TILE_BOOKS_HPP
#define KOMPAKT_CODER_RANS_TILE_BOOKS_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/neighbours.hpp>
#include <core/bits.hpp>
#include <cstdint>

// Which book a residual has, from its neighbours and what the head word says of the tile.

namespace kompakt::impl::residual_books {

/// The coder's bits of a head word.
struct TileBooks {
  static constexpr int max_mean = 63, offsets = 4, middle = 2;
  int mean = 0;          ///< magnitude, (2^(mean / 2) - 1) / 16
  int shape = 0;         ///< of the books
  int offset = 0;        ///< of their steps, and `middle`
  bool is_even = false;  ///< whether the tile's mean counts much more than neighbours

  /// 256 times the mean magnitude.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t mean_256() const {
    std::uint64_t const root = mean % 2 == 0 ? 128 : 181;  // 128 times 1 or the square root of 2
    return (root << mean / 2 >> 3) - 16;
  }
};

/// 64 times the binary logarithm of an unsigned number above 0, by its highest 7 bits.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION int logarithm(Number number) {
  static constexpr std::uint8_t fraction[64] = {
      0,  1,  3,  4,  6,  7,  8,  10, 11, 12, 13, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26,
      27, 28, 29, 30, 31, 32, 34, 35, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 47,
      48, 49, 50, 51, 52, 52, 53, 54, 55, 56, 56, 57, 58, 59, 60, 60, 61, 62, 63, 63};
  int const whole = bit_width(number) - 1;
  Number const next = whole >= 6 ? number >> (whole - 6) : number << (6 - whole);
  return 64 * whole + fraction[next & 63u];
}

/// The step of the books for 256 times a mean, as a sum and a weight, by their logarithms.
KOKKOS_FORCEINLINE_FUNCTION int step_of(int log_of_sum, int log_of_weight) {
  constexpr int steps_of_octave = 3;
  return steps_of_octave * (log_of_sum - log_of_weight) / 64;
}

/// How much the tile's mean counts, beside neighbours.
KOKKOS_FORCEINLINE_FUNCTION int weight_of_tile(bool is_even) { return is_even ? 16 : 2; }

/// 256 times what neighbours and the tile come to, by its weight: never 0.
template <class Sum>
KOKKOS_FORCEINLINE_FUNCTION Sum sum_of(NeighboursBy<Sum> near, std::uint64_t mean_256, bool is_even,
                                       int weight) {
  return 256 * near.sum + static_cast<Sum>(weight_of_tile(is_even)) * static_cast<Sum>(mean_256) +
         static_cast<Sum>(weight);
}

/// The step of the books for what neighbours and the tile say, before the tile's offset.
template <class Sum>
KOKKOS_FORCEINLINE_FUNCTION int step_of(NeighboursBy<Sum> near, std::uint64_t mean_256,
                                        bool is_even) {
  int const weight = near.weight + weight_of_tile(is_even);
  Sum const sum = sum_of(near, mean_256, is_even, weight);
  return step_of(logarithm(sum), logarithm(static_cast<unsigned>(weight)));
}

/// Means and bits of magnitudes up to which sums of neighbours, in 1/256, are below 2^31.
inline constexpr int narrow_mean = 42, narrow_bits = 18;

/// The book of a step, of residuals of so many bits.
KOKKOS_FORCEINLINE_FUNCTION Book book_of(TileBooks const& of_tile, int step, int bits) {
  step += of_tile.offset - TileBooks::middle;
  int const last = Book::last_step(bits);
  step = step < 0 ? 0 : (step > last ? last : step);
  return Book::of(of_tile.shape, step);
}

/// The bits of what lies beyond the escape; it is 0 for the first such zig-zag.
KOKKOS_FORCEINLINE_FUNCTION int escaped_bits(std::uint64_t beyond) {
  return bit_width(beyond + 1) - 1;
}
inline constexpr int escaped_length_bits = 6;  ///< in which the number of these bits is stored

}  // namespace kompakt::impl::residual_books

#endif
