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
#include <pipeline/probes.hpp>
#include <pipeline/sample.hpp>
#include <pipeline/stored.hpp>

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

/// The same beside a fill value that is masked: bits that this does not have.
template <class T>
KOKKOS_INLINE_FUNCTION unsigned_t<T> unused_nan(Fill<T> const& fill) {
  unsigned_t<T> const bits = hidden_bits<T>();
  return fill.is(Kokkos::bit_cast<T>(bits)) ? bits + 1 : bits;
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

/// Of a thread's share of some values: its ends alone, and how many are NaN.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION FillSample<T> ends_of(T const* values, int first, int count, int step) {
  using U = unsigned_t<T>;
  constexpr U infinity = sizeof(T) == 4 ? U(0x7f800000u) : static_cast<U>(0x7ff0000000000000ull);
  U low = ~U{0}, high = ~U{0}, nan = ~U{0}, nans = 0;
  // Plain numbers in a plain loop, which a host compiler vectorises.
  KOMPAKT_UNROLL
  for (int i = first; i < count; i += step) {
    U const bits = Kokkos::bit_cast<U>(values[i]);
    U const number = (bits & ~(U{1} << (8 * sizeof(T) - 1))) > infinity ? U{0} : ~U{0};
    U const above = FiniteKeys<T>::above_lowest(values[i]);
    U const below = FiniteKeys<T>::below_highest(values[i]);
    U const nan_bits = bits | number;
    low = above < low ? above : low;
    high = below < high ? below : high;
    nan = nan_bits < nan ? nan_bits : nan;
    nans += ~number & U{1};
  }
  FillSample<T> sample;
  sample.low.end = low;
  sample.high.end = high;
  sample.nan.end = nan;
  sample.nan.count = static_cast<std::uint32_t>(nans);
  sample.values = count > first ? static_cast<std::uint32_t>((count - first - 1) / step + 1) : 0;
  return sample;
}

/// Of a thread's share of some values: for each end of them how often it occurs and what comes next. Reads
/// them twice, the second time from a cache.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION FillSample<T> sample_of(T const* values, int first, int count,
                                                    int step) {
  using U = unsigned_t<T>;
  FillSample<T> sample = ends_of(values, first, count, step);
  U const low = sample.low.end, high = sample.high.end, nan = sample.nan.end;
  U next_low = ~U{0}, next_high = ~U{0}, lows = 0, highs = 0, nans = 0;
  KOMPAKT_UNROLL
  for (int i = first; i < count; i += step) {
    U const above = FiniteKeys<T>::above_lowest(values[i]);
    U const below = FiniteKeys<T>::below_highest(values[i]);
    U const is_low = above == low ? ~U{0} : U{0}, is_high = below == high ? ~U{0} : U{0};
    U const other_low = above | is_low, other_high = below | is_high;
    next_low = other_low < next_low ? other_low : next_low;
    next_high = other_high < next_high ? other_high : next_high;
    lows += is_low & U{1};
    highs += is_high & U{1};
    nans += Kokkos::bit_cast<U>(values[i]) == nan ? U{1} : U{0};
  }
  sample.low.next = next_low;
  sample.high.next = next_high;
  sample.low.count = static_cast<std::uint32_t>(lows);
  sample.high.count = static_cast<std::uint32_t>(highs);
  sample.nan.count = static_cast<std::uint32_t>(nans);
  return sample;
}

/// Values of a run that are looked at. Where the range of the field speaks for a fill value, all: not to find it would cost
/// what the bound is good for. Otherwise some: one that is not found is within the bound.
KOKKOS_INLINE_FUNCTION constexpr int fill_run_values(bool after_range) {
  return after_range ? sample_run_values : sample_run_values / 4;
}

/// The runs of a field that a fill value is looked for in.
template <class T>
struct FillRuns {
  T const* values;
  std::int64_t size;
  int most;        ///< values of a run
  bool is_packed;  ///< whether `values` are those of the runs alone

  KOKKOS_INLINE_FUNCTION FillRuns(EncodeArgs<T> const& args, bool after_range)
      : values(args.narrow == nullptr ? args.stored() : args.run_values),
        size(args.extents.size()),
        most(fill_run_values(after_range)),
        is_packed(args.narrow != nullptr) {}

