#ifndef KOMPAKT_PIPELINE_CHUNK_HPP
#define KOMPAKT_PIPELINE_CHUNK_HPP

#include <Kokkos_Core.hpp>
#include <container/format.hpp>
#include <core/checksum.hpp>
#include <core/team.hpp>
#include <core/tile.hpp>

// What the encoder and the decoder of a chunk must agree on beside the records.

namespace kompakt::impl {

/// The lengths of a chunk's records, in words, as its first two words hold them; its checksum follows.
struct ChunkHead {
  static constexpr int length_words = 2;
  std::uint32_t word[length_words] = {0, 0};

  KOKKOS_FORCEINLINE_FUNCTION static ChunkHead of(std::uint32_t const* chunk) {
    return {{chunk[0], chunk[1]}};
  }
  /// Of the t-th record, once.
  KOKKOS_FORCEINLINE_FUNCTION void set_length(int t, int words) {
    word[t / 2] |= static_cast<std::uint32_t>(words) << (t % 2 * 16);
  }
  KOKKOS_FORCEINLINE_FUNCTION int length(int t) const {
    std::uint32_t const of_two = t < 2 ? word[0] : word[1];
    return static_cast<int>(of_two >> (t % 2 * 16) & 0xffffu);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t* chunk) const {
    chunk[0] = word[0];
    chunk[1] = word[1];
  }
};

/// Whether a chunk of so many can lie at these bytes of a payload: an untrusted pair of index entries.
KOKKOS_FORCEINLINE_FUNCTION bool is_place_of_chunk(std::uint64_t start, std::uint64_t end,
                                                   std::uint64_t payload_bytes, std::int64_t chunk,
                                                   std::int64_t chunks) {
  bool const last = chunk + 1 == chunks;
  return start <= end && end <= payload_bytes && ((start | end) & (word_bytes - 1)) == 0 &&
         (chunk != 0 || start == 0) && (!last || end == payload_bytes);
}

/// Checksum of a chunk's words, all but the checksum word itself; on all threads.
template <class Team>
KOKKOS_INLINE_FUNCTION std::uint32_t chunk_checksum(Team const& team, std::int64_t chunk,
                                                    std::uint32_t const* words, int count) {
  std::uint32_t const seed = chunk_seed(chunk);
  std::uint32_t sum = 0;
  team_for(team, count - 3, [&](int i) {
    sum += checksum_word(words[i + 3], static_cast<std::uint32_t>(i + 3), seed);
  });
  if (team.team_rank() == 0) {
    sum += checksum_word(words[0], 0, seed) + checksum_word(words[1], 1, seed);
  }
  return team_sum(team, sum);
}

/// Place of a value in a raw record, which holds only what lies inside the field.
template <class Shape>
KOKKOS_FORCEINLINE_FUNCTION int packed_place(TileBox const& box, int place) {
  int const x = place % Shape::X;
  int const y = place / Shape::X % Shape::Y;
  int const z = place / (Shape::X * Shape::Y);
  return (z * box.ny + y) * box.nx + x;
}

}  // namespace kompakt::impl

#endif
