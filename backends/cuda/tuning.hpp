#ifndef KOMPAKT_CUDA_TUNING_HPP
#define KOMPAKT_CUDA_TUNING_HPP

#include <core/types.hpp>

// Numbers that were chosen by measurement on an H200, each with it; docs/notebook.md has more.

namespace kompakt::impl::cuda::tuning {

/// A block is four warps, each with a tile of a chunk.
inline constexpr int block_threads = chunk_tiles * 32;

/// Blocks of an SM that look for the range of a field: all its threads.
inline constexpr int range_blocks = 16;

/// Blocks of an SM that look for a fill value that made it, and for the range without that: few, because they are launched in
/// any case.
inline constexpr int seeker_blocks = 4;

/// Blocks of an SM that look for a fill value: one would be enough, and leaves each thread's values in registers.
inline constexpr int fill_blocks = 4;

/// Blocks of an SM that build, encode and decode levels. The encoder of float in 4 spills, and what spills goes as far as
/// the second cache (turbulence 512^3: 0.98 against 0.91 ms); the decoder in 3 takes 1.00 instead of 0.88 ms, in 5, which
/// spill, 0.57 instead of 0.51.
template <class T>
inline constexpr int level_blocks = sizeof(T) == 4 ? 4 : 3;
template <class T>
inline constexpr int level_encode_blocks = sizeof(T) == 4 ? 3 : 2;
template <class T>
inline constexpr int level_decode_blocks = sizeof(T) == 4 ? 4 : 3;

/// Blocks of an SM that sweep, fewer than decode alone: the values of a visit take registers, and the more warps there are, the
/// longer they wait for each other (bitshuffle, 512^3: 1.13 ms with 3 blocks, 1.25 with 2, 1.86 with 4).
template <class T>
inline constexpr int sweep_blocks = sizeof(T) == 4 ? 3 : 2;

/// Words of the encoder's ring of images, of tiles of levels: raw ones of a turn and little more.
template <class T>
inline constexpr int level_ring_words = sizeof(T) == 4 ? 4224 : 8320;

/// Words of a record that the decoder of a level fetches ahead; longer ones are fetched when it is their turn.
inline constexpr int level_record_words = 1024;

/// Blocks of an SM that judge checksums.
inline constexpr int checksum_blocks = 8;

/// Words of the decoder's stage for a warp. Chunks longer than that, of a ratio below 3.2, are read when
/// it is their turn; two of a ratio below 6.4 lie over each other in part. More words (1728) take what
/// is left of the first cache: 2.61 instead of 2.64 TB/s.
template <class T>
inline constexpr int stage_words = sizeof(T) == 4 ? 1280 : 2560;

/// Words that a thread of the scanner looks at in a step.
inline constexpr int scan_words = 4;

}  // namespace kompakt::impl::cuda::tuning

#endif
