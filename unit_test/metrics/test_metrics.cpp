#include "expect_stats.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <kompakt/metrics.hpp>
#include <limits>
#include <map>
#include <metrics/basic.hpp>
#include <support/exact.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <vector>

namespace kompakt::test {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
// What the order of addition may change, in numbers made of sums of positive ones.
constexpr double sum_tolerance = 1e-12;

template <class Exec, class T>
Metrics metrics_of(FieldShape const& shape, std::vector<T> const& original,
                   std::vector<T> const& reconstructed, ErrorBound const& bound,
                   MetricsOptions const& options = MetricsOptions::all()) {
  using Host = Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device = Kokkos::View<T*, typename Exec::memory_space>;
  Device const a("a", original.size()), b("b", reconstructed.size());
  Kokkos::deep_copy(a, Host(original.data(), original.size()));
  Kokkos::deep_copy(b, Host(reconstructed.data(), reconstructed.size()));
  return metrics(Exec(), ConstFieldData(a.data(), shape), ConstFieldData(b.data(), shape), bound,
                 options);
}

template <class Exec, class T>
Metrics metrics_of(FieldShape const& shape, std::vector<T> const& original,
                   std::vector<T> const& reconstructed, double abs_bound,
                   MetricsOptions const& options = MetricsOptions::all()) {
  return metrics_of<Exec, T>(shape, original, reconstructed, ErrorBound::absolute(abs_bound),
                             options);
}

/// The field with an error below `bound` in each value.
template <class T>
std::vector<T> with_errors(std::vector<T> field, double bound, std::uint64_t seed = 5) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!is_finite(field[i])) continue;
    field[i] = static_cast<T>(static_cast<double>(field[i]) + 0.99 * bound * uniform(i, seed));
  }
  return field;
}

void expect_near(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << actual;
  } else {
    EXPECT_NEAR(actual, expected, tolerance);
  }
}

/// All numbers of two results, sums within what the order of addition may change.
void expect_same(Metrics const& a, Metrics const& b) {
  expect_same_stats(a, b, sum_tolerance);
  EXPECT_EQ(a.max_rel_error, b.max_rel_error);
  expect_near(a.mean_error, b.mean_error, sum_tolerance * b.rmse());
  expect_near(a.pearson, b.pearson, sum_tolerance);
  expect_near(a.ssim, b.ssim, sum_tolerance);
  EXPECT_EQ(a.ssim_windows, b.ssim_windows);
  ASSERT_EQ(a.autocorrelation.size(), b.autocorrelation.size());
  for (std::size_t lag = 0; lag < b.autocorrelation.size(); ++lag) {
    expect_near(a.autocorrelation[lag], b.autocorrelation[lag], sum_tolerance);
  }
  EXPECT_EQ(a.histogram.counts, b.histogram.counts);
  EXPECT_EQ(a.histogram.below, b.histogram.below);
  EXPECT_EQ(a.histogram.above, b.histogram.above);
  expect_near(a.entropy_original, b.entropy_original, 64 * sum_tolerance);
  expect_near(a.entropy_reconstructed, b.entropy_reconstructed, 64 * sum_tolerance);
}

template <class Exec>
class Quality : public testing::Test {};
TYPED_TEST_SUITE(Quality, Spaces, SpaceName);

TYPED_TEST(Quality, KnownErrors_GiveKnownNumbers) {
  std::vector<float> const x{0, 2, -4, 8}, y{1, 2, -5, 8.5f};
  Metrics const m = metrics_of<TypeParam>(shape_from<float>({4}), x, y, 1);
  EXPECT_EQ(m.values, 4u);
  EXPECT_EQ(m.violations, 0u);
  EXPECT_EQ(m.max_abs_error, 1);
  EXPECT_EQ(m.max_rel_error, 0.25);  // not that of 0
  EXPECT_EQ(m.sum_squares, 2.25);
  EXPECT_EQ(m.mean_error, 0.125);
  // Of x 0, 2, -4, 8 the mean is 1.5, of y 1.625.
  double const xx = 84 - 9, yy = 1 + 4 + 25 + 72.25 - 4 * 1.625 * 1.625;
  double const xy = 0 + 4 + 20 + 68 - 4 * 1.5 * 1.625;
  EXPECT_NEAR(m.pearson, xy / std::sqrt(xx * yy), 1e-15);
  EXPECT_EQ(m.entropy_original, 2);
  EXPECT_TRUE(std::isnan(m.ssim));
  EXPECT_EQ(m.ssim_windows, 0u);
}

