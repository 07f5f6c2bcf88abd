#ifndef KOMPAKT_CUDA_DETECT_FILL_HPP
#define KOMPAKT_CUDA_DETECT_FILL_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/launch.hpp>
#include <cuda/persistent.hpp>
#include <cuda/warp.hpp>
#include <pipeline/detect_fill.hpp>

// The fill value of a field in one kernel: a block for each run of the sample, whose values it holds in
// registers, and the last block decides.

namespace kompakt::impl::cuda {

template <class T>
struct FillFinder {
  struct Shared {
    FillSample<T> of_warp[chunk_tiles];
  };
  Call<T> call;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    look<false>(shared, group);
  }

  /// Looks at the run that has the number of the calling block. Returns to the first thread of the block that was the last to
  /// do so whether the fill value is now in the state.
  template <bool after_range>
  __device__ __forceinline__ bool look(Shared& shared, Group group) const {
    EncodeArgs<T> const& args = call.args;
    FillRuns<T> const runs(args, after_range);
    SampleRun const run = runs.run(group.block);
    FillSample<T> sample = joined(
        shared, sample_of_run<after_range>(runs.values + run.first, static_cast<int>(run.count)));
    if (warp::thread() == 0) args.fill_runs[group.block] = sample;
    if (!is_last_block(group, call.persistent().fill_done)) return false;
    sample = {};
    for (auto i = static_cast<std::uint32_t>(warp::thread()); i < group.blocks;
         i += tuning::block_threads) {
      sample.join(warp::load_fresh(args.fill_runs[i]));
    }
    sample = joined(shared, sample);
    if (warp::thread() != 0) return false;
    note_fill(args, sample, after_range);
    return true;
  }

 private:
  // Of the values that the calling thread looks at.
  template <bool after>
  __device__ __forceinline__ static FillSample<T> sample_of_run(T const* values, int count) {
    constexpr int own_values = fill_run_values(after) / tuning::block_threads;
    if (count != fill_run_values(after)) {
      return sample_of(values, warp::thread(), count, tuning::block_threads);
    }
    T own[own_values];
#pragma unroll
    for (int i = 0; i < own_values; ++i) {
      own[i] = values[warp::thread() + i * tuning::block_threads];
    }
    return sample_of(own, 0, own_values, 1);
  }

  // Of all threads of the block; known to the first.
  __device__ __forceinline__ static FillSample<T> joined(Shared& shared, FillSample<T> sample) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      sample.join(warp::words_from_above(sample, distance));
    }
    if (warp::lane() == 0) shared.of_warp[warp::thread() / 32] = sample;
    __syncthreads();
    for (int w = 1; w < chunk_tiles && warp::thread() == 0; ++w) sample.join(shared.of_warp[w]);
    __syncthreads();
    return sample;
  }
};

/// Leaves the fill value in args.state, as kompakt::impl::detect_fill() does where no range is sought.
template <class T>
void detect_fill(Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::detect_fill[cuda]");
  launch<tuning::fill_blocks>(exec, "kompakt::detect_fill::sample",
                              SampleRun::samples(args.extents.size()),
                              FillFinder<T>{Call<T>(args)});
}

}  // namespace kompakt::impl::cuda

#endif
