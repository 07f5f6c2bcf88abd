#ifndef KOMPAKT_CUDA_BATCH_LAUNCH_HPP
#define KOMPAKT_CUDA_BATCH_LAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <cuda/launch.hpp>
#include <cuda/persistent.hpp>
#include <cuda/warp.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/run_each.hpp>

// Many calls in one launch: each gets a group of blocks, which do what a launch of its own would do.
// Fields of a few megabytes leave a device that is launched for each of them idle most of the time.

namespace kompakt::impl::cuda {

/// A call of a batch and where its group begins.
template <class Kernel>
struct BatchEntry {
  Kernel kernel;
  std::uint32_t first_block;
};

/// Shared memory of a block: the kernel's own, a copy of the kernel, and its place in the batch.
template <class Kernel>
struct BatchShared {
  typename Kernel::Shared own;
  alignas(16) unsigned char kernel[sizeof(Kernel)];
  Group group;
  std::uint32_t number;
};

/// Which group a block belongs to is decided by the order in which blocks start: a group whose blocks
/// wait for each other then never waits for one that all others keep from starting.
template <int blocks_of_sm, class Kernel>
__global__ void __launch_bounds__(tuning::block_threads, blocks_of_sm)
    run_batch(BatchEntry<Kernel> const* entries, std::uint32_t count, std::uint32_t* started) {
  wait_for_kernels_before();
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<BatchShared<Kernel>*>(memory);
  if (warp::thread() == 0) {
    std::uint32_t const block = atomicAdd(started, 1u);
    if (block + 1 == gridDim.x) *started = 0;  // for the next launch
    std::uint32_t low = 0, high = count;
    while (high - low > 1) {
      std::uint32_t const middle = (low + high) / 2;
      (entries[middle].first_block <= block ? low : high) = middle;
    }
    std::uint32_t const first = entries[low].first_block;
    std::uint32_t const next = low + 1 < count ? entries[low + 1].first_block : gridDim.x;
    shared.group = {block - first, next - first};
    shared.number = low;
  }
  __syncthreads();
  auto const* const from = reinterpret_cast<std::uint32_t const*>(&entries[shared.number].kernel);
  auto* const to = reinterpret_cast<std::uint32_t*>(shared.kernel);
  for (int i = warp::thread(); i < static_cast<int>(sizeof(Kernel) / 4);
       i += tuning::block_threads) {
    to[i] = from[i];
  }
  __syncthreads();
  (*reinterpret_cast<Kernel const*>(shared.kernel))(shared.own, shared.group);
}

/// Collects the kernels of one kind.
template <int blocks_of_sm, class Kernel>
class Batch {
 public:
  /// \param most  kernels that will be added, at most
  Batch(BatchMemory& memory, std::size_t most)
      : m_entries(memory, most), m_counter(reinterpret_cast<std::uint32_t*>(memory.counter)) {}

  void add(Kernel const& kernel, std::int64_t blocks) {
    m_entries.add({kernel, m_blocks});
    m_blocks += static_cast<std::uint32_t>(blocks);
  }
  /// Launches what was added, if anything was.
  void launch(Kokkos::Cuda const& exec, char const* label) const {
    auto const count = static_cast<std::uint32_t>(m_entries.objects().size());
    if (count == 0) return;
    launch_function(exec, label, m_blocks, sizeof(BatchShared<Kernel>),
                    run_batch<blocks_of_sm, Kernel>, m_entries.upload(exec), count, m_counter);
  }

 private:
  UploadList<BatchEntry<Kernel>> m_entries;
  std::uint32_t* m_counter;
  std::uint32_t m_blocks = 0;
};

/// Blocks for a call with `work` units of all calls' `all` units: its share of what the device holds, but at least so many
/// that one more, which only makes places for them, does not matter, and no more than one a unit.
inline std::int64_t blocks_of_call(Kokkos::Cuda const& exec, int blocks_of_sm, std::int64_t work,
                                   std::int64_t all) {
  constexpr std::int64_t least = 8;
  std::int64_t const share = ceil_div(work * resident_blocks(exec, blocks_of_sm), all);
  return Kokkos::min(Kokkos::max(share, least), work);
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

inline std::size_t batch_entry_bytes(cuda_tag) {
  // Kernels have a call and little beside it; those of a batch are of eight kinds at most.
  constexpr std::size_t entry = sizeof(cuda::Call<double>) + 64;
  return 8 * align_section(entry + 64);
}
inline std::size_t batch_decode_entry_bytes(cuda_tag) {
  // A decoder, and what reads the coder's section.
  return 2 * align_section(sizeof(SpeculativeArgs<double>) + 64);
}

}  // namespace kompakt::impl

#endif