TYPED_TEST(Quality, WithoutOptions_OnlyTheBasicNumbersAreThere) {
  FieldShape const shape = shape_from<double>({40, 50});
  auto const x = make_field<double>(Family::smooth, shape);
  Metrics const m = metrics_of<TypeParam>(shape, x, with_errors(x, 1e-3), 1e-3, {});
  EXPECT_GT(m.pearson, 0.99);
  EXPECT_TRUE(std::isnan(m.ssim));
  EXPECT_TRUE(m.autocorrelation.empty());
  EXPECT_TRUE(m.histogram.counts.empty());
  EXPECT_TRUE(std::isnan(m.entropy_original));
}

TYPED_TEST(Quality, EachOption_GivesItsNumbersAlone) {
  FieldShape const shape = shape_from<float>({40, 50});
  auto const x = make_field<float>(Family::smooth, shape), y = with_errors(x, 1e-3);
  Metrics const all = metrics_of<TypeParam>(shape, x, y, 1e-3);
  for (int option = 0; option < 4; ++option) {
    bool const chosen[] = {option == 0, option == 1, option == 2, option == 3};
    Metrics expected = all;
    if (!chosen[0]) expected.ssim = nan_value, expected.ssim_windows = 0;
    if (!chosen[1]) expected.autocorrelation.clear();
    if (!chosen[2]) expected.histogram = {};
    if (!chosen[3]) expected.entropy_original = expected.entropy_reconstructed = nan_value;
    expect_same(
        metrics_of<TypeParam>(shape, x, y, 1e-3, {chosen[0], chosen[1], chosen[2], chosen[3]}),
        expected);
  }
}

template <class Exec, class T>
void expect_the_stats_of_error_stats() {
  for (Family const family : all_families) {
    SCOPED_TRACE(name_of(family));
    FieldShape const shape = shape_from<T>({37, 1000});
    auto const x = make_field<T>(family, shape), y = with_errors(x, 2e-3);
    Kokkos::View<T*, typename Exec::memory_space> const a("a", x.size()), b("b", x.size());
    Metrics const m = metrics_of<Exec>(shape, x, y, 1e-3);
    Metrics stats = m;
    using Host = Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(a, Host(x.data(), x.size()));
    Kokkos::deep_copy(b, Host(y.data(), y.size()));
    static_cast<ErrorStats&>(stats) = error_stats(Exec(), a, b, 1e-3);
    expect_same(m, stats);
  }
}

TYPED_TEST(Quality, ErrorStats_AreAPartOfTheMetrics) {
  expect_the_stats_of_error_stats<TypeParam, float>();
  expect_the_stats_of_error_stats<TypeParam, double>();
}

TYPED_TEST(Quality, EqualFields_ArePerfect) {
  for (auto const& extents :
       std::vector<std::vector<std::size_t>>{{900}, {33, 150}, {9, 20, 140}}) {
    FieldShape const shape = shape_from<double>(extents);
    for (Family const family : {Family::smooth, Family::noise, Family::offset, Family::spikes,
                                Family::denormals, Family::huge}) {
      SCOPED_TRACE(name_of(family));
      auto const x = make_field<double>(family, shape);
      Metrics const m = metrics_of<TypeParam>(shape, x, x, 1);
      EXPECT_EQ(m.ssim, 1);
      EXPECT_GT(m.ssim_windows, 0u);
      bool const squares = family != Family::huge && family != Family::denormals;
      expect_near(m.pearson, squares ? 1 : nan_value, 0);
      EXPECT_EQ(m.max_rel_error, 0);
      EXPECT_EQ(m.mean_error, 0);
      EXPECT_EQ(m.histogram.counts[ErrorHistogram::bins / 2], x.size());
      EXPECT_EQ(m.entropy_original, m.entropy_reconstructed);
      for (double const r : m.autocorrelation) EXPECT_TRUE(std::isnan(r));
    }
  }
}

