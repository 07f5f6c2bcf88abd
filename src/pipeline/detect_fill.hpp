#ifndef KOMPAKT_PIPELINE_DETECT_FILL_HPP
#define KOMPAKT_PIPELINE_DETECT_FILL_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <pipeline/arguments.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/sample.hpp>

// Which value of a field is its fill value, if one is, from a deterministic sample: NaN, or the lowest or
// the highest value if it is further from the rest than the rest is wide, and occurs often. In integers and
// differences of two values, so every backend agrees. Whatever comes out of it the stream is correct; a fill
// value that is not found costs ratio.

namespace kompakt::impl {

/// A fill value occurs once in so many values, and so often at least.
inline constexpr std::uint64_t fill_rarity = 256, fill_least_count = 8;

/// A team finds the ends of a run's finite values and its least NaN.
template <class T>
struct FindFillCandidates {
  T const* field;
  std::int64_t size;
  EncodeState<T>* state;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    using U = unsigned_t<T>;
    SampleRun const run = SampleRun::of(team.league_rank(), size);
    U above = ~U{0}, below = ~U{0}, nan = ~U{0};
    for (std::int64_t i = team_first(team); i < run.count; i += team_step(team)) {
      T const value = field[run.first + i];
      above = Kokkos::min(above, FiniteKeys<T>::above_lowest(value));
      below = Kokkos::min(below, FiniteKeys<T>::below_highest(value));
      if (Kokkos::isnan(value)) nan = Kokkos::min(nan, Kokkos::bit_cast<U>(value));
    }
    team.team_reduce(Kokkos::Min<U>(above));
    team.team_reduce(Kokkos::Min<U>(below));
    team.team_reduce(Kokkos::Min<U>(nan));
    if (team.team_rank() != 0) return;
    Kokkos::atomic_min(&state->fill_sample.low, above);
    Kokkos::atomic_min(&state->fill_sample.high, below);
    Kokkos::atomic_min(&state->fill_sample.nan, nan);
  }
};

/// A team counts the candidates in a run and finds the ends of the values between the outer two.
template <class T>
struct CountFillCandidates {
  T const* field;
  std::int64_t size;
  EncodeState<T>* state;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    using U = unsigned_t<T>;
    FillSample<T>& sample = state->fill_sample;
    U const low = sample.low, high = sample.high, nan = sample.nan;
    SampleRun const run = SampleRun::of(team.league_rank(), size);
    U above = ~U{0}, below = ~U{0};
    std::uint32_t lows = 0, highs = 0, nans = 0;
    for (std::int64_t i = team_first(team); i < run.count; i += team_step(team)) {
      T const value = field[run.first + i];
      U const from_lowest = FiniteKeys<T>::above_lowest(value);
      U const from_highest = FiniteKeys<T>::below_highest(value);
      if (from_lowest != low) above = Kokkos::min(above, from_lowest);
      if (from_highest != high) below = Kokkos::min(below, from_highest);
      lows += from_lowest == low ? 1 : 0;
      highs += from_highest == high ? 1 : 0;
      nans += Kokkos::bit_cast<U>(value) == nan ? 1 : 0;
    }
    team.team_reduce(Kokkos::Min<U>(above));
    team.team_reduce(Kokkos::Min<U>(below));
    team.team_reduce(Kokkos::Sum<std::uint32_t>(lows));
    team.team_reduce(Kokkos::Sum<std::uint32_t>(highs));
    team.team_reduce(Kokkos::Sum<std::uint32_t>(nans));
    if (team.team_rank() != 0) return;
    Kokkos::atomic_min(&sample.next_low, above);
    Kokkos::atomic_min(&sample.next_high, below);
    Kokkos::atomic_add(&sample.lows, lows);
    Kokkos::atomic_add(&sample.highs, highs);
    Kokkos::atomic_add(&sample.nans, nans);
    Kokkos::atomic_add(&sample.values, static_cast<std::uint32_t>(run.count));
  }
};

/// The fill value that a sample speaks for.
template <class T>
KOKKOS_INLINE_FUNCTION Fill<T> fill_of(FillSample<T> const& sample) {
  using Keys = FiniteKeys<T>;
  auto const often = [&](std::uint64_t count) {
    return count >= fill_least_count && count * fill_rarity >= sample.values;
  };
  Fill<T> fill;
  std::uint32_t count = 0;
  double const low = static_cast<double>(Keys::value_above_lowest(sample.low));
  double const high = static_cast<double>(Keys::value_below_highest(sample.high));
  if (Keys::is_finite(sample.low) && low != high) {
    double const next_low = static_cast<double>(Keys::value_above_lowest(sample.next_low));
    double const next_high = static_cast<double>(Keys::value_below_highest(sample.next_high));
    double const gap_low = next_low - low, gap_high = high - next_high;
    bool const is_high = gap_high > gap_low || (gap_high == gap_low && sample.highs >= sample.lows);
    double const gap = is_high ? gap_high : gap_low;
    double const rest = is_high ? next_high - low : high - next_low;
    count = is_high ? sample.highs : sample.lows;
    if (gap > rest && often(count)) {
      fill = {true, static_cast<T>(is_high ? high : low)};
    }
  }
  if (often(sample.nans) && (!fill.known || sample.nans > count)) {
    fill = {true, Kokkos::bit_cast<T>(sample.nan)};
  }
  return fill;
}

/// The one value of a sample that has no other, if it has no bin: a part of a field that is all land. Its
/// values would be exceptions.
template <class T>
KOKKOS_INLINE_FUNCTION Fill<T> fill_without_bin(FillSample<T> const& sample,
                                                Quantizer<T> const& quantizer) {
  if (!FiniteKeys<T>::is_finite(sample.low) || sample.lows != sample.values) return {};
  T const only = FiniteKeys<T>::value_above_lowest(sample.low);
  bin_t<T> bin;
  if (quantizer.classify(only, bin) != Verdict::invalid) return {};
  return {true, only};
}

/// Notes the fill value, and the quantizer of a bound that is known.
template <class T>
struct DecideFill {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int) const {
    [[maybe_unused]] FpEnvironment const environment;
    Fill<T>& fill = args.state->fill;
    fill = fill_of(args.state->fill_sample);
    if (is_known(args.bound)) {
      auto const quantizer = known_quantizer<T>(args.bound);
      if (!fill.known) fill = fill_without_bin(args.state->fill_sample, quantizer);
      args.state->quantizer = known_quantizer(args.bound, fill);
    }
  }
};

/// Leaves the fill value in args.state, which is clear. Reads the sample twice.
template <class Exec, class T>
void detect_fill(Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::detect_fill[generic]");
  std::int64_t const size = args.extents.size();
  auto const policy = large_team_policy(exec, static_cast<int>(SampleRun::samples(size)), 0);
  Kokkos::parallel_for("kompakt::detect_fill::candidates", policy,
                       FindFillCandidates<T>{args.field, size, args.state});
  Kokkos::parallel_for("kompakt::detect_fill::count", policy,
                       CountFillCandidates<T>{args.field, size, args.state});
  run_single(exec, "kompakt::detect_fill::decide", DecideFill<T>{args});
}

}  // namespace kompakt::impl

#endif
