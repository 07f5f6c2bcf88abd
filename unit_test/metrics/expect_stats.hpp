#ifndef KOMPAKT_TEST_METRICS_EXPECT_STATS_HPP
#define KOMPAKT_TEST_METRICS_EXPECT_STATS_HPP

#include <gtest/gtest.h>

#include <kompakt/metrics.hpp>

namespace kompakt::test {

/// All that is exact is the same.
inline void expect_same_numbers(ErrorStats const& actual, ErrorStats const& expected) {
  EXPECT_EQ(actual.violations, expected.violations);
  EXPECT_EQ(actual.first_violation, expected.first_violation);
  EXPECT_EQ(actual.nonfinite, expected.nonfinite);
  EXPECT_EQ(actual.max_abs_error, expected.max_abs_error);
  EXPECT_EQ(actual.min, expected.min);
  EXPECT_EQ(actual.max, expected.max);
}

/// And the sum of squares, but for what the order of addition may change.
inline void expect_same_stats(ErrorStats const& actual, ErrorStats const& expected,
                              double sum_tolerance) {
  expect_same_numbers(actual, expected);
  EXPECT_NEAR(actual.sum_squares, expected.sum_squares, sum_tolerance * expected.sum_squares);
}

}  // namespace kompakt::test

#endif