TYPED_TEST(Quality, ConstantAndEmptyFields_LeaveMostUndefined) {
  for (std::size_t n : {0, 1, 100}) {
    std::vector<float> const x(n, 2), y(n, 2.5f);
    Metrics const m = metrics_of<TypeParam>(shape_from<float>({n}), x, y, 1);
    EXPECT_TRUE(std::isnan(m.pearson));
    EXPECT_TRUE(std::isnan(m.ssim));
    EXPECT_EQ(m.mean_error, n == 0 ? 0 : 0.5);
    for (double const r : m.autocorrelation) EXPECT_TRUE(std::isnan(r));
    EXPECT_EQ(m.autocorrelation.size(), 10u);
    expect_near(m.entropy_original, n == 0 ? nan_value : 0, 0);
    EXPECT_EQ(m.histogram.counts[15], n);  // 0.5 of 1 is in bin floor(0.75 * 21)
  }
}

TYPED_TEST(Quality, NegatedField_HasOppositePearson) {
  FieldShape const shape = shape_from<float>({50, 41});
  auto const x = make_field<float>(Family::smooth, shape);
  auto y = x;
  for (float& v : y) v = -2 * v;
  EXPECT_NEAR(metrics_of<TypeParam>(shape, x, y, 1).pearson, -1, 1e-15);
}

// cov(x, y) of x = offset + u and y = x + e, with u = -1, 1, -1, … and e orthogonal to it.
template <class Exec, class T>
void expect_pearson_of_an_offset_field(double offset, double step) {
  std::size_t const n = 40000;
  std::vector<T> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    double const u = i % 2 == 0 ? step : -step, e = i / 2 % 2 == 0 ? step : -step;
    x[i] = static_cast<T>(offset + u);
    y[i] = static_cast<T>(offset + u + e);
  }
  Metrics const m = metrics_of<Exec>(shape_from<T>({n}), x, y, 1, {});
  EXPECT_NEAR(m.pearson, std::sqrt(0.5), 1e-14) << offset;
  EXPECT_EQ(m.mean_error, 0);
}

TYPED_TEST(Quality, OffsetOfAField_CostsPearsonNoDigits) {
  expect_pearson_of_an_offset_field<TypeParam, float>(1 << 20, 0.25);
  expect_pearson_of_an_offset_field<TypeParam, double>(1e15, 1);
  expect_pearson_of_an_offset_field<TypeParam, double>(0, 1e-100);
}

/// Similarity of the window at `place`, as the paper defines it, by plain sums in long double.
long double window_similarity(std::vector<double> const& x, std::vector<double> const& y,
                              std::vector<std::size_t> const& places, long double range) {
  long double const n = static_cast<long double>(places.size());
  long double u = 0, v = 0, vx = 0, vy = 0, vxy = 0;
  for (std::size_t i : places) u += x[i] / n, v += y[i] / n;
  for (std::size_t i : places) {
    vx += (x[i] - u) * (x[i] - u) / (n - 1);
    vy += (y[i] - v) * (y[i] - v) / (n - 1);
    vxy += (x[i] - u) * (y[i] - v) / (n - 1);
  }
  long double const c1 = 0.01l * range * 0.01l * range, c2 = 0.03l * range * 0.03l * range;
  return (2 * u * v + c1) * (2 * vxy + c2) / ((u * u + v * v + c1) * (vx + vy + c2));
}

struct Similarity {
  double mean;
  std::uint64_t windows;
};
/// Mean over all windows of a field of the extents nz, ny, nx; each axis is 1 or at least 7 long.
Similarity mean_similarity(std::vector<double> const& x, std::vector<double> const& y,
                           std::size_t nz, std::size_t ny, std::size_t nx) {
  auto const [min, max] = std::minmax_element(x.begin(), x.end());
  std::size_t const wz = std::min<std::size_t>(nz, 7), wy = std::min<std::size_t>(ny, 7);
  long double sum = 0;
  std::uint64_t windows = 0;
  for (std::size_t z = 0; z + wz <= nz; ++z)
    for (std::size_t y0 = 0; y0 + wy <= ny; ++y0)
      for (std::size_t x0 = 0; x0 + 7 <= nx; ++x0, ++windows) {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < wz * wy * 7; ++i)
          places.push_back(((z + i / (wy * 7)) * ny + y0 + i / 7 % wy) * nx + x0 + i % 7);
        sum += window_similarity(x, y, places, static_cast<long double>(*max) - *min);
      }
  return {static_cast<double>(sum / static_cast<long double>(windows)), windows};
}

