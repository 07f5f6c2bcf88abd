#ifndef KOMPAKT_CUDA_CODER_BITSHUFFLE_HPP
#define KOMPAKT_CUDA_CODER_BITSHUFFLE_HPP

#include <coder/bitshuffle/record.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/warp.hpp>

// coder/bitshuffle/record.hpp by a warp whose lanes hold their codes, and then their planes, in
// registers. The same plan and the same words.

namespace kompakt::impl::cuda {

/// Whether there are planes from this one on. The vote tells the compiler that lanes agree, which spares
/// barriers around what they do together.
__device__ __forceinline__ bool has_plane(int plane, int count) { return warp::any(plane < count); }

/// An elimination by a warp; planes: those of the lane, in the low 32 bits of U's. read() fills all
/// max_planes.
template <class Elimination>
struct WarpElimination;

template <>
struct WarpElimination<bitshuffle::Blocks> {
  using Parts = bitshuffle::BlockParts;
  struct Lane {};  ///< what measure() leaves for write()

  /// Bit 4g is set where one of the lanes 4g … 4g + 3 has a word that is not zero.
  __device__ __forceinline__ static std::uint32_t blocks_of(std::uint32_t word) {
    std::uint32_t mask = warp::votes(word != 0);
    mask |= mask >> 1;
    mask |= mask >> 2;
    return mask & 0x11111111u;
  }

  template <class U>
  __device__ __forceinline__ static Parts measure(U const* planes, int count, Lane&) {
    int blocks = 0;
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
      if (!has_plane(first, count)) break;
#pragma unroll
      for (int p = first; p < first + 4; ++p) {
        blocks += popcount(blocks_of(static_cast<std::uint32_t>(planes[p])));
      }
    }
    return {bitshuffle::block_flag_words(count), bitshuffle::block_lanes * blocks};
  }

  template <class U>
  __device__ __forceinline__ static void write(U const* planes, int count, Parts const&,
                                               Lane const&, std::uint32_t* out) {
    int const me = warp::lane();
    std::uint32_t* to = out + bitshuffle::block_flag_words(count) + me % bitshuffle::block_lanes;
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
      if (!has_plane(first, count)) break;
      std::uint32_t mine = 0;  // blocks of plane first + me / 8
#pragma unroll
      for (int p = first; p < first + 4; ++p) {
        auto const word = static_cast<std::uint32_t>(planes[p]);
        std::uint32_t const blocks = blocks_of(word);  // none from plane `count` on
        if (me / 8 == p - first) mine = blocks;
        int const group = me & ~(bitshuffle::block_lanes - 1);
        if (blocks >> group & 1u) to[bitshuffle::block_lanes * rank_in_mask(blocks, group)] = word;
        to += bitshuffle::block_lanes * popcount(blocks);
      }
      std::uint32_t const flags = warp::votes((mine >> (me % 8 * 4) & 1u) != 0);
      if (me == 0) out[first / 4] = flags;
    }
  }

  __device__ __forceinline__ static bool read(std::uint32_t const* in, int words, int count,
                                              std::uint32_t* planes) {
    int const flag_words = bitshuffle::block_flag_words(count);
    if (warp::any(flag_words > words)) return false;
    int const me = warp::lane();
    // Lane i counts the blocks of flag word i.
    std::uint32_t const mine = me < flag_words ? flags_at(in, me, count) : 0u;
    int const blocks = warp::sum(popcount(mine));
    if (warp::any(flag_words + bitshuffle::block_lanes * blocks != words)) return false;
    std::uint32_t const* from = in + flag_words + me % bitshuffle::block_lanes;
    int const group = me / bitshuffle::block_lanes;
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
#pragma unroll
      for (int p = first; p < first + 4; ++p) planes[p] = 0;
      if (!has_plane(first, count)) continue;
      std::uint32_t const flags = warp::from_lane(mine, first / 4);
#pragma unroll
      for (int p = first; p < first + 4; ++p) {
        std::uint32_t const of_plane = flags >> (8 * (p - first)) & 0xffu;
        if (of_plane >> group & 1u) {
          planes[p] = from[bitshuffle::block_lanes * rank_in_mask(of_plane, group)];
        }
        from += bitshuffle::block_lanes * popcount(of_plane);
      }
    }
    return true;
  }

 private:
  // A word of flags, without what lies behind the last plane's.
  __device__ __forceinline__ static std::uint32_t flags_at(std::uint32_t const* in, int i,
                                                           int count) {
    int const planes = count - 4 * i;
    return planes >= 4 ? in[i] : in[i] & ((1u << (8 * planes)) - 1);
  }
};

template <>
struct WarpElimination<bitshuffle::Nested> {
  using Parts = bitshuffle::DeepParts;

