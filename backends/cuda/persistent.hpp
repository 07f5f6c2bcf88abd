#ifndef KOMPAKT_CUDA_PERSISTENT_HPP
#define KOMPAKT_CUDA_PERSISTENT_HPP

#include <core/tile.hpp>
#include <cstdint>
#include <cuda/launch.hpp>
#include <cuda/ordered_scan.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/encode_args.hpp>

namespace kompakt::impl::cuda {

/// What the kernels of a workspace add to, in device memory that is zero at first. The last block of
/// each kernel takes the sums and leaves zeros, so that no call begins with clearing something.
struct Persistent {
  OrderedScan::State scan;
  std::uint64_t exceptions;
  std::uint64_t words;  // of the chunks before those of a launch, of a call that has several
  std::uint64_t sample_words[tile_shapes], sample_values[tile_shapes];
  std::uint64_t above_lowest, below_highest;  // complements of the range's FiniteKeys distances
  std::uint32_t not_finite;                   // whether a value is
  std::uint32_t sample_done, range_done, fill_done;  // blocks
  // Of FillSeeker: the next run, whether all is known, blocks that are done.
  std::uint32_t fill_ticket, fill_found, fill_left;

  static std::size_t bytes(std::int64_t turns) {
    return sizeof(Persistent) + static_cast<std::size_t>(turns) * sizeof(std::uint64_t);
  }
  /// The words of the scan lie behind.
  __device__ __forceinline__ std::uint64_t* words_of_turns() {
    return reinterpret_cast<std::uint64_t*>(this + 1);
  }
  __device__ __forceinline__ static std::int64_t room(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes - sizeof(Persistent)) / sizeof(std::uint64_t));
  }
};

/// Whether the calling block is the last of its group to come here, after everything that the others
/// wrote; by all threads. The counter is then 0 again.
__device__ __forceinline__ bool is_last_block(Group group, std::uint32_t& done) {
  bool last = false;
  if (warp::thread() == 0) {
    __threadfence();
    last = atomicAdd(&done, 1u) + 1 == group.blocks;
    if (last) done = 0;
    __threadfence();
  }
  return __syncthreads_or(last) != 0;
}

/// Takes a sum that is complete.
template <class V>
__device__ __forceinline__ V take(V& sum) {
  V const value = *static_cast<V volatile*>(&sum);
  sum = 0;
  return value;
}

/// The arguments of a call as its kernels see them: what the host knows it passes.
template <class T>
struct Call {
  EncodeArgs<T> args;
  bool is_given;  // by the bound alone, and no fill value or reference to find
  Quantizer<T> given;

  explicit Call(EncodeArgs<T> const& a)
      : args(a), is_given(a.gives_quantizer()), given(is_given ? a.quantizer() : Quantizer<T>{}) {}

  __device__ __forceinline__ Quantizer<T> quantizer() const {
    return is_given ? given : args.state->quantizer;
  }
  __device__ __forceinline__ TileShape tile_shape() const {
    return args.has_choice_of_shapes() ? args.state->found.tile_shape
                                       : static_cast<TileShape>(bit_width(args.shapes) - 1);
  }
  __device__ __forceinline__ Persistent& persistent() const {
    return *reinterpret_cast<Persistent*>(args.persistent);
  }
};

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

inline std::size_t persistent_bytes(cuda_tag, std::int64_t turns) {
  return cuda::Persistent::bytes(turns);
}

}  // namespace kompakt::impl

#endif
