#ifndef KOMPAKT_METRICS_BASIC_HPP
#define KOMPAKT_METRICS_BASIC_HPP

#include <metrics/error_stats.hpp>
#include <metrics/moments.hpp>

namespace kompakt::impl {

/// What the one pass for the basic metrics collects.
struct BasicSum {
  StatsSum stats;
  Moments moments;  ///< of the pairs of finite values
  double max_rel_error, sum_errors;

  KOKKOS_INLINE_FUNCTION void clear() {
    stats.clear();
    moments.clear();
    max_rel_error = sum_errors = 0;
  }
  KOKKOS_INLINE_FUNCTION void join(BasicSum const& other) {
    stats.join(other.stats);
    moments.join(other.moments);
    max_rel_error = other.max_rel_error > max_rel_error ? other.max_rel_error : max_rel_error;
    sum_errors += other.sum_errors;
  }
};

/// Reads each value of both fields once, `block` values an index.
template <class T, int block>
struct MeasureValues {
  using value_type = BasicSum;
  CompareValues<T, block> stats;

  KOKKOS_FUNCTION void init(BasicSum& sum) const { sum.clear(); }
  KOKKOS_FUNCTION void join(BasicSum& sum, BasicSum const& other) const { sum.join(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t number, BasicSum& sum) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const first = number * block, left = stats.fields.size - first;
    ShiftedSums near;
    double errors = 0;
    for (std::int64_t i = first; i < first + (left < block ? left : block); ++i) {
      stats.compare(i, sum.stats);
      measure(i, sum, near, errors);
    }
    sum.sum_errors += errors;
    sum.moments.join(near.moments());
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void measure(std::int64_t i, BasicSum& sum, ShiftedSums& near,
                                           double& errors) const {
    double const x = static_cast<double>(stats.fields.original[i]);
    double const y = static_cast<double>(stats.fields.reconstructed[i]);
    if (!is_number(x)) return;
    double const error = is_number(y) ? y - x : std::numeric_limits<double>::infinity();
    double const relative = x == 0 ? 0 : Kokkos::fabs(error) / Kokkos::fabs(x);
    sum.max_rel_error = relative > sum.max_rel_error ? relative : sum.max_rel_error;
    if (!is_number(y)) return;
    errors += error;
    near.add(x, y);
  }
};

template <class T, class Exec>
BasicSum measure_values(Exec const& exec, FieldPair<T> const& fields, ErrorBound const& bound) {
  constexpr int block = values_per_index<Exec>;
  BasicSum sum;
  sum.clear();
  Kokkos::parallel_reduce("kompakt::metrics::basic", value_blocks(exec, fields.size),
                          MeasureValues<T, block>{CompareValues<T, block>{fields, bound}}, sum);
  exec.fence("kompakt::metrics::basic");
  return sum;
}

}  // namespace kompakt::impl

#endif
