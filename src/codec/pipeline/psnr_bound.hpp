#ifndef KOMPAKT_PIPELINE_PSNR_BOUND_HPP
#define KOMPAKT_PIPELINE_PSNR_BOUND_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/decibel.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <core/team.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/find_range.hpp>
#include <pipeline/sample.hpp>
#include <pipeline/spread.hpp>
#include <pipeline/value_range.hpp>

// The bound of a PSNR that shall be reached: the largest on a ladder of bounds, a tenth of a decibel apart,
// with which the mean square of the errors is small enough. A sample tells where to look, then one pass over the
// field measures the bounds around there, so what is chosen is known to be enough. On uniform errors that is
// sqrt(3) times the bound that is always enough; where many values are exact it is more.
// Squares are summed as integers, rounded up: every backend agrees, and the sum is never too small.

namespace kompakt::impl {

/// Bounds, the lowest of which is enough whatever the errors are.
struct PsnrLadder {
  static constexpr int last = 500;  ///< 50 dB above
  double lowest;

  KOKKOS_INLINE_FUNCTION double bound(int rung) const { return lowest * amplitude_of_tenths(rung); }

  /// Whether the errors under a bound are small enough: `sum` of the squares of `values` values.
  /// \tparam T  of the values
  template <class T>
  KOKKOS_INLINE_FUNCTION bool is_enough(int rung, std::uint64_t sum, std::uint64_t values) const {
    double const height = amplitude_of_tenths(rung);
    // What is taken off covers the rounding of all that leads here: a square has at most nine roundings of T before.
    constexpr double roundings = sizeof(T) == 4 ? 0x1p-20 : 0x1p-30;
    return static_cast<double>(sum) * (height * height) <=
           static_cast<double>(values) * (square_units * (1 - roundings));
  }

  /// What the square of the bound counts.
  static constexpr double square_units = 0x1p20;
};

/// N bounds that values are tried with: what Quantizer::with_bound() has, and 1024 over the limit.
template <class T, int N>
struct TriedBounds {
  T inverse[N], step[N], scale[N];

  KOKKOS_INLINE_FUNCTION void set(int i, double bound) {
    auto const q = Quantizer<T>::with_bound(bound);
    inverse[i] = q.inverse;
    step[i] = q.step;
    scale[i] = T(1024) / q.limit;
  }
  /// The square of a value's error in units of the bound's square, rounded down and at most that many.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t square(int i, T value) const {
    constexpr T whole = static_cast<T>(PsnrLadder::square_units);
    T const distance = (value - round_to_even(value * inverse[i]) * step[i]) * scale[i];
    T const units = distance * distance;
    return static_cast<std::uint32_t>(units < whole ? units : whole);
  }
};

/// Sums of squares for each of N bounds, rounded up; then how many values they are of.
template <int N>
using SquareSums = Sums<std::uint64_t, N + 1>;

/// So many squares are summed in 32 bits.
inline constexpr int few_squares = 2048;

namespace detail {

/// The bounds one after the other, in vectors, on values that stay in a cache.
template <class T, int N>
KOKKOS_INLINE_FUNCTION void add_squares_in_vectors(T const* field, int count,
                                                   TriedBounds<T, N> const& bounds,
                                                   Fill<T> const& fill, SquareSums<N>& sums) {
  std::uint32_t counted = 0;
  for (int i = 0; i < count; ++i) counted += FiniteKeys<T>::counts(field[i], fill) ? 1 : 0;
  for (int k = 0; k < N; ++k) {
    std::uint32_t sum = counted;
    for (int i = 0; i < count; ++i) {
      std::uint32_t const square = bounds.square(k, field[i]);
      sum += FiniteKeys<T>::counts(field[i], fill) ? square : 0;
    }
    sums.of[k] += sum;
  }
  sums.of[N] += counted;
}

/// All bounds on one value after the other, each read once, with bounds and sums in registers.
template <class T, int N, class Team>
KOKKOS_INLINE_FUNCTION void add_squares_in_registers(Team const& team, T const* field, int count,
                                                     TriedBounds<T, N> const bounds,
                                                     Fill<T> const& fill, SquareSums<N>& sums) {
  Sums<std::uint32_t, N> few{};
  std::uint32_t counted = 0;
  for_loaded(
      team_first(team), count, team_step(team), [&](std::int64_t i) { return field[i]; },
      [&](std::int64_t, T value) {
        if (!FiniteKeys<T>::counts(value, fill)) return;
        KOMPAKT_UNROLL
        for (int k = 0; k < N; ++k) few.of[k] += bounds.square(k, value);
        ++counted;
      });
  KOMPAKT_UNROLL
  for (int k = 0; k < N; ++k) sums.of[k] += few.of[k] + counted;
  sums.of[N] += counted;
}

}  // namespace detail

