#ifndef KOMPAKT_PIPELINE_PSNR_BOUND_HPP
#define KOMPAKT_PIPELINE_PSNR_BOUND_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/decibel.hpp>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <pipeline/arguments.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/sample.hpp>
#include <pipeline/value_range.hpp>

// The bound of a PSNR that shall be reached: the largest on a ladder of bounds, a tenth of a decibel apart,
// with which the mean square of the errors is small enough. A sample tells where to look, then one pass over the
// field measures the bounds around there, so what is chosen is known to be enough. On uniform errors that is
// sqrt(3) times the bound that is always enough; where many values are exact it is more.
// Squares are summed as integers, rounded up: every backend agrees, and the sum is never too small.

namespace kompakt::impl {

/// Bounds, the lowest of which is enough whatever the errors are.
struct PsnrLadder {
  static constexpr int most = 500;  ///< 50 dB above
  double lowest;

  KOKKOS_INLINE_FUNCTION double bound(int rung) const { return lowest * amplitude_of_tenths(rung); }

  /// Whether the errors under a bound are small enough: `sum` of sum_of_squares() over `values` values.
  KOKKOS_INLINE_FUNCTION bool is_enough(int rung, std::uint64_t sum, std::uint64_t values) const {
    double const height = amplitude_of_tenths(rung);
    // What is taken off covers the rounding of all that leads here.
    return static_cast<double>(sum) * (height * height) <=
           static_cast<double>(values) * (square_units * (1 - 0x1p-30));
  }

  /// What the square of the bound counts.
  static constexpr double square_units = 0x1p20;
};

/// Squares of the errors of a thread's share of `count` values, in units of the bound's square, rounded up.
/// What the quick check does not accept counts as the bound; fill values and what is not finite count nothing.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION std::uint64_t sum_of_squares(Team const& team, T const* field, int count,
                                                    Quantizer<T> const& quantizer) {
  constexpr T whole = static_cast<T>(PsnrLadder::square_units);
  Quantizer<T> const q = quantizer;
  T const scale = T(1024) / q.limit;
  std::uint64_t sum = 0;
  for (int i = team_first(team); i < count; i += team_step(team)) {
    T const value = field[i];
    T const distance = (value - round_to_even(value * q.inverse) * q.step) * scale;
    T const square = distance * distance;
    auto const units = static_cast<std::uint32_t>(square < whole ? square : whole) + 1;
    sum += FiniteKeys<T>::counts(value, q.fill) ? units : 0;
  }
  return sum;
}

/// Starts at the values of a sample that fits into caches, and bisects the ladder there; by one team.
template <class T>
struct SearchPsnrSample {
  static constexpr int run_values = 512;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    PsnrLadder const ladder{lowest_bound()};
    int enough = 0, too_much = PsnrLadder::most;
    while (too_much - enough > 1) {
      int const middle = (enough + too_much) / 2;
      auto const q = Quantizer<T>::with_bound(ladder.bound(middle), args.fill());
      Sums<std::uint64_t, 2> sums{};
      std::int64_t const size = args.extents.size();
      for (std::int64_t i = 0; i < SampleRun::samples(size); ++i) {
        SampleRun const run = SampleRun::of(i, size);
        int const count = static_cast<int>(run.count < run_values ? run.count : run_values);
        sums.of[0] += sum_of_squares(team, args.field + run.first, count, q);
        for (int k = team_first(team); k < count; k += team_step(team)) {
          sums.of[1] += FiniteKeys<T>::counts(args.field[run.first + k], q.fill) ? 1 : 0;
        }
      }
      sums = team_joined(team, sums);
      (ladder.is_enough(middle, sums.of[0], sums.of[1]) ? enough : too_much) = middle;
    }
    if (team.team_rank() == 0) {
      args.state->psnr.lowest = ladder.lowest;
      args.state->psnr.rung = enough;
    }
  }

 private:
  // With the bound at the root of the mean square that is allowed, no error is above it.
  KOKKOS_INLINE_FUNCTION double lowest_bound() const {
    EncodeState<T> const& state = *args.state;
    double const ratio = 1 / amplitude(args.bound.value);
    return args.range > 0 ? args.range * ratio
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
  static constexpr int block_values = 8192;
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto& search = args.state->psnr;
    std::int64_t const start = static_cast<std::int64_t>(team.league_rank()) * block_values;
    std::int64_t const left = args.extents.size() - start;
    int const count = left < block_values ? static_cast<int>(left) : block_values;
    T const* const block = args.field + start;
    Sums<std::uint64_t, psnr_candidates + 1> sums{};
    PsnrLadder const ladder{search.lowest};
    for (int i = 0; i < psnr_candidates; ++i) {
      double const bound = ladder.bound(psnr_candidate(search.rung, i));
      sums.of[i] = sum_of_squares(team, block, count, Quantizer<T>::with_bound(bound, args.fill()));
    }
    for (int i = team_first(team); i < count; i += team_step(team)) {
      sums.of[psnr_candidates] += FiniteKeys<T>::counts(block[i], args.fill()) ? 1 : 0;
    }
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
    int best = 0;
    for (int i = 0; i < psnr_candidates; ++i) {
      int const rung = psnr_candidate(search.rung, i);
      bool const is_enough = ladder.is_enough(rung, search.sums[i], search.sums[psnr_candidates]);
      if (is_enough && rung > best) best = rung;
    }
    double const bound = ladder.bound(best);
    // Without a range every value is the same.
    state.quantizer = search.lowest > 0 && bound <= std::numeric_limits<double>::max()
                          ? Quantizer<T>::with_bound(bound, args.fill())
                          : constant_quantizer(state.from_lowest, args.field[0], args.fill());
  }
};

/// Leaves the quantizer in args.state, which is clear but for the fill value. Reads the field once, and once
/// more for its range.
template <class Exec, class T>
void resolve_psnr(Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve_psnr[generic]");
  if (args.range == 0) value_range(generic_tag{}, exec, args);
  std::int64_t const blocks =
      ceil_div<std::int64_t>(args.extents.size(), MeasurePsnr<T>::block_values);
  Kokkos::parallel_for("kompakt::resolve_psnr::sample", large_team_policy(exec, 1, 0),
                       SearchPsnrSample<T>{args});
  Kokkos::parallel_for("kompakt::resolve_psnr::measure", generic_policy(exec, blocks, 0),
                       MeasurePsnr<T>{args});
  run_single(exec, "kompakt::resolve_psnr::choose", ChoosePsnrBound<T>{args});
}

}  // namespace kompakt::impl

#endif
