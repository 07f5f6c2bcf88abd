#ifndef KOMPAKT_METRICS_MOMENTS_HPP
#define KOMPAKT_METRICS_MOMENTS_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>

namespace kompakt::impl {

/// A number in two parts, so that the difference of two keeps its digits however large both are.
struct Mean {
  double high, low;

  KOKKOS_INLINE_FUNCTION void add(double value) {  // Knuth's two-sum
    double const sum = high + value, rounded = sum - high;
    low += (high - (sum - rounded)) + (value - rounded);
    high = sum;
  }
  KOKKOS_INLINE_FUNCTION double above(Mean const& other) const {
    return (high - other.high) + (low - other.low);
  }
};

/// Means of two variables, and sums of squares and products of the deviations from them. Pieces are
/// joined without the difference of large sums that an offset of the variables would ruin.
/// Source: Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample
/// variances, Stanford STAN-CS-79-773; the means in two parts are ours.
struct Moments {
  double count;
  Mean x, y;
  double xx, yy, xy;

  KOKKOS_INLINE_FUNCTION void clear() { *this = {0, {0, 0}, {0, 0}, 0, 0, 0}; }

  KOKKOS_INLINE_FUNCTION void join(Moments const& other) {
    if (other.count == 0) return;
    if (count == 0) {  // the difference from nothing would lose the low parts
      *this = other;
      return;
    }
    double const total = count + other.count;
    double const share = other.count / total, weight = count * share;
    double const dx = other.x.above(x), dy = other.y.above(y);
    x.add(dx * share);
    y.add(dy * share);
    xx += other.xx + dx * dx * weight;
    yy += other.yy + dy * dy * weight;
    xy += other.xy + dx * dy * weight;
    count = total;
  }

  /// Pearson's coefficient; NaN if a variable is constant, or its squares overflow.
  double correlation() const {
    // Equal variables give 1 exactly. The last rounding may step over 1.
    double const r = xy / xx * std::sqrt(xx / yy);
    return r > 1 ? 1 : r < -1 ? -1 : r;
  }
};

/// Sums of a few neighbouring values, about the first of them: two additions and no division
/// a value. What lies close together differs exactly.
struct ShiftedSums {
  int count = 0;
  double first_x = 0, first_y = 0;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  KOKKOS_FORCEINLINE_FUNCTION void add(double value_x, double value_y) {
    if (count == 0) first_x = value_x, first_y = value_y;
    double const dx = value_x - first_x, dy = value_y - first_y;
    ++count;
    x += dx;
    y += dy;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }

  KOKKOS_INLINE_FUNCTION Moments moments() const {
    Moments result;
    result.clear();
    if (count == 0) return result;
    double const n = count, mean_x = x / n, mean_y = y / n;
    result = {n, {first_x, 0}, {first_y, 0}, xx - x * mean_x, yy - y * mean_y, xy - x * mean_y};
    result.x.add(mean_x);
    result.y.add(mean_y);
    return result;
  }
};

}  // namespace kompakt::impl

#endif
