#include "expect_stats.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <kompakt/metrics.hpp>
#include <limits>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <vector>

namespace kompakt::test {
namespace {

template <class T>
using Limits = std::numeric_limits<T>;

template <class Exec, class T>
Kokkos::View<T*, typename Exec::memory_space> to_space(std::vector<T> const& values) {
  Kokkos::View<T*, typename Exec::memory_space> view("values", values.size());
  Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(values.data(),
                                                                                values.size());
  Kokkos::deep_copy(view, host);
  return view;
}

template <class Exec, class T>
ErrorStats stats_of(std::vector<T> const& original, std::vector<T> const& reconstructed,
                    double bound) {
  return error_stats(Exec(), to_space<Exec>(original), to_space<Exec>(reconstructed), bound);
}

template <class Exec>
class Metrics : public testing::Test {};
TYPED_TEST_SUITE(Metrics, Spaces, SpaceName);

TYPED_TEST(Metrics, KnownErrors_GiveKnownNumbers) {
  auto const s = stats_of<TypeParam, float>({1, 2, 3, 5}, {1.5f, 2, 2.75f, 5}, 0.25);
  EXPECT_EQ(s.values, 4u);
  EXPECT_EQ(s.nonfinite, 0u);
  EXPECT_EQ(s.violations, 1u);
  EXPECT_EQ(s.first_violation, 0);
  EXPECT_EQ(s.max_abs_error, 0.5);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 5);
  EXPECT_EQ(s.range(), 4);
  EXPECT_EQ(s.sum_squares, 0.25 + 0.0625);
  EXPECT_DOUBLE_EQ(s.rmse(), std::sqrt(0.3125 / 4));
  EXPECT_DOUBLE_EQ(s.nrmse(), std::sqrt(0.3125 / 4) / 4);
  EXPECT_DOUBLE_EQ(s.psnr_db(), 20 * std::log10(4 / std::sqrt(0.3125 / 4)));
}

TYPED_TEST(Metrics, EqualFields_AreExact) {
  std::vector<double> const field{-3, 0, 1e300, 5e-324};
  auto const s = stats_of<TypeParam>(field, field, 0);
  EXPECT_EQ(s.violations, 0u);
  EXPECT_EQ(s.first_violation, -1);
  EXPECT_EQ(s.max_abs_error, 0);
  EXPECT_EQ(s.nrmse(), 0);
  EXPECT_EQ(s.psnr_db(), Limits<double>::infinity());
}

TYPED_TEST(Metrics, FieldWithoutValues_HasNothingToReport) {
  auto const s = stats_of<TypeParam, float>({}, {}, 1);
  EXPECT_EQ(s.values, 0u);
  EXPECT_EQ(s.violations, 0u);
  EXPECT_EQ(s.first_violation, -1);
  EXPECT_EQ(s.range(), 0);
  EXPECT_EQ(s.rmse(), 0);
  EXPECT_EQ(s.psnr_db(), Limits<double>::infinity());
}

template <class Exec, class T>
void expect_bits_of_nonfinite_values_to_count() {
  T const nan = Limits<T>::quiet_NaN(), inf = Limits<T>::infinity();
  T const payload = std::bit_cast<T>(static_cast<bits_t<T>>(bits_of(nan) | 77));
  std::vector<T> const original{1, nan, payload, inf, -inf, nan, inf, 4};
  EXPECT_EQ((stats_of<Exec>(original, original, 0).violations), 0u);
  auto const s = stats_of<Exec>(original, {1, nan, nan, inf, inf, 0, Limits<T>::max(), 4}, 1e300);
  EXPECT_EQ(s.nonfinite, 6u);
  EXPECT_EQ(s.violations, 4u);
  EXPECT_EQ(s.first_violation, 2);
  EXPECT_EQ(s.max_abs_error, 0);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 4);
}

TYPED_TEST(Metrics, NonfiniteOriginals_MustComeBackBitForBit) {
  expect_bits_of_nonfinite_values_to_count<TypeParam, float>();
  expect_bits_of_nonfinite_values_to_count<TypeParam, double>();
}

TYPED_TEST(Metrics, NothingFinite_HasRangeZero) {
  float const nan = Limits<float>::quiet_NaN();
  auto const s = stats_of<TypeParam, float>({nan, nan}, {nan, nan}, 1);
  EXPECT_EQ(s.nonfinite, 2u);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 0);
  EXPECT_EQ(s.rmse(), 0);
}

TYPED_TEST(Metrics, NumberThatCameBackNonfinite_IsAnInfiniteError) {
  for (double bad : {Limits<double>::quiet_NaN(), Limits<double>::infinity()}) {
    auto const s = stats_of<TypeParam, double>({1, 2, 3}, {1, bad, 3}, Limits<double>::max());
    EXPECT_EQ(s.violations, 1u);
    EXPECT_EQ(s.first_violation, 1);
    EXPECT_EQ(s.max_abs_error, Limits<double>::infinity());
    EXPECT_EQ(s.nonfinite, 0u);
  }
}

TYPED_TEST(Metrics, ErrorOfExactlyTheBound_IsNoViolation) {
  double const tiny = std::ldexp(1.0, -60);
  // The difference of 1 and -tiny rounds to 1: only exact arithmetic sees that it is larger.
  EXPECT_EQ((stats_of<TypeParam, double>({1, tiny}, {tiny, 1}, 1).violations), 0u);
  EXPECT_EQ((stats_of<TypeParam, double>({1, -tiny}, {-tiny, 1}, 1).violations), 2u);
  EXPECT_EQ((stats_of<TypeParam, float>({101325}, {101324.5f}, 0.5).violations), 0u);
  EXPECT_EQ(
      (stats_of<TypeParam, float>({101325}, {101324.5f}, std::nextafter(0.5, 0.0)).violations), 1u);
}

