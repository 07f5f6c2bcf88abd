#ifndef KOMPAKT_HALF_HPP
#define KOMPAKT_HALF_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>

// Floating-point numbers of 16 bits, with which no arithmetic is done here. Conversions go by bits: the instructions of processors
// change the bits of a NaN.

namespace kompakt {

/// IEEE 754 binary16 as it lies in memory: a sign, 5 bits of exponent, 10 of mantissa.
struct Float16 {
  std::uint16_t bits;

  static constexpr int digits = 11, min_exponent = -14, max_exponent = 15;
  static constexpr Float16 largest() { return {0x7bff}; }

  /// The number, which f32 has; of NaN all bits.
  KOKKOS_INLINE_FUNCTION float number() const {
    constexpr std::uint32_t exponents = 0x7c00u << 13, bias = std::uint32_t{127 - 15} << 23;
    std::uint32_t const magnitude = std::uint32_t{bits & 0x7fffu} << 13;
    std::uint32_t const sign = std::uint32_t{bits & 0x8000u} << 16;
    std::uint32_t const exponent = magnitude & exponents;
    std::uint32_t word = magnitude + bias;
    // Infinity and NaN have the highest exponent of f32 too.
    if (exponent == exponents) word += std::uint32_t{128 - 16} << 23;
    if (exponent == 0) {
      constexpr std::uint32_t least_normal = std::uint32_t{127 - 14} << 23;
      float const shifted = Kokkos::bit_cast<float>(magnitude + least_normal);
      word = Kokkos::bit_cast<std::uint32_t>(shifted - Kokkos::bit_cast<float>(least_normal));
    }
    return Kokkos::bit_cast<float>(word | sign);
  }
  /// The nearest one, ties to even; the largest finite one for all finite numbers above it.
  KOKKOS_INLINE_FUNCTION static Float16 nearest(float number) {
    constexpr std::uint32_t infinity = 0x7f800000u, most = 0x477fe000u, least_normal = 0x38800000u;
    auto const word = Kokkos::bit_cast<std::uint32_t>(number);
    std::uint32_t const magnitude = word & 0x7fffffffu, sign = word >> 16 & 0x8000u;
    std::uint32_t half = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13;
    if (magnitude < least_normal) {
      // The sum has the number's multiple of 2^-24, rounded, in its low bits.
      float const sum = Kokkos::bit_cast<float>(magnitude) + 0.5f;
      half = Kokkos::bit_cast<std::uint32_t>(sum) - 0x3f000000u;
    }
    if (magnitude >= most) half = 0x7bffu;
    if (magnitude >= infinity) half = 0x7c00u | (magnitude >> 13 & 0x3ffu);
    if (magnitude > infinity && (half & 0x3ffu) == 0) half |= 0x200u;
    return {static_cast<std::uint16_t>(half | sign)};
  }
  explicit operator double() const { return static_cast<double>(number()); }
  friend bool operator==(Float16, Float16) = default;
};

/// bfloat16 as it lies in memory: the high half of an f32.
struct BFloat16 {
  std::uint16_t bits;

  static constexpr int digits = 8, min_exponent = -126, max_exponent = 127;
  static constexpr BFloat16 largest() { return {0x7f7f}; }

  KOKKOS_INLINE_FUNCTION float number() const {
    return Kokkos::bit_cast<float>(std::uint32_t{bits} << 16);
  }
  /// The nearest one, as of Float16.
  KOKKOS_INLINE_FUNCTION static BFloat16 nearest(float number) {
    constexpr std::uint32_t infinity = 0x7f800000u, most = 0x7f7f0000u;
    auto const word = Kokkos::bit_cast<std::uint32_t>(number);
    std::uint32_t const magnitude = word & 0x7fffffffu, sign = word >> 16 & 0x8000u;
    std::uint32_t half = (magnitude + 0x7fffu + (magnitude >> 16 & 1u)) >> 16;
    if (magnitude >= most) half = 0x7f7fu;
    if (magnitude >= infinity) half = magnitude >> 16;
    if (magnitude > infinity && (half & 0x7fu) == 0) half |= 0x40u;
    return {static_cast<std::uint16_t>(half | sign)};
  }
  explicit operator double() const { return static_cast<double>(number()); }
  friend bool operator==(BFloat16, BFloat16) = default;
};

/// Float16 or BFloat16.
template <class N>
concept HalfFloat = std::same_as<N, Float16> || std::same_as<N, BFloat16>;

namespace impl {

/// Types of others with the same bits; where Kokkos has none of its own, its names mean float.
template <class N>
struct HalfOf {
  using type = void;
};
template <>
struct HalfOf<Float16> {
  using type = Float16;
};
template <>
struct HalfOf<BFloat16> {
  using type = BFloat16;
};
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template <>
struct HalfOf<Kokkos::Experimental::half_t> {
  using type = Float16;
};
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
template <>
struct HalfOf<Kokkos::Experimental::bhalf_t> {
  using type = BFloat16;
};
#endif
#ifdef __STDCPP_FLOAT16_T__
template <>
struct HalfOf<_Float16> {
  using type = Float16;
};
#endif
#ifdef __STDCPP_BFLOAT16_T__
template <>
struct HalfOf<decltype(0.0bf16)> {
  using type = BFloat16;
};
#endif

}  // namespace impl
}  // namespace kompakt

#endif
