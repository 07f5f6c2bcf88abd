#ifndef KOMPAKT_CODER_BITSHUFFLE_RECORD_HPP
#define KOMPAKT_CODER_BITSHUFFLE_RECORD_HPP

#include <Kokkos_Core.hpp>
#include <coder/bitshuffle/blocks.hpp>
#include <coder/bitshuffle/nested.hpp>
#include <coder/bitshuffle/planes.hpp>
#include <coder/bitshuffle/seat.hpp>
#include <coder/outlier_list.hpp>
#include <core/bits.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <kompakt/options.hpp>
#include <type_traits>

// Bit shuffle of a tile: residuals as 16-bit codes, the codes as bit planes, and what is zero in the
// planes eliminated. Words of a record, between its head and its tail:
//
//   outliers    only if there are residuals without a 16-bit code: their number, then a list of their
//               places and themselves (outlier_list.hpp). Their code is 0
//   planes      of all lanes, as nested.hpp or blocks.hpp has them
//
// The coder's bits of the head word: 0-4 number of planes, 5 whether there is an outlier list. The stream's
// variant says which elimination it is and with it the kind of codes: zig-zags, or, for fz, sign and
// magnitude.
// Source: Zhang et al., FZ-GPU, HPDC 2023. Ours: the outlier list, where FZ-GPU's codes wrap around; the
// lanes' words are shuffled by themselves, so that a thread needs no others to do it.

namespace kompakt::impl {

/// \tparam Elimination  bitshuffle::Nested or bitshuffle::Blocks, or what a backend has in their place
/// \tparam Lane         the same for bitshuffle::PlanesOfLane
template <class T, class EliminationType, class Lane = bitshuffle::PlanesOfLane>
class Bitshuffle {
 public:
  using Seat = std::conditional_t<EliminationType::variant == Variant::fz, seat::BitshuffleFz,
                                  seat::BitshuffleNested>;
  using U = unsigned_t<T>;

  /// What measure() and write() take from the arguments of the walk, and read().
  struct EncodeContext {};
  struct DecodeContext {};
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static EncodeContext encode_context(Args const&) {
    return {};
  }
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static DecodeContext decode_context(Args const&) {
    return {};
  }
  using Elimination = EliminationType;

  /// Team scratch.
  struct Scratch {
    bitshuffle::TilePlanes planes;
    std::uint32_t wide[tile_lanes];   // bit a register: its residual is in the outlier list
    std::uint8_t widths[tile_lanes];  // planes of each lane
    typename Elimination::Scratch elimination;
  };

  /// Everything about a record but its words; the same on all threads.
  struct Plan {
    int planes = 0;
    int wide = 0;  ///< residuals in the outlier list
    typename Elimination::Parts parts{};

    KOKKOS_FORCEINLINE_FUNCTION int wide_words() const { return outlier_list_words<T>(wide); }
    KOKKOS_FORCEINLINE_FUNCTION int words() const { return wide_words() + parts.words(); }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coder_bits() const {
      return static_cast<std::uint32_t>(planes) | (wide > 0 ? 32u : 0u);
    }
    /// Takes coder_bits() and the count of the outlier list from an untrusted record of `words` words;
    /// whether there is room for the list.
    KOKKOS_FORCEINLINE_FUNCTION bool take_front(std::uint32_t coder_bits, std::uint32_t const* in,
                                                int words) {
      planes = static_cast<int>(coder_bits & 31u);
      if ((coder_bits >> 6) != 0 || planes > bitshuffle::max_planes) return false;
      return (coder_bits >> 5 & 1u) == 0 || take_outlier_count<T>(in, words, wide);
    }
  };

  /// Sizes the record of a tile. residuals: natural order, 0 outside the field.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static Plan measure(Team const& team, EncodeContext, U const* residuals,
                                             Scratch& scratch) {
    Plan plan;
    team_for(team, tile_lanes, [&](int lane) {
      scratch.widths[lane] =
          static_cast<std::uint8_t>(Lane::template make<Shape, Elimination::sign_magnitude>(
              residuals, lane, scratch.planes.lane[lane], scratch.wide[lane]));
    });
    team.team_barrier();
    for (int lane = 0; lane < tile_lanes; ++lane) {
      plan.planes = scratch.widths[lane] > plan.planes ? scratch.widths[lane] : plan.planes;
      plan.wide += popcount(scratch.wide[lane]);
    }
    plan.parts = Elimination::measure(team, scratch.planes, plan.planes, scratch.elimination);
    return plan;
  }

  /// Writes plan.words() words. Needs the scratch as measure() left it.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void write(Team const& team, EncodeContext, Plan const& plan,
                                           U const* residuals, Scratch& scratch,
                                           std::uint32_t* out) {
    if (plan.wide > 0) {
      write_outlier_list<Shape, T>(team, plan.wide, scratch.wide, residuals, out);
      out += plan.wide_words();
    }
    Elimination::write(team, scratch.planes, plan.planes, plan.parts, scratch.elimination, out);
  }

  /// Reads the coder's words of an untrusted record into residuals (natural order).
  /// \param words  how many words there are; returns false, on all threads, unless the record's
  ///               own description comes to exactly that many
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static bool read(Team const& team, DecodeContext, std::uint32_t coder_bits,
                                          std::uint32_t const* in, int words, U* residuals,
                                          Scratch& scratch) {
    Plan plan;
    if (!plan.take_front(coder_bits, in, words)) return false;
    if (!Elimination::read(team, in + plan.wide_words(), words - plan.wide_words(), plan.planes,
                           scratch.planes, scratch.elimination)) {
      return false;
    }
    team_for(team, tile_lanes, [&](int lane) {
      Lane::template read<Shape, Elimination::sign_magnitude>(scratch.planes.lane[lane],
                                                              plan.planes, lane, residuals);
    });
    team.team_barrier();
    return plan.wide == 0 || read_outlier_list<Shape, T>(team, in, plan.wide, residuals);
  }
};

template <class T>
using BitshuffleNested = Bitshuffle<T, bitshuffle::Nested>;
template <class T>
using BitshuffleFz = Bitshuffle<T, bitshuffle::Blocks>;

template <class T>
struct CoderAt<seat::BitshuffleNested, T> {
  using type = BitshuffleNested<T>;
};
template <class T>
struct CoderAt<seat::BitshuffleFz, T> {
  using type = BitshuffleFz<T>;
};

}  // namespace kompakt::impl

#endif
