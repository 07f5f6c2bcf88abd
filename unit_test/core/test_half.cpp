#include <gtest/gtest.h>

#include <cmath>
#include <core/half_bound.hpp>
#include <limits>
#include <support/random.hpp>
#include <vector>

// Numbers of 16 bits: every one of them, against arithmetic of double.

namespace kompakt::test {
namespace {

template <class Half>
class Halves : public testing::Test {
 protected:
  static double value(std::uint32_t bits) {
    return static_cast<double>(Half{static_cast<std::uint16_t>(bits)});
  }
  static bool is_finite(std::uint32_t bits) { return (bits & 0x7fff) <= Half::largest().bits; }

  /// What the bits say, by the definition of the format.
  static double defined(std::uint32_t bits) {
    int const stored = Half::digits - 1;
    auto const exponent = static_cast<int>((bits & 0x7fff) >> stored);
    double const fraction = std::ldexp(static_cast<double>(bits & ((1u << stored) - 1)), -stored);
    double const magnitude = exponent == 0
                                 ? std::ldexp(fraction, Half::min_exponent)
                                 : std::ldexp(1 + fraction, exponent - Half::max_exponent);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};
using Types = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(Halves, Types);

TYPED_TEST(Halves, ConvertedToF32AndBack_AreTheSameBits) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    TypeParam const half{static_cast<std::uint16_t>(bits)};
    ASSERT_EQ(TypeParam::nearest(half.number()), half) << bits;
    if (this->is_finite(bits)) {
      ASSERT_EQ(this->value(bits), this->defined(bits)) << bits;
    } else {
      ASSERT_FALSE(std::isfinite(half.number())) << bits;
      ASSERT_EQ(std::isinf(half.number()), (bits & 0x7fff) == TypeParam::largest().bits + 1u);
    }
  }
}

TYPED_TEST(Halves, OfNumbersBetweenThem_AreTheNearest) {
  for (std::uint32_t bits = 0; bits < TypeParam::largest().bits; ++bits) {
    double const low = this->value(bits), high = this->value(bits + 1), middle = (low + high) / 2;
    auto const even = static_cast<std::uint16_t>(bits % 2 == 0 ? bits : bits + 1);
    auto const nearest = [](float number) { return TypeParam::nearest(number).bits; };
    auto const tie = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(tie), middle);
    ASSERT_EQ(nearest(tie), even) << bits;
    ASSERT_EQ(nearest(-tie), even | 0x8000) << bits;
    ASSERT_EQ(nearest(std::nextafter(tie, 0.0f)), bits);
    ASSERT_EQ(nearest(std::nextafter(tie, std::numeric_limits<float>::infinity())), bits + 1);
  }
}

TYPED_TEST(Halves, BeyondTheLargest_AreTheLargest) {
  auto const largest = TypeParam::largest();
  for (float const number : {largest.number(), std::nextafter(largest.number(), 1e38f), 3.4e38f}) {
    EXPECT_EQ(TypeParam::nearest(number), largest);
    EXPECT_EQ(TypeParam::nearest(-number).bits, largest.bits | 0x8000);
  }
}

// Of a field with values up to a magnitude: each of them, moved as far as it may be, and rounded.
TYPED_TEST(Halves, MovedByTheBoundBeforeRounding_KeepTheBound) {
  Random random(7);
  std::vector<double> bounds{0.1, 0.5, 1, 1.5, 1e-3, 3e-8, 1e-9, 1000, 65504, 1e5};
  for (int i = 0; i < 60; ++i) {
    double const mantissa = 1 + static_cast<double>(random.below(1 << 20)) * 0x1p-20;
    bounds.push_back(std::ldexp(mantissa, static_cast<int>(random.below(40)) - 26));
  }
  for (double const largest : {1.0, 1.75, 300.0, 0.0}) {
    for (double const bound : bounds) {
      double const moved = impl::bound_before_rounding<TypeParam>(bound, largest);
      ASSERT_GT(moved, 0) << bound;
      ASSERT_LE(moved, bound);
      ASSERT_EQ(static_cast<double>(static_cast<float>(moved)), moved);
      for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        double const x = this->value(bits);
        if (!this->is_finite(bits) || (largest > 0 && std::fabs(x) > largest)) continue;
        // The numbers of f32 that lie next to x + bound, inside.
        auto up = static_cast<float>(x + moved);
        if (static_cast<double>(up) > x + moved) up = std::nextafter(up, -1e38f);
        double const back = static_cast<double>(TypeParam::nearest(up));
        ASSERT_LE(back - x, bound) << x << " largest " << largest << " bound " << bound;
        auto low = static_cast<float>(x - moved);
        if (static_cast<double>(low) < x - moved) low = std::nextafter(low, 1e38f);
        ASSERT_LE(x - static_cast<double>(TypeParam::nearest(low)), bound) << x;
      }
    }
  }
}

TYPED_TEST(Halves, BoundsFarAboveTheSpacing_AreNearlyTheirs) {
  double const spacing = std::ldexp(1.0, 1 - TypeParam::digits);  // of numbers from 1 to 2
  for (double const spacings : {20.0, 31.3, 40.7}) {
    double const bound = spacings * spacing;
    EXPECT_GT(impl::bound_before_rounding<TypeParam>(bound, 1.99), 0.94 * bound);
  }
}

TYPED_TEST(Halves, NextBelow_AreInOrder) {
  for (std::uint32_t bits = 1; bits <= TypeParam::largest().bits; ++bits) {
    auto const half = [](std::uint32_t of) { return TypeParam{static_cast<std::uint16_t>(of)}; };
    ASSERT_EQ(impl::next_below(half(bits)), half(bits - 1));
    ASSERT_EQ(impl::next_below(half(0x8000 | (bits - 1))), half(0x8000 | bits));
  }
}

}  // namespace
}  // namespace kompakt::test
