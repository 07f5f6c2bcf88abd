#ifndef KOMPAKT_CUDA_CHOOSE_CODEBOOK_HPP
#define KOMPAKT_CUDA_CHOOSE_CODEBOOK_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/choose_predictor.hpp>
#include <cuda/coder/huffman.hpp>
#include <pipeline/choose_codebook.hpp>

namespace kompakt::impl {

/// By the kernel that measures samples for other coders, in shared memory.
template <class Counter, class T>
void count_entries(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[cuda]");
  clear_counts(exec, args);
  cuda::with_encoder<Counter>(args.bound.mode, [&]<class Chosen>(Chosen) {
    cuda::launch<cuda::tuning::count_blocks<T>>(
        exec, "kompakt::choose_codebook::count",
        cuda::sample_blocks(args, cuda::tuning::counting_blocks),
        cuda::Sampler<Chosen, T>{cuda::Call<T>(args), book_sample_chunks});
  });
}

}  // namespace kompakt::impl

#endif
