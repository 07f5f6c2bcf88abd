#ifndef KOMPAKT_PIPELINE_STORED_HPP
#define KOMPAKT_PIPELINE_STORED_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <core/exact.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <kompakt/field.hpp>
#include <limits>
#include <type_traits>

// Values as they lie in the memory of a field, and as kernels take them. Without loss values of 8 and 16 bits are words to them, on a
// host tile by tile (field_tile.hpp), on a device all at once. Within a bound integers, f16 and bf16 are the numbers that they are.
// Everything else is the same.

namespace kompakt::impl {

/// Whether values are words to kernels, but none where they lie.
inline bool is_narrow(Dtype dtype) { return size_of(dtype) < word_bytes; }

/// An integer in the memory of a field that kernels take as the number that it is.
template <class N>
struct Whole {
  N number;
};
template <class S>
inline constexpr bool is_whole = false;
template <class N>
inline constexpr bool is_whole<Whole<N>> = true;

/// A number of 16 bits that kernels take as a word: words of an integer type then order as the numbers do.
struct OrderedHalf {
  std::uint16_t bits;

  KOKKOS_FORCEINLINE_FUNCTION static std::uint16_t flipped(std::uint16_t bits) {
    return static_cast<std::uint16_t>(bits & 0x8000u ? bits ^ 0x7fffu : bits);
  }
};

/// Whether values that lie in memory as one type are numbers of another one to kernels.
inline bool are_converted(Dtype stored, Dtype coded) { return stored != coded; }

/// Calls body(S{}) with the type as which values lie in memory that kernels take as numbers of another type T.
template <class T, class Body>
decltype(auto) with_rounded(Dtype dtype, Body const& body) {
  if constexpr (sizeof(T) == word_bytes) {
    switch (dtype) {
      case Dtype::f16: return body(Float16{});
      case Dtype::bf16: return body(BFloat16{});
      case Dtype::i8: return body(Whole<std::int8_t>{});
      case Dtype::u8: return body(Whole<std::uint8_t>{});
      case Dtype::i16: return body(Whole<std::int16_t>{});
      default: return body(Whole<std::uint16_t>{});
    }
  } else {
    switch (dtype) {
      case Dtype::i32: return body(Whole<std::int32_t>{});
      case Dtype::u32: return body(Whole<std::uint32_t>{});
      case Dtype::i64: return body(Whole<std::int64_t>{});
      default: return body(Whole<std::uint64_t>{});
    }
  }
}

/// Calls body(S{}) with the type as which values lie in memory that kernels take as words of type T.
template <class T, class Body>
decltype(auto) with_narrow(Dtype stored, Body const& body) {
  if constexpr (sizeof(T) == word_bytes) {
    if (is_half(stored)) return body(OrderedHalf{});
    if (size_of(stored) == 1) return body(std::uint8_t{});
    if (size_of(stored) == 2) return body(std::uint16_t{});
  }
  return body(T{});
}

/// The same of values that kernels take as words or as numbers.
/// \param coded  as which they are coded (coded_type())
template <class T, class Body>
decltype(auto) with_stored(Dtype stored, Dtype coded, Body const& body) {
  if (are_converted(stored, coded)) return with_rounded<T>(stored, body);
  return with_narrow<T>(stored, body);
}

/// The integer nearest to a number, or the end of the type beyond which it lies; the lowest one for NaN.
template <class N, class T>
KOKKOS_FORCEINLINE_FUNCTION N nearest_integer(T number) {
  constexpr N lowest = std::numeric_limits<N>::min(), highest = std::numeric_limits<N>::max();
  T const rounded = round_to_even(number);
  // Of 64 bits the highest one is no number of T: the next one is, and no number below it is too large.
  if (!(rounded > static_cast<T>(lowest))) return lowest;
  if (!(rounded < static_cast<T>(highest))) return highest;
  return static_cast<N>(rounded);
}

/// One of these types from the other.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION To convert_stored(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_whole<From>) {
    return static_cast<To>(value.number);
  } else if constexpr (is_whole<To>) {
    return {nearest_integer<decltype(To::number)>(value)};
  } else if constexpr (HalfFloat<From>) {
    return static_cast<To>(value.number());
  } else if constexpr (HalfFloat<To>) {
    return To::nearest(static_cast<float>(value));
  } else if constexpr (std::is_same_v<From, OrderedHalf>) {
    return Kokkos::bit_cast<To>(static_cast<unsigned_t<To>>(OrderedHalf::flipped(value.bits)));
  } else if constexpr (std::is_same_v<To, OrderedHalf>) {
    return {OrderedHalf::flipped(
        static_cast<std::uint16_t>(Kokkos::bit_cast<unsigned_t<From>>(value)))};
  } else if constexpr (sizeof(From) < sizeof(To)) {
    return Kokkos::bit_cast<To>(static_cast<unsigned_t<To>>(value));
  } else {
    return static_cast<To>(Kokkos::bit_cast<unsigned_t<From>>(value));
  }
}

}  // namespace kompakt::impl

#endif