TYPED_TEST(Quality, Ssim_IsThatOfItsDefinition) {
  std::size_t const extents[][3] = {{1, 1, 7},    {1, 1, 1000}, {1, 7, 7},   {1, 30, 129},
                                    {1, 200, 8},  {7, 7, 7},    {8, 9, 135}, {10, 7, 122},
                                    {1, 12, 250}, {20, 8, 10}};
  for (auto const& [nz, ny, nx] : extents) {
    for (Family const family : {Family::smooth, Family::noise, Family::offset, Family::spikes}) {
      FieldShape const shape = shape_from<double>({nz, ny, nx});
      SCOPED_TRACE(testing::Message() << name_of(family) << " " << nz << " " << ny << " " << nx);
      auto const x = make_field<double>(family, shape);
      auto const y = with_errors(x, family == Family::offset ? 5e-3 : 0.1);
      Similarity const expected = mean_similarity(x, y, nz, ny, nx);
      Metrics const m = metrics_of<TypeParam>(shape, x, y, 0.1);
      EXPECT_NEAR(m.ssim, expected.mean, 1e-12);
      EXPECT_EQ(m.ssim_windows, expected.windows);
    }
  }
}

TYPED_TEST(Quality, Ssim_DoesNotDependOnTheUnit) {
  FieldShape const shape = shape_from<double>({20, 30});
  auto const x = make_field<double>(Family::smooth, shape), y = with_errors(x, 0.1);
  double const expected = metrics_of<TypeParam>(shape, x, y, 0.1).ssim;
  for (int exponent : {-1000, -40, 40, 1000}) {
    auto scaled = [&](std::vector<double> field) {
      for (double& v : field) v = std::ldexp(v, exponent);
      return field;
    };
    Metrics const m = metrics_of<TypeParam>(shape, scaled(x), scaled(y), 1);
    EXPECT_NEAR(m.ssim, expected, sum_tolerance) << exponent;
  }
}

TYPED_TEST(Quality, SsimWithAnAxisBelowSeven_IsNotDefined) {
  for (auto const& extents :
       std::vector<std::vector<std::size_t>>{{6}, {6, 40}, {40, 2}, {9, 3, 9}}) {
    FieldShape const shape = shape_from<float>(extents);
    auto const x = make_field<float>(Family::smooth, shape);
    Metrics const m = metrics_of<TypeParam>(shape, x, x, 1);
    EXPECT_TRUE(std::isnan(m.ssim));
    EXPECT_EQ(m.ssim_windows, 0u);
  }
}

TYPED_TEST(Quality, SsimOfMoreThanThreeAxes_IsThatOfASeries) {
  auto const x = make_field<double>(Family::smooth, shape_from<double>({2, 3, 7, 9, 20}));
  auto const y = with_errors(x, 0.1);
  double sum = 0;
  Metrics const all = metrics_of<TypeParam>(shape_from<double>({2, 3, 7, 9, 20}), x, y, 1);
  for (std::size_t part = 0; part < 6; ++part) {
    // The part's own range is another; the two ends keep that of the whole field.
    auto const at = static_cast<std::ptrdiff_t>(part * 7 * 9 * 20);
    std::vector<double> u(x.begin() + at, x.begin() + at + 7 * 9 * 20);
    std::vector<double> v(y.begin() + at, y.begin() + at + 7 * 9 * 20);
    for (auto* field : {&u, &v}) {
      std::vector<double> ends(7 * 9 * 20, nan_value);
      ends[0] = all.min, ends[1] = all.max;
      field->insert(field->end(), ends.begin(), ends.end());
    }
    Metrics const m = metrics_of<TypeParam>(shape_from<double>({2, 7, 9, 20}), u, v, 1);
    EXPECT_EQ(m.ssim_windows, 3u * 14u);
    sum += m.ssim;
  }
  EXPECT_EQ(all.ssim_windows, 6u * 3u * 14u);
  EXPECT_NEAR(all.ssim, sum / 6, sum_tolerance);
}

