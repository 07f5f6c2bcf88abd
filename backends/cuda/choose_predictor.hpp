#ifndef KOMPAKT_CUDA_CHOOSE_PREDICTOR_HPP
#define KOMPAKT_CUDA_CHOOSE_PREDICTOR_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/encode.hpp>
#include <pipeline/choose_predictor.hpp>

// The sample in one kernel: a block measures one chunk of one tile kind, the last block chooses.

namespace kompakt::impl::cuda {

template <class Coder, class T>
struct Sampler {
  struct Shared {
    SharedTile<unsigned_t<T>> tile[chunk_tiles];
    ExceptionScratch exceptions[chunk_tiles];
    int words[chunk_tiles], values[chunk_tiles];
  };
  Call<T> call;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Kept& kept = call.kept();
    std::uint32_t const samples = group.blocks / tile_kinds;
    auto const kind = static_cast<TileKind>(group.block / samples);
    if (call.args.candidates >> static_cast<int>(kind) & 1u) {
      with_tile_shape(
          kind, [&](auto shape) { measure<decltype(shape)>(shared, kept, group.block % samples); });
    }
    if (!is_last_block(group, kept.sample_done) || warp::thread() != 0) return;
    std::uint64_t words[tile_kinds], values[tile_kinds];
    for (int k = 0; k < tile_kinds; ++k) {
      words[k] = take(kept.sample_words[k]);
      values[k] = take(kept.sample_values[k]);
    }
    call.args.state->tile_kind = cheapest_kind(words, values, call.args.candidates);
  }

 private:
  template <class Shape>
  __device__ __forceinline__ void measure(Shared& shared, Kept& kept, std::int64_t sample) const {
    using U = unsigned_t<T>;
    EncodeArgs<T> const& args = call.args;
    TileGrid<Shape> const grid(args.extents);
    std::int64_t const samples = grid.chunks() < sample_chunks ? grid.chunks() : sample_chunks;
    if (sample >= samples) return;
    int const mine = warp::thread() / 32;
    std::int64_t const tile = sampled_chunk(sample, samples, grid.chunks()) * chunk_tiles + mine;
    TileBox const box = grid.box(tile);
    bool const aligned = rows_are_aligned(args.field, Shape::Y > 1 ? grid.n.x : Pack<T>::values);
    if (box.size() > 0) {
      load_tile<Shape>(reinterpret_cast<U const*>(args.field), box, aligned, shared.tile[mine]);
      warp::wait_for_copies();
      warp::sync();
    }
    U residuals[lane_values];
    typename WarpCoder<Coder>::Lane lane;
    auto const plan =
        measure_tile<Shape, Coder>(call.quantizer(), args.variant, grid, tile, box.size(),
                                   shared.tile[mine], shared.exceptions[mine], residuals, lane);
    if (warp::lane() == 0) {
      shared.words[mine] = plan.words;
      shared.values[mine] = box.size();
    }
    __syncthreads();
    if (warp::thread() != 0) return;
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
};

/// Blocks of the sampler for a field: one for each chunk of its sample, for each tile kind.
template <class T>
std::int64_t sample_blocks(EncodeArgs<T> const& args) {
  return tile_kinds * Kokkos::min(sample_chunks, args.max_chunks());
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class Coder, class T>
void choose_predictor(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  cuda::Call<T> const call(args);
  if (!call.has_choice()) return;  // the encoder knows the only candidate
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_predictor[cuda]");
  cuda::launch<cuda::tuning::encode_blocks<T, Coder::pipeline>>(
      exec, "kompakt::choose_predictor::sample", cuda::sample_blocks(args),
      cuda::Sampler<Coder, T>{call});
}

}  // namespace kompakt::impl

#endif