/// Adds the squares of a thread's share of `count` values, at most few_squares a thread of a device. What the
/// quick check does not accept counts as the bound; fill values and what is not finite count nothing.
template <class T, int N, class Team>
KOKKOS_INLINE_FUNCTION void add_squares([[maybe_unused]] Team const& team, T const* field,
                                        int count, TriedBounds<T, N> const& bounds,
                                        Fill<T> const& fill, SquareSums<N>& sums) {
  KOKKOS_IF_ON_HOST((for (int first = 0; first < count; first += few_squares) {
    int const few = Kokkos::min(few_squares, count - first);
    detail::add_squares_in_vectors(field + first, few, bounds, fill, sums);
  }))
  KOKKOS_IF_ON_DEVICE((detail::add_squares_in_registers(team, field, count, bounds, fill, sums);))
}

/// The next rungs of a bisection of which it is not known yet which it will take: a binary tree of so many
/// levels, whose nodes are numbered from 1 on, those below node n as 2n, if it is too much, and 2n + 1.
template <int levels>
struct Bisection {
  static constexpr int nodes = (1 << levels) - 1;
  int enough, too_much;

  KOKKOS_INLINE_FUNCTION bool is_done() const { return too_much - enough <= 1; }
  KOKKOS_INLINE_FUNCTION int middle() const { return (enough + too_much) / 2; }
  KOKKOS_INLINE_FUNCTION void step(bool is_enough) { (is_enough ? enough : too_much) = middle(); }
  /// As many steps as is known of.
  template <class IsEnough>
  KOKKOS_INLINE_FUNCTION void step_down(IsEnough const& is_enough) {
    for (int node = 1; node <= nodes && !is_done();) {
      bool const enough_here = is_enough(node);
      step(enough_here);
      node = 2 * node + (enough_here ? 1 : 0);
    }
  }
  KOKKOS_INLINE_FUNCTION int rung(int node) const {
    Bisection at = *this;
    int level = 0;
    while (node >> (level + 1) != 0) ++level;
    while (level > 0) at.step((node >> --level & 1) != 0);
    return at.middle();
  }
};

/// Starts at the values of a sample that fits into caches, and bisects the ladder there; by one team.
/// On a device a pass over the sample serves three steps, on a host one: a thread of it saves nothing by what
/// it does at once.
template <class T, int levels>
struct SearchPsnrSample {
  static constexpr int run_values = 512;
  static constexpr int bounds = Bisection<levels>::nodes;
  struct Buffer {
    std::int64_t first[sample_runs];
    int count[sample_runs];
    TriedBounds<T, bounds> tried;
  };
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    PsnrLadder const ladder{lowest_bound()};
    auto& buffer = team_buffer<Buffer>(team);
    std::int64_t const size = args.extents.size();
    auto const runs = static_cast<int>(SampleRun::samples(size));
    team_for(team, runs, [&](int i) {
      SampleRun const run = SampleRun::of(i, size);
      buffer.first[i] = run.first;
      buffer.count[i] = static_cast<int>(run.count < run_values ? run.count : run_values);
    });
    Bisection<levels> search{0, PsnrLadder::last};
    while (!search.is_done()) {
      team_for(team, bounds, [&](int i) { buffer.tried.set(i, ladder.bound(search.rung(i + 1))); });
      team.team_barrier();
      SquareSums<bounds> sums{};
      for (int i = 0; i < runs; ++i) {
        add_squares(team, args.field + buffer.first[i], buffer.count[i], buffer.tried, args.fill(),
                    sums);
      }
      sums = team_joined(team, sums);
      auto const tried = search;
      search.step_down([&](int node) {
        return ladder.is_enough<T>(tried.rung(node), sums.of[node - 1], sums.of[bounds]);
      });
      team.team_barrier();  // before the bounds are others
    }
    if (team.team_rank() == 0) {
      args.state->psnr.lowest = ladder.lowest;
      args.state->psnr.rung = search.enough;
    }
  }

 private:
  // With the bound at the root of the mean square that is allowed, no error is above it.
  KOKKOS_INLINE_FUNCTION double lowest_bound() const {
    EncodeState<T> const& state = *args.state;
    double const ratio = share_of_range(args.bound.value);
    return args.range > 0 ? product_rounded_down(args.range, ratio)
                          : bound_of_range<T>(ratio, state.from_lowest, state.from_highest);
  }
};

