#ifndef KOMPAKT_CUDA_ENCODE_BATCH_HPP
#define KOMPAKT_CUDA_ENCODE_BATCH_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/batch_launch.hpp>
#include <cuda/choose_tiles.hpp>
#include <cuda/encode.hpp>
#include <span>
#include <vector>

// The kernels of several compressions, each in one launch for all whose values an encoder takes alike.

namespace kompakt::impl::cuda {

template <class T>
using TakenCalls = std::vector<EncodeArgs<T> const*>;

/// body.operator()<CodecTypes>(its calls) for each encoder.
template <class CodecTypes, class T, class Body>
void for_encoders(std::span<EncodeArgs<T> const> calls, Body const& body) {
  for (auto const mode :
       {ErrorBound::Mode::abs, ErrorBound::Mode::pwr, ErrorBound::Mode::lossless}) {
    with_encoder<CodecTypes>(mode, [&]<class Chosen>(Chosen) {
      TakenCalls<T> taken;
      for (EncodeArgs<T> const& args : calls) {
        if (bins_of(args.bound.mode) == Chosen::bins) taken.push_back(&args);
      }
      body.template operator()<Chosen>(taken);
    });
  }
}

/// Measures samples.
template <class CodecTypes, class T>
void sample_together(Kokkos::Cuda const& exec, char const* label,
                     std::span<EncodeArgs<T> const> calls, SampleSize sample, BatchMemory& memory) {
  // A block takes several chunks: it has tables to clear and to add up.
  constexpr std::int64_t chunks_of_block = 4;
  constexpr int blocks = WarpCoder<typename CodecTypes::Coder>::encode_blocks;
  for_encoders<CodecTypes>(calls, [&]<class Chosen>(TakenCalls<T> const& taken) {
    Batch<blocks, Sampler<Chosen, T>> samplers(memory, taken.size());
    for (EncodeArgs<T> const* args : taken) {
      if (!WarpCoder<typename CodecTypes::Coder>::counts && !args->has_choice_of_shapes()) continue;
      samplers.add({Call<T>(*args), sample}, sample_blocks(*args, sample, chunks_of_block));
    }
    samplers.launch(exec, label);
  });
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class CodecTypes, class T>
void choose_tiles(cuda_tag, Kokkos::Cuda const& exec, std::span<EncodeArgs<T> const> calls,
                  BatchMemory& memory) {
  cuda::sample_together<CodecTypes>(exec, "kompakt::choose_tiles::sample", calls, {sample_chunks},
                                    memory);
}

template <class CodecTypes, class T>
void encode_batch(cuda_tag, Kokkos::Cuda const& exec, std::span<EncodeArgs<T> const> calls,
                  BatchMemory& memory) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode_batch[cuda]");
  constexpr int blocks = cuda::WarpCoder<typename CodecTypes::Coder>::encode_blocks;
  cuda::for_encoders<CodecTypes>(calls, [&]<class Chosen>(cuda::TakenCalls<T> const& taken) {
    std::int64_t all = 0;
    for (EncodeArgs<T> const* args : taken) all += args->max_chunks();
    cuda::Batch<blocks, cuda::Encoder<Chosen, T>> encoders(memory, taken.size());
    for (EncodeArgs<T> const* args : taken) {
      // One more: the scanner.
      encoders.add({cuda::Call<T>(*args)},
                   cuda::blocks_of_call(exec, blocks, args->max_chunks(), all) + 1);
    }
    encoders.launch(exec, "kompakt::encode::chunks");
  });
}

}  // namespace kompakt::impl

#endif
