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

/// The largest |error| / |x| so far, with a division only where the quotient may be larger.
struct MaxRelError {
  double quotient;
  double surely_less = quotient * (1 - 0x1p-50);  ///< so many |x| are less than `quotient` of them

  KOKKOS_FORCEINLINE_FUNCTION void add(double x, double error) {
    double const magnitude = Kokkos::fabs(x), distance = Kokkos::fabs(error);
    if (distance < surely_less * magnitude || error == 0 || x == 0) return;
    double const relative = distance / magnitude;
    quotient = relative > quotient ? relative : quotient;
    surely_less = quotient * (1 - 0x1p-50);
  }
};

/// Reads each value of both fields once.
template <class T, class Share>
struct MeasureValues {
  using value_type = BasicSum;
  CompareValues<T, Share> stats;

  KOKKOS_FUNCTION void init(BasicSum& sum) const { sum.clear(); }
  KOKKOS_FUNCTION void join(BasicSum& sum, BasicSum const& other) const { sum.join(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t number, BasicSum& sum) const {
    [[maybe_unused]] FpEnvironment const environment;
    FewStats<T> few;
    ShiftedSums near;
    double errors = 0;
    MaxRelError largest{sum.max_rel_error};
    for_pairs(stats.fields, Share::first(number), Share::end(number, stats.fields.size),
              Share::turns, [&](std::int64_t i, T value_x, T value_y) {
                double const x = static_cast<double>(value_x), y = static_cast<double>(value_y);
                if (!stats.compare(i, value_x, value_y, sum.stats, few)) {
                  // A number that is none any more; 0 has no relative error.
                  if (is_number(x) && x != 0) largest.quotient = infinity;
                  return;
                }
                double const error = y - x;
                largest.add(x, error);
                errors += error;
                near.add(x, y);
              });
    few.join_to(sum.stats);
    sum.max_rel_error = largest.quotient;
    sum.sum_errors += errors;
    sum.moments.join(near.moments());
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

template <class T, class Exec>
BasicSum measure_values(Exec const& exec, FieldPair<T> const& fields, ErrorBound const& bound) {
  using Share = ValueShares<Exec>;
  BasicSum sum;
  sum.clear();
  Kokkos::parallel_reduce("kompakt::metrics::basic", value_shares(exec, fields.size),
                          MeasureValues<T, Share>{CompareValues<T, Share>(fields, bound)}, sum);
  exec.fence("kompakt::metrics::basic");
  return sum;
}

}  // namespace kompakt::impl

#endif