TYPED_TEST(Quality, AxesOfExtentOne_DoNotCount) {
  auto const x = make_field<float>(Family::smooth, shape_from<float>({12, 40}));
  auto const y = with_errors(x, 0.1);
  Metrics const expected = metrics_of<TypeParam>(shape_from<float>({12, 40}), x, y, 0.1);
  for (auto const& extents :
       std::vector<std::vector<std::size_t>>{{1, 12, 40}, {12, 1, 40}, {12, 40, 1, 1}}) {
    expect_same(metrics_of<TypeParam>(shape_from<float>(extents), x, y, 0.1), expected);
  }
}

TYPED_TEST(Quality, LayoutLeft_IsTheTransposedField) {
  FieldShape const left = shape_from<float>({40, 9, 12}, Order::first_fastest);
  FieldShape const right = shape_from<float>({12, 9, 40});
  auto const x = make_field<float>(Family::smooth, right), y = with_errors(x, 0.1);
  expect_same(metrics_of<TypeParam>(left, x, y, 0.1), metrics_of<TypeParam>(right, x, y, 0.1));
}

TYPED_TEST(Quality, WindowsWithValuesThatAreNotFinite_AreLeftOut) {
  FieldShape const shape = shape_from<double>({20, 30});
  auto x = make_field<double>(Family::smooth, shape);
  auto y = with_errors(x, 0.1);
  double const range = metrics_of<TypeParam>(shape, x, y, 1).range();
  long double sum = 0;
  std::uint64_t windows = 0;
  std::size_t const bad_x = 5 * 30 + 4, bad_y = 13 * 30 + 20;
  for (std::size_t r = 0; r + 7 <= 20; ++r)
    for (std::size_t c = 0; c + 7 <= 30; ++c) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < 49; ++i) places.push_back((r + i / 7) * 30 + c + i % 7);
      auto const has = [&](std::size_t i) { return std::ranges::count(places, i) > 0; };
      if (has(bad_x) || has(bad_y)) continue;
      sum += window_similarity(x, y, places, range), ++windows;
    }
  for (double const bad : {nan_value, infinity, -infinity}) {
    x[bad_x] = y[bad_y] = bad;
    Metrics const m = metrics_of<TypeParam>(shape, x, y, 0.1);
    EXPECT_EQ(m.ssim_windows, windows);
    EXPECT_NEAR(m.ssim, static_cast<double>(sum / static_cast<long double>(windows)), 1e-12);
  }
}

#ifdef __GLIBC__
// As programs that look for their own mistakes do.
TYPED_TEST(Quality, CallerThatTrapsInvalidOperations_IsNotStopped) {
  FieldShape const shape = shape_from<float>({16, 16});
  std::vector<float> const values(shape.size(), std::numeric_limits<float>::infinity());
  int const traps = ::feenableexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO);
  Metrics const m = metrics_of<TypeParam>(shape, values, values, 1);
  ::fedisableexcept(FE_ALL_EXCEPT);
  ::feenableexcept(traps);
  EXPECT_EQ(m.violations, 0u);
}
#endif

TYPED_TEST(Quality, NumberThatBecameNan_CountsAsAnInfiniteError) {
  std::vector<double> x(100), y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) + 1;
  y = x;
  for (double const bad : {nan_value, infinity}) {
    y[7] = bad;
    Metrics const m = metrics_of<TypeParam>(shape_from<double>({100}), x, y, 1);
    EXPECT_EQ(m.max_rel_error, infinity);
    EXPECT_EQ(m.mean_error, 0);
    EXPECT_EQ(m.pearson, 1);  // of the others
    EXPECT_EQ(m.histogram.above, 1u);
    EXPECT_EQ(m.ssim_windows, 94u - 7u);
  }
}

TYPED_TEST(Quality, AlternatingErrors_HaveAlternatingAutocorrelation) {
  std::vector<float> x(5001), y(5001);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 16);
    y[i] = x[i] + (i % 2 == 0 ? 0.5f : -0.5f);
  }
  Metrics const m = metrics_of<TypeParam>(shape_from<float>({5001}), x, y, 0.5);
  double const mean = 0.5 / 5001, variance = 0.25 - mean * mean;
  EXPECT_NEAR(m.mean_error, mean, 1e-16);
  for (std::size_t k = 1; k <= 10; ++k) {
    // At odd lags as many pairs start at 0.5 as at -0.5 or one fewer; at even ones one more starts at 0.5.
    double const pairs = static_cast<double>(5001 - k);
    double const ends = k % 2 == 0 ? mean * 1 / pairs : 0;
    double const product = k % 2 == 0 ? 0.25 : -0.25;
    EXPECT_NEAR(m.autocorrelation[k - 1] * variance, product - ends + mean * mean, 1e-13) << k;
  }
}