  /// Four bits a plane of a lane: planes 0 to 7, 8 to 15.
  struct Marks {
    std::uint32_t half[2] = {0, 0};

    __device__ __forceinline__ std::uint32_t of(int plane) const {
      return half[plane / 8] >> (plane % 8 * 4) & 15u;
    }
    __device__ __forceinline__ int bytes() const { return popcount(half[0]) + popcount(half[1]); }
    /// To flag bytes, or back.
    __device__ __forceinline__ Marks exchanged(int count) const {
      Marks result;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (!has_plane(8 * i, count)) break;
        result.half[i] =
            bitshuffle::exchange_marks(half[i], warp::from_partner(half[i]), warp::lane());
      }
      return result;
    }
    /// As flag bytes: number j.
    __device__ __forceinline__ std::uint32_t flag(int j) const {
      return half[j / 4] >> (j % 4 * 8) & 0xffu;
    }
  };

  /// What measure() leaves for write().
  struct Lane {
    Marks marks;
    int data_at;  ///< bytes of data of the lanes before
  };

  template <class U>
  __device__ __forceinline__ static Parts measure(U const* planes, int count, Lane& lane) {
    lane.marks = Marks{};
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
      if (!has_plane(first, count)) break;
#pragma unroll
      for (int p = first; p < first + 4; ++p) {
        lane.marks.half[p / 8] |= bitshuffle::nonzero_bytes(static_cast<std::uint32_t>(planes[p]))
                                  << (p % 8 * 4);
      }
    }
    int const bytes = lane.marks.bytes();
    int const end = warp::prefix_sum(bytes);
    lane.data_at = end - bytes;
    Parts parts;
    parts.pairs = (count + 1) / 2;
    parts.data = warp::from_lane(end, 31);
    Marks const flags = lane.marks.exchanged(count);
    parts.groups = popcount(tops_of(for_groups(
        flags, count, [&](int, std::uint32_t group) { parts.flags += popcount(group); })));
    return parts;
  }

  /// Byte by byte: collecting words first took more instructions, and branches where lanes share one.
  template <class U>
  __device__ __forceinline__ static void write(U const* planes, int count, Parts const& parts,
                                               Lane const& lane, std::uint32_t* out) {
    int const me = warp::lane();
    if (me == 0 && count > 0) out[parts.words() - 1] = 0;  // padding
    warp::sync();
    auto* const bytes = reinterpret_cast<unsigned char*>(out);
    unsigned char* flags_out = bytes + parts.tops() + parts.groups;
    Marks const flags = lane.marks.exchanged(count);
    std::uint32_t const mine = for_groups(flags, count, [&](int j, std::uint32_t group) {
      if (group >> me & 1u) {
        flags_out[rank_in_mask(group, me)] = static_cast<unsigned char>(flags.flag(j));
      }
      flags_out += popcount(group);
    });
    std::uint32_t const tops = tops_of(mine);
    if (tops >> me & 1u) {
      bytes[parts.tops() + rank_in_mask(tops, me)] =
          static_cast<unsigned char>(mine >> (me % 4 * 8));
    }
    if (me < parts.tops()) bytes[me] = static_cast<unsigned char>(tops >> (8 * me));
    unsigned char* to = bytes + parts.tops() + parts.groups + parts.flags + lane.data_at;
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
      if (!has_plane(first, count)) break;
#pragma unroll
      for (int p = first; p < first + 4; ++p) {
        auto const word = static_cast<std::uint32_t>(planes[p]);
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          bool const kept = (word & 0xffu << (8 * b)) != 0;
          if (kept) *to = static_cast<unsigned char>(word >> (8 * b));
          to += kept ? 1 : 0;
        }
      }
    }
  }

  __device__ __forceinline__ static bool read(std::uint32_t const* in, int words, int count,
                                              std::uint32_t* planes) {
    int const me = warp::lane();
    auto const* const bytes = reinterpret_cast<unsigned char const*>(in);
    Parts parts;
    parts.pairs = (count + 1) / 2;
    // Tops and groups are at most 36 bytes, which may be read in shared memory whatever they are.
    std::uint32_t const tops = parts.tops() == 0 ? 0 : in[0] & ~0u >> (32 - 8 * parts.tops());
    parts.groups = popcount(tops);
    std::uint32_t const my_byte = bytes[parts.tops() + rank_in_mask(tops, me)];
    std::uint32_t mine = tops >> me & 1u ? my_byte << (me % 4 * 8) : 0u;  // group me / 4
    mine |= warp::from_partner(mine, 1);
    mine |= warp::from_partner(mine, 2);
    parts.flags = warp::sum(popcount(mine)) / 4;  // four lanes know each group
    // Nothing may be flagged for pairs that there are not, nor for the second plane of half a pair.
    bool const beyond = me / 4 >= parts.pairs ||
                        (count % 2 != 0 && me / 4 == parts.pairs - 1 && (mine & 0xaaaaaaaau) != 0);
    bool const fits = parts.tops() + parts.groups + parts.flags <= words * word_bytes;
    if (warp::any(!fits || (beyond && mine != 0))) return false;
    unsigned char const* flags_in = bytes + parts.tops() + parts.groups;
    Marks flags;
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
      if (!has_plane(first, count)) break;
#pragma unroll
      for (int j = first / 2; j < first / 2 + 2; ++j) {
        std::uint32_t const group = warp::from_lane(mine, 4 * j);
        // Data follow the flags: there is a byte to read even behind the last.
        std::uint32_t const flag = flags_in[rank_in_mask(group, me)];
        if (group >> me & 1u) flags.half[j / 4] |= flag << (j % 4 * 8);
        flags_in += popcount(group);
      }
    }
    Marks const marks = flags.exchanged(count);
    int const my_bytes = marks.bytes();
    int const data_end = warp::prefix_sum(my_bytes);
    parts.data = warp::from_lane(data_end, 31);
    if (warp::any(parts.words() != words)) return false;

    std::uint32_t const selector = spread_selector(static_cast<std::uint32_t>(me));
    auto at = static_cast<unsigned>(parts.bytes() - parts.data + data_end - my_bytes);
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
#pragma unroll
      for (int p = first; p < first + 4; ++p) planes[p] = 0;
      if (!has_plane(first, count)) continue;
