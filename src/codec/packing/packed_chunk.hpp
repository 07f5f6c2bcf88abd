#ifndef KOMPAKT_PACKING_PACKED_CHUNK_HPP
#define KOMPAKT_PACKING_PACKED_CHUNK_HPP

#include <core/rans.hpp>

// A packed chunk: unless it has one lane only, the lengths of its lanes in halfwords, a byte each, padded to a halfword;
// then the lanes. A lane is as long as its words if it is these words, and shorter if it is coded.

namespace kompakt::impl {

/// What the index of a packed stream says of a chunk.
struct PackedEntry {
  std::uint16_t halfwords;  ///< that it takes
  std::uint16_t words;      ///< that it is
};

/// The largest chunk that is packed: the lengths of its lanes and these as they are still count as 16 bits.
inline constexpr std::int64_t max_packed_words = 32000;

KOKKOS_FORCEINLINE_FUNCTION constexpr int lane_count(int words) {
  return ceil_div(words, rans::lane_words);
}
/// More than that has none, whatever the stream says.
inline constexpr int max_lanes = 1024;
/// Words of the i-th lane.
KOKKOS_FORCEINLINE_FUNCTION constexpr int words_of_lane(int words, int lane) {
  int const left = words - lane * rans::lane_words;
  return left < rans::lane_words ? left : rans::lane_words;
}
/// Halfwords of the lengths in front of the lanes.
KOKKOS_FORCEINLINE_FUNCTION constexpr int length_halfwords(int words) {
  int const lanes = lane_count(words);
  return lanes > 1 ? ceil_div(lanes, 2) : 0;
}

/// A packed chunk in memory, of which nothing is known but that it is there.
struct PackedChunk {
  std::uint16_t const* data;
  int halfwords, words;

  /// Decodes the lanes first, first + step, …; whether they are sound, as far as these lanes tell.
  /// \param steps  2^11 for each of `tables`
  /// \param out    where the chunk's words go
  KOKKOS_INLINE_FUNCTION bool unpack(int first, int step, rans::Step const* steps, int tables,
                                     std::uint32_t* out) const {
    if (words == 0) return halfwords == 0;
    bool sound = has_lengths();
    int at = length_halfwords(words), next = 0;  // where the lane of this number begins
    for (int lane = first; sound && lane < lane_count(words); lane += step) {
      for (; next < lane; ++next) at += length(next);
      sound = decode(lane, at, steps, tables, out + lane * rans::lane_words);
    }
    return sound;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int length(int lane) const {
    return lane_count(words) > 1 ? static_cast<int>(data[lane / 2]) >> lane % 2 * 8 & 0xff
                                 : halfwords;
  }
  // Whether there are lengths for the words, padded with zero.
  KOKKOS_FORCEINLINE_FUNCTION bool has_lengths() const {
    int const lanes = lane_count(words), size = length_halfwords(words);
    if (size > halfwords) return false;
    bool const is_padded = size > 0 && lanes % 2 != 0;
    return !is_padded || data[size - 1] >> 8 == 0;
  }
  // A lane that begins at halfword `at`; the last one ends with the chunk.
  KOKKOS_INLINE_FUNCTION bool decode(int lane, int at, rans::Step const* steps, int tables,
                                     std::uint32_t* out) const {
    int const size = length(lane), count = words_of_lane(words, lane);
    bool const is_last = lane == lane_count(words) - 1;
    if (size < 2 || size > 2 * count ||
        (is_last ? at + size != halfwords : at + size > halfwords)) {
      return false;
    }
    std::uint16_t const* const in = data + at;
    if (size < 2 * count) return rans::decode_lane(in, size, steps, tables, count, out);
    for (int i = 0; i < count; ++i) {
      out[i] = in[2 * i] | static_cast<std::uint32_t>(in[2 * i + 1]) << 16;
    }
    return true;
  }
};

}  // namespace kompakt::impl

#endif
