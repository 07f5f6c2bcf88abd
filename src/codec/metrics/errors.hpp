#ifndef KOMPAKT_METRICS_ERRORS_HPP
#define KOMPAKT_METRICS_ERRORS_HPP

#include <Kokkos_Core.hpp>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <kompakt/metrics.hpp>
#include <metrics/pairs.hpp>

// How the errors of a reconstruction are spread: along the memory, and between the bounds.

namespace kompakt::impl {

/// Sums of products of errors at the distances 0 to Metrics::lags, and how many there are.
struct LagSums {
  static constexpr int count = Metrics::lags + 1;
  double products[count];
  std::uint64_t pairs[count];

  KOKKOS_INLINE_FUNCTION void clear() {
    for (int lag = 0; lag < count; ++lag) products[lag] = 0, pairs[lag] = 0;
  }
  KOKKOS_INLINE_FUNCTION void join(LagSums const& other) {
    for (int lag = 0; lag < count; ++lag) {
      products[lag] += other.products[lag];
      pairs[lag] += other.pairs[lag];
    }
  }
  double mean(int lag) const { return products[lag] / static_cast<double>(pairs[lag]); }
};

/// The products of the errors of `block` neighbouring values with those of the values behind them.
template <class T, int block>
struct MultiplyErrors {
  using value_type = LagSums;
  FieldPair<T> fields;
  double mean;

  KOKKOS_FUNCTION void init(LagSums& sum) const { sum.clear(); }
  KOKKOS_FUNCTION void join(LagSums& sum, LagSums const& other) const { sum.join(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t number, LagSums& sum) const {
    [[maybe_unused]] FpEnvironment const environment;
    // NaN where there is no error, behind the end too: so is every product with it.
    double deviation[block + Metrics::lags];
    KOMPAKT_UNROLL
    for (int i = 0; i < block + Metrics::lags; ++i) {
      std::int64_t const place = number * block + i;
      double const error = place < fields.size
                               ? error_of(fields.original[place], fields.reconstructed[place])
                               : std::numeric_limits<double>::quiet_NaN();
      deviation[i] = is_number(error) ? error - mean : std::numeric_limits<double>::quiet_NaN();
    }
    KOMPAKT_UNROLL
    for (int lag = 0; lag < LagSums::count; ++lag) {
      double products = 0;  // of the block alone: long sums of small numbers lose digits
      std::uint64_t pairs = 0;
      KOMPAKT_UNROLL
      for (int i = 0; i < block; ++i) {
        double const product = deviation[i] * deviation[i + lag];
        bool const is_pair = product == product;
        products += is_pair ? product : 0;
        pairs += is_pair ? 1 : 0;
      }
      sum.products[lag] += products;
      sum.pairs[lag] += pairs;
    }
  }
};

/// \param mean  of the finite errors
template <class T, class Exec>
std::vector<double> autocorrelation(Exec const& exec, FieldPair<T> const& fields, double mean) {
  // So few on a device that the errors of a block stay in registers.
  constexpr int block = on_host<Exec> ? 1024 : 8;
  LagSums sum;
  sum.clear();
  Kokkos::parallel_reduce("kompakt::metrics::autocorrelation",
                          indices(exec, (fields.size + block - 1) / block),
                          MultiplyErrors<T, block>{fields, mean}, sum);
  exec.fence("kompakt::metrics::autocorrelation");
  std::vector<double> coefficients;
  for (int lag = 1; lag < LagSums::count; ++lag) {
    coefficients.push_back(sum.mean(lag) / sum.mean(0));  // 0 / 0 where there is none: NaN
  }
  return coefficients;
}

/// Counts the errors of `block` values by one team of `threads`, each first for itself in the team's
/// memory: so many counts in so few bins would wait for each other. The two counts behind the bins are for
/// the errors below and above the bound. Scratch: 23 KiB for 256 threads.
/// One league: a field of more than 2^45 values has no memory to be in.
template <class T, int threads>
struct CountErrors {
  static constexpr int block = 1 << 15, bins = ErrorHistogram::bins, places = bins + 2;
  struct Counts {
    unsigned of[places][threads];
  };
  FieldPair<T> fields;
  double bound;
  bool relative;
  unsigned long long* counts;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto& own = scratch_of<Counts>(team);
    int const me = team.team_rank();
    for (int i = 0; i < places; ++i) own.of[i][me] = 0;
    std::int64_t const start = static_cast<std::int64_t>(team.league_rank()) * block;
    for_pairs(fields, start + team_first(team), Kokkos::min(fields.size, start + block),
              team_step(team), [&](std::int64_t, T x, T y) {
                if (is_number(x)) ++own.of[place_of(x, y)][me];
              });
    team.team_barrier();
    for (int i = team_first(team); i < places; i += team_step(team)) {
      unsigned count = 0;
      // From another thread's on for each place, as their counts lie in different banks of memory.
      for (int k = 0; k < threads; ++k) count += own.of[i][(i + k) % threads];
      if (count > 0) Kokkos::atomic_add(&counts[i], static_cast<unsigned long long>(count));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int place_of(T x, T y) const {
    double const error = relative ? relative_error_of(x, y) : error_of(x, y);
    if (error < -bound) return bins;
    if (!(error <= bound)) return bins + 1;
    if (bound == 0) return bins / 2;
    // Halved first: twice the bound may overflow. Rounding may lead to the last bin's end.
    int const bin = static_cast<int>((error / bound * 0.5 + 0.5) * bins);
    return bin < bins ? bin : bins - 1;
  }
};

template <class T, class Exec>
ErrorHistogram histogram(Exec const& exec, FieldPair<T> const& fields, ErrorBound const& bound) {
  constexpr int threads = on_host<Exec> ? 1 : 256;
  using Kernel = CountErrors<T, threads>;
  Kokkos::View<unsigned long long[Kernel::places], typename Exec::memory_space> const counts(
      Kokkos::view_alloc(exec, "kompakt::metrics::histogram"));
  if (fields.size > 0) {
    Kokkos::parallel_for(
        "kompakt::metrics::histogram",
        teams_with<typename Kernel::Counts>(exec, (fields.size + Kernel::block - 1) / Kernel::block,
                                            threads),
        Kernel{fields, bound.value, bound.mode == ErrorBound::Mode::pwr, counts.data()});
  }
  auto const host = Kokkos::create_mirror_view(counts);
  Kokkos::deep_copy(exec, host, counts);
  exec.fence("kompakt::metrics::histogram");
  ErrorHistogram result;
  for (int i = 0; i < Kernel::bins; ++i) result.counts.push_back(host(i));
  result.below = host(Kernel::bins);
  result.above = host(Kernel::bins + 1);
  return result;
}

}  // namespace kompakt::impl

#endif
