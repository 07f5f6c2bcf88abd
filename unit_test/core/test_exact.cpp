#include <gtest/gtest.h>

#include <cmath>
#include <core/exact.hpp>
#include <limits>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

using impl::within_bound;
using Double = std::numeric_limits<double>;

double up(double x) { return std::nextafter(x, Double::infinity()); }
double down(double x) { return std::nextafter(x, -Double::infinity()); }

// A double that is an integer: up to 53 significant bits, at most 2^61.
std::int64_t random_integer(Random& random) {
  std::int64_t const mantissa = static_cast<std::int64_t>(random.bits() >> (11 + random.below(53)));
  std::int64_t const value = mantissa << random.below(9);
  return random.one_in(2) ? -value : value;
}

// The library's comparison and the oracle of the other tests, on integers times 2^exponent.
void expect_integer_truth(std::int64_t i, std::int64_t j, double bound, int exponent) {
  if (!(bound >= 0)) return;
  bool const truth = std::abs(i - j) <= static_cast<std::int64_t>(bound);  // both below 2^63
  double const x = std::ldexp(static_cast<double>(i), exponent);
  double const y = std::ldexp(static_cast<double>(j), exponent);
  double const scaled = std::ldexp(bound, exponent);
  ASSERT_EQ(within(x, y, scaled), truth) << i << " " << j << " " << bound << " e" << exponent;
  ASSERT_EQ(within_bound(x, y, scaled), truth) << i << " " << j << " " << bound << " e" << exponent;
}

TEST(WithinBound, IntegersAtEveryScale_AgreeWithIntegerArithmetic) {
  KOMPAKT_TRACE_SEED(21);
  Random random(21);
  for (int exponent : {-1074, -1060, -1022, -500, -1, 0, 30, 900}) {
    for (int round = 0; round < 50000; ++round) {
      std::int64_t const i = random_integer(random);
      std::int64_t const j =
          random.one_in(2) ? random_integer(random) : i + random.between(-4096, 4096);
      if (static_cast<std::int64_t>(static_cast<double>(j)) != j) continue;
      double const nearest = std::trunc(static_cast<double>(std::abs(i - j)));
      for (double bound : {nearest, std::trunc(up(nearest)), std::trunc(down(nearest)), nearest + 1,
                           nearest - 1, std::abs(static_cast<double>(i))}) {
        expect_integer_truth(i, j, bound, exponent);
      }
    }
  }
}

// Of integers at many scales: the exact result lies between the rounded one and the double behind that.
TEST(RoundedDown, DifferencesOfIntegers_AreTheLargestDoubleBelow) {
  KOMPAKT_TRACE_SEED(24);
  Random random(24);
  for (int exponent : {-1074, -1060, -500, 0, 30, 900}) {
    for (int round = 0; round < 50000; ++round) {
      std::int64_t i = random_integer(random), j = random_integer(random);
      if (i < j) std::swap(i, j);
      double const found =
          std::ldexp(impl::difference_rounded_down(std::ldexp(static_cast<double>(i), exponent),
                                                   std::ldexp(static_cast<double>(j), exponent)),
                     -exponent);
      ASSERT_LE(static_cast<std::int64_t>(found), i - j) << i << " " << j << " e" << exponent;
      ASSERT_GT(static_cast<std::int64_t>(std::ceil(up(found))), i - j) << i << " " << j;
    }
  }
}

TEST(RoundedDown, ProductsOfIntegers_AreTheLargestDoubleBelow) {
  __extension__ using Wide = __int128;
  KOMPAKT_TRACE_SEED(26);
  Random random(26);
  for (int exponent : {-1074, -1100, -1130, -1170, -500, 0, 800}) {
    for (int round = 0; round < 50000; ++round) {
      auto const i = static_cast<std::int64_t>(random.bits() >> (11 + random.below(53)));
      auto const j = static_cast<std::int64_t>(random.bits() >> (11 + random.below(53)));
      int const half = exponent / 2;
      double const found =
          impl::product_rounded_down(std::ldexp(static_cast<double>(i), half),
                                     std::ldexp(static_cast<double>(j), exponent - half));
      // In units of the last place that a product at this scale can have.
      int const lost = std::max(0, -1074 - exponent);
      Wide const product = static_cast<Wide>(i) * j;
      auto const units = [&](double x) {
        return static_cast<Wide>(std::ldexp(x, -std::max(exponent, -1074)));
      };
      ASSERT_LE(units(found) << lost, product) << i << " " << j << " e" << exponent;
      double const next = up(found);
      Wide const behind = units(next) == units(found) ? units(found) + 1 : units(next);
      ASSERT_GT(behind << lost, product) << i << " " << j << " e" << exponent;
    }
  }
}

