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
    EncodeArgs<T> const& args = call.args;
    SampleRun const run = SampleRun::of(group.block, args.extents.size());
    FillSample<T> sample =
        joined(shared, sample_of_run(args.stored() + run.first, static_cast<int>(run.count)));
    if (warp::thread() == 0) args.fill_runs[group.block] = sample;
    if (!is_last_block(group, call.persistent().fill_done)) return;
    sample = {};
    for (auto i = static_cast<std::uint32_t>(warp::thread()); i < group.blocks;
         i += tuning::block_threads) {
      sample.join(warp::load_fresh(args.fill_runs[i]));
    }
    sample = joined(shared, sample);
    if (warp::thread() == 0) note_fill(args, sample);
  }

 private:
  // Of the values that the calling thread looks at.
  __device__ __forceinline__ static FillSample<T> sample_of_run(T const* values, int count) {
    constexpr int own_values = sample_run_values / tuning::block_threads;
    if (count != sample_run_values) {
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

/// Leaves the fill value in args.state, as kompakt::impl::detect_fill() does.
template <class T>
void detect_fill(Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::detect_fill[cuda]");
  launch<tuning::fill_blocks>(exec, "kompakt::detect_fill::sample",
                              SampleRun::samples(args.extents.size()),
                              FillFinder<T>{Call<T>(args)});
}

}  // namespace kompakt::impl::cuda

#endif
