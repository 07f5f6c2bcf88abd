#ifndef KOMPAKT_CORE_CHECKSUM_HPP
#define KOMPAKT_CORE_CHECKSUM_HPP

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace kompakt::impl {

/// Contribution of one 4-byte word to a checksum. The checksum of a run of words is the sum of the
/// contributions modulo 2^32: the order of addition is free, so lanes and vector units share the
/// work, while the word's position enters its hash. A single altered word is always seen (the hash
/// is a bijection of the word), other damage with probability 1 - 2^-32.
/// \param seed  what the words belong to (a chunk's number, a section's id), so that a run found
///              in the wrong place does not pass
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t checksum_word(std::uint32_t word,
                                                                  std::uint32_t position,
                                                                  std::uint32_t seed) {
  std::uint32_t h = (word ^ seed) + (position + 1) * 0x9e3779b9u;  // golden ratio
  h = (h ^ (h >> 16)) * 0x21f0aaadu;  // a 2-multiply integer hash with low bias (C. Wellons)
  h = (h ^ (h >> 15)) * 0x735a2d97u;
  return h ^ (h >> 15);
}

/// Checksum of a run of words by one thread.
KOKKOS_INLINE_FUNCTION std::uint32_t checksum_words(std::uint32_t const* words, std::uint32_t count,
                                                    std::uint32_t seed) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += checksum_word(words[i], i, seed);
  return sum;
}

/// Seed of a chunk's checksum from its 64-bit number.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t chunk_seed(std::int64_t chunk) {
  auto const c = static_cast<std::uint64_t>(chunk);
  return static_cast<std::uint32_t>(c) * 0x85ebca6bu ^ static_cast<std::uint32_t>(c >> 32);
}

}  // namespace kompakt::impl

#endif
