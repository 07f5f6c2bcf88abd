#ifndef KOMPAKT_CUDA_RESOLVE_HPP
#define KOMPAKT_CUDA_RESOLVE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/detect_fill.hpp>
#include <cuda/launch.hpp>
#include <cuda/persistent.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/resolve.hpp>

// The range of a field and the quantizer that follows from it in one kernel: the last block resolves.
// Reads the field once.

namespace kompakt::impl::cuda {

template <class T>
struct RangeScanner {
  using U = unsigned_t<T>;
  struct Shared {
    U above[chunk_tiles], below[chunk_tiles];
  };
  Call<T> call;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    U above = ~U{0}, below = ~U{0};
    scan_field(group, call.args.fill(), above, below);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      above = smaller(above, warp::from_above(above, distance));
      below = smaller(below, warp::from_above(below, distance));
    }
    if (warp::lane() == 0) {
      shared.above[warp::thread() / 32] = above;
      shared.below[warp::thread() / 32] = below;
    }
    __syncthreads();
    Persistent& persistent = call.persistent();
    if (warp::thread() == 0) {
      for (int w = 1; w < chunk_tiles; ++w) {
        above = smaller(above, shared.above[w]);
        below = smaller(below, shared.below[w]);
      }
      // Complements, so that zero is where a maximum starts.
      Kokkos::atomic_max(&persistent.above_lowest,
                         static_cast<std::uint64_t>(static_cast<U>(~above)));
      Kokkos::atomic_max(&persistent.below_highest,
                         static_cast<std::uint64_t>(static_cast<U>(~below)));
    }
    if (!is_last_block(group, persistent.range_done) || warp::thread() != 0) return;
    U const from_lowest = static_cast<U>(~take(persistent.above_lowest)),
            from_highest = static_cast<U>(~take(persistent.below_highest));
    EncodeState<T>& state = *call.args.state;
    state.set(range_quantizer(call.args.bound.value, from_lowest, from_highest,
                              call.args.stored()[0], call.args.fill()));
    state.is_spread = may_be_spread(call.args, from_lowest, from_highest);
  }

 private:
  __device__ __forceinline__ static U smaller(U a, U b) { return a < b ? a : b; }

  // fill: its bits, or those of a NaN, which counts no more.
  __device__ __forceinline__ static void include(T value, U fill, U& above, U& below) {
    if (Kokkos::bit_cast<U>(value) == fill) return;
    above = smaller(above, FiniteKeys<T>::above_lowest(value));
    below = smaller(below, FiniteKeys<T>::below_highest(value));
  }

  // The calling thread's share of the field, in packs where it is aligned.
  __device__ __forceinline__ void scan_field(Group group, Fill<T> fill_value, U& above,
                                             U& below) const {
    U const fill = Kokkos::bit_cast<U>(fill_value.value);
    T const* const field = call.args.field;
    std::int64_t const size = call.args.extents.size();
    std::int64_t const threads = static_cast<std::int64_t>(group.blocks) * tuning::block_threads;
    std::int64_t const me =
        static_cast<std::int64_t>(group.block) * tuning::block_threads + warp::thread();
    bool const aligned = rows_are_aligned(field, Pack<T>::values);
    std::int64_t const packs = aligned ? size / Pack<T>::values : 0;
    auto const* const from = reinterpret_cast<Pack<T> const*>(field);
#pragma unroll 4
    for (std::int64_t i = me; i < packs; i += threads) {
      Pack<T> const pack = from[i];
#pragma unroll
      for (int j = 0; j < Pack<T>::values; ++j) include(pack.value[j], fill, above, below);
    }
    for (std::int64_t i = packs * Pack<T>::values + me; i < size; i += threads) {
      include(field[i], fill, above, below);
    }
  }
};

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class T>
void resolve(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  if (args.bound.mode == ErrorBound::Mode::psnr || args.asked.has_reference()) {
    return resolve(generic_tag{}, exec, args);
  }
  if (args.detects_fill) cuda::detect_fill(exec, args);
  if (!args.bound.needs_range()) return;  // the kernels get the quantizer
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve[cuda]");
  std::int64_t const packs = ceil_div<std::int64_t>(args.extents.size(), cuda::Pack<T>::values);
  cuda::launch_resident<cuda::tuning::range_blocks>(
      exec, "kompakt::resolve::range", ceil_div<std::int64_t>(packs, cuda::tuning::block_threads),
      cuda::RangeScanner<T>{cuda::Call<T>(args)});
}

}  // namespace kompakt::impl

#endif
