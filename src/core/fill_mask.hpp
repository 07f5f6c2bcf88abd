#ifndef KOMPAKT_CORE_FILL_MASK_HPP
#define KOMPAKT_CORE_FILL_MASK_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/record.hpp>
#include <core/team.hpp>

// Which values of a tile are the field's fill value: a bit each, a word a lane, of which only those are
// stored that are neither all zeros nor all ones:
//   any   bit l: lane l has fill values
//   full  bit l: all of lane l are
//   the words of the other lanes that have some, in order
// Fill values come in regions (land, outside the radar's view), so most lanes take two bits.

namespace kompakt::impl {

/// What the mask of a tile takes, lane by lane.
struct MaskSize {
  int masked = 0;
  int words = 2;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::uint32_t mask) {
    masked += popcount(mask);
    words += mask != 0 && mask != ~0u ? 1 : 0;
  }
  /// RecordTail::mask() of a tile with `size` values.
  KOKKOS_FORCEINLINE_FUNCTION int stored(int size) const {
    if (masked == 0) return 0;
    return masked == size ? RecordTail::all_fill : words;
  }
};

/// Writes the mask: RecordTail::mask_words() words.
/// \param masked  a word a lane
template <class Team>
KOKKOS_INLINE_FUNCTION void write_mask(Team const& team, std::uint32_t const* masked,
                                       std::uint32_t* out) {
  team_for(team, 1, [&](int) {
    std::uint32_t any = 0, full = 0;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      any |= static_cast<std::uint32_t>(masked[lane] != 0) << lane;
      full |= static_cast<std::uint32_t>(masked[lane] == ~0u) << lane;
    }
    out[0] = any;
    out[1] = full;
  });
  team_for(team, tile_lanes, [&](int lane) {
    if (masked[lane] == 0 || masked[lane] == ~0u) return;
    int rank = 2;
    for (int before = 0; before < lane; ++before) {
      rank += masked[before] != 0 && masked[before] != ~0u ? 1 : 0;
    }
    out[rank] = masked[lane];
  });
}

/// Reads an untrusted mask of `words` >= 2 words: take(lane, register) of each fill value, which tells
/// whether there is such a place. Returns whether the mask is sound and this thread's places were taken.
template <class Team, class Take>
KOKKOS_INLINE_FUNCTION bool read_mask(Team const& team, std::uint32_t const* in, int words,
                                      Take const& take) {
  std::uint32_t const any = in[0], full = in[1], mixed = any & ~full;
  if ((full & ~any) != 0 || popcount(mixed) + 2 != words) return false;
  bool sound = true;
  team_for(team, tile_lanes, [&](int lane) {
    std::uint32_t mask = full >> lane & 1u ? ~0u : 0u;
    if (mixed >> lane & 1u) {
      mask = in[2 + popcount(mixed & ((1u << lane) - 1))];
      sound &= mask != 0 && mask != ~0u;
    }
    for (; mask != 0; mask &= mask - 1) sound &= take(lane, lowest_bit(mask));
  });
  return sound;
}

}  // namespace kompakt::impl

#endif
