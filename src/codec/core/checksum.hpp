#ifndef KOMPAKT_CORE_CHECKSUM_HPP
#define KOMPAKT_CORE_CHECKSUM_HPP

#include <Kokkos_Macros.hpp>
#include <core/team.hpp>
#include <cstdint>

namespace kompakt::impl {

/// Contribution of one 4-byte word to a checksum. The checksum of a run of words is the sum of the
/// contributions modulo 2^32: the order of addition is free, so lanes and vector units share the
/// work, while the word's position enters its hash. Damage passes with probability 2^-32.
/// One wide multiplication with an odd key, its halves folded; on a GPU 5 instructions a word, where
/// a hash of two rounds takes 11 and took a tenth of the coder's time.
/// \param seed  what the words belong to (a chunk's number, a section's id), so that a run found
///              in the wrong place does not pass
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t checksum_word(std::uint32_t word,
                                                                  std::uint32_t position,
                                                                  std::uint32_t seed) {
  std::uint32_t const key = position * 0x9e3779b8u + (2 * seed + 0x9e3779b9u);  // golden ratio
  std::uint64_t const product = static_cast<std::uint64_t>(word ^ key) * key;
  return static_cast<std::uint32_t>(product) ^ static_cast<std::uint32_t>(product >> 32);
}

/// Checksum of a run of words by one thread.
KOKKOS_INLINE_FUNCTION std::uint32_t checksum_words(std::uint32_t const* words, std::uint32_t count,
                                                    std::uint32_t seed) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += checksum_word(words[i], i, seed);
  return sum;
}

/// The checksum of words by a team; on all threads.
template <class Team>
KOKKOS_INLINE_FUNCTION std::uint32_t checksum_words(Team const& team, std::uint32_t const* words,
                                                    int count, std::uint32_t seed) {
  std::uint32_t sum = 0;
  team_for(team, count,
           [&](int i) { sum += checksum_word(words[i], static_cast<std::uint32_t>(i), seed); });
  return team_sum(team, sum);
}

/// Seed of a chunk's checksum from its 64-bit number.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t chunk_seed(std::int64_t chunk) {
  auto const c = static_cast<std::uint64_t>(chunk);
  return static_cast<std::uint32_t>(c) * 0x85ebca6bu ^ static_cast<std::uint32_t>(c >> 32);
}

}  // namespace kompakt::impl

#endif
