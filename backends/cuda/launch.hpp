#ifndef KOMPAKT_CUDA_LAUNCH_HPP
#define KOMPAKT_CUDA_LAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>
#include <cuda/tuning.hpp>
#include <kompakt/error.hpp>
#include <string>

// Raw launches on the stream of an execution space instance. Kokkos's team launches of the same functors
// reach 92 to 99 % of them, and stop at 48 KiB of shared memory, of which double needs more
// (docs/notebook.md).

namespace kompakt::impl::cuda {

/// Raw launches of this process so far, which Kokkos Tools cannot see.
inline std::atomic<std::uint64_t> raw_launches{0};

inline void require_success(cudaError_t code, char const* what) {
  if (code == cudaSuccess) return;
  throw Error(Status::device, std::string(what) + ": " + cudaGetErrorString(code));
}

/// The blocks that work on one call: all of a launch, or some of a batch's.
struct Group {
  std::uint32_t block, blocks;  ///< number of the calling one, of them all
};

/// Whether a kernel may be brought onto the device while the one before it on its stream still runs (programmatic dependent
/// launch, from compute capability 9.0 on). Kokkos compiles for one architecture, which host and device know alike.
#if defined(KOKKOS_ARCH_HOPPER) || defined(KOKKOS_ARCH_BLACKWELL)
inline constexpr bool launches_overlap =
    CUDART_VERSION >= 12030;  // before it, not while a graph is captured
#else
inline constexpr bool launches_overlap = false;
#endif

/// Waits until all kernels before this one have ended and their memory is visible; by every thread of every kernel, first.
__device__ __forceinline__ void wait_for_kernels_before() {
#if __CUDA_ARCH__ >= 900
  if constexpr (launches_overlap) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
}

template <int blocks_of_sm, class Kernel>
__global__ void __launch_bounds__(tuning::block_threads, blocks_of_sm)
    run_kernel(Kernel const kernel) {
  wait_for_kernels_before();
  extern __shared__ __align__(16) unsigned char memory[];
  kernel(*reinterpret_cast<typename Kernel::Shared*>(memory), Group{blockIdx.x, gridDim.x});
}

/// Launches a __global__ function, which begins with wait_for_kernels_before(), in `blocks` blocks of
/// tuning::block_threads threads, without waiting.
template <class Function, class... Args>
void launch_function(Kokkos::Cuda const& exec, char const* label, std::int64_t blocks,
                     std::size_t shared_bytes, Function* function, Args const&... args) {
  if (shared_bytes > 48 * 1024) {
    require_success(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(shared_bytes)),
                    label);
  }
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(tuning::block_threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = exec.cuda_stream();
  config.attrs = &overlap;
  config.numAttrs = launches_overlap ? 1 : 0;
  require_success(cudaLaunchKernelEx(&config, function, args...), label);
  ++raw_launches;
}

/// Launches kernel(Shared&, Group).
/// \tparam blocks_of_sm  how many of its blocks an SM shall hold
template <int blocks_of_sm, class Kernel>
void launch(Kokkos::Cuda const& exec, char const* label, std::int64_t blocks,
            Kernel const& kernel) {
  launch_function(exec, label, blocks, sizeof(typename Kernel::Shared),
                  run_kernel<blocks_of_sm, Kernel>, kernel);
}

/// Blocks that the device holds at once.
inline std::int64_t resident_blocks(Kokkos::Cuda const& exec, int blocks_of_sm) {
  return static_cast<std::int64_t>(exec.cuda_device_prop().multiProcessorCount) * blocks_of_sm;
}

/// Launches blocks that stay and fetch their work: as many as the device holds at once, or
/// `most` if that is less.
template <int blocks_of_sm, class Kernel>
void launch_resident(Kokkos::Cuda const& exec, char const* label, std::int64_t most,
                     Kernel const& kernel) {
  std::int64_t const resident = resident_blocks(exec, blocks_of_sm);
  launch<blocks_of_sm>(exec, label, most < resident ? most : resident, kernel);
}

}  // namespace kompakt::impl::cuda

#endif
