#ifndef KOMPAKT_CUDA_CHOOSE_TILES_HPP
#define KOMPAKT_CUDA_CHOOSE_TILES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/encode.hpp>
#include <pipeline/choose_tiles.hpp>

// The sample in one kernel: blocks measure chunks in tiles of one shape each, the last block chooses.

namespace kompakt::impl::cuda {

template <class CodecTypes, class T>
struct Sampler {
  using Coder = typename CodecTypes::Coder;
  using Brick = TileEncoder<CodecTypes, Tile<TileShape::brick>, T>;
  struct Shared {
    typename Brick::Memory tile[chunk_tiles];
    ExceptionScratch exceptions[chunk_tiles];
    int words[chunk_tiles], tiles[chunk_tiles], values[chunk_tiles];  // of each warp
    typename Brick::Common common;
    typename WarpCoder<Coder>::EncodeTables tables;
  };
  Call<T> call;
  SampleSize sample;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Persistent& persistent = call.persistent();
    std::uint32_t const blocks_of_shape = group.blocks / tile_shapes;
    auto const number = static_cast<int>(group.block / blocks_of_shape);
    if (call.args.may_have(number)) {
      with_tile_shape(static_cast<TileShape>(number), [&](auto shape) {
        using Shape = decltype(shape);
        using Tiles = TileEncoder<CodecTypes, Shape, T>;
        if constexpr (CodecTypes::Predictor::has_levels) {
          Tiles::prepare(call, shared.common, LevelTable<Shape>::make(call.args));
        } else {
          Tiles::prepare(call, shared.common);
        }
        __syncthreads();
        auto const context = WarpEncodeContext<CodecTypes>::of(call.args, shared.tables);
        std::int64_t const chunks = typename Tiles::Grid(call.args.extents).chunks();
        std::int64_t const samples = sample.of(chunks);
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
                                          WarpEncodeContext<CodecTypes> const& context,
                                          std::int64_t chunk) const {
    using Tiles = TileEncoder<CodecTypes, Shape, T>;
    using Grid = typename Tiles::Grid;
    EncodeArgs<T> const& args = call.args;
    Tiles const tiles(args, shared.common);
    int const mine = warp::thread() / 32;
    int words = 0, not_empty = 0, values = 0;
#pragma unroll 1
    for (int t = mine; t < Grid::tiles_of_chunk; t += chunk_tiles) {
      std::int64_t const number = chunk * Grid::tiles_of_chunk + t;
      warp::sync();
      int const size = tiles.load(number, shared.tile[mine]);
      warp::wait_for_copies();
      warp::sync();
      unsigned_t<T> residuals[lane_values];
      typename WarpCoder<Coder>::Lane lane;
      WideResiduals<unsigned_t<T>> wide;
      auto const plan = tiles.measure(context, number, size, shared.tile[mine],
                                      shared.exceptions[mine], residuals, lane, wide);
      words += plan.words;
      not_empty += plan.words > 0 ? 1 : 0;
      values += size;
    }
    if (warp::lane() == 0) {
      shared.words[mine] = words;
      shared.tiles[mine] = not_empty;
      shared.values[mine] = values;
    }
    __syncthreads();
    if (warp::thread() == 0) {
      for (int t = 1; t < chunk_tiles; ++t) {
        words += shared.words[t];
        not_empty += shared.tiles[t];
        values += shared.values[t];
      }
      int const cost =
          sample_cost(words + ChunkForm<Grid>::Head::end_words(not_empty), args.asked.checksum);
      Kokkos::atomic_add(&persistent.sample_words[static_cast<int>(Shape::shape)],
                         static_cast<std::uint64_t>(cost));
      Kokkos::atomic_add(&persistent.sample_values[static_cast<int>(Shape::shape)],
                         static_cast<std::uint64_t>(values));
    }
    __syncthreads();
  }
};

/// Blocks of the sampler for a field: for each shape one for so many chunks of its sample.
template <class T>
std::int64_t sample_blocks(EncodeArgs<T> const& args, SampleSize sample,
                           std::int64_t chunks_of_block = 1) {
  return tile_shapes * ceil_div(sample.of(args.max_chunks()), chunks_of_block);
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class CodecTypes, class T>
void choose_tiles(cuda_tag, [[maybe_unused]] Kokkos::Cuda const& exec,
                  [[maybe_unused]] EncodeArgs<T> const& args) {
  if constexpr (!CodecTypes::Predictor::
                    has_levels) {              // whose tiles have the shape that their extents say
    if (!args.has_choice_of_shapes()) return;  // the encoder knows the only candidate
    Kokkos::Profiling::ScopedRegion const region("kompakt::choose_tiles[cuda]");
    cuda::with_encoder<CodecTypes>(args.bound.mode, [&]<class Chosen>(Chosen) {
      cuda::launch<cuda::WarpCoder<typename CodecTypes::Coder>::encode_blocks>(
          exec, "kompakt::choose_tiles::sample", cuda::sample_blocks(args, {sample_chunks}),
          cuda::Sampler<Chosen, T>{cuda::Call<T>(args), {sample_chunks}});
    });
  }
}

}  // namespace kompakt::impl

#endif
