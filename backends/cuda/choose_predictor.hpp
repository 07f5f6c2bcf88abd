#ifndef KOMPAKT_CUDA_CHOOSE_PREDICTOR_HPP
#define KOMPAKT_CUDA_CHOOSE_PREDICTOR_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/encode.hpp>
#include <pipeline/choose_predictor.hpp>

// The sample in one kernel: blocks measure chunks of one tile kind each, the last block chooses.

namespace kompakt::impl::cuda {

template <class Coder, class T>
struct Sampler {
  struct Shared {
    SharedTile<unsigned_t<T>> tile[chunk_tiles];
    ExceptionScratch exceptions[chunk_tiles];
    int words[chunk_tiles], values[chunk_tiles];
    Quantizer<T> quantizer;
    typename WarpCoder<Coder>::EncodeTables tables;
  };
  Call<T> call;
  std::int64_t sample;  ///< chunks of a kind, of fields with fewer all

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Kept& kept = call.kept();
    std::uint32_t const blocks_of_kind = group.blocks / tile_kinds;
    auto const kind = static_cast<TileKind>(group.block / blocks_of_kind);
    if (call.args.candidates >> static_cast<int>(kind) & 1u) {
      if (warp::thread() == 0) shared.quantizer = call.quantizer();
      __syncthreads();
      auto const context = WarpCoder<Coder>::encode_context(call.args, shared.tables);
      with_tile_shape(kind, [&](auto shape) {
        using Shape = decltype(shape);
        std::int64_t const chunks = TileGrid<Shape>(call.args.extents).chunks();
        std::int64_t const samples = Kokkos::min(sample, chunks);
        for (std::int64_t i = group.block % blocks_of_kind; i < samples; i += blocks_of_kind) {
          measure<Shape>(shared, kept, context, sampled_part(i, samples, chunks));
        }
      });
      if constexpr (WarpCoder<Coder>::counts) {
        __syncthreads();
        WarpCoder<Coder>::flush(call.args, static_cast<int>(kind), shared.tables);
      }
    }
    if (!is_last_block(group, kept.sample_done) || warp::thread() != 0) return;
    EncodeState<T>& state = *call.args.state;
    for (int k = 0; k < tile_kinds; ++k) {
      state.sample_words[k] = take(kept.sample_words[k]);
      state.sample_values[k] = take(kept.sample_values[k]);
    }
    if constexpr (!WarpCoder<Coder>::counts) {
      state.tile_kind =
          cheapest_kind(state.sample_words, state.sample_values, call.args.candidates);
    }
  }

 private:
  template <class Shape>
  __device__ __forceinline__ void measure(Shared& shared, Kept& kept,
                                          typename WarpCoder<Coder>::EncodeContext const& context,
                                          std::int64_t chunk) const {
    using U = unsigned_t<T>;
    EncodeArgs<T> const& args = call.args;
    TileGrid<Shape> const grid(args.extents);
    int const mine = warp::thread() / 32;
    std::int64_t const tile = chunk * chunk_tiles + mine;
    TileBox const box = grid.box(tile);
    bool const aligned = rows_are_aligned(args.field, Shape::Y > 1 ? grid.n.x : Pack<T>::values);
    if (box.size() > 0) {
      load_tile<Shape>(reinterpret_cast<U const*>(args.field), box, aligned, shared.tile[mine]);
      warp::wait_for_copies();
      warp::sync();
    }
    U residuals[lane_values];
    typename WarpCoder<Coder>::Lane lane;
    WideResiduals<U> wide;
    auto const plan = measure_tile<Shape, Coder>(shared.quantizer, context, grid, tile, box.size(),
                                                 shared.tile[mine], shared.exceptions[mine],
                                                 residuals, lane, wide);
    if (warp::lane() == 0) {
      shared.words[mine] = plan.words;
      shared.values[mine] = box.size();
    }
    __syncthreads();
    if (warp::thread() == 0) {
      int words = 0, values = 0;
      for (int t = 0; t < chunk_tiles; ++t) {
        words += shared.words[t];
        values += shared.values[t];
      }
      int const cost = sample_cost(words, args.checksum);
      Kokkos::atomic_add(&kept.sample_words[static_cast<int>(Shape::kind)],
                         static_cast<std::uint64_t>(cost));
      Kokkos::atomic_add(&kept.sample_values[static_cast<int>(Shape::kind)],
                         static_cast<std::uint64_t>(values));
    }
    __syncthreads();
  }
};

/// Blocks of the sampler for a field: for each tile kind one a chunk of its sample, but not more than `most`.
template <class T>
std::int64_t sample_blocks(EncodeArgs<T> const& args, std::int64_t most) {
  return tile_kinds * Kokkos::min(most, args.max_chunks());
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class Coder, class T>
void choose_predictor(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  cuda::Call<T> const call(args);
  if (!call.has_choice()) return;  // the encoder knows the only candidate
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_predictor[cuda]");
  cuda::with_encoder<Coder>(args.bound.mode, [&]<class Chosen>(Chosen) {
    cuda::launch<cuda::tuning::encode_blocks<T, Coder::pipeline>>(
        exec, "kompakt::choose_predictor::sample", cuda::sample_blocks(args, sample_chunks),
        cuda::Sampler<Chosen, T>{call, sample_chunks});
  });
}

}  // namespace kompakt::impl

#endif
