#ifndef KOMPAKT_CUDA_ENCODE_BATCH_HPP
#define KOMPAKT_CUDA_ENCODE_BATCH_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/batch_launch.hpp>
#include <cuda/choose_tiles.hpp>
#include <cuda/encode.hpp>
#include <span>

namespace kompakt::impl::cuda {

/// The kernels of the compressions that are by this encoder, each in one launch for all of them.
template <class Walk, class T>
void encode_together(Kokkos::Cuda const& exec, std::span<EncodeArgs<T> const> calls,
                     BatchMemory& memory) {
  constexpr int blocks = WarpCoder<typename Walk::Coder>::encode_blocks;
  Batch<blocks, Sampler<Walk, T>> samplers;
  Batch<blocks, Encoder<Walk, T>> encoders;
  auto const is_mine = [](EncodeArgs<T> const& args) {
    return bins_of(args.bound.mode) == Walk::bins;
  };
  std::int64_t all = 0;
  for (EncodeArgs<T> const& args : calls) all += is_mine(args) ? args.max_chunks() : 0;
  for (EncodeArgs<T> const& args : calls) {
    if (!is_mine(args)) continue;
    Call<T> const call(args);
    if (args.has_choice_of_shapes()) {
      samplers.add({call, sample_chunks}, sample_blocks(args, sample_chunks));
    }
    // One more: the scanner.
    encoders.add({call}, blocks_of_call(exec, blocks, args.max_chunks(), all) + 1);
  }
  samplers.launch(exec, "kompakt::choose_tiles::sample", memory);
  encoders.launch(exec, "kompakt::encode::chunks", memory);
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

/// choose_tiles() and encode() of several calls whose coder and predictor have no section.
template <class Walk, class T>
void encode_batch(cuda_tag, Kokkos::Cuda const& exec, std::span<EncodeArgs<T> const> calls,
                  BatchMemory& memory) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode_batch[cuda]");
  for (auto const mode :
       {ErrorBound::Mode::abs, ErrorBound::Mode::pwr, ErrorBound::Mode::lossless}) {
    cuda::with_encoder<Walk>(
        mode, [&]<class Chosen>(Chosen) { cuda::encode_together<Chosen>(exec, calls, memory); });
  }
}

}  // namespace kompakt::impl

#endif
