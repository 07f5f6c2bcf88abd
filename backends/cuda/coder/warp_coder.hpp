#ifndef KOMPAKT_CUDA_CODER_WARP_CODER_HPP
#define KOMPAKT_CUDA_CODER_WARP_CODER_HPP

#include <core/bits.hpp>
#include <core/checksum.hpp>
#include <core/exceptions.hpp>
#include <core/quantize.hpp>
#include <cuda/warp.hpp>
#include <kompakt/options.hpp>
#include <type_traits>

// What the coders of a warp have in common: a lane's 32 residuals are in the registers of a thread.

namespace kompakt::impl::cuda {

/// A coder's records by a warp: the same plan and the same words as the coder itself.
///   measure<works_anew>(context, residuals, lane, wide)
///                                                 a plan; may leave something else than the residuals
///   write(plan, lane, wide, residuals, out)       plan.words() words, from what measure() left
///   read(context, coder_bits, in, words, residuals, sum)
///                                                 the lane's residuals and their sum from untrusted
///                                                 words; false unless they describe exactly `words`
/// The contexts are made once by a block, from shared memory that stays:
///   encode_context(args, EncodeTables&), decode_context(args, DecodeTables&)
/// Numbers that were chosen by measurement on an H200, each with it (docs/notebook.md has more):
///   encode_blocks, decode_blocks   blocks that an SM holds; the register limit follows from it
///   ring_words                     of the encoder's ring of images in shared memory
/// Whether a speculative decoder has what it needs of a section says is_ready(args).
/// A coder that only counts says so (`counts`), and has flush(args, kind, EncodeTables const&) for the end.
template <class Coder>
struct WarpCoder;

/// Whether lossless streams are by this coder.
template <class Coder>
inline constexpr bool may_be_lossless = false;

/// Which bins the calls of a mode have; those with linear ones find out that a field is constant.
constexpr Bins bins_of(ErrorBound::Mode mode) {
  return mode == ErrorBound::Mode::pwr        ? Bins::relative
         : mode == ErrorBound::Mode::lossless ? Bins::lossless
                                              : Bins::linear;
}

/// A walk in an encoder for one kind of bins. Each has its own: one for all of them spilled registers, which cost
/// tiles of 32x32 up to 19 % and bricks up to 10 (docs/notebook.md).
template <class Types, Bins kind>
struct CodecTypesOf : Types {
  static constexpr Bins bins = kind;
};

/// encode(walk) with the CodecTypesOf<CodecTypes, …> of the calls of a mode. Predictors with levels
/// have one for all.
template <class CodecTypes, class Encode>
void with_encoder(ErrorBound::Mode mode, Encode const& encode) {
  if constexpr (CodecTypes::Predictor::has_levels) {
    encode(CodecTypesOf<CodecTypes, Bins::linear>{});
  } else {
    switch (bins_of(mode)) {
      case Bins::constant:
      case Bins::linear: return encode(CodecTypesOf<CodecTypes, Bins::linear>{});
      case Bins::relative: return encode(CodecTypesOf<CodecTypes, Bins::relative>{});
      case Bins::lossless:
        if constexpr (may_be_lossless<typename CodecTypes::Coder>) {
          encode(CodecTypesOf<CodecTypes, Bins::lossless>{});
        }
    }
  }
}

/// What the tiles of a field are coded with by a warp.
template <class CodecTypes>
struct WarpEncodeContext {
  using Coder = WarpCoder<typename CodecTypes::Coder>;
  struct None {};
  // Of levels blocks know more (LevelsOfField).
  using PredictorContext = std::conditional_t<CodecTypes::Predictor::has_levels, None,
                                              typename CodecTypes::Predictor::Context>;
  typename Coder::EncodeContext coder;
  PredictorContext predictor;