  KOKKOS_INLINE_FUNCTION int count() const { return static_cast<int>(SampleRun::samples(size)); }
  /// Where a run lies in the field.
  KOKKOS_INLINE_FUNCTION SampleRun in_field(int number) const {
    SampleRun const whole = SampleRun::of(number, size);
    return {whole.first, whole.count < most ? whole.count : most};
  }
  /// Where it lies in `values`.
  KOKKOS_INLINE_FUNCTION SampleRun run(int number) const {
    SampleRun part = in_field(number);
    if (is_packed) part.first = std::int64_t{number} * most;
    return part;
  }
  /// What a thread of a team finds in its share of a run.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION FillSample<T> sample(Team const& team, int number) const {
    SampleRun const part = run(number);
    return sample_of(values + part.first, team_first(team), static_cast<int>(part.count),
                     team_step(team));
  }
};

/// Makes numbers of the integers of a run, on a host.
template <class T>
void convert_run(EncodeArgs<T> const& args, FillRuns<T> const& runs, int number) {
  SampleRun const from = runs.in_field(number);
  T* const to = args.run_values + runs.run(number).first;
  with_rounded<T>(args.asked.shape.dtype, [&]<class Stored>(Stored) {
    auto const* const field = static_cast<Stored const*>(args.narrow) + from.first;
    for (std::int64_t i = 0; i < from.count; ++i) to[i] = convert_stored<T>(field[i]);
  });
}

/// A team looks at one run.
/// \tparam ends  whether for its ends alone; the first look, on a host
template <class T, bool ends>
struct SampleFill {
  EncodeArgs<T> args;
  FillRuns<T> runs;
  bool after_range;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    if (after_range && !args.state->seeks_fill) return;
    int const number = team.league_rank();
    FillSample<T> sample;
    if constexpr (ends) {
      KOKKOS_IF_ON_HOST((if (runs.is_packed) convert_run(args, runs, number);))
      SampleRun const run = runs.run(number);
      sample = ends_of(runs.values + run.first, team_first(team), static_cast<int>(run.count),
                       team_step(team));
    } else {
      sample = runs.sample(team, number);
    }
    sample = team_joined(team, sample);
    if (team.team_rank() == 0) args.fill_runs[number] = sample;
  }
};

/// Whether a sample has one value and no other.
template <class T>
KOKKOS_INLINE_FUNCTION bool is_of_one_value(FillSample<T> const& sample) {
  return FiniteKeys<T>::is_finite(sample.low.end) && sample.low.count == sample.values;
}

/// The fill value that a sample speaks for. A part of a field that is all land has no other values to tell it by, only conventions.
template <class T>
KOKKOS_INLINE_FUNCTION Fill<T> fill_of(FillSample<T> const& sample) {
  using Keys = FiniteKeys<T>;
  if (T const only = Keys::value_above_lowest(sample.low.end);
      is_of_one_value(sample) && is_conventional_fill(only)) {
    return {true, only};
  }
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
  if (!is_of_one_value(sample)) return {};
  T const only = FiniteKeys<T>::value_above_lowest(sample.low.end);
  bin_t<T> bin;
  if (quantizer.classify(only, bin) != Verdict::invalid) return {};
  return {true, only};
}

/// Notes in the state the fill value that the whole sample speaks for, and then, of a bound that is known, the quantizer, in a
/// state that is else clear; of a range that has been found, whether it must be found without the fill value. By one thread.
template <class T>
KOKKOS_INLINE_FUNCTION void note_fill(EncodeArgs<T> const& args, FillSample<T> sample,
                                      bool after_range) {
  EncodeState<T>& state = *args.state;
  if (!after_range) state.clear();
  if (sample.nan.end == hidden_bits<T>()) sample.nan.count = 0;
  state.fill = args.given_fill.known ? nan_of(sample, args.given_fill) : fill_of(sample);
  if (after_range) {
    using Keys = FiniteKeys<T>;
    state.rescans =
        state.fill.known && (Keys::above_lowest(state.fill.value) == state.from_lowest ||
                             Keys::below_highest(state.fill.value) == state.from_highest);
    if (state.rescans) state.from_lowest = state.from_highest = ~unsigned_t<T>{0};
  }
  if (args.bound.needs_range()) return;
  if (!state.fill.known) {
    state.fill = fill_without_bin(sample, given_quantizer<T>(args.bound, args.asked.shape.dtype, {},
                                                             {}, args.magnitude, args.lattice));
  }
  state.set(given_quantizer(args.bound, args.asked.shape.dtype, state.fill, args.asked.steps,
                            args.magnitude, args.lattice),
            args.asked.shape.dtype);
}

