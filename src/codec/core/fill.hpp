#ifndef KOMPAKT_CORE_FILL_HPP
#define KOMPAKT_CORE_FILL_HPP

#include <Kokkos_BitManipulation.hpp>
#include <core/types.hpp>
#include <iterator>
#include <kompakt/field.hpp>
#include <limits>
#include <utility>

namespace kompakt::impl {

/// What stands for no value by convention: netCDF's, CMIP's as double and as float, and what many files have. Faces look for
/// them where nobody declared a fill value.
inline constexpr double conventional_fills[] = {
    9.969209968386869e36, 1e20, static_cast<double>(1e20f), -9999, -999, -32768};

/// One of them. Code of a device has no arrays of the host, but constants.
template <std::size_t number>
inline constexpr double conventional_fill = conventional_fills[number];

template <class T, std::size_t... number>
KOKKOS_INLINE_FUNCTION bool is_conventional_fill(T value, std::index_sequence<number...>) {
  return ((value == static_cast<T>(conventional_fill<number>)) || ...);
}
/// Whether a number stands for no value by convention.
template <class T>
KOKKOS_INLINE_FUNCTION bool is_conventional_fill(T value) {
  return is_conventional_fill(value, std::make_index_sequence<std::size(conventional_fills)>{});
}

/// The bits that stand for "no value here" in a field, if there are such: 1e20 over land, NaN outside the
/// radar's view. They take part in nothing and come back bit for bit.
template <class T>
struct Fill {
  bool known = false;
  T value = std::numeric_limits<T>::quiet_NaN();  ///< while not known, nothing equals it

  KOKKOS_FORCEINLINE_FUNCTION bool is(T v) const {
    return known && Kokkos::bit_cast<unsigned_t<T>>(v) == Kokkos::bit_cast<unsigned_t<T>>(value);
  }
};

/// Numbers among which all are that come back as a fill value: itself, and of other types than f32 and f64 what is rounded to it or
/// lies beyond it at an end of the type.
template <class T>
struct FillReach {
  T lowest = std::numeric_limits<T>::quiet_NaN(), highest = lowest;  ///< NaN: there are none

  KOKKOS_INLINE_FUNCTION static FillReach of(T fill, Dtype dtype) {
    switch (dtype) {
      case Dtype::i8: return of_integer(fill, T(-128), T(127));
      case Dtype::u8: return of_integer(fill, T(0), T(255));
      case Dtype::i16: return of_integer(fill, T(-32768), T(32767));
      case Dtype::u16: return of_integer(fill, T(0), T(65535));
      case Dtype::i32: return of_integer(fill, T(-2147483648.0), T(2147483647.0));
      case Dtype::u32: return of_integer(fill, T(0), T(4294967295.0));
      case Dtype::u64: return of_integer(fill, T(0), std::numeric_limits<T>::infinity());
      case Dtype::i64: return {fill - T(0.5), fill + T(0.5)};  // 2^53 is far from its ends
      case Dtype::f16: return of_half<Float16>(fill);
      case Dtype::bf16: return of_half<BFloat16>(fill);
      default: return {fill, fill};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(T number) const {
    return (number >= lowest) & (number <= highest);
  }

 private:
  KOKKOS_INLINE_FUNCTION static FillReach of_integer(T fill, T first, T last) {
    constexpr T infinity = std::numeric_limits<T>::infinity(), half = T(0.5);
    return {fill <= first ? -infinity : fill - half, fill >= last ? infinity : fill + half};
  }
  // From the middle between the fill value and one neighbour to that towards the other.
  template <class Half>
  KOKKOS_INLINE_FUNCTION static FillReach of_half(T fill) {
    constexpr T infinity = std::numeric_limits<T>::infinity(), half = T(0.5);
    T const magnitude = fill < 0 ? -fill : fill;
    unsigned const bits = Half::nearest(static_cast<float>(magnitude)).bits;
    auto const middle_to = [&](unsigned neighbour) {
      Half const other{static_cast<std::uint16_t>(neighbour)};
      return half * magnitude + half * static_cast<T>(other.number());
    };
    T const far = bits >= Half::largest().bits ? infinity : middle_to(bits + 1);
    T const near = bits == 0 ? -far : middle_to(bits - 1);
    return fill < 0 ? FillReach{-far, -near} : FillReach{near, far};
  }
};

}  // namespace kompakt::impl

#endif
