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
  /// Biased exponents of the numbers that have a bin: no denormals and not the first octave above them, whose
  /// numbers might be reconstructed as such, and not the last octave, which leads to infinity.
  static constexpr U first_exponent = 2, last_exponent = 2 * bias - 1;

  KOKKOS_FORCEINLINE_FUNCTION static bool is_negative(T value) {
    return (Kokkos::bit_cast<U>(value) & sign) != 0;
  }
};

/// Bins of equal width on a scale of our own in place of the logarithm, for a bound relative to each
/// value: |x - x'| <= bound * |x|. Magnitudes only; signs and zeros are kept apart.
///
/// A place on the scale has the form of the bits of a number: the exponent E, and a fraction t of `mantissa`
/// bits below it. It stands for 2^(E - bias) * g(t) with g(t) = ((1 + t)^2 + 2) / 3, which has the ends, and
/// the slopes there, of one curve through all octaves, and whose inverse is a square root: both are a few
/// operations that every machine rounds alike, where log2 and exp2 of the libraries differ. Bits of 1 + t are
/// bits of the place, so nothing is converted. The relative slope of g varies from 2/3 to sqrt(1/2), ln 2 would be
/// constant; that costs 0.03 bits a value. The middle of a bin is the bin times `width`.
///
/// Unless the bound is tiny the bin is known to be good: with u half a unit in the last place of 1, rounding
/// leads at most 8 u past the middle between two bins, and the value of a bin is at most 4 u off g. Half a bin,
/// rounding and that together are less than `room` + 12 u, and room + 16 u is the bound. So the check of every
/// value is left to tests, which look at every mantissa of float; what has no bin is stored.
/// Source: point-wise relative bounds by a logarithm, Liang et al., CLUSTER 2018; the scale is ours.
template <class T>
struct LogScale {
  using U = unsigned_t<T>;
  using B = FloatBits<T>;
  static constexpr bool is_float = sizeof(T) == 4;
  /// With narrower bins more were lost to rounding than won.
  static constexpr U least_width = is_float ? 4 : 16;

  bool proven =
      false;  ///< whether every value that has_bin() is inside the bound; else it is checked
  U width = least_width;  ///< of a bin, in units of a place's last bit
  // Of float, for a division by width: 2^(32 + shift) / width, rounded up.
  U reciprocal = 0;
  std::uint32_t shift = 0;
  // Of double, for the same: bins of an octave, their integer and what it lacks of the number.
  U whole_bins = 0;
  T part_bins = 0, bins = 0;

  /// 0 < bound < 1.
  KOKKOS_INLINE_FUNCTION static LogScale with_bound(double bound) {
    LogScale s;
    double const room = bound - (is_float ? 0x1p-20 : 0x1p-49);
    // At the steepest place, half a bin is at most ln(1 + room) >= 2 room / (2 + room). Of what is taken away
    // below, rounding of many octaves has a part: up to 2^14 u of a bin, of double.
    constexpr double root_of_8 = 2.8284271247461903, most = 1 - 0x1p-38;
    constexpr auto octave = static_cast<double>(U{1} << B::mantissa);
    double const width = root_of_8 * 2 * octave * most * room / (2 + room);
    s.proven = width >= static_cast<double>(least_width);
    if (s.proven) s.width = static_cast<U>(width);
    s.prepare_division();
    return s;
  }

  /// Of any width, for whoever checks every value himself.
  KOKKOS_INLINE_FUNCTION static LogScale with_width(U width) {
    LogScale s;
    s.proven = true;
    s.width = width;
    s.prepare_division();
    return s;
  }

  /// The correctly rounded square root of a number from 1 to 4.
  struct Root {
    KOKKOS_FORCEINLINE_FUNCTION T operator()(T x) const { return Kokkos::sqrt(x); }
  };

