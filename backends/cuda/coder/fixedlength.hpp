#ifndef KOMPAKT_CUDA_CODER_FIXEDLENGTH_HPP
#define KOMPAKT_CUDA_CODER_FIXEDLENGTH_HPP

#include <coder/fixedlength/record.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/warp.hpp>

// coder/fixedlength/record.hpp by a warp whose lanes hold their codes in registers. The same plan and
// the same words.

namespace kompakt::impl::cuda {

template <class T>
inline constexpr bool may_be_lossless<FixedLength<T>> = true;

template <class T>
struct WarpCoder<FixedLength<T>> : WithoutTables {
  using Coder = FixedLength<T>;
  using U = unsigned_t<T>;
  using Plan = typename Coder::Plan;
  using LaneWidths = typename Coder::LaneWidths;
  static constexpr int max_width = Coder::max_width;

  /// Float: 5 leave 96 registers and reach 2.05 TB/s, 6 leave 80, spill and reach 1.92 (turbulence, chain). Double:
  /// shared memory ends at 3.
  static constexpr int encode_blocks = sizeof(T) == 8 ? 3 : 5;
  /// Float: 6 leave 80 registers, spill and reach 2.54 TB/s against 2.64 (turbulence, chain), for bricks 1.99 against
  /// 2.23. Double: 4 would spill.
  static constexpr int decode_blocks = sizeof(T) == 8 ? 3 : 5;
  /// At least a chunk of raw tiles and a head; what the blocks above leave: at a ratio of 6 the images of 9 chunks.
  static constexpr int ring_words = sizeof(T) == 4 ? 5248 : 9600;

  /// What is left of a lane between measuring and writing.
  struct Lane {
    int width = 0;
    U high = 0;  ///< of its outlier
  };

  /// Plans a record. residuals: of the lane; on return without an outlier's high bits.
  template <bool = false>
  __device__ __forceinline__ static Plan measure(Variant variant, U* residuals, Lane& lane,
                                                 WideResiduals<U>&) {
    CodeWidth<U> of_rest;
#pragma unroll
    for (int i = 1; i < lane_values; ++i) of_rest.add(residuals[i]);
    CodeWidth<U> of_all = of_rest;
    of_all.add(residuals[0]);
    LaneWidths const widths{of_all.width(), of_rest.width()};
    Plan const plan = Coder::plan(variant, Lanes{widths});
    lane.width = widths.full;
    if (plan.outlier_mask >> warp::lane() & 1u) {
      U const code = zigzag(residuals[0]);
      lane.width = widths.rest;
      lane.high = code >> lane.width;
      residuals[0] = unzigzag(code & ((U{1} << lane.width) - 1));
    }
    return plan;
  }

