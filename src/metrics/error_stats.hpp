#ifndef KOMPAKT_METRICS_ERROR_STATS_HPP
#define KOMPAKT_METRICS_ERROR_STATS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/metrics.hpp>
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

/// Reads each value of both fields once, `block` values an index.
template <class T, int block>
struct CompareValues {
  using value_type = StatsSum;
  FieldPair<T> fields;
  ErrorBound bound;

  KOKKOS_FUNCTION void init(StatsSum& sum) const { sum.clear(); }
  KOKKOS_FUNCTION void join(StatsSum& sum, StatsSum const& other) const { sum.join(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t number, StatsSum& sum) const {
    // A denormal is not 0, whatever the caller says.
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const first = number * block, left = fields.size - first;
    for (std::int64_t i = first; i < first + (left < block ? left : block); ++i) compare(i, sum);
  }

  /// Whether y may stand for the number x.
  KOKKOS_FORCEINLINE_FUNCTION bool is_inside(T x, T y) const {
    double const a = static_cast<double>(x), b = static_cast<double>(y);
    switch (bound.mode) {
      case ErrorBound::Mode::lossless:
        return Kokkos::bit_cast<unsigned_t<T>>(x) == Kokkos::bit_cast<unsigned_t<T>>(y);
      case ErrorBound::Mode::pwr: return within_relative_bound(a, b, bound.value);
      default: return within_bound(a, b, bound.value);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void compare(std::int64_t i, StatsSum& sum) const {
    T const x = fields.original[i], y = fields.reconstructed[i];
    if (!(Kokkos::fabs(x) <= std::numeric_limits<T>::max())) {
      ++sum.nonfinite;
      if (Kokkos::bit_cast<unsigned_t<T>>(x) != Kokkos::bit_cast<unsigned_t<T>>(y)) sum.violate(i);
      return;
    }
    double const a = static_cast<double>(x), b = static_cast<double>(y);
    bool const inside = is_inside(x, y);
    if (!inside) sum.violate(i);
    double const error = Kokkos::fabs(a - b);
    // A NaN in place of a number is an infinite error; max would pass over it.
    double const counted = error == error ? error : std::numeric_limits<double>::infinity();
    sum.max_abs_error = counted > sum.max_abs_error ? counted : sum.max_abs_error;
    sum.sum_squares += counted * counted;
    sum.min = a < sum.min ? a : sum.min;
    sum.max = a > sum.max ? a : sum.max;
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
  Kokkos::parallel_reduce("kompakt::error_stats::compare", value_blocks(exec, fields.size),
                          CompareValues<T, values_per_index<Exec>>{fields, bound}, sum);
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
  return stats_of(
      with_fields(original, reconstructed, dtype, size,
                  [&](auto const& fields) { return compare_values(exec, fields, bound); }),
      size);
}

}  // namespace kompakt::impl

#endif
