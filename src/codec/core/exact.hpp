#ifndef KOMPAKT_CORE_EXACT_HPP
#define KOMPAKT_CORE_EXACT_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <cmath>
#include <core/types.hpp>
#include <limits>

namespace kompakt::impl {

/// The nearest integer, ties to even. Kokkos has no name for it; the C library's is also CUDA's.
KOKKOS_FORCEINLINE_FUNCTION float round_to_even(float x) { return ::rintf(x); }
KOKKOS_FORCEINLINE_FUNCTION double round_to_even(double x) { return ::rint(x); }

/// Whether |a - b| <= bound in exact arithmetic, for any finite a and b and bound >= 0; false if
/// one of them is not finite. Must be compiled without contraction of a*b+c and without
/// value-changing optimisations.
/// Source: Dekker's two-sum; rounded + remainder is a - b exactly unless a - b overflows.
KOKKOS_INLINE_FUNCTION bool within_bound(double a, double b, double bound) {
  double const rounded = a - b;
  double const magnitude = Kokkos::fabs(rounded);
  // Rounding is monotone: a rounded difference below (above) the bound has the exact one below
  // (above) it; only equality is undecided.
  if (magnitude < bound) return true;
  if (magnitude != bound) return false;
  // The larger of a and -b first: then no intermediate result overflows.
  bool const a_is_larger = Kokkos::fabs(a) >= Kokkos::fabs(b);
  double const larger = a_is_larger ? a : -b;
  double const smaller = a_is_larger ? -b : a;
  double const remainder = smaller - (rounded - larger);
  return rounded < 0 ? remainder >= 0 : remainder <= 0;
}

/// Whether |a - b| <= bound * |a| in exact arithmetic, for any finite a and b and 0 <= bound < 1; false if
/// one of them is not finite. The same holds for how it is compiled.
KOKKOS_INLINE_FUNCTION bool within_relative_bound(double a, double b, double bound) {
  double const magnitude = Kokkos::fabs(a);
  double const estimate = bound * magnitude, distance = Kokkos::fabs(a - b);
  // Each side is rounded by far less; a distance that overflows is above |a|.
  constexpr double huge = std::numeric_limits<double>::max();
  if (!(distance <= 2 * estimate && distance <= huge)) return false;
  if (distance == 0) return true;
  // Different numbers are further apart than that. Of what follows no product is rounded to zero.
  if (bound < 0x1p-54) return false;
  double const scale = magnitude < 0x1p-500 ? 0x1p600 : (magnitude > 0x1p500 ? 0x1p-600 : 1.0);
  double const x = magnitude * scale, y = (a < 0 ? -b : b) * scale;
  // The allowed distance is product + product_rest, the distance is difference + difference_rest, without error.
  double const product = bound * x, product_rest = Kokkos::fma(bound, x, -product);
  double const larger = x > y ? x : y, smaller = x > y ? y : x;
  double const difference = larger - smaller, difference_rest = (larger - difference) - smaller;
  if (difference <= 0.5 * product) return true;
  // Both are now so near each other that this is exact; what is left to compare are the rests.
  double const excess = difference - product;
  double const room = product_rest - difference_rest;
  if (excess != room) return excess < room;
  double const virtual_rest = product_rest - room;
  return (product_rest - (room + virtual_rest)) + (virtual_rest - difference_rest) >= 0;
}

/// The double in front of x > 0.
KOKKOS_FORCEINLINE_FUNCTION double next_below(double x) {
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) - 1);
}

/// The largest double that is not above a - b in exact arithmetic, for finite a >= b.
/// Source: Dekker's two-sum, as in within_bound().
KOKKOS_INLINE_FUNCTION double difference_rounded_down(double a, double b) {
  double const rounded = a - b;
  bool const a_is_larger = Kokkos::fabs(a) >= Kokkos::fabs(b);
  double const larger = a_is_larger ? a : -b;
  double const smaller = a_is_larger ? -b : a;
  double const remainder = smaller - (rounded - larger);
  return remainder < 0 ? next_below(rounded) : rounded;
}

/// The largest double that is not above a * b in exact arithmetic, for finite a and b >= 0.
KOKKOS_INLINE_FUNCTION double product_rounded_down(double a, double b) {
  double const rounded = a * b;
  // Where the rest may be smaller than every double, both sides are compared in smaller units.
  double const scale = rounded < 0x1p-900 ? 0x1p200 : 1.0;
  double const rest = Kokkos::fma(a * scale, b, -rounded * scale);
  return rest < 0 ? next_below(rounded) : rounded;
}

/// Integers that are coded as numbers come back rounded. Within this bound of a number |x - x'| is below floor(bound) + 1/2, and
/// rounding adds at most 1/2, so that integers differ by floor(bound) at most.
KOKKOS_INLINE_FUNCTION double bound_of_numbers(double bound) {
  constexpr double most = 0x1p52 - 1;  // beyond it there are no halves
  return next_below((bound < most ? Kokkos::floor(bound) : most) + 0.5);
}
/// The same of a bound relative to each value: half of it, since |x| * bound / 2 + 1/2 < floor(|x| * bound) + 1.
KOKKOS_INLINE_FUNCTION double relative_bound_of_numbers(double bound) { return bound / 2; }

/// The bound of a range-relative request: value * (max - min), each step rounded down, so that it is never above the
/// product in exact arithmetic. Where that difference overflows, the products are taken first; the result is never
/// infinite.
KOKKOS_INLINE_FUNCTION double range_bound(double value, double smallest, double largest) {
  constexpr double huge = std::numeric_limits<double>::max();
  if (largest - smallest <= huge) {
    return product_rounded_down(value, difference_rounded_down(largest, smallest));
  }
  return difference_rounded_down(product_rounded_down(value, largest),
                                 -product_rounded_down(value, -smallest));
}

/// The largest T that is not above `bound` (>= 0, finite).
template <class T>
KOKKOS_INLINE_FUNCTION T round_down(double bound) {
  constexpr double largest = static_cast<double>(std::numeric_limits<T>::max());
  if (bound >= largest) return std::numeric_limits<T>::max();
  T const nearest = static_cast<T>(bound);
  if (static_cast<double>(nearest) <= bound) return nearest;
  // One step towards zero; nearest > bound >= 0, so its bits are a positive integer.
  return Kokkos::bit_cast<T>(
      static_cast<unsigned_t<T>>(Kokkos::bit_cast<unsigned_t<T>>(nearest) - 1));
}

/// Numbers as signed integers with the same order: of floating-point ones their bits, of negative ones those of
/// the magnitude inverted, so that -0 lies below 0, and NaNs outside [key(-inf), key(inf)]; of integers what they
/// are. T: float or double, as which all of its size are moved.
template <class T>
struct OrderedKeys {
  using S = bin_t<T>;
  S inverted = std::numeric_limits<S>::max();  ///< bits of negative numbers

  static constexpr S none = 0;  ///< `inverted` of integers

  KOKKOS_FORCEINLINE_FUNCTION S key(T value) const { return invert(Kokkos::bit_cast<S>(value)); }
  KOKKOS_FORCEINLINE_FUNCTION T value(S key) const { return Kokkos::bit_cast<T>(invert(key)); }

 private:
  KOKKOS_FORCEINLINE_FUNCTION S invert(S bits) const {
    return static_cast<S>(bits ^ (static_cast<S>(bits >> (sizeof(S) * 8 - 1)) & inverted));
  }
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bin_t<T> ordered(T value) {
  return OrderedKeys<T>().key(value);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T from_ordered(bin_t<T> key) {
  return OrderedKeys<T>().value(key);
}

}  // namespace kompakt::impl

#endif
