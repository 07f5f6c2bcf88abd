#ifndef KOMPAKT_PERF_SUPPORT_TIMING_HPP
#define KOMPAKT_PERF_SUPPORT_TIMING_HPP

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <vector>

namespace kompakt::perf {

/// Seconds that a call takes on exec, from an idle instance to an idle instance.
template <class Exec, class Call>
double elapsed_s(Exec const& exec, Call const& call) {
  exec.fence("kompakt::perf::before");
  auto const begin = std::chrono::steady_clock::now();
  call();
  exec.fence("kompakt::perf::after");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Median; of an even count the lower one, which is a time that was really measured.
inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Calls before the first one that counts: one allocates, one finds caches and clocks as they stay.
inline constexpr int warm_up_calls = 2;

/// Median time of `samples` calls, after a warm-up.
template <class Exec, class Call>
double median_s(Exec const& exec, std::size_t samples, Call const& call) {
  for (int i = 0; i < warm_up_calls; ++i) call();
  std::vector<double> times(samples);
  for (double& time : times) time = elapsed_s(exec, call);
  return median(std::move(times));
}

/// Median seconds of a call in the loop of a benchmark with manual time, which must have a fixed number of
/// iterations. The figures of a line come from the median; the time that Google Benchmark prints is
/// the mean.
template <class Exec, class Call>
double median_s(Exec const& exec, benchmark::State& state, Call const& call) {
  for (int i = 0; i < warm_up_calls; ++i) call();
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(state.max_iterations));
  for ([[maybe_unused]] auto iteration : state) {
    times.push_back(elapsed_s(exec, call));
    state.SetIterationTime(times.back());
  }
  return median(std::move(times));
}

}  // namespace kompakt::perf

#endif