#pragma unroll
      for (int p = first; p < first + 4; ++p) {
        std::uint32_t const of_plane = marks.of(p);
        // The second word may be the one behind the record (StagedChunk::packs()).
        std::uint32_t const packed = warp::bits_from(in[at / 4], in[(at + 3) / 4], 8 * at);
        planes[p] =
            warp::permute_bytes(packed, warp::from_lane(selector, static_cast<int>(of_plane)));
        at += static_cast<unsigned>(popcount(of_plane));
      }
    }
    return true;
  }

 private:
  // body(j, group j) for every pair of planes; of all groups the one with number lane / 4.
  template <class Body>
  __device__ __forceinline__ static std::uint32_t for_groups(Marks const& flags, int count,
                                                             Body const& body) {
    std::uint32_t mine = 0;
#pragma unroll
    for (int first = 0; first < bitshuffle::max_planes; first += 4) {
      if (!has_plane(first, count)) break;
#pragma unroll
      for (int j = first / 2; j < first / 2 + 2; ++j) {
        std::uint32_t const group = warp::votes(flags.flag(j) != 0);
        if (warp::lane() / 4 == j) mine = group;
        body(j, group);
      }
    }
    return mine;
  }
  // Lane l asks for byte l % 4 of the group that it has.
  __device__ __forceinline__ static std::uint32_t tops_of(std::uint32_t group) {
    return warp::votes((group >> (warp::lane() % 4 * 8) & 0xffu) != 0);
  }
  // The selector of permute_bytes() that does what spread_bytes() does.
  __device__ __forceinline__ static std::uint32_t spread_selector(std::uint32_t marks) {
    std::uint32_t selector = 0x4444u;
    std::uint32_t rank = 0;
#pragma unroll
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      if ((marks >> byte & 1u) == 0) continue;
      selector ^= (rank ^ 4u) << (4 * byte);
      ++rank;
    }
    return selector;
  }
};

template <class T, class Elimination>
struct WarpCoder<Bitshuffle<T, Elimination>> : WithoutTables {
  using Coder = Bitshuffle<T, Elimination>;
  using Eliminate = WarpElimination<Elimination>;
  using U = unsigned_t<T>;
  using Plan = typename Coder::Plan;

  /// Float: 5 spill and reach 1.71 (nested) and 1.79 TB/s (fz), 4 1.78 and 1.97. Double: shared memory ends at 3.
  static constexpr int encode_blocks = sizeof(T) == 8 ? 3 : 4;
  /// Float: 5 spill and reach 2.21 TB/s (nested), for bricks 1.71; 4 reach 2.31 and 1.91. Double: 4 would spill.
  static constexpr int decode_blocks = sizeof(T) == 8 ? 3 : 4;
  /// At least a chunk of raw tiles and a head; what the blocks above leave.
  static constexpr int ring_words = sizeof(T) == 4 ? 5248 : 9600;

  /// What measure() leaves for write() beside the planes.
  using Lane = typename Eliminate::Lane;

