#ifndef KOMPAKT_CORE_TYPES_HPP
#define KOMPAKT_CORE_TYPES_HPP

// The vocabulary of the code.
//
//   value    a number of the user's field, float or double
//   bin      the integer k a value is quantised to: x' = k * 2 bound
//   residual what is left of a bin after prediction; zig-zagged it is a small unsigned number
//   tile     1024 values that are predicted among themselves and coded into one record
//   lane     32 values of a tile, a block of the coder; one thread of a warp owns one
//   record   the bytes of a tile, a whole number of 4-byte words
//   chunk    4 consecutive tiles: unit of placement, of the index, of the checksum, of random access

#include <Kokkos_Macros.hpp>
#include <bit>
#include <cstdint>
#include <limits>

// Loops over the registers of a thread: unrolled on a device, where an array that is indexed at run
// time would live in memory; left to the vectoriser on a host.
#if defined(__CUDA_ARCH__)
#define KOMPAKT_UNROLL _Pragma("unroll")
#else
#define KOMPAKT_UNROLL
#endif
// Loops in kernels that run once, on one block: fetching a long program takes longer than it saves.
#if defined(__CUDA_ARCH__)
#define KOMPAKT_ROLL _Pragma("unroll 1")
#else
#define KOMPAKT_ROLL
#endif

namespace kompakt::impl {

static_assert(std::endian::native == std::endian::little,
              "kompakt: streams are little-endian and are written as they lie in memory");

inline constexpr int lane_values = 32;  // cuSZp2's block; one bit of each fills a 32-bit plane word
inline constexpr int tile_lanes = 32;   // a warp
inline constexpr int tile_values = lane_values * tile_lanes;
inline constexpr int chunk_tiles = 4;
inline constexpr int sparse_chunk_tiles =
    32;  // of predictors that leave most tiles without residuals
inline constexpr int word_bytes = 4;

/// Integer types that go with a type of values, and the largest |bin| (decided so that a bin is
/// exact as a value, and a Lorenzo sum over eight corners stays inside bin_t).
template <class T>
struct ValueTraits;

template <>
struct ValueTraits<float> {
  using bin_t = std::int32_t;
  using unsigned_t = std::uint32_t;
  static constexpr float bin_limit = 16777216.0f;  // 2^24
};

template <>
struct ValueTraits<double> {
  using bin_t = std::int64_t;
  using unsigned_t = std::uint64_t;
  static constexpr double bin_limit = 2251799813685248.0;  // 2^51
};

template <class T>
using bin_t = typename ValueTraits<T>::bin_t;
template <class T>
using unsigned_t = typename ValueTraits<T>::unsigned_t;

template <class T>
inline constexpr int value_words = static_cast<int>(sizeof(T)) / word_bytes;

}  // namespace kompakt::impl

#endif