TYPED_TEST(Quality, AutocorrelationWithMissingErrors_IsThatOfTheOtherPairs) {
  std::size_t const n = 3000;
  std::vector<double> x(n), y(n), error(n);
  double mean = 0, count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = hash(i) % 17 == 0 ? nan_value : uniform(i, 1);
    error[i] = uniform(i / 4, 9);
    y[i] = x[i] + error[i];
    error[i] = y[i] - x[i];
    if (!std::isnan(error[i])) mean += error[i], count += 1;
  }
  mean /= count;
  Metrics const m = metrics_of<TypeParam>(shape_from<double>({n}), x, y, 1);
  EXPECT_NEAR(m.mean_error, mean, 1e-15);
  std::vector<double> products(11), pairs(11);
  for (std::size_t k = 0; k <= 10; ++k)
    for (std::size_t i = 0; i + k < n; ++i) {
      if (std::isnan(error[i]) || std::isnan(error[i + k])) continue;
      products[k] += (error[i] - mean) * (error[i + k] - mean), pairs[k] += 1;
    }
  for (std::size_t k = 1; k <= 10; ++k) {
    double const expected = products[k] / pairs[k] / (products[0] / pairs[0]);
    EXPECT_NEAR(m.autocorrelation[k - 1], expected, 1e-12) << k;
  }
}

TYPED_TEST(Quality, LagsThatLeaveNoPair_AreNotDefined) {
  Metrics const m = metrics_of<TypeParam, double>(shape_from<double>({3}), {1, 2, 3}, {1, 3, 3}, 1);
  EXPECT_FALSE(std::isnan(m.autocorrelation[0]));
  EXPECT_FALSE(std::isnan(m.autocorrelation[1]));
  EXPECT_TRUE(std::isnan(m.autocorrelation[2]));
}

TYPED_TEST(Quality, ErrorsOfTheBound_AreInTheOuterBins) {
  std::vector<double> const x(6, 0), y{-2, -1, 1, 1.5, 0, 3};
  Metrics const m = metrics_of<TypeParam>(shape_from<double>({6}), x, y, 1);
  EXPECT_EQ(m.histogram.below, 1u);
  EXPECT_EQ(m.histogram.above, 2u);
  EXPECT_EQ(m.histogram.counts.front(), 1u);
  EXPECT_EQ(m.histogram.counts.back(), 1u);
  EXPECT_EQ(m.histogram.counts[10], 1u);
}

TYPED_TEST(Quality, HistogramOfManyErrors_CountsEachFiniteValueOnce) {
  FieldShape const shape = shape_from<float>({300007});
  auto const x = make_field<float>(Family::nan_islands, shape), y = with_errors(x, 0.3);
  for (double bound : {0.1, 1e-300, 1e300, 0.0}) {
    Metrics const m = metrics_of<TypeParam>(shape, x, y, bound);
    std::uint64_t inside = 0, sum = m.histogram.below + m.histogram.above;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!is_finite(x[i])) continue;
      inside += std::fabs(static_cast<double>(y[i]) - static_cast<double>(x[i])) <= bound;
    }
    EXPECT_EQ(m.values - m.nonfinite - sum, inside) << bound;
    for (std::uint64_t const count : m.histogram.counts) sum += count;
    EXPECT_EQ(sum, m.values - m.nonfinite) << bound;
  }
}

template <class Exec, class T>
void expect_entropy_of_counts() {
  for (Family const family : all_families) {
    FieldShape const shape = shape_from<T>({20011});
    auto const x = make_field<T>(family, shape);
    std::map<bits_t<T>, long double> counts;
    for (T const v : x) ++counts[bits_of(v)];
    long double expected = 0, n = static_cast<long double>(x.size());
    for (auto const& [bits, count] : counts) expected -= count / n * std::log2(count / n);
    Metrics const m = metrics_of<Exec>(shape, x, x, 1);
    EXPECT_NEAR(m.entropy_original, static_cast<double>(expected), 1e-12) << name_of(family);
  }
}

