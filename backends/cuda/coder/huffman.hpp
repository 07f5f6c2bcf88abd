#ifndef KOMPAKT_CUDA_CODER_HUFFMAN_HPP
#define KOMPAKT_CUDA_CODER_HUFFMAN_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <coder/huffman/kernels.hpp>
#include <cuda/choose_tiles.hpp>
#include <cuda/coder/huffman_warp.hpp>
#include <cuda/encode_batch.hpp>
#include <span>

namespace kompakt::impl {

inline bool takes_radius(cuda_tag, int radius) { return radius <= cuda::max_table_radius; }

/// By the kernel that measures samples for other coders, in shared memory.
template <class CodecTypes, class T>
void count_entries(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[cuda]");
  huffman::clear_counts(exec, huffman::encode_memory<Kokkos::Cuda>(args));
  cuda::with_encoder<CodecTypes>(args.bound.mode, [&]<class Chosen>(Chosen) {
    cuda::launch<cuda::WarpCoder<typename CodecTypes::Coder>::encode_blocks>(
        exec, "kompakt::choose_codebook::count",
        cuda::sample_blocks(args, huffman::book_samples(args.asked)),
        cuda::Sampler<Chosen, T>{cuda::Call<T>(args), huffman::book_samples(args.asked)});
  });
}

/// The same of several calls.
template <class CodecTypes, class T>
void count_entries(cuda_tag, Kokkos::Cuda const& exec, std::span<EncodeArgs<T> const> calls,
                   BatchMemory& memory) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[cuda]");
  cuda::sample_together<CodecTypes>(exec, "kompakt::choose_codebook::count", calls,
                                    huffman::book_samples(calls[0].asked), memory);
}

}  // namespace kompakt::impl

#endif