  template <class Args>
  __device__ __forceinline__ static WarpEncodeContext of(Args const& args,
                                                         typename Coder::EncodeTables& tables) {
    if constexpr (CodecTypes::Predictor::has_levels) {
      return {Coder::encode_context(args, tables), {}};
    } else {
      return {Coder::encode_context(args, tables), CodecTypes::Predictor::context(args)};
    }
  }
};

/// What measure() leaves for write() if there are residuals without a code: in memory, as registers are dear,
/// and apart from everything else, which would otherwise lie there too.
template <class U>
struct WideResiduals {
  U residuals[lane_values];
};

/// Of coders that look nothing up.
struct WithoutTables {
  static constexpr bool counts = false;
  struct EncodeTables {};
  struct DecodeTables {};
  using EncodeContext = Variant;
  using DecodeContext = DecodeTables;
  template <class Args>
  __device__ __forceinline__ static EncodeContext encode_context(Args const& args, EncodeTables&) {
    return args.asked.variant;
  }
  template <class Args>
  __device__ __forceinline__ static DecodeContext decode_context(Args const&, DecodeTables&) {
    return {};
  }
  template <class Args>
  __device__ __forceinline__ static bool is_ready(Args const&) {
    return true;
  }
};

/// Writes the list of residuals without a code, and its count in front. wide: bit a register of the lane
template <class T>
__device__ __noinline__ void write_wide(int count, std::uint32_t wide,
                                        unsigned_t<T> const* residuals, std::uint32_t* out) {
  int rank = warp::prefix_sum(popcount(wide)) - popcount(wide);
  std::uint32_t* const list = out + 1;
  if (warp::lane() == 0) {
    out[0] = static_cast<std::uint32_t>(count);
    list[ceil_div(count, 2) - 1] = 0;  // padding behind the last place
  }
  warp::sync();
  for (; wide != 0; wide &= wide - 1) {
    int const reg = lowest_bit(wide);
    store_entry(list, count, rank++, warp::lane() * lane_values + reg,
                Kokkos::bit_cast<T>(residuals[reg]));
  }
  warp::sync();
}

/// Takes the residuals of an untrusted list; whether it is sound. Every lane looks for its own entries, and
/// takes them without an index into its registers: an array that is handed over in memory was stored there for
/// every record, 4 KiB a tile (1.80 against 2.30 TB/s).
template <class T>
__device__ __forceinline__ bool read_wide(std::uint32_t const* list, int count,
                                          unsigned_t<T>* residuals, unsigned_t<T>& sum) {
  using U = unsigned_t<T>;
  bool const sound = read_list<T>(warp::Team(), list, count, [](int, int, T) { return true; });
  if (warp::any(!sound)) return false;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    int const place = entry_place(list, i);
    int const mine = place / lane_values == warp::lane() ? place % lane_values : -1;
    U const value = Kokkos::bit_cast<U>(entry_value<T>(list, count, i));
#pragma unroll
    for (int reg = 0; reg < lane_values; ++reg) {
      if (reg != mine) continue;
      sum += value - residuals[reg];
      residuals[reg] = value;
    }
  }
  return true;
}

/// Adds up the checksum of the words of a chunk as lanes touch them.
struct ChecksumOfLane {
  std::uint32_t seed;
  std::uint32_t sum = 0;

  __device__ __forceinline__ void add(std::uint32_t word, int position) {
    sum += checksum_word(word, static_cast<std::uint32_t>(position), seed);
  }
};

/// Width of the widest zig-zag of some residuals, without the zig-zags.
template <class U>
struct CodeWidth {
  U magnitudes = 0, any = 0;

  __device__ __forceinline__ void add(U residual) {
    // ~r for r < 0: what the zig-zag of r holds above its lowest bit.
    using S = std::make_signed_t<U>;
    magnitudes |= residual ^ static_cast<U>(static_cast<S>(residual) >> (sizeof(U) * 8 - 1));
    any |= residual;
  }
  __device__ __forceinline__ int width() const {
    return bit_width<U>(magnitudes << 1 | static_cast<U>(any != 0));
  }
};

/// A residual of 32 bits as one of U's.
template <class U>
__device__ __forceinline__ U widen(std::uint32_t residual) {
  return static_cast<U>(static_cast<std::make_signed_t<U>>(static_cast<std::int32_t>(residual)));
}

/// body(width class: 8, 16 or 32) for planes up to `largest`, which all lanes agree on.
template <int widest, class Body>
__device__ __forceinline__ void with_width_class(int largest, Body const& body) {
  if constexpr (widest > 16) {
    if (largest > 16) return body(std::integral_constant<int, 32>{});
  }
  if (largest > 8) {
    body(std::integral_constant<int, 16>{});
  } else {
    body(std::integral_constant<int, 8>{});
  }
}

/// Residuals from the planes of the zig-zags, or of magnitudes and signs, of lanes of at most `Width` bits;
/// their sum, which takes a quarter of the additions while they are bytes.
template <int Width, bool sign_magnitude = false>
__device__ __forceinline__ std::uint32_t unpack(std::uint32_t* planes, std::uint32_t* residuals) {
  std::uint32_t sum = 0;
  if constexpr (sign_magnitude) {
    magnitudes_to_packed<Width>(planes);
  } else {
    planes_to_packed<Width>(planes);
  }
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    if constexpr (Width == 8) sum = warp::add_bytes(planes[i], sum);
#pragma unroll
    for (int j = 0; j < 32 / Width; ++j) {
      std::uint32_t& residual = residuals[i + j * Width];
      if constexpr (Width < 32) {
        residual = warp::signed_part<Width>(planes[i], j);
      } else {
        residual = planes[i];
      }
      if constexpr (Width > 8) sum += residual;
    }
  }
  return sum;
}

}  // namespace kompakt::impl::cuda

#endif
