#ifndef KOMPAKT_PIPELINE_DETECT_FILL_HPP
#define KOMPAKT_PIPELINE_DETECT_FILL_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/finite_keys.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <core/team.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/sample.hpp>

// Which value of a field is its fill value, if one is, from a deterministic sample: NaN, or the lowest or
// the highest value if it is further from the rest than the rest is wide, and occurs often. In integers and
// differences of two values, so every backend agrees. Whatever comes out of it the stream is correct; a fill
// value that is not found costs ratio.

namespace kompakt::impl {

/// A fill value occurs so often in the sample at least: one number that lies apart may have been measured. To mask a value costs
/// a bit and brings it back bit for bit, so that it need not be frequent.
inline constexpr std::uint32_t fill_least_count = 2;
/// NaN comes back bit for bit anyway: a mask must be worth what it takes.
inline constexpr std::uint32_t nan_least_count = 8;

/// The NaN that stands in EncodeArgs::field for a further fill value.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr unsigned_t<T> hidden_bits() {
  return sizeof(T) == 4 ? unsigned_t<T>(0x7fc05badu)
                        : static_cast<unsigned_t<T>>(0x7ff8000000005badull);
}

/// One end of the values of a sample: the least of some keys, how often it occurs, and the least one above.
template <class T>
struct SampleEnd {
  using U = unsigned_t<T>;
  U end = ~U{0}, next = ~U{0};
  std::uint32_t count = 0;

  /// Of a value that is not below the end.
  KOKKOS_FORCEINLINE_FUNCTION void count_in(U key) {
    count += key == end ? 1 : 0;
    next = key != end && key < next ? key : next;
  }
  KOKKOS_INLINE_FUNCTION void join(SampleEnd const& other) {
    bool const below = other.end < end, same = other.end == end;
    U const above = same ? other.next : below ? end : other.end;
    next = Kokkos::min(above, below ? other.next : next);
    count = (below ? 0 : count) + (below || same ? other.count : 0);
    end = Kokkos::min(end, other.end);
  }
};

/// What a sample of a field tells of fill values: ends of the finite ones, as distances from those of
/// FiniteKeys, and the least bits of a NaN.
template <class T>
struct FillSample {
  SampleEnd<T> low, high, nan;
  std::uint32_t values = 0;

  KOKKOS_INLINE_FUNCTION void join(FillSample const& other) {
    low.join(other.low);
    high.join(other.high);
    nan.join(other.nan);
    values += other.values;
  }
};

/// Of a thread's share of some values: for each end of them how often it occurs and what comes next. Reads
/// them twice, the second time from a cache: two plain loops, which a host compiler vectorises.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION FillSample<T> sample_of(T const* values, int first, int count,
                                                    int step) {
  using U = unsigned_t<T>;
  FillSample<T> sample;
  KOMPAKT_UNROLL
  for (int i = first; i < count; i += step) {
    U const bits = Kokkos::bit_cast<U>(values[i]);
    sample.low.end = Kokkos::min(sample.low.end, FiniteKeys<T>::above_lowest(values[i]));
    sample.high.end = Kokkos::min(sample.high.end, FiniteKeys<T>::below_highest(values[i]));
    sample.nan.end = Kokkos::min(sample.nan.end, Kokkos::isnan(values[i]) ? bits : ~U{0});
    ++sample.values;
  }
  KOMPAKT_UNROLL
  for (int i = first; i < count; i += step) {
    sample.low.count_in(FiniteKeys<T>::above_lowest(values[i]));
    sample.high.count_in(FiniteKeys<T>::below_highest(values[i]));
    sample.nan.count += Kokkos::bit_cast<U>(values[i]) == sample.nan.end ? 1 : 0;
  }
  return sample;
}

/// What a thread of a team finds in its share of a run.
template <class T, class Team>
KOKKOS_FORCEINLINE_FUNCTION FillSample<T> sample_of_run(Team const& team, EncodeArgs<T> const& args,
                                                        int number) {
  SampleRun const run = SampleRun::of(number, args.extents.size());
  return sample_of(args.stored() + run.first, team_first(team), static_cast<int>(run.count),
                   team_step(team));
}

/// A team looks at one run.
template <class T>
struct SampleFill {
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    FillSample<T> const sample = team_joined(team, sample_of_run(team, args, team.league_rank()));
    if (team.team_rank() == 0) args.fill_runs[team.league_rank()] = sample;
  }
};

