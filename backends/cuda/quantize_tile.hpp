#ifndef KOMPAKT_CUDA_QUANTIZE_TILE_HPP
#define KOMPAKT_CUDA_QUANTIZE_TILE_HPP

#include <core/exceptions.hpp>
#include <core/quantize.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/tile_io.hpp>
#include <cuda/warp.hpp>

// From the values of a tile in shared memory to their bins, by a warp: quickly where every value passes the quick
// check, else value by value.

namespace kompakt::impl::cuda {

/// Whether a lane has a value that the quick check may take though it is the fill value.
template <class T>
__device__ __noinline__ bool any_fill(T fill, SharedTile<unsigned_t<T>>& tile) {
  unsigned_t<T> values[lane_values];
  tile.load_row(warp::lane(), values);
  bool any = false;
#pragma unroll
  for (int i = 0; i < lane_values; ++i) any |= Kokkos::bit_cast<T>(values[i]) == fill;
  return any;
}

/// Whether a lane has a value in the bin of the fill value, of which the quick check may take those that come back as it.
template <class T>
__device__ __noinline__ bool any_in_bin_of_fill(Quantizer<T> const& quantizer,
                                                SharedTile<unsigned_t<T>>& tile) {
  T const inverse = quantizer.inverse, fill = quantizer.fill_rounded;
  unsigned_t<T> values[lane_values];
  tile.load_row(warp::lane(), values);
  bool any = false;
#pragma unroll
  for (int i = 0; i < lane_values; ++i) {
    any |= round_to_even(Kokkos::bit_cast<T>(values[i]) * inverse) == fill;
  }
  return any;
}
/// The same of bins in registers. Of double it cost bitshuffle 3 to 6 % of a compression, of float it won fixedlength 2 %
/// and huffman 12 %.
template <class U>
__device__ __forceinline__ bool any_bin(U wanted, U const* bins) {
  bool any = false;
#pragma unroll
  for (int i = 0; i < lane_values; ++i) any |= bins[i] == wanted;
  return any;
}

/// How a word a lane is stored.
__device__ __forceinline__ int stored_bits(std::uint32_t bits, int size) {
  return MaskSize{warp::sum(popcount(bits)), 2 + popcount(warp::votes(bits != 0 && bits != ~0u))}
      .stored(size);
}

/// Quantizer::quantize(), of a kind of bins that is known.
template <Bins bins, class T>
__device__ __forceinline__ bin_t<T> quantize_as(Quantizer<T> const& quantizer, T value,
                                                bool& accepted) {
  if constexpr (bins == Bins::lossless) return quantizer.quantize_lossless(value, accepted);
  if constexpr (bins == Bins::relative) return quantizer.quantize_relative(value, accepted);
  return quantizer.quantize_linear(value, accepted);
}

/// classify_tile() of core/exceptions.hpp for a tile in shared memory, which becomes the tile's bins;
/// what the record's tail will be. The exact check runs only for values that the quick one refuses and that are not
/// plainly masked, as a rule one or two: a warp that checked all 1024 would keep the scan, and so every other
/// block, waiting.
/// \param from  copied, because after every store to the tile it would be read again
template <Bins bins, class T>
__device__ __noinline__ RecordTail classify(Quantizer<T> const& from, std::uint32_t inside,
                                            SharedTile<unsigned_t<T>>& tile,
                                            ExceptionScratch& scratch) {
  using U = unsigned_t<T>;
  Quantizer<T> const quantizer = from;
  int const me = warp::lane();
  LaneVerdicts verdicts;
  std::uint32_t suspects = 0;
#pragma unroll 2
  for (int quad = 0; quad < lane_values / 4; ++quad) {
    U places[4];
    tile.load_quad(me, quad, places);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T const value = Kokkos::bit_cast<T>(places[i]);
      bool accepted, is_masked = quantizer.fill.is(value);
      bin_t<T> const bin = quantize_as<bins>(quantizer, value, accepted);
      if constexpr (bins == Bins::relative) {
        is_masked |= value == 0 && !quantizer.fill.known;
        Verdict const verdict = is_masked ? Verdict::masked : Verdict::accepted;
        bool const marked = (accepted || is_masked) && quantizer.marks(value, verdict);
        verdicts.negative |= static_cast<std::uint32_t>(marked) << (4 * quad + i);
      }
      verdicts.masked |= static_cast<std::uint32_t>(is_masked) << (4 * quad + i);
      suspects |= static_cast<std::uint32_t>(!accepted && !is_masked) << (4 * quad + i);
      if (accepted) places[i] = static_cast<U>(bin);
    }
    tile.store_quad(me, quad, places);
  }
  verdicts.masked &= inside;
  verdicts.invalid = verdicts.masked | ~inside;
  warp::sync();
  for (suspects &= inside; suspects != 0; suspects &= suspects - 1) {
    int const reg = lowest_bit(suspects);
    U& place = tile.value(me, reg);
    place = static_cast<U>(verdicts.add(quantizer, Kokkos::bit_cast<T>(place), reg));
  }
  warp::sync();
  // Invalid values take the bin before them in the lane, or else the first valid one of the tile.
  std::uint32_t invalid = verdicts.invalid;
  std::uint32_t const lanes_with_bin = warp::votes(invalid != ~0u);
  int const first_lane = lowest_bit(lanes_with_bin);
  std::uint32_t const invalid_there = warp::from_lane(invalid, first_lane < 0 ? 0 : first_lane);
  U const first_bin = first_lane < 0 ? U{0} : tile.value(first_lane, lowest_bit(~invalid_there));
  warp::sync();
  for (; invalid != 0; invalid &= invalid - 1) {
    int const reg = lowest_bit(invalid);
    tile.value(me, reg) = reg == 0 ? first_bin : tile.value(me, reg - 1);
  }
  scratch.exception[me] = verdicts.exception;
  scratch.masked[me] = verdicts.masked;
  scratch.negative[me] = verdicts.negative & inside;
  warp::sync();
  int const size = warp::sum(popcount(inside));
  int const signs = bins == Bins::relative ? stored_bits(verdicts.negative & inside, size) : 0;
  return RecordTail::make(warp::sum(popcount(verdicts.exception)),
                          stored_bits(verdicts.masked, size), signs);
}

