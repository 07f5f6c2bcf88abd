#ifndef KOMPAKT_CODER_FIXEDLENGTH_RECORD_HPP
#define KOMPAKT_CODER_FIXEDLENGTH_RECORD_HPP

#include <Kokkos_Core.hpp>
#include <coder/fixedlength/seat.hpp>
#include <core/bits.hpp>
#include <core/lanes.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <core/tile.hpp>
#include <kompakt/options.hpp>

// Fixed-length coding of a tile: each lane is a block of 32 residuals, zig-zagged and stored as as
// many bit planes as its widest one needs. Words of a record, between its head and its tail:
//
//   width planes   bit l of word j is bit j of (width of lane l - smallest width); as many words as
//                  the largest difference has bits
//   outlier mask   only if the record has outliers: bit l is set when lane l has one
//   outliers       8, 16 or 32 bits for each bit of the mask: what of the lane's first code is above
//                  its width; padded to a word
//   planes         plane 0 of every lane that has it, in the order of lanes, then plane 1, …; bit i
//                  of a plane's word belongs to register i
//
// The coder's bits of the head word: 0-5 smallest width, 6-8 number of width planes, 9-10 outlier
// class (0 none, 1: 8, 2: 16, 3: 32 bits).
// Source: Huang et al., cuSZp2, SC 2024: blocks of 32, bit planes, plain and outlier coding of a
// block. Ours: widths in planes instead of a byte a block, planes in the order of lanes (stores of
// a warp are contiguous without a scan), an outlier keeps only its high bits apart.

namespace kompakt::impl {

template <class T>
class FixedLength {
 public:
  using Seat = seat::FixedLength;
  using U = unsigned_t<T>;

  /// What measure() and write() take from the arguments of the walk, and read().
  using EncodeContext = Variant;
  struct DecodeContext {};
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static EncodeContext encode_context(Args const& args) {
    return args.asked.variant;
  }
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static DecodeContext decode_context(Args const&) {
    return {};
  }
  static constexpr int max_width = static_cast<int>(sizeof(U)) * 8;

  /// Team scratch.
  struct Scratch {
    std::uint32_t plane_mask[max_width];   // lanes that have plane p
    std::uint32_t plane_start[max_width];  // words of the planes before p
    std::uint8_t width[tile_lanes];        // of the lane's planes
    std::uint8_t full_width[tile_lanes];   // of its widest code (encoder)
    std::uint8_t rest_width[tile_lanes];   // of its widest code but the first (encoder)
  };

  /// Everything that a record's size depends on beside the widths; the same on all threads.
  struct Plan {
    int smallest = 0, width_planes = 0, largest = 0;
    int outlier_class = 0;
    std::uint32_t outlier_mask = 0;
    int planes = 0;  // sum of the widths

    KOKKOS_FORCEINLINE_FUNCTION int outlier_bits() const { return class_bits(outlier_class); }
    KOKKOS_FORCEINLINE_FUNCTION int outlier_words() const {
      return ceil_div(popcount(outlier_mask) * outlier_bits(), 32);
    }
    /// Words in front of the outliers: width planes and the mask.
    KOKKOS_FORCEINLINE_FUNCTION int front_words() const {
      return width_planes + (outlier_class > 0 ? 1 : 0);
    }
    KOKKOS_FORCEINLINE_FUNCTION int words() const {
      return front_words() + outlier_words() + planes;
    }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coder_bits() const {
      return static_cast<std::uint32_t>(smallest | width_planes << 6 | outlier_class << 9);
    }
    /// Takes coder_bits() and the mask from an untrusted record; whether its `words` words have room
    /// for front_words().
    KOKKOS_FORCEINLINE_FUNCTION bool take_front(std::uint32_t coder_bits, std::uint32_t const* in,
                                                int words) {
      smallest = static_cast<int>(coder_bits & 63u);
      width_planes = static_cast<int>(coder_bits >> 6 & 7u);
      outlier_class = static_cast<int>(coder_bits >> 9 & 3u);
      if ((coder_bits >> 11) != 0 || words < front_words()) return false;
      if (outlier_class > 0) outlier_mask = in[width_planes];
      return true;
    }
  };

  /// Widths of a lane's widest code, and of its widest but the first.
  struct LaneWidths {
    int full, rest;
  };

