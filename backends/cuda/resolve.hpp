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
// fill value may make the range. If so, a second kernel finds the fill value and the range without it; else that ends at
// once. Reads the field once, then.

namespace kompakt::impl::cuda {

/// Which of the scans of a field for its range a launch is.
enum class RangeScan {
  only,  ///< the fill value is known
  first  ///< it is sought, and everything counts
};

template <class T>
struct RangeScanner {
  using U = unsigned_t<T>;
  struct Shared {
    U above[chunk_tiles], below[chunk_tiles];
    T values[FieldProbes::most];
  };
  Call<T> call;
  RangeScan scan;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
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

  // What the range says, by the last block. Each thread loads a probe, and the first warp asks the rest by votes: of one
  // thread, or with barriers between, it was 4 us of a call of 55.
  __device__ __forceinline__ void conclude(Shared& shared) const {
    EncodeArgs<T> const& args = call.args;
    EncodeState<T>& state = *args.state;
    std::int64_t const size = args.extents.size();
    int const me = warp::thread(), count = FieldProbes::count(size);
    static_assert(FieldProbes::most == tuning::block_threads);
    if (me < count) shared.values[me] = FieldProbes::value(args.field, size, me);
    __syncthreads();
    if (me >= 32) return;
    Persistent& persistent = call.persistent();
    auto const from_lowest = static_cast<U>(~warp::load_shared_word(&persistent.above_lowest));
    auto const from_highest = static_cast<U>(~warp::load_shared_word(&persistent.below_highest));
    bool const not_finite = warp::load_shared_word(&persistent.not_finite) != 0;
    bool const seeks_fill =
        scan == RangeScan::first &&
        may_have_fill(args, from_lowest, from_highest, not_finite,
                      sees_both_halves(shared.values, count, from_lowest, from_highest));
    double const distance = judged_distance(args, from_lowest, from_highest);
    bool const is_spread = distance > 0 && may_be_spread(shared.values, count, distance);
    warp::sync();
    if (me != 0) return;
    if (scan == RangeScan::first) {
      state.clear();
      state.seeks_fill = seeks_fill;
      if (!seeks_fill) state.fill = args.given_fill;
    }
    state.from_lowest = from_lowest;
    state.from_highest = from_highest;
    persistent.above_lowest = persistent.below_highest = 0;
    persistent.not_finite = 0;
    note_range(args);
    state.is_spread = is_spread;
  }

  // RangeHalves::both() of some values; by a warp.
  __device__ __forceinline__ static bool sees_both_halves(T const* values, int count, U from_lowest,
                                                          U from_highest) {
    RangeHalves<T> halves{from_lowest, from_highest};
#pragma unroll
    for (int i = warp::lane(); i < FieldProbes::most; i += 32) {
      if (i < count) halves.see(values[i]);
    }
    return warp::any(halves.lower) && warp::any(halves.upper);
  }

  // may_be_spread() of the probes of a field; by a warp, a value a lane.
  __device__ __forceinline__ bool may_be_spread(T const* probes, int count, double distance) const {
    constexpr int most = SpreadProbes<T>::most;
    int const samples = count < most ? count : most, me = warp::lane();
    T const mine = probes[me < samples ? me * count / samples : 0];
    std::uint32_t const counted = warp::votes(me < samples && FiniteKeys<T>::counts(mine, fill()));
    std::uint32_t near = 0, alike = 0;
#pragma unroll
    for (int i = 0; i < most; ++i) {
      T const other = warp::from_lane(mine, i);
      near |= SpreadProbes<T>::are_near(other, mine, distance) ? 1u << i : 0;
      alike |= other == mine ? 1u << i : 0;
    }
    // Two values that differ are taken out of those that are far.
    std::uint32_t far = counted & ~near;
#pragma unroll
    for (int taken = 0; taken < 2; ++taken) far &= ~warp::from_lane(alike, lowest_bit(far) & 31);
    int const all = popcount(counted);
    bool const is_crowded = (counted >> me & 1u) != 0 && far == 0;
    return all < SpreadProbes<T>::least || warp::any(is_crowded);
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

/// After the range: the fill value, if one may make it, and then, if one did, the range without it. Blocks that have no run of
/// the sample wait until it is found. Runs go by ticket, so that who is waited for is running.
template <class T>
struct FillSeeker {
  union Shared {
    typename FillFinder<T>::Shared finder;
    typename RangeScanner<T>::Shared scanner;
    std::uint32_t ticket;
  };
  Call<T> call;

  /// Blocks, at least one for each run of the sample; few, because most have nothing to do.
  static std::int64_t blocks(Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
    std::int64_t const size = args.extents.size(), runs = SampleRun::samples(size);
    std::int64_t const full = ceil_div<std::int64_t>(size, Pack<T>::values * tuning::block_threads);
    return Kokkos::max(runs, Kokkos::min(full, resident_blocks(exec, tuning::seeker_blocks)));
  }

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    EncodeState<T>& state = *call.args.state;
    if (!state.seeks_fill) return;
    Persistent& persistent = call.persistent();
    auto const runs = static_cast<std::uint32_t>(SampleRun::samples(call.args.extents.size()));
    if (warp::thread() == 0) shared.ticket = atomicAdd(&persistent.fill_ticket, 1u);
    __syncthreads();
    std::uint32_t const ticket = shared.ticket;
    __syncthreads();
    if (ticket < runs &&
        FillFinder<T>{call}.template look<true>(shared.finder, Group{ticket, runs})) {
      if (!state.rescans) conclude(state);
      __threadfence();
      atomicExch(&persistent.fill_found, 1u);
    }
    wait_for(persistent.fill_found);
    if (state.rescans) RangeScanner<T>{call, RangeScan::only}(shared.scanner, group);
    if (is_last_block(group, persistent.fill_left) && warp::thread() == 0) {
      persistent.fill_ticket = persistent.fill_found = 0;
    }
  }

 private:
  // The range that was found first stands.
  __device__ __forceinline__ void conclude(EncodeState<T>& state) const {
    note_range(call.args);
    state.is_spread = may_be_spread(call.args, state.from_lowest, state.from_highest);
  }
  // By all threads of a block, which then see what was written before.
  __device__ __forceinline__ static void wait_for(std::uint32_t const& found) {
    if (warp::thread() == 0) {
      while (warp::load_acquire(&found) == 0) warp::pause();
    }
    __syncthreads();
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
  cuda::launch_resident<cuda::tuning::range_blocks>(
      exec, "kompakt::resolve::range", ceil_div<std::int64_t>(packs, cuda::tuning::block_threads),
      cuda::RangeScanner<T>{cuda::Call<T>(args),
                            args.detects_fill ? RangeScan::first : RangeScan::only});
  if (!args.detects_fill) return;
  using Seeker = cuda::FillSeeker<T>;
  cuda::launch<cuda::tuning::seeker_blocks>(
      exec, "kompakt::resolve::fill", Seeker::blocks(exec, args), Seeker{cuda::Call<T>(args)});
}

}  // namespace kompakt::impl

#endif
