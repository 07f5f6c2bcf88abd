#ifndef KOMPAKT_CUDA_RESOLVE_BATCH_HPP
#define KOMPAKT_CUDA_RESOLVE_BATCH_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/batch_launch.hpp>
#include <cuda/detect_fill.hpp>
#include <cuda/resolve.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/resolve.hpp>
#include <span>

namespace kompakt::impl {

/// resolve() of several calls, each kernel in one launch for all of them; a PSNR, or the reference of a lattice, by
/// launches of its own.
template <class T>
void resolve_batch(cuda_tag, Kokkos::Cuda const& exec, std::span<EncodeArgs<T> const> calls,
                   BatchMemory& memory) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve_batch[cuda]");
  using cuda::RangeScan;
  using cuda::tuning::range_blocks;
  cuda::Batch<range_blocks, cuda::RangeScanner<T>> ranges(memory, calls.size());
  cuda::Batch<cuda::tuning::fill_blocks, cuda::FillFinder<T>> fills(memory, calls.size());
  cuda::Batch<cuda::tuning::seeker_blocks, cuda::FillSeeker<T>> seekers(memory, calls.size());
  std::int64_t all = 0;
  for (EncodeArgs<T> const& args : calls) all += args.max_chunks();
  for (EncodeArgs<T> const& args : calls) {
    cuda::Call<T> const call(args);
    if (args.bound.mode == ErrorBound::Mode::psnr || args.asked.has_reference()) {
      resolve(generic_tag{}, exec, args);
      continue;
    }
    std::int64_t const runs = SampleRun::samples(args.extents.size());
    if (!args.finds_range()) {
      if (args.detects_fill) fills.add({call}, runs);
      continue;
    }
    std::int64_t const blocks = cuda::blocks_of_call(exec, range_blocks, args.max_chunks(), all);
    ranges.add({call, args.detects_fill ? RangeScan::first : RangeScan::only}, blocks);
    if (args.detects_fill) seekers.add({call}, Kokkos::max(blocks, runs));
  }
  ranges.launch(exec, "kompakt::resolve::range");
  fills.launch(exec, "kompakt::detect_fill::sample");
  seekers.launch(exec, "kompakt::resolve::fill");
}

}  // namespace kompakt::impl

#endif