TEST(RoundedDown, BoundOfARange_IsFiniteForAnyEnds) {
  constexpr double huge = Double::max();
  EXPECT_EQ(impl::range_bound(1, -huge, huge), huge);
  EXPECT_EQ(impl::range_bound(0.5, -huge, huge), huge);
  EXPECT_EQ(impl::range_bound(0.25, -huge, huge), huge / 2);
  EXPECT_EQ(impl::range_bound(1e-3, 0, 1), 1e-3);
  EXPECT_EQ(impl::range_bound(huge, 0, huge), huge);
  // 0.1 * 3 is rounded up to 0.30000000000000004.
  EXPECT_EQ(impl::range_bound(0.1, 0, 3), down(0.1 * 3));
}

// a - b is not a double: the rounded difference equals the bound, the exact one is to either side.
TEST(WithinBound, InexactDifferenceAtTheBound_IsDecidedByTheRemainder) {
  double const tiny = std::ldexp(1.0, -60);
  EXPECT_TRUE(within_bound(1, tiny, 1));
  EXPECT_FALSE(within_bound(1, -tiny, 1));
  EXPECT_TRUE(within_bound(tiny, 1, 1));
  EXPECT_FALSE(within_bound(-tiny, 1, 1));
  EXPECT_FALSE(within_bound(1, tiny, down(1)));
  EXPECT_TRUE(within_bound(1, -tiny, up(1)));
  EXPECT_FALSE(within_bound(1, -Double::denorm_min(), 1));
  EXPECT_TRUE(within_bound(1, Double::denorm_min(), 1));
}

TEST(WithinBound, AnyFiniteNumbers_AgreeWithTheExactSum) {
  KOMPAKT_TRACE_SEED(22);
  Random random(22);
  for (int round = 0; round < 200000; ++round) {
    double const a = random.any_finite<double>();
    // Often of nearly the same size, so that the difference is not simply one of them.
    double const b = random.one_in(3)
                         ? random.any_finite<double>()
                         : a * std::ldexp(1.0, static_cast<int>(random.below(110)) - 55) *
                               static_cast<double>(random.between(-2, 2));
    double const difference = std::fabs(a - b);
    for (double bound : {difference, up(difference), down(difference), std::fabs(a), std::fabs(b),
                         std::fabs(random.any_finite<double>())}) {
      if (!is_finite(b) || !is_finite(bound) || bound < 0) continue;
      ASSERT_EQ(within_bound(a, b, bound), within(a, b, bound))
          << std::hexfloat << a << " " << b << " " << bound;
    }
  }
}

TEST(WithinBound, NumbersNextToTheLargest_AgreeWithTheExactSum) {
  KOMPAKT_TRACE_SEED(23);
  Random random(23);
  double const ulp = std::ldexp(1.0, 971);
  for (int round = 0; round < 200000; ++round) {
    double const near_largest = Double::max() - ulp * static_cast<double>(random.below(4));
    double const small = ulp / 4 * static_cast<double>(random.between(-16, 16));
    double const sign = random.one_in(2) ? 1 : -1;
    double const a = sign * (random.one_in(2) ? near_largest : small);
    double const b = random.one_in(2) ? sign * near_largest : -sign * near_largest + small;
    double const bound = Double::max() - ulp * static_cast<double>(random.below(6));
    if (!is_finite(b)) continue;
    ASSERT_EQ(within_bound(a, b, bound), within(a, b, bound))
        << std::hexfloat << a << " " << b << " " << bound;
  }
}

TEST(WithinBound, NotANumber_IsNeverInside) {
  double const nan = Double::quiet_NaN(), inf = Double::infinity(), max = Double::max();
  for (double other : {0.0, 1.0, max, inf, -inf, nan}) {
    for (double bound : {0.0, 1.0, max}) {
      EXPECT_FALSE(within_bound(nan, other, bound));
      EXPECT_FALSE(within_bound(other, nan, bound));
      EXPECT_FALSE(within_bound(inf, other, bound));
      EXPECT_FALSE(within_bound(other, -inf, bound));
    }
  }
  EXPECT_FALSE(within_bound(max, -max, max));  // the difference overflows
}

