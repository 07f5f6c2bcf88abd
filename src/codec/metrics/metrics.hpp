#ifndef KOMPAKT_METRICS_METRICS_HPP
#define KOMPAKT_METRICS_METRICS_HPP

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <kompakt/threads.hpp>
#include <metrics/basic.hpp>
#include <metrics/entropy.hpp>
#include <metrics/error_stats.hpp>
#include <metrics/errors.hpp>
#include <metrics/ssim.hpp>

namespace kompakt::impl {

inline Metrics metrics_of(BasicSum const& sum, std::size_t size) {
  Metrics result;
  static_cast<ErrorStats&>(result) = stats_of(sum.stats, size);
  result.max_rel_error = sum.max_rel_error;
  if (sum.moments.count > 0) result.mean_error = sum.sum_errors / sum.moments.count;
  result.pearson = sum.moments.correlation();
  return result;
}

template <class Exec>
Metrics metrics(Exec const& exec, void const* original, void const* reconstructed,
                FieldShape const& shape, ErrorBound const& bound, MetricsOptions const& options) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::metrics");
  auto const measure = [&](auto const& fields) {
    Metrics result = metrics_of(measure_values(exec, fields, bound), shape.size());
    if (options.ssim) set_ssim(exec, fields, shape, result);
    if (options.autocorrelation) {
      result.autocorrelation = autocorrelation(exec, fields, result.mean_error);
    }
    if (options.histogram) result.histogram = histogram(exec, fields, bound);
    if (options.entropy) set_entropy(exec, fields, result);
    return result;
  };
  return named("metrics", [&] {
    AllThreads const threads(exec);
    FpEnvironment const environment;  // also of a caller that traps what infinities do
    return with_fields(original, reconstructed, shape.dtype, shape.size(), measure);
  });
}

}  // namespace kompakt::impl

/// The metrics for an execution space; inside namespace kompakt::impl.
#define KOMPAKT_INSTANTIATE_METRICS(EXEC)                                                    \
  template Metrics metrics(EXEC const&, void const*, void const*, FieldShape const&,         \
                           ErrorBound const&, MetricsOptions const&);                        \
  template ErrorStats error_stats(EXEC const&, void const*, void const*, Dtype, std::size_t, \
                                  ErrorBound const&);

#endif
