#ifndef KOMPAKT_CODER_BITSHUFFLE_BLOCKS_HPP
#define KOMPAKT_CODER_BITSHUFFLE_BLOCKS_HPP

#include <coder/bitshuffle/planes.hpp>
#include <core/team.hpp>
#include <kompakt/options.hpp>

// Elimination of zero blocks of 16 bytes, a plane of 4 neighbouring lanes, by one level of flags:
//
//   flags   for each plane a byte, whose bit g is set when the block of lanes 4g … 4g + 3 is not all
//           zero; padded to a word
//   blocks  those that are not, plane by plane, in the order of lanes
//
// Source: Zhang et al., FZ-GPU, HPDC 2023, sec. 3.4. Ours: planes above the widest code of the tile have
// no flags.

namespace kompakt::impl::bitshuffle {

inline constexpr int block_lanes = 4;

/// Words of flags in front of the blocks.
KOKKOS_FORCEINLINE_FUNCTION constexpr int block_flag_words(int planes) { return (planes + 3) / 4; }

struct BlockParts {
  int flag_words = 0, block_words = 0;

  KOKKOS_FORCEINLINE_FUNCTION int words() const { return flag_words + block_words; }
};

/// Team scratch.
struct BlockScratch {
  std::uint8_t flags[max_planes];
  std::uint16_t start[max_planes];  // words of the blocks of the planes before
};

/// The steps of BlocksBy that go over lanes and planes.
struct BlockSteps {
  /// scratch.flags of the first `count` planes.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void mark(Team const& team, TilePlanes const& planes,
                                               int count, BlockScratch& scratch) {
    team_for(team, count, [&](int p) {
      std::uint32_t flags = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) {
        flags |= static_cast<std::uint32_t>(planes.lane[lane][p] != 0) << (lane / block_lanes);
      }
      scratch.flags[p] = static_cast<std::uint8_t>(flags);
    });
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void put(Team const& team, TilePlanes const& planes, int count,
                                              BlockScratch const& scratch, std::uint32_t* out) {
    team_for(team, tile_lanes, [&](int lane) {
      for (int p = 0; p < count; ++p) {
        int const at = place_of(scratch, p, lane);
        if (at >= 0) out[at] = planes.lane[lane][p];
      }
    });
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void get(Team const& team, int count,
                                              BlockScratch const& scratch, std::uint32_t const* in,
                                              TilePlanes& planes) {
    team_for(team, tile_lanes, [&](int lane) {
      for (int p = 0; p < count; ++p) {
        int const at = place_of(scratch, p, lane);
        planes.lane[lane][p] = at < 0 ? 0 : in[at];
      }
    });
  }

 private:
  // Where among the blocks' words a lane's word of a plane lies, -1 if its block is eliminated.
  KOKKOS_FORCEINLINE_FUNCTION static int place_of(BlockScratch const& scratch, int p, int lane) {
    std::uint32_t const flags = scratch.flags[p];
    int const group = lane / block_lanes;
    if ((flags >> group & 1u) == 0) return -1;
    return scratch.start[p] + block_lanes * rank_in_mask(flags, group) + lane % block_lanes;
  }
};

/// The body for any team. Steps: BlockSteps, or what a backend has in their place.
template <class Steps>
struct BlocksBy {
  using Parts = BlockParts;
  using Scratch = BlockScratch;
  static constexpr Variant variant = Variant::fz;
  static constexpr bool sign_magnitude = true;

  template <class Team>
  KOKKOS_INLINE_FUNCTION static BlockParts measure(Team const& team, TilePlanes const& planes,
                                                   int count, Scratch& scratch) {
    Steps::mark(team, planes, count, scratch);
    return {block_flag_words(count), place_blocks(team, count, scratch)};
  }

  /// Writes parts.words() words.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void write(Team const& team, TilePlanes const& planes, int count,
                                           BlockParts const& parts, Scratch const& scratch,
                                           std::uint32_t* out) {
    team_for(team, parts.flag_words, [&](int i) {
      std::uint32_t word = 0;
      for (int p = 4 * i; p < 4 * i + 4 && p < count; ++p) {
        word |= static_cast<std::uint32_t>(scratch.flags[p]) << (p % 4 * 8);
      }
      out[i] = word;
    });
    Steps::put(team, planes, count, scratch, out + parts.flag_words);
  }

  /// Reads planes 0 … count - 1 from `words` untrusted words; returns, on all threads, whether their
  /// flags speak of exactly that many.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static bool read(Team const& team, std::uint32_t const* in, int words,
                                          int count, TilePlanes& planes, Scratch& scratch) {
    int const flag_words = block_flag_words(count);
    if (flag_words > words) return false;
    team_for(team, count, [&](int p) {
      scratch.flags[p] = static_cast<std::uint8_t>(in[p / 4] >> (p % 4 * 8));
    });
    if (flag_words + place_blocks(team, count, scratch) != words) return false;
    Steps::get(team, count, scratch, in + flag_words, planes);
    return true;
  }

 private:
  // Words of blocks; with a barrier before and after.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static int place_blocks(Team const& team, int count, Scratch& scratch) {
    team.team_barrier();
    int words = 0;
    for (int p = 0; p < count; ++p) {
      if (team.team_rank() == 0) scratch.start[p] = static_cast<std::uint16_t>(words);
      words += block_lanes * popcount(std::uint32_t{scratch.flags[p]});
    }
    team.team_barrier();
    return words;
  }
};

using Blocks = BlocksBy<BlockSteps>;

}  // namespace kompakt::impl::bitshuffle

#endif