TYPED_TEST(Metrics, ConstantFieldWithAnError_HasInfiniteRelativeError) {
  auto const s = stats_of<TypeParam, float>({2, 2}, {2, 3}, 1);
  EXPECT_EQ(s.violations, 0u);
  EXPECT_EQ(s.nrmse(), Limits<double>::infinity());
}

TYPED_TEST(Metrics, ManyViolations_FirstIsTheLowestPosition) {
  std::vector<float> const original(300000, 1.0f);
  std::vector<float> reconstructed = original;
  for (std::size_t i = 7919; i < original.size(); i += 977) reconstructed[i] = 3;
  auto const s = stats_of<TypeParam>(original, reconstructed, 1);
  EXPECT_EQ(s.first_violation, 7919);
  EXPECT_EQ(s.violations, (300000u - 7919u + 976u) / 977u);
}

template <class Exec, class T>
void expect_agreement_with_a_loop(Random& random) {
  std::vector<T> original(100003), reconstructed(original.size());
  double const bound = 0.25;
  ErrorStats expected;
  for (std::size_t i = 0; i < original.size(); ++i) {
    original[i] =
        random.one_in(50) ? random.any<T>() : static_cast<T>(random.between(-4000, 4000)) / 16;
    reconstructed[i] = original[i] + static_cast<T>(random.between(-5, 5)) / 16;
    bool const kept = keeps_promise(original[i], reconstructed[i], bound);
    expected.violations += kept ? 0 : 1;
    if (!kept && expected.first_violation < 0)
      expected.first_violation = static_cast<std::int64_t>(i);
    expected.nonfinite += is_finite(original[i]) ? 0 : 1;
    if (!is_finite(original[i])) continue;
    auto const x = static_cast<double>(original[i]);
    double const error = std::fabs(x - static_cast<double>(reconstructed[i]));
    expected.max_abs_error = std::max(expected.max_abs_error, error);
    expected.min = std::min(expected.min, x);
    expected.max = std::max(expected.max, x);
    expected.sum_squares += error * error;
  }
  expect_same_stats(stats_of<Exec>(original, reconstructed, bound), expected, 1e-12);
}

TYPED_TEST(Metrics, AnyField_AgreesWithALoopOnTheHost) {
  KOMPAKT_TRACE_SEED(121);
  Random random(121);
  expect_agreement_with_a_loop<TypeParam, float>(random);
  expect_agreement_with_a_loop<TypeParam, double>(random);
}

template <class Exec, class A, class B>
Status status_of(A const& a, B const& b) {
  try {
    error_stats(Exec(), a, b, 1);
  } catch (Error const& e) {
    return e.status();
  }
  return Status::ok;
}

TYPED_TEST(Metrics, FieldsThatDoNotMatch_AreRefused) {
  using Memory = typename TypeParam::memory_space;
  using Right = Kokkos::View<float**, Kokkos::LayoutRight, Memory>;
  using Left = Kokkos::View<float**, Kokkos::LayoutLeft, Memory>;
  Right const field("field", 4, 6);
  EXPECT_EQ((status_of<TypeParam>(field, Right("other", 4, 6))), Status::ok);
  EXPECT_EQ((status_of<TypeParam>(field, Right("other", 6, 4))), Status::type_mismatch);
  EXPECT_EQ((status_of<TypeParam>(field, Left("other", 4, 6))), Status::type_mismatch);
  EXPECT_EQ((status_of<TypeParam>(field, Kokkos::View<float*, Memory>("other", 24))),
            Status::type_mismatch);
  EXPECT_EQ((status_of<TypeParam>(
                field, Kokkos::View<double**, Kokkos::LayoutRight, Memory>("other", 4, 6))),
            Status::type_mismatch);
}

TYPED_TEST(Metrics, SubviewWithGaps_IsComparedByItsValuesAlone) {
  using Space = typename TypeParam::memory_space;
  TypeParam const exec;
  Kokkos::View<float***, Kokkos::LayoutLeft, Space> const frame("frame", 12, 14, 16),
      other("other", 12, 14, 16);
  auto const inner = [](auto const& view) {
    return Kokkos::subview(view, std::pair(1, 11), std::pair(1, 13), std::pair(1, 15));
  };
  Kokkos::View<float const***, Kokkos::LayoutStride, Space> const constant = inner(frame);
  Kokkos::deep_copy(Kokkos::subview(other, 0, Kokkos::ALL, Kokkos::ALL), 99.0f);  // a ghost cell
  EXPECT_EQ(error_stats(exec, constant, inner(other), 0.0).violations, 0u);
  Kokkos::deep_copy(Kokkos::subview(other, 3, 4, 5), 99.0f);
  ErrorStats const stats = error_stats(exec, constant, inner(other), 0.0);
  EXPECT_EQ(stats.values, 10u * 12 * 14);
  EXPECT_EQ(stats.violations, 1u);
  EXPECT_EQ(stats.first_violation, 2 + 10 * (3 + 12 * 4));
  EXPECT_EQ(stats.max_abs_error, 99);
}

}  // namespace
}  // namespace kompakt::test
