#ifndef KOMPAKT_CORE_TILE_MASK_HPP
#define KOMPAKT_CORE_TILE_MASK_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/record.hpp>
#include <core/team.hpp>

// A bit for each value of a tile, as the mask and the signs of a record have it: a word a lane, of which
// only those are stored that are neither all zeros nor all ones:
//   any   bit l: lane l has bits
//   full  bit l: all of lane l has
//   the words of the other lanes that have some, in order
// Fill values come in regions (land, outside the radar's view), as do negative numbers, so most lanes take two
// bits.

namespace kompakt::impl {

/// What the bits of a tile take, lane by lane.
struct MaskSize {
  int set = 0;
  int words = 2;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::uint32_t bits) {
    set += popcount(bits);
    words += bits != 0 && bits != ~0u ? 1 : 0;
  }
  /// As RecordTail has it, of a tile with `size` values.
  KOKKOS_FORCEINLINE_FUNCTION int stored(int size) const {
    if (set == 0) return 0;
    return set == size ? RecordTail::all : words;
  }
};

/// Writes the bits: the words that MaskSize counts.
/// \param bits  a word a lane
template <class Team>
KOKKOS_INLINE_FUNCTION void write_mask(Team const& team, std::uint32_t const* bits,
                                       std::uint32_t* out) {
  team_for(team, 1, [&](int) {
    std::uint32_t any = 0, full = 0;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      any |= static_cast<std::uint32_t>(bits[lane] != 0) << lane;
      full |= static_cast<std::uint32_t>(bits[lane] == ~0u) << lane;
    }
    out[0] = any;
    out[1] = full;
  });
  team_for(team, tile_lanes, [&](int lane) {
    if (bits[lane] == 0 || bits[lane] == ~0u) return;
    int rank = 2;
    for (int before = 0; before < lane; ++before) {
      rank += bits[before] != 0 && bits[before] != ~0u ? 1 : 0;
    }
    out[rank] = bits[lane];
  });
}

/// Untrusted bits of a tile, read lane by lane.
class TileMask {
 public:
  /// \param stored  as RecordTail has it, at most RecordTail::most
  /// \param in      its words
  KOKKOS_FORCEINLINE_FUNCTION TileMask(int stored, std::uint32_t const* in)
      : m_words(in + 2), m_any(0), m_full(0), m_sound(true) {
    if (stored == RecordTail::all) m_any = m_full = ~0u;
    if (stored <= RecordTail::all) return;
    m_any = in[0];
    m_full = in[1];
    m_sound = (m_full & ~m_any) == 0 && popcount(m_any & ~m_full) + 2 == stored;
  }
  /// Whether there are as many words as the first two tell; else none may be read.
  KOKKOS_FORCEINLINE_FUNCTION bool is_sound() const { return m_sound; }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word(int lane) const {
    std::uint32_t const mixed = m_any & ~m_full;
    if (mixed >> lane & 1u) return m_words[rank_in_mask(mixed, lane)];
    return m_full >> lane & 1u ? ~0u : 0u;
  }
  /// Whether a lane's word is one that had to be stored, or was not.
  KOKKOS_FORCEINLINE_FUNCTION bool is_sound(int lane) const {
    bool const mixed = (m_any & ~m_full) >> lane & 1u;
    return !mixed || (word(lane) != 0 && word(lane) != ~0u);
  }

 private:
  std::uint32_t const* m_words;
  std::uint32_t m_any, m_full;
  bool m_sound;
};

}  // namespace kompakt::impl

#endif
