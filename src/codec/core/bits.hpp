#ifndef KOMPAKT_CORE_BITS_HPP
#define KOMPAKT_CORE_BITS_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <core/types.hpp>
#include <type_traits>

namespace kompakt::impl {

/// 0, -1, 1, -2, … -> 0, 1, 2, 3, …: small magnitudes become small numbers. `difference` is a
/// signed number in two's complement, kept unsigned so that wrap-around is defined.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION constexpr U zigzag(U difference) {
  using S = std::make_signed_t<U>;
  return static_cast<U>((difference << 1) ^
                        static_cast<U>(static_cast<S>(difference) >> (sizeof(U) * 8 - 1)));
}

template <class U>
KOKKOS_FORCEINLINE_FUNCTION constexpr U unzigzag(U code) {
  return static_cast<U>((code >> 1) ^ (U{0} - (code & U{1})));
}

template <class U>
KOKKOS_FORCEINLINE_FUNCTION int bit_width(U word) {
  return static_cast<int>(sizeof(U) * 8) - Kokkos::Experimental::countl_zero_builtin(word);
}

/// Position of the lowest set bit, -1 if there is none.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION int lowest_bit(U word) {
  return bit_width<U>(word & (U{0} - word)) - 1;
}

KOKKOS_FORCEINLINE_FUNCTION int popcount(std::uint32_t word) {
  return Kokkos::Experimental::popcount_builtin(word);
}

/// Number of set bits of `mask` below position `lane`: the place of a lane among those in the mask.
KOKKOS_FORCEINLINE_FUNCTION int rank_in_mask(std::uint32_t mask, int lane) {
  return popcount(mask & ((std::uint32_t{1} << lane) - 1));
}

/// Unsigned division rounded up.
template <class I>
KOKKOS_FORCEINLINE_FUNCTION constexpr I ceil_div(I a, I b) {
  return (a + b - 1) / b;
}

namespace detail {

// Exchanges the bits of `low` selected by ~mask = mask << shift with those of `high` selected by
// mask: two shifts and two selections, where an exchange by exclusive or takes five operations.
template <int shift>
KOKKOS_FORCEINLINE_FUNCTION void exchange(std::uint32_t& low, std::uint32_t& high,
                                          std::uint32_t mask) {
  std::uint32_t const up = high << shift;
  high = (high & ~mask) | ((low >> shift) & mask);
  low = (low & mask) | (up & ~mask);
}

// One stage of a recursive transposition: words i and i + half of every group of 2 * half words.
template <int half>
KOKKOS_FORCEINLINE_FUNCTION void transpose_stage(std::uint32_t* words, int count,
                                                 std::uint32_t mask) {
  KOMPAKT_UNROLL
  for (int group = 0; group < count; group += 2 * half) {
    KOMPAKT_UNROLL
    for (int i = 0; i < half; ++i) {
      exchange<half>(words[group + i], words[group + half + i], mask);
    }
  }
}

// In each group of 8 words, the 8 x 8 bit matrix of every byte column is transposed.
KOKKOS_FORCEINLINE_FUNCTION void transpose_bytes(std::uint32_t* words, int count) {
  transpose_stage<4>(words, count, 0x0f0f0f0fu);
  transpose_stage<2>(words, count, 0x33333333u);
  transpose_stage<1>(words, count, 0x55555555u);
}

}  // namespace detail

namespace detail {

template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void transpose(std::uint32_t* words) {
  if constexpr (Width == 32) transpose_stage<16>(words, 32, 0x0000ffffu);
  if constexpr (Width >= 16) transpose_stage<8>(words, Width, 0x00ff00ffu);
  transpose_bytes(words, Width);
}
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void transpose_back(std::uint32_t* words) {
  transpose_bytes(words, Width);
  if constexpr (Width >= 16) transpose_stage<8>(words, Width, 0x00ff00ffu);
  if constexpr (Width == 32) transpose_stage<16>(words, 32, 0x0000ffffu);
}

// words[i] = sum of values[i + j * Width] * 2^(j * Width)
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void gather(std::uint32_t const* values, std::uint32_t* words) {
  KOMPAKT_UNROLL
  for (int i = 0; i < Width; ++i) {
    std::uint32_t word = values[i];
    KOMPAKT_UNROLL
    for (int j = 1; j < 32 / Width; ++j) word += values[i + j * Width] << (j * Width);
    words[i] = word;
  }
}

}  // namespace detail

