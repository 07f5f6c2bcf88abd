#ifndef KOMPAKT_CUDA_RESOLVE_HPP
#define KOMPAKT_CUDA_RESOLVE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/detect_fill.hpp>
#include <cuda/launch.hpp>
#include <cuda/persistent.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/probes.hpp>
#include <pipeline/resolve.hpp>
#include <pipeline/spread.hpp>

// The range of a field and the quantizer that follows from it in one kernel: the last block resolves. It also tells whether a
// fill value may make the range. If so, two more kernels find the fill value and the range without it; else these end at
// once. Reads the field once, then.

namespace kompakt::impl::cuda {

/// Which of the scans of a field for its range a launch is.
enum class RangeScan {
  only,   ///< the fill value is known
  first,  ///< it is sought, and everything counts
  again   ///< it is found; if it made the range
};

template <class T>
struct RangeScanner {
  using U = unsigned_t<T>;
  struct Shared {
    U above[chunk_tiles], below[chunk_tiles];
    T values[FieldProbes::most];
    SpreadProbes<T> probes;
  };
  Call<T> call;
  RangeScan scan;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    if (scan == RangeScan::again && !call.args.state->rescans) return;
    U above = ~U{0}, below = ~U{0};
    bool not_finite = false;
    scan_field(group, fill(), above, below, not_finite);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      above = smaller(above, warp::from_above(above, distance));
      below = smaller(below, warp::from_above(below, distance));
    }
    if (warp::lane() == 0) {
      shared.above[warp::thread() / 32] = above;
      shared.below[warp::thread() / 32] = below;
    }
    not_finite = __syncthreads_or(not_finite) != 0;
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
      if (not_finite) Kokkos::atomic_or(&persistent.not_finite, 1u);
    }
    if (is_last_block(group, persistent.range_done)) conclude(shared);
  }

 private:
  // A NaN where none is known.
  __device__ __forceinline__ Fill<T> fill() const {
    return scan == RangeScan::first ? Fill<T>{} : call.args.fill();
  }

  // What the range says, by all threads of the last block: each has a probe, because of one thread each would be a wait.
  __device__ __forceinline__ void conclude(Shared& shared) const {
    EncodeArgs<T> const& args = call.args;
    EncodeState<T>& state = *args.state;
    std::int64_t const size = args.extents.size();
    int const me = warp::thread(), count = FieldProbes::count(size);
    static_assert(FieldProbes::most == tuning::block_threads);
    if (me < count) shared.values[me] = FieldProbes::value(args.field, size, me);
    Persistent& persistent = call.persistent();
    if (me == 0) {
      if (scan == RangeScan::first) state.clear();
      state.from_lowest = static_cast<U>(~take(persistent.above_lowest));
      state.from_highest = static_cast<U>(~take(persistent.below_highest));
      state.not_finite = take(persistent.not_finite);
    }
    __syncthreads();
    U const from_lowest = state.from_lowest, from_highest = state.from_highest;
    RangeHalves<T> halves{from_lowest, from_highest};
    if (me < count) halves.see(shared.values[me]);
    halves.lower = __syncthreads_or(halves.lower) != 0;
    halves.upper = __syncthreads_or(halves.upper) != 0;
    if (me == 0) {
      auto const probe = [&](int i) { return shared.values[i]; };
      shared.probes = SpreadProbes<T>::of(probe, size, fill());
    }
    __syncthreads();
    double const distance = judged_distance(args, from_lowest, from_highest);
    SpreadProbes<T> const& probes = shared.probes;
    bool const is_spread =
        __syncthreads_or(distance > 0 && (probes.are_few() ||
                                          (me < probes.count && probes.is_crowded(me, distance))));
    if (me != 0) return;
    if (scan == RangeScan::first) {
      state.seeks_fill =
          may_have_fill(args, from_lowest, from_highest, state.not_finite != 0, halves.both());
      state.fill = args.given_fill;
      if (state.seeks_fill) state.fill = {};
    }
    note_range(args);
    state.is_spread = is_spread;
  }

  __device__ __forceinline__ static U smaller(U a, U b) { return a < b ? a : b; }

  // fill: its bits, or those of a NaN, which counts no more.
  __device__ __forceinline__ static void include(T value, U fill, U& above, U& below,
                                                 bool& not_finite) {
    not_finite |= FiniteKeys<T>::is_special(value);
    if (Kokkos::bit_cast<U>(value) == fill) return;
    above = smaller(above, FiniteKeys<T>::above_lowest(value));
    below = smaller(below, FiniteKeys<T>::below_highest(value));
  }

  // The calling thread's share of the field, in packs where it is aligned.
  __device__ __forceinline__ void scan_field(Group group, Fill<T> fill_value, U& above, U& below,
                                             bool& not_finite) const {
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
      for (int j = 0; j < Pack<T>::values; ++j)
        include(pack.value[j], fill, above, below, not_finite);
    }
    for (std::int64_t i = packs * Pack<T>::values + me; i < size; i += threads) {
      include(field[i], fill, above, below, not_finite);
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
  if (!args.bound.needs_range()) {
    if (args.detects_fill) cuda::detect_fill(exec, args);
    return;  // the kernels get the quantizer
  }
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve[cuda]");
  using cuda::RangeScan;
  std::int64_t const packs = ceil_div<std::int64_t>(args.extents.size(), cuda::Pack<T>::values);
  std::int64_t const blocks = ceil_div<std::int64_t>(packs, cuda::tuning::block_threads);
  auto const launch = [&](RangeScan scan, std::int64_t most) {
    cuda::launch_resident<cuda::tuning::range_blocks>(
        exec, "kompakt::resolve::range", most, cuda::RangeScanner<T>{cuda::Call<T>(args), scan});
  };
  if (!args.detects_fill) return launch(RangeScan::only, blocks);
  launch(RangeScan::first, blocks);
  cuda::detect_fill(exec, args);
  std::int64_t const few = cuda::resident_blocks(exec, cuda::tuning::rescan_blocks);
  launch(RangeScan::again, Kokkos::min(blocks, few));
}

}  // namespace kompakt::impl

#endif