/// The rungs around that of the sample that the whole field is measured with, from the highest on.
KOKKOS_INLINE_FUNCTION int psnr_candidate(int rung, int i) {
  constexpr int above[psnr_candidates] = {4, 2, 1, 0, -1, -2, -5, -15};
  int const candidate = rung + above[i];
  return candidate > 0 ? candidate : 0;
}

/// A team measures a block of values with all candidates. Reads the field once.
template <class T>
struct MeasurePsnr {
  static constexpr int block_values = 1 << 15;
  static_assert(block_values <= 32 * few_squares, "a thread of a warp");
  using Candidates = TriedBounds<T, psnr_candidates>;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto& search = args.state->psnr;
    auto& candidates = team_buffer<Candidates>(team);
    PsnrLadder const ladder{search.lowest};
    team_for(team, psnr_candidates,
             [&](int i) { candidates.set(i, ladder.bound(psnr_candidate(search.rung, i))); });
    team.team_barrier();
    std::int64_t const start = static_cast<std::int64_t>(team.league_rank()) * block_values;
    std::int64_t const left = args.extents.size() - start;
    int const count = left < block_values ? static_cast<int>(left) : block_values;
    SquareSums<psnr_candidates> sums{};
    add_squares(team, args.field + start, count, candidates, args.fill(), sums);
    sums = team_joined(team, sums);
    if (team.team_rank() != 0) return;
    for (int i = 0; i <= psnr_candidates; ++i) Kokkos::atomic_add(&search.sums[i], sums.of[i]);
  }
};

/// Takes the largest bound that is enough.
template <class T>
struct ChoosePsnrBound {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int) const {
    [[maybe_unused]] FpEnvironment const environment;
    EncodeState<T>& state = *args.state;
    auto const& search = state.psnr;
    PsnrLadder const ladder{search.lowest};
    std::uint64_t const values = search.sums[psnr_candidates];
    int best = 0;
    // Of no values at all every rung would be enough; the lowest is that of the parts of a field that have some.
    for (int i = 0; i < psnr_candidates; ++i) {
      int const rung = psnr_candidate(search.rung, i);
      bool const is_enough = values > 0 && ladder.is_enough<T>(rung, search.sums[i], values);
      if (is_enough && rung > best) best = rung;
    }
    // The ladder is measured with bins of the field's own values: what is interpolated, or moved to a limit, may be off by
    // more.
    if (has_levels(args.asked.method) || args.asked.limits.any()) best = 0;
    double const bound = ladder.bound(best);
    // Without a range every value is the same.
    state.set(search.lowest > 0 && bound <= std::numeric_limits<double>::max()
                  ? Quantizer<T>::with_bound(bound, args.fill())
                  : constant_quantizer(state.from_lowest, args.stored()[0], args.fill()),
              args.asked.shape.dtype);
    if (args.range == 0) {
      state.is_spread = may_be_spread(args, state.from_lowest, state.from_highest);
    }
  }
};

/// Leaves the quantizer in args.state, which is clear but for the fill value. Reads the field once, and once
/// more for its range.
template <class Exec, class T>
void resolve_psnr(Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve_psnr[generic]");
  if (args.range == 0) find_range(exec, args);
  using Measure = MeasurePsnr<T>;
  using Search = SearchPsnrSample<T, generic_team_size<Exec> == 1 ? 1 : 3>;
  auto const blocks =
      static_cast<int>(ceil_div<std::int64_t>(args.extents.size(), Measure::block_values));
  parallel_teams("kompakt::resolve_psnr::sample",
                 large_team_policy(exec, 1, team_buffer_bytes<typename Search::Buffer>),
                 Search{args});
  parallel_teams("kompakt::resolve_psnr::measure",
                 large_team_policy(exec, blocks, team_buffer_bytes<typename Measure::Candidates>),
                 Measure{args});
  run_single(exec, "kompakt::resolve_psnr::choose", ChoosePsnrBound<T>{args});
}

}  // namespace kompakt::impl

#endif