TYPED_TEST(Quality, Entropy_IsThatOfTheBitPatterns) {
  expect_entropy_of_counts<TypeParam, float>();
  expect_entropy_of_counts<TypeParam, double>();
  std::vector<double> const zeros{0.0, -0.0, 0.0, -0.0};
  EXPECT_EQ((metrics_of<TypeParam>(shape_from<double>({4}), zeros, zeros, 1).entropy_original), 1);
}

template <class Exec, class T>
void expect_the_metrics_of_a_host() {
  using Reference = Kokkos::DefaultHostExecutionSpace;
  std::vector<std::vector<std::size_t>> const all_extents = {
      {30011}, {151, 203}, {20, 31, 53}, {3, 10, 21, 25}};
  for (auto const& extents : all_extents) {
    for (Family const family : all_families) {
      if (family == Family::bits || family == Family::huge) continue;  // squares overflow
      FieldShape const shape = shape_from<T>(extents);
      SCOPED_TRACE(testing::Message() << name_of(family) << ", rank " << extents.size());
      auto const x = make_field<T>(family, shape), y = with_errors(x, 2e-3);
      expect_same(metrics_of<Exec>(shape, x, y, 1e-3), metrics_of<Reference>(shape, x, y, 1e-3));
    }
  }
}

TYPED_TEST(Quality, AnyExecutionSpace_GivesTheSameNumbers) {
  expect_the_metrics_of_a_host<TypeParam, float>();
  expect_the_metrics_of_a_host<TypeParam, double>();
}

/// What is exact, by a loop over the values.
template <class T>
Metrics exact_metrics(std::vector<T> const& x, std::vector<T> const& y, ErrorBound const& bound) {
  Metrics m;
  m.values = x.size();
  m.min = infinity, m.max = -infinity;
  m.histogram.counts.resize(ErrorHistogram::bins);
  bool const relative = bound.mode == ErrorBound::Mode::pwr;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!keeps_promise(x[i], y[i], bound)) {
      if (m.violations++ == 0) m.first_violation = static_cast<std::int64_t>(i);
    }
    if (!is_finite(x[i])) {
      ++m.nonfinite;
      continue;
    }
    auto const a = static_cast<double>(x[i]);
    m.min = std::min(m.min, a), m.max = std::max(m.max, a);
    double const error = static_cast<double>(y[i]) - a, size = std::fabs(error);
    m.max_abs_error = std::max(m.max_abs_error, is_finite(y[i]) ? size : infinity);
    double const quotient = is_finite(y[i]) ? size / std::fabs(a) : infinity;
    if (a != 0) m.max_rel_error = std::max(m.max_rel_error, quotient);
    double const counted = relative && error != 0 ? error / std::fabs(a) : error;
    if (counted < -bound.value) {
      ++m.histogram.below;
    } else if (!(counted <= bound.value)) {
      ++m.histogram.above;
    } else {
      auto const bin = static_cast<std::size_t>((counted / bound.value * 0.5 + 0.5) * 21);
      ++m.histogram.counts[std::min<std::size_t>(bin, 20)];
    }
  }
  if (m.nonfinite == m.values) m.min = m.max = 0;
  return m;
}

/// Steps of the bound and its near neighbours, numbers of any size, and some that are none or become none.
template <class T>
void fill_with_any_errors(Random& random, ErrorBound const& bound, std::vector<T>& x,
                          std::vector<T>& y) {
  bool const relative = bound.mode == ErrorBound::Mode::pwr;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = random.one_in(9) ? random.any<T>() : static_cast<T>(random.between(-4000, 4000)) / 16;
    double const step = bound.value * static_cast<double>(random.between(-17, 17)) / 16;
    auto const a = static_cast<double>(x[i]);
    y[i] = static_cast<T>(a + step * (relative ? std::fabs(a) : 1));
    if (x[i] == 0 && relative) y[i] = x[i];
    if (random.one_in(500)) y[i] = random.any<T>();
  }
}

