#ifndef KOMPAKT_CORE_FINITE_KEYS_HPP
#define KOMPAKT_CORE_FINITE_KEYS_HPP

#include <core/exact.hpp>
#include <core/quantize.hpp>
#include <core/types.hpp>
#include <limits>

namespace kompakt::impl {

/// ordered() keys of the ends of the finite numbers, as unsigned numbers to reckon with: how far a value
/// lies above the one and below the other. What is not finite wraps around to a large distance.
template <class T>
struct FiniteKeys {
  using U = unsigned_t<T>;
  KOKKOS_FORCEINLINE_FUNCTION static U lowest() {
    return static_cast<U>(ordered(std::numeric_limits<T>::lowest()));
  }
  KOKKOS_FORCEINLINE_FUNCTION static U highest() {
    return static_cast<U>(ordered(std::numeric_limits<T>::max()));
  }
  KOKKOS_FORCEINLINE_FUNCTION static U above_lowest(T value) {
    return static_cast<U>(ordered(value)) - lowest();
  }
  KOKKOS_FORCEINLINE_FUNCTION static U below_highest(T value) {
    return highest() - static_cast<U>(ordered(value));
  }
  /// Whether the least distance of some values is that of a finite one.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_finite(U distance) {
    return distance <= highest() - lowest();
  }
  /// Whether a value is NaN or infinite.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_special(T value) {
    constexpr U exponent = sizeof(T) == 4 ? U(0x7f800000u) : static_cast<U>(0x7ff0000000000000ull);
    return (Kokkos::bit_cast<U>(value) & exponent) == exponent;
  }
  /// Whether a value counts in what is said of the values of a field.
  KOKKOS_FORCEINLINE_FUNCTION static bool counts(T value, Fill<T> const& fill) {
    // Not known, the fill value is a NaN.
    return is_finite(above_lowest(value)) &&
           Kokkos::bit_cast<U>(value) != Kokkos::bit_cast<U>(fill.value);
  }
  KOKKOS_FORCEINLINE_FUNCTION static T value_above_lowest(U distance) {
    return from_ordered<T>(static_cast<bin_t<T>>(lowest() + distance));
  }
  KOKKOS_FORCEINLINE_FUNCTION static T value_below_highest(U distance) {
    return from_ordered<T>(static_cast<bin_t<T>>(highest() - distance));
  }
};

}  // namespace kompakt::impl

#endif
