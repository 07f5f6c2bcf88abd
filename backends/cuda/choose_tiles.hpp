#ifndef KOMPAKT_CUDA_CHOOSE_TILES_HPP
#define KOMPAKT_CUDA_CHOOSE_TILES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/encode.hpp>
#include <pipeline/choose_tiles.hpp>

// The sample in one kernel: blocks measure chunks in tiles of one shape each, the last block chooses.

namespace kompakt::impl::cuda {

template <class Walk, class T>
struct Sampler {
  using Coder = typename Walk::Coder;
  struct Shared {
    SharedTile<unsigned_t<T>> tile[chunk_tiles];
    ExceptionScratch exceptions[chunk_tiles];
    int words[chunk_tiles], values[chunk_tiles];
    Quantizer<T> quantizer;
    typename WarpCoder<Coder>::EncodeTables tables;
  };
  Call<T> call;
  std::int64_t sample;  ///< chunks of a shape, of fields with fewer all

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Persistent& persistent = call.persistent();
    std::uint32_t const blocks_of_shape = group.blocks / tile_shapes;
    auto const number = static_cast<int>(group.block / blocks_of_shape);
    if (call.args.may_have(number)) {
      if (warp::thread() == 0) shared.quantizer = call.quantizer();
      __syncthreads();
      auto const context = WarpEncodeContext<Walk>::of(call.args, shared.tables);
      with_tile_shape(static_cast<TileShape>(number), [&](auto shape) {
        using Shape = decltype(shape);
        std::int64_t const chunks = TileGrid<Shape>(call.args.extents).chunks();
        std::int64_t const samples = Kokkos::min(sample, chunks);
        for (std::int64_t i = group.block % blocks_of_shape; i < samples; i += blocks_of_shape) {
          measure<Shape>(shared, persistent, context, sampled_part(i, samples, chunks));
        }
      });
      if constexpr (WarpCoder<Coder>::counts) {
        __syncthreads();
        WarpCoder<Coder>::flush(call.args, number, shared.tables);
      }
    }
    if (!is_last_block(group, persistent.sample_done) || warp::thread() != 0) return;
    EncodeState<T>& state = *call.args.state;
    for (int k = 0; k < tile_shapes; ++k) {
      state.sample_words[k] = take(persistent.sample_words[k]);
      state.sample_values[k] = take(persistent.sample_values[k]);
    }
    if constexpr (!WarpCoder<Coder>::counts) {
      state.found.tile_shape =
          cheapest_shape(state.sample_words, state.sample_values, call.args.shapes);
    }
  }

 private:
  template <class Shape>
  __device__ __forceinline__ void measure(Shared& shared, Persistent& persistent,
                                          WarpEncodeContext<Walk> const& context,
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
    auto const plan = measure_tile<Shape, Walk>(shared.quantizer, context, grid, tile, box.size(),
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
      int const cost = sample_cost(words, args.asked.checksum);
      Kokkos::atomic_add(&persistent.sample_words[static_cast<int>(Shape::shape)],
                         static_cast<std::uint64_t>(cost));
      Kokkos::atomic_add(&persistent.sample_values[static_cast<int>(Shape::shape)],
                         static_cast<std::uint64_t>(values));
    }
    __syncthreads();
  }
};

/// Blocks of the sampler for a field: for each shape one a chunk of its sample, but not more than `most`.
template <class T>
std::int64_t sample_blocks(EncodeArgs<T> const& args, std::int64_t most) {
  return tile_shapes * Kokkos::min(most, args.max_chunks());
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class Walk, class T>
void choose_tiles(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  cuda::Call<T> const call(args);
  if (!args.has_choice_of_shapes()) return;  // the encoder knows the only candidate
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_tiles[cuda]");
  cuda::with_encoder<Walk>(args.bound.mode, [&]<class Chosen>(Chosen) {
    cuda::launch<cuda::WarpCoder<typename Walk::Coder>::encode_blocks>(
        exec, "kompakt::choose_tiles::sample", cuda::sample_blocks(args, sample_chunks),
        cuda::Sampler<Chosen, T>{call, sample_chunks});
  });
}

}  // namespace kompakt::impl

#endif