  /// Writes plan.words() words.
  __device__ __forceinline__ static void write(Plan const& plan, Lane const& lane,
                                               WideResiduals<U> const&, U const* residuals,
                                               std::uint32_t* out) {
    int const me = warp::lane();
#pragma unroll 1
    for (int bit = 0; bit < plan.width_planes; ++bit) {
      std::uint32_t const word = warp::votes((lane.width - plan.smallest) >> bit & 1);
      if (me == 0) out[bit] = word;
    }
    out += plan.width_planes;
    if (plan.outlier_class > 0) {
      int const words = plan.outlier_words();
      if (me == 0) {
        out[0] = plan.outlier_mask;
        out[words] = 0;  // padding behind the last outlier
      }
      ++out;
      warp::sync();
      if (plan.outlier_mask >> me & 1u) {
        Coder::store_outlier(plan.outlier_class, lane.high, rank_in_mask(plan.outlier_mask, me),
                             out);
      }
      out += words;
    }
    std::uint32_t part[lane_values];
    if constexpr (max_width > 32) {
      if (warp::any(plan.largest > 32)) {
#pragma unroll 1
        for (int half = 0; half < 2; ++half) {
#pragma unroll
          for (int i = 0; i < lane_values; ++i) {
            part[i] = static_cast<std::uint32_t>(zigzag(residuals[i]) >> (32 * half));
          }
          write_planes<32>(lane.width - 32 * half, out,
                           [&](std::uint32_t* planes) { codes_to_planes<32>(part, planes); });
        }
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < lane_values; ++i) part[i] = static_cast<std::uint32_t>(residuals[i]);
    // Each class of widths is a branch that all lanes take: arrays that outlive a branch cost a move a
    // register.
    auto const write_class = [&](auto width) {
      constexpr int Width = decltype(width)::value;
      write_planes<Width>(lane.width, out,
                          [&](std::uint32_t* planes) { residuals_to_planes<Width>(part, planes); });
    };
    with_width_class<32>(plan.largest, write_class);
  }

  /// Reads the coder's words of an untrusted record into the lane's residuals, and their sum. Returns
  /// whether they describe exactly `words` words, the same on all lanes.
  __device__ __forceinline__ static bool read(DecodeContext, std::uint32_t coder_bits,
                                              std::uint32_t const* in, int words, U* residuals,
                                              U& sum) {
    int const me = warp::lane();
    Plan plan;
    if (!plan.take_front(coder_bits, in, words)) return false;
    int width = plan.smallest;
    // More than three planes of widths are rare: seldom do lanes of a tile differ by 8 bits.
#pragma unroll
    for (int bit = 0; bit < 3; ++bit) {
      if (bit < plan.width_planes) width += static_cast<int>(in[bit] >> me & 1u) << bit;
    }
#pragma unroll 1
    for (int bit = 3; bit < plan.width_planes; ++bit) {
      width += static_cast<int>(in[bit] >> me & 1u) << bit;
    }
    bool const outlier = (plan.outlier_mask >> me & 1u) != 0;
    plan.planes = warp::sum(width);
    plan.largest = warp::max(width);
    if (warp::any(width > max_width - (outlier ? 1 : 0)) || plan.words() != words) return false;

    std::uint32_t const* const outliers = in + plan.front_words();
    in = outliers + plan.outlier_words();
    std::uint32_t part[lane_values], part_sum = 0;
    auto const read_class = [&](auto class_width) {
      constexpr int Width = decltype(class_width)::value;
      std::uint32_t planes[static_cast<std::size_t>(Width)];
      read_planes<Width>(plan.smallest, plan.largest, width, in, planes);
      part_sum = unpack<Width>(planes, part);
    };
    bool wide = false;
    if constexpr (max_width > 32) {
      wide = warp::any(plan.largest > 32);
      if (wide) read_wide(plan, width, in, residuals);
    }
    if (!wide) {
      with_width_class<32>(plan.largest, read_class);
#pragma unroll
      for (int i = 0; i < lane_values; ++i) residuals[i] = widen<U>(part[i]);
    }
    sum = widen<U>(part_sum);
    if constexpr (max_width > 32) {
      if (warp::any(plan.largest > 16)) {  // 32 bits cannot hold it
        sum = 0;
#pragma unroll
        for (int i = 0; i < lane_values; ++i) sum += residuals[i];
      }
    }
    if (outlier) {
      U const high =
          Coder::load_outlier(plan.outlier_class, rank_in_mask(plan.outlier_mask, me), outliers);
      U const whole = unzigzag(zigzag(residuals[0]) | high << width);
      sum += whole - residuals[0];
      residuals[0] = whole;
    }
    return true;
  }

 private:
  struct Lanes {
    LaneWidths mine;
    template <class F>
    __device__ __forceinline__ int sum(F const& f) const {
      return warp::sum(f(mine));
    }
    template <class F>
    __device__ __forceinline__ std::uint32_t mask(F const& f) const {
      return warp::votes(f(mine));
    }
    template <class F>
    __device__ __forceinline__ int least(F const& f) const {
      return warp::least(f(mine));
    }
    template <class F>
    __device__ __forceinline__ int max(F const& f) const {
      return warp::max(f(mine));
    }
  };

  // The first `Width` planes of lanes of any width; `out` moves behind them.
  template <int Width, class MakePlanes>
  __device__ __forceinline__ static void write_planes(int width, std::uint32_t*& out,
                                                      MakePlanes const& make_planes) {
    std::uint32_t planes[static_cast<std::size_t>(Width)];
    make_planes(planes);
#pragma unroll
    for (int p = 0; p < Width; ++p) {
      std::uint32_t const mask = warp::votes(width > p);
      if (width > p) out[rank_in_mask(mask, warp::lane())] = planes[p];
      out += popcount(mask);
    }
  }

  // The first `Width` planes of lanes between `smallest` and `largest` wide; `in` moves behind them.
  // Four at a time: planes that all lanes have need no masks, planes that none has no words.
  template <int Width>
  __device__ __forceinline__ static void read_planes(int smallest, int largest, int width,
                                                     std::uint32_t const*& in,
                                                     std::uint32_t* planes) {
#pragma unroll
    for (int first = 0; first < Width; first += 4) {
#pragma unroll
      for (int p = first; p < first + 4; ++p) planes[p] = 0;
      if (smallest >= first + 4) {
#pragma unroll
        for (int p = first; p < first + 4; ++p) planes[p] = in[32 * (p - first) + warp::lane()];
        in += 4 * 32;
      } else if (largest > first) {
#pragma unroll
        for (int p = first; p < first + 4; ++p) {
          std::uint32_t const mask = warp::votes(width > p);
          if (width > p) planes[p] = in[rank_in_mask(mask, warp::lane())];
          in += popcount(mask);
        }
      }
    }
  }

  __device__ __forceinline__ static void read_wide(Plan const& plan, int width,
                                                   std::uint32_t const* in, U* residuals) {
    std::uint32_t planes[32], part[lane_values];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      read_planes<32>(plan.smallest - 32 * half, plan.largest - 32 * half, width - 32 * half, in,
                      planes);
      planes_to_codes<32>(planes, part);
#pragma unroll
      for (int i = 0; i < lane_values; ++i) {
        U const bits = static_cast<U>(part[i]) << (half * (sizeof(U) * 8 - 32));
        residuals[i] = half == 0 ? bits : unzigzag(residuals[i] | bits);
      }
    }
  }
};

}  // namespace kompakt::impl::cuda

#endif
