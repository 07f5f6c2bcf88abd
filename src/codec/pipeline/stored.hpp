#ifndef KOMPAKT_PIPELINE_STORED_HPP
#define KOMPAKT_PIPELINE_STORED_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <kompakt/field.hpp>
#include <type_traits>

// Values as they lie in the memory of a field, and as kernels take them: integers of 8 and 16 bits are words
// to them, on a host tile by tile (field_tile.hpp), on a device all at once; everything else is the same.

namespace kompakt::impl {

/// Whether values are words to kernels, but none where they lie.
inline bool is_narrow(Dtype dtype) { return size_of(dtype) < word_bytes; }

/// Calls body(S{}) with the type as which values lie in memory that kernels take as T.
template <class T, class Body>
decltype(auto) with_stored(Dtype dtype, Body const& body) {
  if constexpr (sizeof(T) == word_bytes) {
    if (size_of(dtype) == 1) return body(std::uint8_t{});
    if (size_of(dtype) == 2) return body(std::uint16_t{});
  }
  return body(T{});
}

/// One of these types from the other.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION To convert_stored(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (sizeof(From) < sizeof(To)) {
    return Kokkos::bit_cast<To>(static_cast<unsigned_t<To>>(value));
  } else {
    return static_cast<To>(Kokkos::bit_cast<unsigned_t<From>>(value));
  }
}

}  // namespace kompakt::impl

#endif