/// The fill value that a sample speaks for.
template <class T>
KOKKOS_INLINE_FUNCTION Fill<T> fill_of(FillSample<T> const& sample) {
  using Keys = FiniteKeys<T>;
  Fill<T> fill;
  std::uint32_t count = 0;
  double const low = static_cast<double>(Keys::value_above_lowest(sample.low.end));
  double const high = static_cast<double>(Keys::value_below_highest(sample.high.end));
  if (Keys::is_finite(sample.low.end) && low != high) {
    double const next_low = static_cast<double>(Keys::value_above_lowest(sample.low.next));
    double const next_high = static_cast<double>(Keys::value_below_highest(sample.high.next));
    double const gap_low = next_low - low, gap_high = high - next_high;
    bool const is_high =
        gap_high > gap_low || (gap_high == gap_low && sample.high.count >= sample.low.count);
    double const gap = is_high ? gap_high : gap_low;
    double const rest = is_high ? next_high - low : high - next_low;
    count = is_high ? sample.high.count : sample.low.count;
    if (gap > rest && count >= fill_least_count) {
      fill = {true, static_cast<T>(is_high ? high : low)};
    }
  }
  if (sample.nan.count >= nan_least_count && (!fill.known || sample.nan.count > count)) {
    fill = {true, Kokkos::bit_cast<T>(sample.nan.end)};
  }
  return fill;
}

/// The NaN of a sample, whatever its bits: machines make different ones, so that who asks for NaN cannot know.
template <class T>
KOKKOS_INLINE_FUNCTION Fill<T> nan_of(FillSample<T> const& sample, Fill<T> const& otherwise) {
  if (sample.nan.count == 0) return otherwise;
  return {true, Kokkos::bit_cast<T>(sample.nan.end)};
}

/// The one value of a sample that has no other, if it has no bin: a part of a field that is all land. Its
/// values would be exceptions.
template <class T>
KOKKOS_INLINE_FUNCTION Fill<T> fill_without_bin(FillSample<T> const& sample,
                                                Quantizer<T> const& quantizer) {
  if (!FiniteKeys<T>::is_finite(sample.low.end) || sample.low.count != sample.values) return {};
  T const only = FiniteKeys<T>::value_above_lowest(sample.low.end);
  bin_t<T> bin;
  if (quantizer.classify(only, bin) != Verdict::invalid) return {};
  return {true, only};
}

/// Clears the state, and notes in it the fill value that the whole sample speaks for, and the quantizer of a
/// bound that is known; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION void note_fill(EncodeArgs<T> const& args, FillSample<T> const& sample) {
  EncodeState<T>& state = *args.state;
  state.clear();
  state.fill = args.given_fill.known ? nan_of(sample, args.given_fill) : fill_of(sample);
  if (args.original != nullptr && state.fill.is(Kokkos::bit_cast<T>(hidden_bits<T>()))) {
    state.fill = {};
  }
  if (args.bound.needs_range()) return;
  if (!state.fill.known) {
    state.fill = fill_without_bin(sample, given_quantizer<T>(args.bound, args.asked.shape.dtype));
  }
  state.set(given_quantizer(args.bound, args.asked.shape.dtype, state.fill));
}

/// Joins what was found of all runs, by one small team: of many threads most had no run.
/// \tparam looks  whether it looks at the runs itself, which of few is faster than another kernel
template <class T, bool looks>
struct DecideFill {
  EncodeArgs<T> args;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    FillSample<T> sample;
    auto const runs = static_cast<int>(SampleRun::samples(args.extents.size()));
    if constexpr (looks) {
      for (int i = 0; i < runs; ++i) sample.join(sample_of_run(team, args, i));
    } else {
      for (int i = team_first(team); i < runs; i += team_step(team)) {
        sample.join(args.fill_runs[i]);
      }
    }
    sample = team_joined(team, sample);
    if (team.team_rank() == 0) note_fill(args, sample);
  }
};

/// Leaves the fill value in args.state, which is else clear. Reads the sample once.
template <class Exec, class T>
void detect_fill(Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::detect_fill[generic]");
  auto const runs = static_cast<int>(SampleRun::samples(args.extents.size()));
  constexpr int few_runs = 8;
  if (runs <= few_runs) {
    return parallel_teams("kompakt::detect_fill::decide", generic_policy(exec, 1, 0),
                          DecideFill<T, true>{args});
  }
  parallel_teams("kompakt::detect_fill::sample", large_team_policy(exec, runs, 0),
                 SampleFill<T>{args});
  parallel_teams("kompakt::detect_fill::decide", generic_policy(exec, 1, 0),
                 DecideFill<T, false>{args});
}

}  // namespace kompakt::impl

#endif