/// The largest LogScale::bin_key() of the lane's values inside the field.
template <class T>
__device__ __noinline__ std::uint32_t largest_key_inside(std::uint32_t inside,
                                                         SharedTile<unsigned_t<T>>& tile) {
  std::uint32_t key = 0;
  for (; inside != 0; inside &= inside - 1) {
    key = Kokkos::max(key, LogScale<T>::bin_key(tile.value(warp::lane(), lowest_bit(inside))));
  }
  return key;
}

/// Quantises a tile for a bound relative to each value: the bins of all values at once, unless one has none. Quad by
/// quad in shared memory: a row in registers did not fit beside what the caller has there, and what was saved went as
/// far as the second cache.
template <class T>
__device__ __noinline__ RecordTail quantize_relative(Quantizer<T> const& quantizer,
                                                     std::uint32_t inside,
                                                     SharedTile<unsigned_t<T>>& tile,
                                                     ExceptionScratch& scratch) {
  using U = unsigned_t<T>;
  int const me = warp::lane();
  std::uint32_t negative = 0, key = 0;
#pragma unroll
  for (int quad = lane_values / 4 - 1; quad >= 0; --quad) {
    U values[4];
    tile.load_quad(me, quad, values);
#pragma unroll
    for (int i = 3; i >= 0; --i) {
      auto const high = static_cast<std::uint32_t>(values[i] >> (8 * sizeof(U) - 32));
      negative = warp::bits_up_to(high, negative, 1);
      key = Kokkos::max(key, LogScale<T>::bin_key(values[i]));
    }
  }
  if (warp::any(inside != ~0u)) [[unlikely]] {
    key = largest_key_inside<T>(inside, tile);
  }
  bool refused = !quantizer.scale.proven || key >= LogScale<T>::bin_keys;
  if (quantizer.fill.known) refused |= any_fill<T>(quantizer.fill.value, tile);
  if (warp::any(refused)) return classify<Bins::relative>(quantizer, inside, tile, scratch);
  LogScale<T> const scale = quantizer.scale;
#pragma unroll 2
  for (int quad = 0; quad < lane_values / 4; ++quad) {
    U values[4];
    tile.load_quad(me, quad, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      values[i] = static_cast<U>(scale.bin_of(Kokkos::bit_cast<T>(values[i]),
                                              [](T x) { return warp::root_of_1_to_4(x); }));
    }
    tile.store_quad(me, quad, values);
  }
  scratch.negative[me] = negative & inside;
  warp::sync();
  return RecordTail::make(0, 0, stored_bits(negative & inside, warp::sum(popcount(inside))));
}

