#ifndef KOMPAKT_PIPELINE_CHUNK_HPP
#define KOMPAKT_PIPELINE_CHUNK_HPP

#include <Kokkos_Core.hpp>
#include <container/format.hpp>
#include <core/checksum.hpp>
#include <core/lattice.hpp>
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
  /// Words of it at the end of a chunk.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int end_words(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int end_words() { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t* chunk, std::uint32_t*) const {
    store(chunk);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t* chunk) const {
    chunk[0] = word[0];
    chunk[1] = word[1];
  }
};

/// The same of a chunk of 32 tiles, most of which may be empty: which of them are not, and the lengths of these, two in
/// the second word and all others in the last words of the chunk.
struct SparseChunkHead {
  std::uint32_t tiles = 0;  ///< a bit for each that is not empty
  std::uint32_t packed[16] = {};

  /// Words at the end of a chunk with so many tiles that are not empty.
  KOKKOS_FORCEINLINE_FUNCTION static int end_words(int tiles) {
    return tiles > 2 ? (tiles - 1) / 2 : 0;
  }
  /// Of the t-th record, once, in ascending order.
  KOKKOS_FORCEINLINE_FUNCTION void set_length(int t, int words) {
    if (words == 0) return;
    int const number = popcount(tiles);
    packed[number / 2] |= static_cast<std::uint32_t>(words) << (number % 2 * 16);
    tiles |= 1u << t;
  }
  KOKKOS_FORCEINLINE_FUNCTION int end_words() const { return end_words(popcount(tiles)); }
  /// \param end  where the records end
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t* chunk, std::uint32_t* end) const {
    chunk[0] = tiles;
    chunk[1] = packed[0];
    for (int i = 0; i < end_words(); ++i) end[i] = packed[1 + i];
  }
};

/// The lengths of the records of an untrusted chunk: what a ChunkHead or a SparseChunkHead wrote.
class ChunkLengths {
 public:
  /// \param words  of the chunk, at least those of its head
  KOKKOS_FORCEINLINE_FUNCTION ChunkLengths(ChunkHead, std::uint32_t const* chunk, int words)
      : m_head(ChunkHead::of(chunk)), m_end(words) {}
  KOKKOS_FORCEINLINE_FUNCTION int operator()(int t) const { return m_head.length(t); }
  /// Words of the chunk before which its records end; the chunk is damaged if that is inside of its head.
  KOKKOS_FORCEINLINE_FUNCTION int end() const { return m_end; }
  /// Whether it is as the head writes it; any four lengths are.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_sound(Team const&) {
    return true;
  }

 private:
  ChunkHead m_head;
  int m_end;
};
class SparseChunkLengths {
 public:
  KOKKOS_FORCEINLINE_FUNCTION SparseChunkLengths(SparseChunkHead, std::uint32_t const* chunk,
                                                 int words)
      : m_chunk(chunk), m_end(words - SparseChunkHead::end_words(popcount(chunk[0]))) {}
  KOKKOS_FORCEINLINE_FUNCTION int operator()(int t) const {
    if ((m_chunk[0] >> t & 1u) == 0) return 0;
    return length(popcount(m_chunk[0] & ((1u << t) - 1)));
  }
  KOKKOS_FORCEINLINE_FUNCTION int end() const { return m_end; }
  /// No tile that has a length is without one, and what pads them is 0. Expects an end behind the head.
  /// The verdict of a team, on all threads.
  template <class Team>
  KOKKOS_INLINE_FUNCTION bool is_sound(Team const& team) const {
    int const tiles = popcount(m_chunk[0]);
    bool is_damaged = tiles == 0 && m_chunk[1] != 0;
    team_for(team, (tiles + 1) / 2 * 2,
             [&](int number) { is_damaged |= (length(number) == 0) != (number >= tiles); });
    return !team_any(team, is_damaged);
  }

 private:
  // Of the tile with this number among those that have one.
  KOKKOS_FORCEINLINE_FUNCTION int length(int number) const {
    std::uint32_t const of_two = number < 2 ? m_chunk[1] : m_chunk[m_end + number / 2 - 1];
    return static_cast<int>(of_two >> (number % 2 * 16) & 0xffffu);
  }

  std::uint32_t const* m_chunk;
  int m_end;
};

/// The head of the chunks of a grid, and what reads it.
template <class Grid>
struct ChunkForm {
  using Head = ChunkHead;
  using Lengths = ChunkLengths;
};
template <class Shape>
struct ChunkForm<LevelGrid<Shape>> {
  using Head = SparseChunkHead;
  using Lengths = SparseChunkLengths;
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