template <class Exec, class T>
void expect_exact_numbers() {
  for (std::size_t const n : {1, 31, 33, 1023, 1024, 1025, 1055, 32767, 32769, 70001}) {
    for (ErrorBound const bound : {ErrorBound::absolute(0.25), ErrorBound::relative_to_value(0.1),
                                   ErrorBound::relative_to_value(1e-5)}) {
      SCOPED_TRACE(testing::Message() << n << " values, bound " << bound.value);
      Random random(n);
      std::vector<T> x(n), y(n);
      fill_with_any_errors(random, bound, x, y);
      Metrics const expected = exact_metrics(x, y, bound);
      Metrics const m = metrics_of<Exec>(shape_from<T>({n}), x, y, bound, {.histogram = true});
      expect_same_numbers(m, expected);
      EXPECT_EQ(m.max_rel_error, expected.max_rel_error);
      EXPECT_EQ(m.histogram.counts, expected.histogram.counts);
      EXPECT_EQ(m.histogram.below, expected.histogram.below);
      EXPECT_EQ(m.histogram.above, expected.histogram.above);
    }
  }
}

TYPED_TEST(Quality, OfFieldsOfManySizes_IsExactWhereItCanBe) {
  expect_exact_numbers<TypeParam, float>();
  expect_exact_numbers<TypeParam, double>();
}

TYPED_TEST(Quality, OfFieldsWithoutANumber_IsNotDefined) {
  for (std::size_t const n : {1, 40, 5000}) {
    std::vector<float> const x(n, std::numeric_limits<float>::quiet_NaN());
    Metrics const m = metrics_of<TypeParam>(shape_from<float>({n}), x, x, 1);
    EXPECT_EQ(m.nonfinite, n);
    EXPECT_EQ(m.violations, 0u);
    EXPECT_EQ(m.max_abs_error, 0);
    EXPECT_EQ(m.max_rel_error, 0);
    EXPECT_EQ(m.min, 0);
    EXPECT_EQ(m.max, 0);
    EXPECT_EQ(m.mean_error, 0);
    EXPECT_TRUE(std::isnan(m.pearson));
    EXPECT_TRUE(std::isnan(m.ssim));
    EXPECT_EQ(m.histogram.below + m.histogram.above, 0u);
  }
}

// How a device shares out the values, on a host.
template <class Shares>
void expect_each_value_once(std::int64_t size) {
  std::vector<int> times(static_cast<std::size_t>(size));
  for (std::int64_t index = 0; index < Shares::indices(size); ++index) {
    for (std::int64_t i = Shares::first(index); i < Shares::end(index, size); i += Shares::turns) {
      ++times[static_cast<std::size_t>(i)];
    }
  }
  EXPECT_EQ(std::ranges::count(times, 1), size);
}
TEST(Shares, OfFieldsOfAnySize_HaveEachValueOnce) {
  for (std::int64_t const size : {0, 1, 31, 32, 33, 1023, 1024, 1025, 2047, 5000}) {
    SCOPED_TRACE(size);
    expect_each_value_once<impl::Shares<1024, 1>>(size);
    expect_each_value_once<impl::Shares<32, 32>>(size);
    expect_each_value_once<impl::Shares<3, 5>>(size);
  }
}

template <class Exec, class A, class B>
Status status_of(A const& a, B const& b, double bound) {
  try {
    metrics(Exec(), a, b, bound);
  } catch (Error const& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 9), "metrics: ");
    return e.status();
  }
  return Status::ok;
}

TYPED_TEST(Quality, WhatCannotBeCompared_IsRefused) {
  using Memory = typename TypeParam::memory_space;
  using Right = Kokkos::View<float**, Kokkos::LayoutRight, Memory>;
  Right const field("field", 8, 9);
  EXPECT_EQ((status_of<TypeParam>(field, Right("other", 8, 9), 0)), Status::ok);
  EXPECT_EQ((status_of<TypeParam>(field, Right("other", 9, 8), 1)), Status::type_mismatch);
  EXPECT_EQ((status_of<TypeParam>(field, field, -1)), Status::bad_argument);
  EXPECT_EQ((status_of<TypeParam>(field, field, nan_value)), Status::bad_argument);
  auto const part = Kokkos::subview(field, Kokkos::ALL, std::make_pair(0, 3));
  EXPECT_EQ((status_of<TypeParam>(part, part, 1)), Status::ok);
}

}  // namespace
}  // namespace kompakt::test