/// Joins what was found of all runs, by one small team: of many threads most had no run.
/// \tparam looks  whether it looks at the runs itself, which of few is faster than another kernel
template <class T, bool looks>
struct DecideFill {
  EncodeArgs<T> args;
  FillRuns<T> runs;
  bool after_range;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    if (after_range && !args.state->seeks_fill) return;
    FillSample<T> sample;
    if constexpr (looks) {
      for (int i = 0; i < runs.count(); ++i) sample.join(runs.sample(team, i));
    } else {
      for (int i = team_first(team); i < runs.count(); i += team_step(team)) {
        sample.join(args.fill_runs[i]);
      }
    }
    sample = team_joined(team, sample);
    if (team.team_rank() == 0) note_fill(args, sample, after_range);
  }
};

/// Whether the kernels of a host, which have ended when they return, have left that a step is not needed. Those of a device
/// ask themselves.
template <class Exec, class T>
bool is_needless(EncodeArgs<T> const& args, bool EncodeState<T>::*step) {
  if constexpr (generic_team_size<Exec> == 1) return !(args.state->*step);
  return false;
}

/// Whether the ends of a sample, which are in args.fill_runs, and a few of its values tell that it speaks for no fill value.
/// On a host, after its kernels.
template <class T>
bool has_no_fill(EncodeArgs<T> const& args, FillRuns<T> const& runs) {
  FillSample<T> ends;
  for (int i = 0; i < runs.count(); ++i) ends.join(args.fill_runs[i]);
  if (ends.nan.count >= nan_least_count || (args.given_fill.known && ends.nan.count > 0))
    return false;
  if (args.given_fill.known) return true;
  if (!FiniteKeys<T>::is_finite(ends.low.end)) return false;
  RangeHalves<T> halves{ends.low.end, ends.high.end};
  constexpr std::int64_t looked_at = 64;
  for (int i = 0; i < runs.count() && !halves.both(); ++i) {
    SampleRun const run = runs.run(i);
    for (std::int64_t k = 0; k < Kokkos::min(run.count, looked_at); ++k) {
      halves.see(runs.values[run.first + k]);
    }
  }
  return halves.both();
}

/// Leaves the fill value in args.state, which is else clear, or has the range of all values. Reads the sample once.
/// \param after_range  whether there is a range, and EncodeState::seeks_fill tells whether there is anything to do
template <class Exec, class T>
void detect_fill(Exec const& exec, EncodeArgs<T> const& args, bool after_range = false) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::detect_fill[generic]");
  if (after_range && is_needless<Exec>(args, &EncodeState<T>::seeks_fill)) return;
  FillRuns<T> const runs(args, after_range);
  constexpr bool is_host = generic_team_size<Exec> == 1;
  if constexpr (is_host) {
    // All that a sample tells is three times the work of its ends.
    if (!after_range) {
      parallel_teams("kompakt::detect_fill::ends", generic_policy(exec, runs.count(), 0),
                     SampleFill<T, true>{args, runs, false});
      if (has_no_fill(args, runs)) return note_fill(args, {}, false);
    }
  }
  constexpr int few_runs = 8;
  if (!is_host && runs.count() <= few_runs) {
    return parallel_teams("kompakt::detect_fill::decide", generic_policy(exec, 1, 0),
                          DecideFill<T, true>{args, runs, after_range});
  }
  parallel_teams("kompakt::detect_fill::sample", large_team_policy(exec, runs.count(), 0),
                 SampleFill<T, false>{args, runs, after_range});
  parallel_teams("kompakt::detect_fill::decide", generic_policy(exec, 1, 0),
                 DecideFill<T, false>{args, runs, after_range});
}

}  // namespace kompakt::impl

#endif