  /// Plans the record of a tile. `lanes` knows the LaneWidths of all lanes: sum(f), least(f) and
  /// max(f) of an int f(LaneWidths), mask(f) of a bool.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Plan plan(Variant variant, Lanes const& lanes) {
    int const outlier_class = choose_class(variant, lanes);
    Plan const chosen = plan_widths(variant, outlier_class, lanes);
    if (variant != Variant::automatic || outlier_class == 0) return chosen;
    // The classes were compared without the width planes, which outliers can add to.
    Plan const plain = plan_widths(variant, 0, lanes);
    return plain.words() <= chosen.words() ? plain : chosen;
  }

  /// Sizes the record of a tile. residuals: natural order, 0 outside the field.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static Plan measure(Team const& team, EncodeContext variant,
                                             U const* residuals, Scratch& scratch) {
    team_for(team, tile_lanes, [&](int lane) {
      U codes[lane_values];
      load_lane<Shape>(residuals, lane, codes, zigzag<U>);
      U rest = 0;
      for (int i = 1; i < lane_values; ++i) rest |= codes[i];
      scratch.rest_width[lane] = static_cast<std::uint8_t>(bit_width(rest));
      scratch.full_width[lane] = static_cast<std::uint8_t>(bit_width<U>(rest | codes[0]));
    });
    team.team_barrier();
    Plan const plan = FixedLength::plan(variant, LanesInScratch{scratch});
    team_for(team, tile_lanes, [&](int lane) {
      bool const outlier = (plan.outlier_mask >> lane & 1u) != 0;
      scratch.width[lane] = outlier ? scratch.rest_width[lane] : scratch.full_width[lane];
    });
    team.team_barrier();
    return plan;
  }

  /// Writes plan.words() words. Needs the scratch as measure() left it.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void write(Team const& team, EncodeContext, Plan const& plan,
                                           U const* residuals, Scratch& scratch,
                                           std::uint32_t* out) {
    team_for(team, plan.width_planes, [&](int bit) {
      std::uint32_t word = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) {
        int const excess = scratch.width[lane] - plan.smallest;
        word |= static_cast<std::uint32_t>(excess >> bit & 1) << lane;
      }
      out[bit] = word;
    });
    out += plan.width_planes;
    int const outlier_words = plan.outlier_words();
    if (plan.outlier_class > 0) {
      team_for(team, 1, [&](int) {
        *out = plan.outlier_mask;
        if (outlier_words > 0) out[outlier_words] = 0;  // padding behind the last outlier
      });
      ++out;
    }
    place_planes(team, plan.largest, scratch);
    std::uint32_t* const planes_out = out + outlier_words;
    team_for(team, tile_lanes, [&](int lane) {
      U codes[lane_values];
      load_lane<Shape>(residuals, lane, codes, zigzag<U>);
      int const width = scratch.width[lane];
      if ((plan.outlier_mask >> lane & 1u) != 0) {
        store_outlier(plan.outlier_class, codes[0] >> width, rank_in_mask(plan.outlier_mask, lane),
                      out);
        codes[0] &= (U{1} << width) - 1;
      }
      std::uint32_t planes[max_width];
      make_planes(codes, width, planes);
      for (int p = 0; p < width; ++p) {
        int const rank = rank_in_mask(scratch.plane_mask[p], lane);
        planes_out[scratch.plane_start[p] + static_cast<std::uint32_t>(rank)] = planes[p];
      }
    });
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
    team_for(team, tile_lanes, [&](int lane) {
      std::uint32_t width = static_cast<std::uint32_t>(plan.smallest);
      for (int bit = 0; bit < plan.width_planes; ++bit) {
        width += (in[bit] >> lane & 1u) << bit;
      }
      scratch.width[lane] = static_cast<std::uint8_t>(width);  // at most 63 + 127
    });
    team.team_barrier();
    plan.largest = 0;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      int const width = scratch.width[lane];
      plan.planes += width;
      if (width > plan.largest) plan.largest = width;
      bool const outlier = (plan.outlier_mask >> lane & 1u) != 0;
      if (width > max_width - (outlier ? 1 : 0)) plan.largest = max_width + 1;
    }
    if (plan.largest > max_width || plan.words() != words) return false;

    place_planes(team, plan.largest, scratch);
    std::uint32_t const* const outliers = in + plan.front_words();
    std::uint32_t const* const planes_in = outliers + plan.outlier_words();
    team_for(team, tile_lanes, [&](int lane) {
      int const width = scratch.width[lane];
      std::uint32_t planes[max_width];
      for (int p = 0; p < width; ++p) {
        int const rank = rank_in_mask(scratch.plane_mask[p], lane);
        planes[p] = planes_in[scratch.plane_start[p] + static_cast<std::uint32_t>(rank)];
      }
      U codes[lane_values];
      make_codes(planes, width, codes);
      if ((plan.outlier_mask >> lane & 1u) != 0) {
        codes[0] |=
            load_outlier(plan.outlier_class, rank_in_mask(plan.outlier_mask, lane), outliers)
            << width;
      }
      store_lane<Shape>(codes, lane, residuals, unzigzag<U>);
    });
    team.team_barrier();
    return true;
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int class_bits(int outlier_class) {
    return outlier_class == 0 ? 0 : 4 << outlier_class;
  }

  /// Outliers are packed as 1, 2 or 4 bytes each; `rank` counts those of the lanes before.
  KOKKOS_INLINE_FUNCTION static void store_outlier(int outlier_class, U high, int rank,
                                                   std::uint32_t* out) {
    int const bytes = class_bits(outlier_class) / 8;
    auto* const to = reinterpret_cast<unsigned char*>(out) + rank * bytes;
    for (int i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(high >> (8 * i));
  }

  KOKKOS_INLINE_FUNCTION static U load_outlier(int outlier_class, int rank,
                                               std::uint32_t const* in) {
    int const bits = class_bits(outlier_class);
    int const per_word = 32 / bits;
    std::uint32_t const word = in[rank / per_word] >> (rank % per_word * bits);
    return bits == 32 ? word : word & ((1u << bits) - 1);
  }

 private:
  // The lanes of plan() as measure() leaves them.
  struct LanesInScratch {
    Scratch const& scratch;

    KOKKOS_FORCEINLINE_FUNCTION LaneWidths operator[](int lane) const {
      return {scratch.full_width[lane], scratch.rest_width[lane]};
    }
    template <class F>
    KOKKOS_FORCEINLINE_FUNCTION int sum(F const& f) const {
      int total = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) total += f((*this)[lane]);
      return total;
    }
    template <class F>
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t mask(F const& f) const {
      std::uint32_t word = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) {
        word |= static_cast<std::uint32_t>(f((*this)[lane])) << lane;
      }
      return word;
    }
    template <class F>
    KOKKOS_FORCEINLINE_FUNCTION int least(F const& f) const {
      int result = f((*this)[0]);
      for (int lane = 1; lane < tile_lanes; ++lane) {
        int const value = f((*this)[lane]);
        result = value < result ? value : result;
      }
      return result;
    }
    // Not as -least(-f): nvcc 13.0 then loses the odd lanes.
    template <class F>
    KOKKOS_FORCEINLINE_FUNCTION int max(F const& f) const {
      int result = f((*this)[0]);
      for (int lane = 1; lane < tile_lanes; ++lane) {
        int const value = f((*this)[lane]);
        result = value > result ? value : result;
      }
      return result;
    }
  };

  // Whether a lane stores its first code's high bits apart, when each outlier has `bits` bits.
  KOKKOS_FORCEINLINE_FUNCTION static bool takes_outlier(Variant variant, LaneWidths lane,
                                                        int bits) {
    int const high = lane.full - lane.rest;
    if (high > bits || lane.full == 0 || lane.rest == max_width) return false;
    return variant == Variant::outlier || 32 * high > bits;
  }

  // The class that makes the planes and outliers of the tile smallest; ties to the smaller class.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static int choose_class(Variant variant, Lanes const& lanes) {
    if (variant == Variant::plain) return 0;
    int best = 0, best_cost = variant == Variant::outlier ? 1 << 30 : 0;
    // Where no lane has more high bits than the smallest class holds, larger ones only cost more.
    int const max_high = lanes.max([](LaneWidths lane) { return lane.full - lane.rest; });
    int const last = max_high <= class_bits(1) ? 1 : 3;
    for (int candidate = 1; candidate <= last; ++candidate) {
      int const bits = class_bits(candidate);
      // Each lane that takes an outlier counts 2^20 more, so that one sum tells both.
      int const sum = lanes.sum([=](LaneWidths lane) {
        bool const takes = takes_outlier(variant, lane, bits);
        return takes ? (1 << 20) + bits - 32 * (lane.full - lane.rest) : 0;
      });
      int const taken = (sum + (1 << 19)) >> 20;
      int const cost = sum - (taken << 20) + 32;  // 32: the mask; relative to plain coding
      if (taken > 0 && cost < best_cost) {
        best = candidate;
        best_cost = cost;
      }
    }
    return best;
  }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Plan plan_widths(Variant variant, int outlier_class,
                                                      Lanes const& lanes) {
    int const bits = class_bits(outlier_class);
    auto const outlier = [=](LaneWidths lane) {
      return outlier_class > 0 && takes_outlier(variant, lane, bits);
    };
    auto const width = [=](LaneWidths lane) { return outlier(lane) ? lane.rest : lane.full; };
    Plan plan;
    plan.outlier_class = outlier_class;
    if (outlier_class > 0) plan.outlier_mask = lanes.mask(outlier);
    plan.planes = lanes.sum(width);
    plan.smallest = lanes.least(width);
    plan.largest = lanes.max(width);
    // 6 bits hold the smallest width; residuals of T cannot need 64 planes in every lane unless the
    // bins were made up, and then one more width plane says it.
    if (plan.smallest > 63) plan.smallest = 63;
    plan.width_planes = bit_width(static_cast<std::uint32_t>(plan.largest - plan.smallest));
    return plan;
  }

  // Masks and places of the planes from the widths. Barriers before (implied by the caller) and
  // after.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void place_planes(Team const& team, int largest, Scratch& scratch) {
    team_for(team, largest, [&](int p) {
      std::uint32_t mask = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) {
        mask |= static_cast<std::uint32_t>(scratch.width[lane] > p) << lane;
      }
      scratch.plane_mask[p] = mask;
    });
    team.team_barrier();
    team_for(team, 1, [&](int) {
      std::uint32_t start = 0;
      for (int p = 0; p < largest; ++p) {
        scratch.plane_start[p] = start;
        start += static_cast<std::uint32_t>(popcount(scratch.plane_mask[p]));
      }
    });
    team.team_barrier();
  }

  KOKKOS_FORCEINLINE_FUNCTION static void planes_of_word(std::uint32_t const* codes, int width,
                                                         std::uint32_t* planes) {
    if (width <= 8) {
      codes_to_planes<8>(codes, planes);
    } else if (width <= 16) {
      codes_to_planes<16>(codes, planes);
    } else {
      codes_to_planes<32>(codes, planes);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void codes_of_word(std::uint32_t* planes, int width,
                                                        std::uint32_t* codes) {
    int const used = width <= 8 ? 8 : (width <= 16 ? 16 : 32);
    for (int p = width; p < used; ++p) planes[p] = 0;
    if (width <= 8) {
      planes_to_codes<8>(planes, codes);
    } else if (width <= 16) {
      planes_to_codes<16>(planes, codes);
    } else {
      planes_to_codes<32>(planes, codes);
    }
  }

  KOKKOS_INLINE_FUNCTION static void make_planes(U const* codes, int width, std::uint32_t* planes) {
    if (width == 0) return;
    if constexpr (sizeof(U) == 4) {
      planes_of_word(codes, width, planes);
    } else {
      std::uint32_t half[lane_values];
      for (int i = 0; i < lane_values; ++i) half[i] = static_cast<std::uint32_t>(codes[i]);
      if (width > 32) {
        codes_to_planes<32>(half, planes);
        for (int i = 0; i < lane_values; ++i) half[i] = static_cast<std::uint32_t>(codes[i] >> 32);
        planes_of_word(half, width - 32, planes + 32);
      } else {
        planes_of_word(half, width, planes);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static void make_codes(std::uint32_t* planes, int width, U* codes) {
    if (width == 0) {
      for (int i = 0; i < lane_values; ++i) codes[i] = 0;
    } else if constexpr (sizeof(U) == 4) {
      codes_of_word(planes, width, codes);
    } else {
      std::uint32_t half[lane_values];
      codes_of_word(planes, width > 32 ? 32 : width, half);
      for (int i = 0; i < lane_values; ++i) codes[i] = half[i];
      if (width > 32) {
        codes_of_word(planes + 32, width - 32, half);
        for (int i = 0; i < lane_values; ++i) codes[i] |= static_cast<U>(half[i]) << 32;
      }
    }
  }
};

template <class T>
struct CoderAt<seat::FixedLength, T> {
  using type = FixedLength<T>;
};

}  // namespace kompakt::impl

#endif