  /// The bin of |value|, of a value that has_bin(); else meaningless.
  template <class SquareRoot = Root>
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> bin_of(T value, SquareRoot const& root = {}) const {
    U const bits = Kokkos::bit_cast<U>(value) & ~B::sign;
    T const mantissa = Kokkos::bit_cast<T>((bits & B::mantissa_mask) | B::one);
    return nearest_bin(bits & ~B::mantissa_mask, root(T(3) * mantissa - T(2)));
  }
  /// The place of |value|, of a value that has_bin(); else meaningless.
  KOKKOS_INLINE_FUNCTION static U place_of(T value) {
    U const bits = Kokkos::bit_cast<U>(value) & ~B::sign;
    T const mantissa = Kokkos::bit_cast<T>((bits & B::mantissa_mask) | B::one);
    T const root = Root()(T(3) * mantissa - T(2));
    return (bits & ~B::mantissa_mask) + Kokkos::bit_cast<U>(root) - B::one;
  }
  /// The ends of the magnitudes that have a bin.
  KOKKOS_INLINE_FUNCTION static T lowest() {
    return Kokkos::bit_cast<T>(static_cast<U>(B::first_exponent << B::mantissa));
  }
  KOKKOS_INLINE_FUNCTION static T highest() {
    return Kokkos::bit_cast<T>(static_cast<U>(((B::last_exponent + 1) << B::mantissa) - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool has_bin(T value) {
    return bin_key(Kokkos::bit_cast<U>(value)) < bin_keys;
  }
  /// Of the bits of a value: below bin_keys if it has a bin, so that the largest of several tells it of all.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bin_key(U bits) {
    auto const high = static_cast<std::uint32_t>(bits >> (8 * sizeof(U) - 32));
    return (high << 1) - (static_cast<std::uint32_t>(B::first_exponent) << exponent_place);
  }
  static constexpr int exponent_place = B::mantissa - 8 * static_cast<int>(sizeof(U)) + 33;
  static constexpr auto bin_keys =
      static_cast<std::uint32_t>(B::last_exponent + 1 - B::first_exponent) << exponent_place;

  /// Bits of the magnitude that a bin stands for; of one that quantize() never gives, of any number.
  KOKKOS_FORCEINLINE_FUNCTION U reconstruct(bin_t<T> bin) const {
    U const place = static_cast<U>(bin) * width;
    U const root_bits = (place & B::mantissa_mask) | B::one;
    T const root = Kokkos::bit_cast<T>(root_bits);
    return place - root_bits + Kokkos::bit_cast<U>((root * root + T(2)) * (T(1) / T(3)));
  }

 private:
  KOKKOS_INLINE_FUNCTION void prepare_division() {
    if constexpr (is_float) {
      while ((U{2} << shift) < width) ++shift;
      std::uint64_t const power = std::uint64_t{1} << (32 + shift);
      reciprocal = static_cast<U>((power + width - 1) / width);
    } else {
      constexpr U octave = U{1} << B::mantissa;
      whole_bins = octave / width;
      part_bins = static_cast<T>(octave % width) / static_cast<T>(width);
      bins = static_cast<T>(octave) / static_cast<T>(width);
    }
  }

  // The bin whose middle is nearest to the place with an exponent, in its own bits, and 1 + t.
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> nearest_bin(U exponent_bits, T root) const {
    if constexpr (is_float) {
      // Exact: the place and half a width are below 2^31, which the reciprocal is rounded for.
      U const place = exponent_bits + Kokkos::bit_cast<U>(root) + ((width >> 1) - B::one);
      return static_cast<bin_t<T>>(static_cast<U>((std::uint64_t{place} * reciprocal) >> 32) >>
                                   shift);
    } else {
      // The octaves' whole bins as integers, the rest rounded by an addition: 1.5 * 2^52 has it in its low bits.
      constexpr T magic = T(0x1.8p52), one = T(0x1p52);
      U const octaves = exponent_bits >> B::mantissa;
      T const number = Kokkos::bit_cast<T>(Kokkos::bit_cast<U>(one) | octaves) - one;
      T const shifted = (number * part_bins + (root - T(1)) * bins) + magic;
      return static_cast<bin_t<T>>(octaves * whole_bins + Kokkos::bit_cast<U>(shifted) -
                                   Kokkos::bit_cast<U>(magic));
    }
  }
};

}  // namespace kompakt::impl

#endif