TEST(WithinBound, ZeroBound_TakesOnlyEqualNumbers) {
  for (double x : special_values<double>()) {
    if (!is_finite(x)) continue;
    EXPECT_TRUE(within_bound(x, x, 0));
    EXPECT_EQ(within_bound(x, up(x), 0), false);
  }
  EXPECT_TRUE(within_bound(-0.0, 0.0, 0));
}

template <class T>
class RoundDown : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(RoundDown, Values);

TYPED_TEST(RoundDown, AnyBound_GivesTheLargestValueNotAbove) {
  using Limits = std::numeric_limits<TypeParam>;
  KOMPAKT_TRACE_SEED(24);
  Random random(24);
  for (int round = 0; round < 100000; ++round) {
    double const wide = std::fabs(random.any_finite<double>());
    double const narrow = std::fabs(static_cast<double>(random.any_finite<float>()));
    for (double bound : {wide, narrow, up(narrow), down(narrow)}) {
      if (bound < 0) continue;
      TypeParam const rounded = impl::round_down<TypeParam>(bound);
      ASSERT_LE(static_cast<double>(rounded), bound);
      if (rounded == Limits::max()) continue;
      ASSERT_GT(static_cast<double>(std::nextafter(rounded, Limits::infinity())), bound);
    }
  }
}

TYPED_TEST(RoundDown, EndsOfTheRange_StayFiniteAndNotNegative) {
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(bits_of(impl::round_down<TypeParam>(0)), 0u);
  EXPECT_EQ(impl::round_down<TypeParam>(Double::max()), Limits::max());
  EXPECT_EQ(impl::round_down<float>(Double::denorm_min()), 0.0f);
  EXPECT_EQ(
      impl::round_down<float>(down(static_cast<double>(std::numeric_limits<float>::denorm_min()))),
      0.0f);
}

template <class T>
class Ordered : public testing::Test {};
TYPED_TEST_SUITE(Ordered, Values);

TYPED_TEST(Ordered, AnyTwoNumbers_CompareAsTheirKeys) {
  KOMPAKT_TRACE_SEED(25);
  Random random(25);
  auto const special = special_values<TypeParam>();
  for (int round = 0; round < 200000; ++round) {
    TypeParam const x =
        random.one_in(8) ? special[random.below(special.size())] : random.any<TypeParam>();
    TypeParam const y =
        random.one_in(8) ? special[random.below(special.size())] : random.any<TypeParam>();
    if (std::isnan(x) || std::isnan(y)) continue;
    if (x < y) {
      ASSERT_LT(impl::ordered(x), impl::ordered(y)) << x << " " << y;
    }
    ASSERT_EQ(bits_of(impl::from_ordered<TypeParam>(impl::ordered(x))), bits_of(x));
  }
}

TYPED_TEST(Ordered, NotANumber_LiesOutsideTheInfinities) {
  auto const inf = std::numeric_limits<TypeParam>::infinity();
  for (TypeParam x : special_values<TypeParam>()) {
    bool const inside =
        impl::ordered(-inf) <= impl::ordered(x) && impl::ordered(x) <= impl::ordered(inf);
    EXPECT_EQ(inside, !std::isnan(x)) << bits_of(x);
    EXPECT_EQ(bits_of(impl::from_ordered<TypeParam>(impl::ordered(x))), bits_of(x));
  }
  EXPECT_LT(impl::ordered(-TypeParam{0}), impl::ordered(TypeParam{0}));
}

TYPED_TEST(Ordered, RoundToEven_TakesTiesToEven) {
  for (int k = -100; k <= 100; ++k) {
    TypeParam const tie = static_cast<TypeParam>(k) + TypeParam{0.5};
    TypeParam const rounded = impl::round_to_even(tie);
    EXPECT_EQ(std::fmod(rounded, TypeParam{2}), 0) << tie;
    EXPECT_EQ(std::fabs(rounded - tie), TypeParam{0.5});
    EXPECT_EQ(impl::round_to_even(std::nextafter(tie, TypeParam{1000})), k + 1);
  }
}

}  // namespace
}  // namespace kompakt::test