  /// Leaves the lane's planes in the place of its residuals.
  template <bool anew = false>
  __device__ __forceinline__ static Plan measure(Variant, U* residuals, Lane& lane,
                                                 WideResiduals<U>& wide) {
    Plan plan;
    std::uint32_t low[lane_values];
    plan.planes = warp::max(narrow(residuals, low));
    if (warp::any(plan.planes > bitshuffle::max_planes)) [[unlikely]] {
      int width;
      plan.wide = warp::sum(popcount(narrow_wide<anew>(residuals, low, width)));
      plan.planes = warp::max(width);
#pragma unroll
      for (int i = 0; i < lane_values; ++i) wide.residuals[i] = residuals[i];
    }
    with_width_class<16>(plan.planes, [&](auto width) {
      constexpr int Width = decltype(width)::value;
      std::uint32_t planes[static_cast<std::size_t>(Width)];
      if constexpr (Elimination::sign_magnitude) {
        residuals_to_magnitudes<Width>(low, planes);
        plan.planes = warp::max(planes_used<Width>(planes));
      } else {
        residuals_to_planes<Width>(low, planes);
      }
#pragma unroll
      for (int p = 0; p < Width; ++p) residuals[p] = planes[p];
    });
    plan.parts = Eliminate::measure(residuals, plan.planes, lane);
    return plan;
  }

  /// Writes plan.words() words.
  __device__ __forceinline__ static void write(Plan const& plan, Lane const& lane,
                                               WideResiduals<U> const& wide, U const* planes,
                                               std::uint32_t* out) {
    if (warp::any(plan.wide > 0)) [[unlikely]] {
      write_wide(plan.wide, wide.residuals, out);
      out += plan.wide_words();
    }
    if (has_plane(0, plan.planes)) Eliminate::write(planes, plan.planes, plan.parts, lane, out);
  }

  /// Reads the coder's words of an untrusted record into the lane's residuals, and their sum. Returns
  /// whether they describe exactly `words` words, the same on all lanes.
  __device__ __forceinline__ static bool read(DecodeContext, std::uint32_t coder_bits,
                                              std::uint32_t const* in, int words, U* residuals,
                                              U& sum) {
    Plan plan;
    if (warp::any(!plan.take_front(coder_bits, in, words))) return false;
    std::uint32_t planes[bitshuffle::max_planes], part[lane_values], part_sum = 0;
    int const before = plan.wide_words();
    if (!Eliminate::read(in + before, words - before, plan.planes, planes)) return false;
    with_width_class<16>(plan.planes, [&](auto width) {
      constexpr int Width = decltype(width)::value;
      part_sum = unpack<Width, Elimination::sign_magnitude>(planes, part);
    });
#pragma unroll
    for (int i = 0; i < lane_values; ++i) residuals[i] = widen<U>(part[i]);
    sum = widen<U>(part_sum);
    return !warp::any(plan.wide > 0) || read_wide<T>(in + 1, plan.wide, residuals, sum);
  }

 private:
  template <int Width>
  __device__ __forceinline__ static int planes_used(std::uint32_t const* planes) {
    int used = 0;
#pragma unroll
    for (int p = 0; p < Width; ++p) used = planes[p] != 0 ? p + 1 : used;
    return used;
  }

  // The low 32 bits of residuals; how many planes the widest zig-zag takes, of magnitudes and signs at
  // least as many.
  __device__ __forceinline__ static int narrow(U const* residuals, std::uint32_t* low) {
    CodeWidth<U> widest;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      widest.add(residuals[i]);
      low[i] = static_cast<std::uint32_t>(residuals[i]);
    }
    return widest.width() + (Elimination::sign_magnitude ? 1 : 0);
  }
  // Narrows residuals of which some may have no code: they count as zero. Returns which they are.
  template <bool anew>
  __device__ __forceinline__ static std::uint32_t narrow_wide(U const* residuals,
                                                              std::uint32_t* low, int& width) {
    std::uint32_t all = 0, wide = 0;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      std::uint32_t code;
      U const residual = anew ? warp::fresh(residuals[i]) : residuals[i];
      bool const fits = bitshuffle::code_of(residual, Elimination::sign_magnitude, code);
      all |= code;
      wide |= static_cast<std::uint32_t>(!fits) << i;
      low[i] = fits ? static_cast<std::uint32_t>(residual) : 0u;
    }
    width = bit_width(all);
    return wide;
  }

  __device__ __noinline__ static void write_wide(int count, U const* residuals,
                                                 std::uint32_t* out) {
    std::uint32_t wide = 0, code;
    for (int i = 0; i < lane_values; ++i) {
      bool const fits = bitshuffle::code_of(residuals[i], Elimination::sign_magnitude, code);
      wide |= static_cast<std::uint32_t>(!fits) << i;
    }
    cuda::write_wide<T>(count, wide, residuals, out);
  }
};

}  // namespace kompakt::impl::cuda

#endif