/// Quantises a tile without loss: every value has a bin.
template <class T>
__device__ __noinline__ RecordTail quantize_lossless(Quantizer<T> const& quantizer,
                                                     std::uint32_t inside,
                                                     SharedTile<unsigned_t<T>>& tile,
                                                     ExceptionScratch& scratch) {
  using U = unsigned_t<T>;
  int const me = warp::lane();
  if (quantizer.fill.known) {
    U const fill = Kokkos::bit_cast<U>(quantizer.fill.value);
    bool any = false;
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) {
      U values[4];
      tile.load_quad(me, quad, values);
#pragma unroll
      for (int i = 0; i < 4; ++i) any |= values[i] == fill;
    }
    if (warp::any(any)) return classify<Bins::lossless>(quantizer, inside, tile, scratch);
  }
  OrderedKeys<T> const keys = quantizer.keys;
#pragma unroll
  for (int quad = 0; quad < lane_values / 4; ++quad) {
    U values[4];
    tile.load_quad(me, quad, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      values[i] = static_cast<U>(keys.key(Kokkos::bit_cast<T>(values[i])));
    }
    tile.store_quad(me, quad, values);
  }
  warp::sync();
  return {};
}

/// Whether the calls of a walk whose bins are linear may have relative ones all the same.
template <class CodecTypes>
inline constexpr bool may_be_relative = false;

/// The bins of the lane's row of a tile, and a number that they are too large by.
/// \tparam anew  works_anew()
template <class CodecTypes, bool anew = false, class T>
__device__ __forceinline__ unsigned_t<T> quantize_row(Quantizer<T> const& quantizer,
                                                      std::uint32_t inside,
                                                      SharedTile<unsigned_t<T>>& tile,
                                                      ExceptionScratch& exceptions,
                                                      unsigned_t<T>* bins, RecordTail& tail) {
  int const me = warp::lane_for_loop<anew>();
  if constexpr (CodecTypes::bins == Bins::lossless) {
    tail = quantize_lossless<T>(quantizer, inside, tile, exceptions);
  } else if constexpr (CodecTypes::bins == Bins::relative) {
    tail = quantize_relative<T>(quantizer, inside, tile, exceptions);
  } else {
    if (may_be_relative<CodecTypes> && warp::any(quantizer.bins == Bins::relative)) [[unlikely]] {
      tail = quantize_relative<T>(quantizer, inside, tile, exceptions);
      tile.load_row_by_values(me, bins);
      return 0;
    }
    SmallBins<T> small(quantizer);
    tile.load_row(me, bins);
#pragma unroll
    for (int i = 0; i < lane_values; ++i) bins[i] = small.biased_bin(Kokkos::bit_cast<T>(bins[i]));
    bool refused = !small.all_accepted();
    if (quantizer.fill.known) {
      refused |= sizeof(T) == 4 ? any_bin(SmallBins<T>::biased_bin_of_fill(quantizer), bins)
                                : any_in_bin_of_fill(quantizer, tile);
    }
    if (!warp::any(refused)) return SmallBins<T>::bias;
    tail = classify<Bins::linear>(quantizer, inside, tile, exceptions);
    tile.load_row_by_values(me, bins);
    return 0;
  }
  tile.load_row(me, bins);
  return 0;
}

}  // namespace kompakt::impl::cuda

#endif
