#include <gtest/gtest.h>

#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrminf.hpp>
#include <KokkosBlas1_sum.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <kompakt/metrics.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <vector>

// The basic metrics held against the vector kernels of Kokkos Kernels.

namespace kompakt::test {
namespace {

template <class Exec>
using Vector = Kokkos::View<double*, Kokkos::Device<Exec, typename Exec::memory_space>>;

template <class Exec, class T>
Vector<Exec> vector_of(std::vector<T> const& values) {
  Vector<Exec> const vector("vector", values.size());
  auto const host = Kokkos::create_mirror_view(vector);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = static_cast<double>(values[i]);
  Kokkos::deep_copy(vector, host);
  return vector;
}

template <class Exec, class T>
Metrics metrics_of(std::vector<T> const& x, std::vector<T> const& y) {
  using Host = Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::View<T*, typename Exec::memory_space> const a("a", x.size()), b("b", y.size());
  Kokkos::deep_copy(a, Host(x.data(), x.size()));
  Kokkos::deep_copy(b, Host(y.data(), y.size()));
  return metrics(Exec(), a, b, 1);
}

template <class Exec, class T>
void expect_the_numbers_of_the_kernels(Family family) {
  SCOPED_TRACE(name_of(family));
  std::size_t const n = 100003;
  auto const x = make_field<T>(family, shape_from<T>({n}));
  std::vector<T> y(n);
  std::vector<double> e(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(static_cast<double>(x[i]) + 0.01 * uniform(i, 3));
  }
  // In a loop of its own: in one with the above g++ 12.2 for znver3 takes the last values before they are rounded to T.
  for (std::size_t i = 0; i < n; ++i) {
    e[i] = static_cast<double>(y[i]) - static_cast<double>(x[i]);
  }
  Metrics const m = metrics_of<Exec>(x, y);
  auto const u = vector_of<Exec>(x), v = vector_of<Exec>(y), w = vector_of<Exec>(e);
  Exec const exec;
  EXPECT_EQ(m.max_abs_error, KokkosBlas::nrminf(exec, w));
  EXPECT_EQ(std::max(-m.min, m.max), KokkosBlas::nrminf(exec, u));
  double const squares = KokkosBlas::dot(exec, w, w), count = static_cast<double>(n);
  // The last digits depend on the order of addition, here and there.
  EXPECT_NEAR(m.sum_squares, squares, 1e-12 * squares);
  EXPECT_NEAR(m.mean_error, KokkosBlas::sum(exec, w) / count, 1e-12 * m.rmse());
  double const sum_x = KokkosBlas::sum(exec, u), sum_y = KokkosBlas::sum(exec, v);
  double const xx = KokkosBlas::dot(exec, u, u) - sum_x * sum_x / count;
  double const yy = KokkosBlas::dot(exec, v, v) - sum_y * sum_y / count;
  double const xy = KokkosBlas::dot(exec, u, v) - sum_x * sum_y / count;
  EXPECT_NEAR(m.pearson, xy / std::sqrt(xx * yy), 1e-12);
}

template <class Exec>
class MetricsKernels : public testing::Test {};
TYPED_TEST_SUITE(MetricsKernels, Spaces, SpaceName);

TYPED_TEST(MetricsKernels, BasicMetrics_AreThoseOfNormsAndDotProducts) {
  // None far from 0, where these sums of squares would cancel.
  for (Family const family : {Family::smooth, Family::noise, Family::lattice, Family::zeros}) {
    expect_the_numbers_of_the_kernels<TypeParam, float>(family);
    expect_the_numbers_of_the_kernels<TypeParam, double>(family);
  }
}

}  // namespace
}  // namespace kompakt::test
