#ifndef KOMPAKT_CUDA_TUNING_HPP
#define KOMPAKT_CUDA_TUNING_HPP

#include <core/types.hpp>

// Numbers that were chosen by measurement, each with it (docs/performance.md has the tables).

namespace kompakt::impl::cuda::tuning {

#ifndef KT_RING4
#define KT_RING4 6400
#endif
#ifndef KT_RING8
#define KT_RING8 9600
#endif
#ifndef KT_STAGE4
#define KT_STAGE4 2048
#endif
#ifndef KT_STAGE8
#define KT_STAGE8 4096
#endif
#ifndef KT_SCAN
#define KT_SCAN 4
#endif
#ifndef KT_EB4
#define KT_EB4 5
#endif
#ifndef KT_EB8
#define KT_EB8 3
#endif
#ifndef KT_DB4
#define KT_DB4 6
#endif
#ifndef KT_DB8
#define KT_DB8 3
#endif

/// A block is four warps, each with a tile of a chunk.
inline constexpr int block_threads = chunk_tiles * 32;

/// Blocks that an SM holds while it encodes values of T; the register limit follows from it.
template <class T>
inline constexpr int encode_blocks = sizeof(T) == 4 ? KT_EB4 : KT_EB8;
template <class T>
inline constexpr int decode_blocks = sizeof(T) == 4 ? KT_DB4 : KT_DB8;

/// Words of the encoder's ring of images in shared memory; at least a chunk of raw tiles and a head.
template <class T>
inline constexpr int ring_words = sizeof(T) == 4 ? KT_RING4 : KT_RING8;

/// Words of a chunk that the decoder fetches ahead; longer ones are read when it is their turn.
template <class T>
inline constexpr int stage_words = sizeof(T) == 4 ? KT_STAGE4 : KT_STAGE8;

/// Words that a thread of the scanner looks at in a step.
inline constexpr int scan_words = KT_SCAN;

}  // namespace kompakt::impl::cuda::tuning

#endif
