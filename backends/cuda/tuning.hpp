#ifndef KOMPAKT_CUDA_TUNING_HPP
#define KOMPAKT_CUDA_TUNING_HPP

#include <core/types.hpp>
#include <kompakt/options.hpp>

// Numbers that were chosen by measurement on an H200, each with it; docs/performance.md has more.

namespace kompakt::impl::cuda::tuning {

/// A block is four warps, each with a tile of a chunk.
inline constexpr int block_threads = chunk_tiles * 32;

/// Blocks that an SM holds while it encodes values of T; the register limit follows from it. Float: 5
/// leave 96 registers and reach 2.05 TB/s, 6 leave 80, spill and reach 1.92 (turbulence, chain). Those of
/// bitshuffle spill with 96: 5 reach 1.71 (deep) and 1.79 (fz), 4 1.78 and 1.97. Double: shared memory
/// ends at 3.
template <class T, Pipeline pipeline>
inline constexpr int encode_blocks = sizeof(T) == 8 ? 3
                                                    : (pipeline == Pipeline::fixedlength ? 5 : 4);

/// The same for the decoder. Float: 6 leave 80 registers, spill and reach 2.54 TB/s against 2.64
/// (turbulence, chain), for bricks 1.99 against 2.23. Of bitshuffle 5 spill and reach 2.21 (deep), for bricks
/// 1.71; 4 reach 2.31 and 1.91. Double: 4 would spill.
template <class T, Pipeline pipeline>
inline constexpr int decode_blocks = sizeof(T) == 8 ? (pipeline == Pipeline::huffman ? 2 : 3)
                                                    : (pipeline == Pipeline::fixedlength ? 5 : 4);

/// Blocks of an SM that count for a codebook, and blocks for each tile kind: each adds its counts to the
/// field's once.
template <class T>
inline constexpr int count_blocks = sizeof(T) == 8 ? 3 : 4;
inline constexpr int counting_blocks = 512;

/// Blocks of an SM that look for the range of a field: all its threads.
inline constexpr int range_blocks = 16;

/// Blocks of an SM that look for a fill value: one would be enough, and leaves each thread's values in registers.
inline constexpr int fill_blocks = 4;

/// Words of the encoder's ring of images in shared memory; at least a chunk of raw tiles and a head.
/// What the blocks above leave: at a ratio of 6 the images of 9 chunks.
template <class T, Pipeline pipeline>
inline constexpr int ring_words = sizeof(T) == 4 ? 5248
                                                 : (pipeline == Pipeline::huffman ? 8320 : 9600);

/// Words of the decoder's stage for a warp. Chunks longer than that, of a ratio below 3.2, are read when
/// it is their turn; two of a ratio below 6.4 lie over each other in part. More words (1728) take what
/// is left of the first cache: 2.61 instead of 2.64 TB/s.
template <class T>
inline constexpr int stage_words = sizeof(T) == 4 ? 1280 : 2560;

/// Words that a thread of the scanner looks at in a step.
inline constexpr int scan_words = 4;

}  // namespace kompakt::impl::cuda::tuning

#endif