/// Bit planes of 32 codes narrower than `Width` bits: bit i of planes[p] is bit p of codes[i].
/// 32, 16 or 8 words are worked on, because for narrow codes several are first gathered in a word
/// (for 8 bits: 3 stages on 8 words instead of 5 on 32).
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void codes_to_planes(std::uint32_t const* codes,
                                                 std::uint32_t* planes) {
  static_assert(Width == 8 || Width == 16 || Width == 32);
  detail::gather<Width>(codes, planes);
  detail::transpose<Width>(planes);
}

/// The inverse of codes_to_planes; uses `planes` as working memory.
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void planes_to_codes(std::uint32_t* planes, std::uint32_t* codes) {
  constexpr std::uint32_t low = Width == 32 ? ~0u : (1u << (Width % 32)) - 1;
  detail::transpose_back<Width>(planes);
  KOMPAKT_UNROLL
  for (int i = 0; i < Width; ++i) {
    KOMPAKT_UNROLL
    for (int j = 0; j < 32 / Width; ++j) codes[i + j * Width] = (planes[i] >> (j * Width)) & low;
  }
}

/// codes_to_planes() of the zig-zags of residuals that fit in `Width` signed bits. Bit p of a zig-zag
/// is bit p - 1 of the residual, exclusive or its sign: a plane of 32 values costs one operation,
/// where zig-zagging the values costs 96.
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void residuals_to_planes(std::uint32_t const* residuals,
                                                     std::uint32_t* planes) {
  detail::gather<Width>(residuals, planes);
  if constexpr (Width < 32) {
    // Half of the range added to each residual makes it positive, so that none borrows from the next.
    constexpr std::uint32_t half = Width == 8 ? 0x80808080u : 0x80008000u;
    KOMPAKT_UNROLL
    for (int i = 0; i < Width; ++i) planes[i] += half;
  }
  detail::transpose<Width>(planes);
  std::uint32_t const sign = Width < 32 ? ~planes[Width - 1] : planes[Width - 1];
  KOMPAKT_UNROLL
  for (int p = Width - 1; p > 0; --p) planes[p] = planes[p - 1] ^ sign;
  planes[0] = sign;
}

/// The inverse of residuals_to_planes, in place and packed: word i holds the residuals i + j * Width as
/// signed numbers of `Width` bits, number j in bits j * Width up.
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void planes_to_packed(std::uint32_t* planes) {
  std::uint32_t const sign = planes[0];
  KOMPAKT_UNROLL
  for (int p = 0; p + 1 < Width; ++p) planes[p] = planes[p + 1] ^ sign;
  planes[Width - 1] = sign;
  detail::transpose_back<Width>(planes);
}

/// As residuals_to_planes(), of magnitudes and signs: the sign in plane 0, bit p of the magnitude in plane
/// p + 1. For residuals of less than `Width` bits; the negation ripples through the planes, at 4
/// operations for 32 values.
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void residuals_to_magnitudes(std::uint32_t const* residuals,
                                                         std::uint32_t* planes) {
  residuals_to_planes<Width>(residuals, planes);  // of r < 0 those of -r - 1
  std::uint32_t carry = planes[0];
  KOMPAKT_UNROLL
  for (int p = 1; p < Width; ++p) {
    std::uint32_t const sum = planes[p] ^ carry;
    carry &= planes[p];
    planes[p] = sum;
  }
}

/// The inverse of residuals_to_magnitudes, packed as planes_to_packed() does.
template <int Width>
KOKKOS_FORCEINLINE_FUNCTION void magnitudes_to_packed(std::uint32_t* planes) {
  std::uint32_t borrow = planes[0], zero = ~0u;
  KOMPAKT_UNROLL
  for (int p = 1; p < Width; ++p) {
    zero &= ~planes[p];
    std::uint32_t const difference = planes[p] ^ borrow;
    borrow &= ~planes[p];
    planes[p] = difference;
  }
  // A magnitude of 0 with a sign, which no encoder writes, is 0.
  KOMPAKT_UNROLL
  for (int p = 0; p < Width; ++p) planes[p] &= ~zero;
  planes_to_packed<Width>(planes);
}

}  // namespace kompakt::impl

#endif
