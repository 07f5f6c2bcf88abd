#ifndef KOMPAKT_CORE_LOG_SCALE_HPP
#define KOMPAKT_CORE_LOG_SCALE_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <core/exact.hpp>
#include <core/types.hpp>

namespace kompakt::impl {

/// Bits of a floating-point number.
template <class T>
struct FloatBits {
  using U = unsigned_t<T>;
  static constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  static constexpr U bias = static_cast<U>(std::numeric_limits<T>::max_exponent - 1);
  static constexpr U sign = U{1} << (sizeof(T) * 8 - 1);
  static constexpr U one = bias << mantissa;
  static constexpr U mantissa_mask = (U{1} << mantissa) - 1;
  /// Biased exponents of the numbers that have a bin: no denormals, and not the last octave, whose
  /// largest numbers might be reconstructed as infinity.
  static constexpr U first_exponent = 1, last_exponent = 2 * bias - 1;

  KOKKOS_FORCEINLINE_FUNCTION static bool is_negative(T value) {
    return (Kokkos::bit_cast<U>(value) & sign) != 0;
  }
};

/// Bins of equal width on a scale of our own in place of the logarithm, for a bound relative to each
/// value: |x - x'| <= bound * |x|. Magnitudes only; signs and zeros are kept apart.
///
/// An octave is `count` bins. Bin j of it stands for 2^E * g(j / count) with g(t) = ((1 + t)^2 + 2) / 3,
/// which has the ends, and the slopes there, of one curve through all octaves, and whose inverse is a square
/// root: both are a few operations that every machine rounds alike, where log2 and exp2 of the
/// libraries differ. The relative slope of g varies from 2/3 to sqrt(1/2), ln 2 would be constant; that
/// costs 0.03 bits a value.
///
/// Unless the bound is tiny the bin is known to be good: of m in [1, 2), with u half a unit in the last place of
/// 1, rounding leads at most 8 u count past the middle between two bins, and the value of a bin is at most 11 u
/// off g. Half a bin, rounding and that together are less than `room` + 23 u, and room + 32 u is the bound. So
/// the check of every value is left to tests, which look at every mantissa of float; what has no bin is stored.
/// Source: point-wise relative bounds by a logarithm, Liang et al., CLUSTER 2018; the scale is ours.
template <class T>
struct LogScale {
  using U = unsigned_t<T>;
  using B = FloatBits<T>;
  static constexpr bool is_float = sizeof(T) == 4;
  /// Beyond, halves of bins were lost to rounding.
  static constexpr double most_bins = is_float ? 0x1p21 : 0x1p40;

  bool proven =
      false;    ///< whether every value that has_bin() is inside the bound; else it is checked
  U count = 2;  ///< bins of an octave
  T bins = 2;   ///< the same
  T inverse = T(0.5);  ///< 1 / count, rounded
  U reciprocal = 0;    ///< of count, scaled by 2^(32 + shift), rounded up; of float
  std::uint32_t shift = 0;

  /// 0 < bound < 1.
  KOKKOS_INLINE_FUNCTION static LogScale with_bound(double bound) {
    LogScale s;
    // Half a bin at the steepest place is at most ln(1 + room) >= 2 room / (2 + room).
    double const room = bound - (is_float ? 0x1p-19 : 0x1p-48);
    constexpr double steepest = 0.70710678118654757;  // sqrt(1/2)
    double bins = room > 0 ? ::ceil(steepest * (2 + room) / (4 * room)) : most_bins;
    s.proven = bins < most_bins;
    bins = s.proven ? bins : most_bins;
    bins = bins > 2 ? bins : 2;
    s.count = static_cast<U>(bins);
    s.bins = static_cast<T>(bins);
    s.inverse = 1 / s.bins;
    if constexpr (is_float) {
      while ((U{2} << s.shift) < s.count) ++s.shift;
      std::uint64_t const power = std::uint64_t{1} << (32 + s.shift);
      s.reciprocal = static_cast<U>((power + s.count - 1) / s.count);
    }
    return s;
  }

  /// The correctly rounded square root of a number from 1 to 4.
  struct Root {
    KOKKOS_FORCEINLINE_FUNCTION T operator()(T x) const { return Kokkos::sqrt(x); }
  };

  /// The bin of |value|, of a value that has_bin(); else meaningless.
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> bin_of(T value) const {
    return bin_of(value, count, bins, Root());
  }
  template <class SquareRoot>
  KOKKOS_FORCEINLINE_FUNCTION static bin_t<T> bin_of(T value, U count, T bins,
                                                     SquareRoot const& root) {
    U const bits = Kokkos::bit_cast<U>(value) & ~B::sign;
    T const mantissa = Kokkos::bit_cast<T>((bits & B::mantissa_mask) | B::one);
    T const shifted = root(T(3) * mantissa - T(2)) * bins + magic();
    return static_cast<bin_t<T>>((bits >> B::mantissa) * count + Kokkos::bit_cast<U>(shifted) -
                                 (Kokkos::bit_cast<U>(magic()) + (B::bias + 1) * count));
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool has_bin(T value) {
    U const magnitude = Kokkos::bit_cast<U>(value) & ~B::sign;
    return magnitude - (B::first_exponent << B::mantissa) <
           (B::last_exponent + 1 - B::first_exponent) << B::mantissa;
  }

  /// Bits of the magnitude that a bin stands for; of one that quantize() never gives, of any number.
  KOKKOS_FORCEINLINE_FUNCTION U reconstruct(bin_t<T> bin) const {
    U place = static_cast<U>(bin) + B::bias * count;
    U const octave = octave_of(place);
    place -= octave * count;
    // The place is below 2^mantissa: as the low bits of 2^mantissa it is a number without conversion.
    constexpr T whole = static_cast<T>(std::uint64_t{1} << B::mantissa);
    T const number = Kokkos::bit_cast<T>(Kokkos::bit_cast<U>(whole) | place) - whole;
    return Kokkos::bit_cast<U>(at(number)) + ((octave - B::bias) << B::mantissa);
  }

 private:
  // 1.5 * 2^mantissa: a number below 2^(mantissa - 1) that is added to it has its integer in the low bits.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr T magic() {
    return static_cast<T>(std::uint64_t{3} << (B::mantissa - 1));
  }
  // g, of a place in the octave from 0 to bins; exactly 1 and 2 at its ends.
  KOKKOS_FORCEINLINE_FUNCTION T at(T place) const {
    T const root = T(1) + place * inverse;
    return (root * root + T(2)) * (T(1) / T(3));
  }
  // place / count; exact for every place that quantize() gives.
  KOKKOS_FORCEINLINE_FUNCTION U octave_of(U& place) const {
    if constexpr (is_float) {
      return static_cast<U>((std::uint64_t{place} * reciprocal) >> 32) >> shift;
    } else {
      // Places are below 2^52. The nearest integer to the quotient is the octave or the one above.
      constexpr T whole = T(0x1p52);
      place &= (U{1} << 52) - 1;
      T const number = Kokkos::bit_cast<T>(Kokkos::bit_cast<U>(whole) | place) - whole;
      T const quotient = number * inverse + whole;
      U const nearest = Kokkos::bit_cast<U>(quotient) - Kokkos::bit_cast<U>(whole);
      return nearest - (nearest * count > place ? 1 : 0);
    }
  }
};

}  // namespace kompakt::impl

#endif
