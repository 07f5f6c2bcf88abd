#ifndef KOMPAKT_METRICS_ERROR_STATS_HPP
#define KOMPAKT_METRICS_ERROR_STATS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/threads.hpp>
#include <metrics/pairs.hpp>

namespace kompakt::impl {

/// What a reduction over two fields collects; joins in any order but for the last bits of the sum.
struct StatsSum {
  std::uint64_t nonfinite, violations;
  std::int64_t first_violation;
  double max_abs_error, min, max, sum_squares;

  KOKKOS_INLINE_FUNCTION void clear() {
    nonfinite = violations = 0;
    first_violation = std::numeric_limits<std::int64_t>::max();
    max_abs_error = sum_squares = 0;
    min = std::numeric_limits<double>::infinity();
    max = -std::numeric_limits<double>::infinity();
  }
  KOKKOS_INLINE_FUNCTION void violate(std::int64_t index) {
    ++violations;
    first_violation = index < first_violation ? index : first_violation;
  }
  KOKKOS_INLINE_FUNCTION void join(StatsSum const& other) {
    nonfinite += other.nonfinite;
    violations += other.violations;
    first_violation =
        other.first_violation < first_violation ? other.first_violation : first_violation;
    max_abs_error = other.max_abs_error > max_abs_error ? other.max_abs_error : max_abs_error;
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    sum_squares += other.sum_squares;
  }
};

/// What a thread collects of a few pairs of numbers, in registers; what is rare goes to a StatsSum at once.
template <class T>
struct FewStats {
  T min = std::numeric_limits<T>::infinity(), max = -std::numeric_limits<T>::infinity();
  double max_abs_error = 0, sum_squares = 0;

  KOKKOS_FORCEINLINE_FUNCTION void add(T value, double distance) {
    max_abs_error = distance > max_abs_error ? distance : max_abs_error;
    sum_squares += distance * distance;
    min = value < min ? value : min;
    max = value > max ? value : max;
  }
  KOKKOS_FORCEINLINE_FUNCTION void join_to(StatsSum& sum) const {
    sum.join({0, 0, std::numeric_limits<std::int64_t>::max(), max_abs_error,
              static_cast<double>(min), static_cast<double>(max), sum_squares});
  }
};

/// Reads each value of both fields once.
template <class T, class Share>
struct CompareValues {
  using value_type = StatsSum;
  FieldPair<T> fields;
  ErrorBound bound;
  double surely_inside;  ///< a distance below it, or as many times |x|, is inside the bound

  CompareValues(FieldPair<T> const& f, ErrorBound const& b)
      : fields(f), bound(b), surely_inside(is_relative() ? b.value * (1 - 0x1p-50) : b.value) {}

  KOKKOS_FUNCTION void init(StatsSum& sum) const { sum.clear(); }
  KOKKOS_FUNCTION void join(StatsSum& sum, StatsSum const& other) const { sum.join(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t number, StatsSum& sum) const {
    // A denormal is not 0, whatever the caller says.
    [[maybe_unused]] FpEnvironment const environment;
    FewStats<T> few;
    for_pairs(fields, Share::first(number), Share::end(number, fields.size), Share::turns,
              [&](std::int64_t i, T x, T y) { compare(i, x, y, sum, few); });
    few.join_to(sum);
  }

  /// Whether both values are numbers. What nearly all pairs are takes one test.
  KOKKOS_FORCEINLINE_FUNCTION bool compare(std::int64_t i, T x, T y, StatsSum& sum,
                                           FewStats<T>& few) const {
    double const a = static_cast<double>(x), distance = Kokkos::fabs(static_cast<double>(y) - a);
    // Rounding is monotone: no distance that is outside is rounded to one below these. Nor is one of values that
    // are no numbers below anything.
    if (distance < (is_relative() ? surely_inside * Kokkos::fabs(a) : bound.value)) [[likely]] {
      few.add(x, distance);
      return true;
    }
    return examine(i, x, y, distance, sum, few);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_relative() const {
    return bound.mode == ErrorBound::Mode::pwr;
  }
  // compare(), of any values.
  KOKKOS_FUNCTION bool examine(std::int64_t i, T x, T y, double distance, StatsSum& sum,
                               FewStats<T>& few) const {
    if (!is_number(x)) {
      ++sum.nonfinite;
      if (Kokkos::bit_cast<unsigned_t<T>>(x) != Kokkos::bit_cast<unsigned_t<T>>(y)) sum.violate(i);
      return false;
    }
    // What is no number any more is infinitely far.
    bool const stays_number = is_number(y);
    few.add(x, stays_number ? distance : std::numeric_limits<double>::infinity());
    if (!is_inside(x, y)) sum.violate(i);
    return stays_number;
  }
  KOKKOS_FUNCTION bool is_inside(T x, T y) const {
    if (bound.mode == ErrorBound::Mode::lossless) {
      return Kokkos::bit_cast<unsigned_t<T>>(x) == Kokkos::bit_cast<unsigned_t<T>>(y);
    }
    double const a = static_cast<double>(x), b = static_cast<double>(y);
    return is_relative() ? within_relative_bound(a, b, bound.value)
                         : within_bound(a, b, bound.value);
  }
};

/// Public form of what the reduction of `size` values collected.
inline ErrorStats stats_of(StatsSum const& sum, std::size_t size) {
  ErrorStats stats;
  stats.values = size;
  stats.nonfinite = sum.nonfinite;
  stats.violations = sum.violations;
  stats.first_violation = sum.violations > 0 ? sum.first_violation : -1;
  stats.max_abs_error = sum.max_abs_error;
  if (sum.min <= sum.max) {
    stats.min = sum.min;
    stats.max = sum.max;
  }
  stats.sum_squares = sum.sum_squares;
  return stats;
}

template <class T, class Exec>
StatsSum compare_values(Exec const& exec, FieldPair<T> const& fields, ErrorBound const& bound) {
  StatsSum sum;
  sum.clear();
  using Share = ValueShares<Exec>;
  Kokkos::parallel_reduce("kompakt::error_stats::compare", value_shares(exec, fields.size),
                          CompareValues<T, Share>(fields, bound), sum);
  exec.fence("kompakt::error_stats");
  return sum;
}

/// function(fields) with the fields as their type.
template <class Function>
auto with_fields(void const* original, void const* reconstructed, Dtype dtype, std::size_t size,
                 Function const& function) {
  auto const values = static_cast<std::int64_t>(size);
  return dtype == Dtype::f32
             ? function(FieldPair<float>{static_cast<float const*>(original),
                                         static_cast<float const*>(reconstructed), values})
             : function(FieldPair<double>{static_cast<double const*>(original),
                                          static_cast<double const*>(reconstructed), values});
}

template <class Exec>
ErrorStats error_stats(Exec const& exec, void const* original, void const* reconstructed,
                       Dtype dtype, std::size_t size, ErrorBound const& bound) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::error_stats");
  return named("error_stats", [&] {
    AllThreads const threads(exec);
    FpEnvironment const environment;  // also of a caller that traps what infinities do
    return stats_of(
        with_fields(original, reconstructed, dtype, size,
                    [&](auto const& fields) { return compare_values(exec, fields, bound); }),
        size);
  });
}

}  // namespace kompakt::impl

#endif
