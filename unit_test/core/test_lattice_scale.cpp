#include <gtest/gtest.h>

#include <cmath>
#include <core/lattice_scale.hpp>
#include <support/exact.hpp>
#include <support/random.hpp>

// The lattice of magnitudes: what the quick check accepts, and how far its steps reach.

namespace kompakt::test {
namespace {

using impl::LatticeScale;
using impl::LogScale;
using impl::Quantizer;

template <class T>
class LatticeOfMagnitudes : public testing::Test {
 public:
  static LatticeScale<T> lattice(double bound, T reference) {
    auto quantizer = Quantizer<T>::with_relative_bound(bound);
    quantizer.constant_value = std::bit_cast<T>(LogScale<T>::place_of(reference));
    return LatticeScale<T>::of(quantizer);
  }
  /// A number with a bin, most of them within some octaves of the reference.
  static T number_near(Random& random, T reference) {
    T const any = random.any<T>();
    T const near = std::ldexp(reference, static_cast<int>(random.between(-3, 3))) *
                   (1 + static_cast<T>(random.below(1u << 20)) * T(0x1p-20));
    T const value = random.one_in(5) ? any : near;
    return LogScale<T>::has_bin(value) ? value : reference;
  }
};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(LatticeOfMagnitudes, Values);

constexpr double bounds[] = {0.999, 0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-13, 1e-30};

TYPED_TEST(LatticeOfMagnitudes, WhatTheQuickCheckAccepts_IsInsideTheBoundExactly) {
  Random random(211);
  KOMPAKT_TRACE_SEED(211);
  auto const special = special_values<TypeParam>();
  for (double const bound : bounds) {
    for (int i = 0; i < 20000; ++i) {
      TypeParam const reference = TypeParam(1.5);
      auto const scale = TestFixture::lattice(bound, reference);
      TypeParam value = TestFixture::number_near(random, reference);
      if (random.one_in(9)) value = special[random.below(special.size())];
      // Also far from the nearest step, and any step at all.
      auto step = scale.lattice_value(value) + static_cast<std::uint32_t>(random.between(-17, 17));
      if (random.one_in(9)) step = static_cast<std::uint32_t>(random.bits());
      TypeParam const back = scale.reconstruct(step);
      if (!scale.accepts(std::true_type{}, value, back)) continue;
      ASSERT_TRUE(
          within_relative(static_cast<double>(std::fabs(value)), static_cast<double>(back), bound))
          << std::hexfloat << value << " became " << back << ", bound " << bound;
      ASSERT_EQ(scale.classify(value, back), impl::Verdict::accepted);
    }
  }
}

// Of 16 steps that the bound is: what makes exceptions rare.
TYPED_TEST(LatticeOfMagnitudes, FifteenStepsFromTheNearest_AreAccepted) {
  Random random(223);
  KOMPAKT_TRACE_SEED(223);
  constexpr bool is_float = sizeof(TypeParam) == 4;
  for (double const bound : {0.999, 0.1, 1e-2, 1e-3, 1e-4, is_float ? 2e-5 : 1e-9}) {
    for (double const size : {1.0, 1e-30, 1e30}) {
      auto const reference = static_cast<TypeParam>(size);
      auto const scale = TestFixture::lattice(bound, reference);
      for (int i = 0; i < 20000; ++i) {
        TypeParam const value =
            reference * (1 + static_cast<TypeParam>(random.below(1u << 20)) * TypeParam(0x1p-33));
        std::uint32_t const step = scale.lattice_value(value);
        ASSERT_NE(step, LatticeScale<TypeParam>::no_value);
        auto const off = static_cast<std::uint32_t>(random.between(-15, 15));
        ASSERT_TRUE(scale.is_plain(value, scale.reconstruct(step + off)))
            << std::hexfloat << value << ", bound " << bound;
        ASSERT_FALSE(scale.is_plain(-value, scale.reconstruct(step + off)));
      }
    }
  }
}

TYPED_TEST(LatticeOfMagnitudes, CoarsestBins_AreMultiplesOfSteps) {
  Random random(227);
  KOMPAKT_TRACE_SEED(227);
  for (double const bound : {0.1, 1e-3, 1e-4}) {
    for (int const steps : {7, 9}) {
      auto const reference = TypeParam(1e5);
      auto const scale = TestFixture::lattice(bound, reference);
      auto const bins = scale.quantizer_of_bins(steps);
      for (int i = 0; i < 5000; ++i) {
        TypeParam const value = TestFixture::number_near(random, reference);
        auto const bin = static_cast<impl::unsigned_t<TypeParam>>(bins.scale.bin_of(value));
        auto const coarse = static_cast<impl::bin_t<TypeParam>>(scale.bin_from_origin(bin, steps));
        std::uint32_t const step = scale.lattice_value(value);
        if (step == LatticeScale<TypeParam>::no_value) continue;
        EXPECT_LE(std::abs(coarse * steps - static_cast<std::int32_t>(step)), steps / 2 + 1);
      }
    }
  }
}

TYPED_TEST(LatticeOfMagnitudes, ZerosNotANumberAndFarOnes_AreNotOnIt) {
  auto const scale = TestFixture::lattice(1e-5, TypeParam(1));
  constexpr auto none = LatticeScale<TypeParam>::no_value;
  using Limits = std::numeric_limits<TypeParam>;
  for (TypeParam const value : {TypeParam(0), -TypeParam(0), Limits::quiet_NaN(),
                                Limits::infinity(), Limits::denorm_min(), Limits::max()}) {
    EXPECT_EQ(scale.lattice_value(value), none) << value;
  }
  EXPECT_NE(scale.lattice_value(TypeParam(1e14)), none);
  EXPECT_EQ(scale.lattice_value(TypeParam(1e25)), none);
  EXPECT_EQ(scale.lattice_value(TypeParam(1e-25)), none);
}

}  // namespace
}  // namespace kompakt::test
