#ifndef KOMPAKT_CUDA_STAGE_HPP
#define KOMPAKT_CUDA_STAGE_HPP

#include <core/types.hpp>
#include <cstdint>
#include <cuda/tuning.hpp>
#include <cuda/warp.hpp>

namespace kompakt::impl::cuda {

/// A chunk that a warp decodes or soon will.
struct StagedChunk {
  std::uint64_t first_word;  ///< in the payload
  int words;                 ///< -1 if its index entry is unsound
  int at;                    ///< of its first word in the stage; negative if it does not fit

  /// Packs of 16 bytes that it takes in the stage, from the one that it starts in. With a word to spare,
  /// because a coder may look at the one behind its last.
  __device__ __forceinline__ int packs() const {
    int const skew = static_cast<int>(first_word & 3);
    return words <= 0 || at < 0 ? 0 : (skew + words + 4) / 4;
  }
};

/// Shared memory of a warp for the words of two chunks. They lie at its two ends, turn by turn, so
/// that the next one has all the room that the one in hand leaves: two halves would keep chunks of
/// more than half from being fetched ahead, of a ratio below 5 instead of 3.
template <class T>
struct Stage {
  static constexpr int packs = tuning::stage_words<T> / 4;
  alignas(16) std::uint32_t words[4 * packs];

  __device__ __forceinline__ static StagedChunk place(std::uint64_t first_word, int words,
                                                      bool top) {
    StagedChunk chunk{first_word, words, static_cast<int>(first_word & 3)};
    int const taken = chunk.packs();
    if (taken > packs) {
      chunk.at = -1;
    } else if (top) {
      chunk.at += 4 * (packs - taken);
    }
    return chunk;
  }
  /// Packs that lie in both chunks.
  __device__ __forceinline__ static int overlap(StagedChunk const& a, StagedChunk const& b) {
    int const both = a.packs() + b.packs() - packs;
    return both > 0 ? both : 0;
  }

  /// Starts to copy the chunk's packs [from, to). What lies behind the last whole pack goes by words,
  /// because the stream may end there.
  __device__ __forceinline__ void fetch(std::uint32_t const* payload, StagedChunk const& chunk,
                                        int from, int to) {
    if (from >= to) return;
    int const skew = static_cast<int>(chunk.first_word & 3);
    std::uint32_t const* const in = payload + (chunk.first_word - static_cast<unsigned>(skew));
    std::uint32_t* const out = words + (chunk.at - skew);
    int const whole = (skew + chunk.words) / 4;
#pragma unroll 1
    for (int pack = from + warp::lane(); pack < to; pack += 32) {
      if (pack < whole) {
        warp::copy_async<16>(out + 4 * pack, in + 4 * pack);
      } else {
        for (int i = 4 * pack; i < skew + chunk.words; ++i) warp::copy_async<4>(out + i, in + i);
      }
    }
  }
};

}  // namespace kompakt::impl::cuda

#endif
