#include <gtest/gtest.h>

#include <cmath>
#include <core/log_scale.hpp>
#include <core/quantize.hpp>
#include <support/exact.hpp>
#include <support/random.hpp>

// The scale of bounds relative to each value, and the exact check that stands behind it.

namespace kompakt::test {
namespace {

using impl::FloatBits;
using impl::LogScale;
using impl::Quantizer;
using impl::Verdict;

constexpr double bounds[] = {0.999, 0.7,  0.5,  0.3,  0.1,  0.05,  1e-2,  3e-3,
                             1e-3,  1e-4, 1e-5, 1e-6, 1e-9, 1e-12, 1e-15, 1e-30};

template <class T>
class RelativeBound : public testing::Test {
 public:
  using U = impl::unsigned_t<T>;
  static constexpr bool is_float = sizeof(T) == 4;

  /// Calls check(quantizer, value) on numbers of any size, most of them with a bin.
  template <class Check>
  static void for_many(std::uint64_t seed, Check const& check) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    auto const special = special_values<T>();
    for (double const bound : bounds) {
      SCOPED_TRACE(testing::Message() << "bound " << bound);
      auto const q = Quantizer<T>::with_relative_bound(bound);
      for (int i = 0; i < 30000 && !testing::Test::HasFatalFailure(); ++i) {
        T value = random.any<T>();
        if (random.one_in(4)) value = special[random.below(special.size())];
        // The ends of an octave, where two formulas meet.
        if (random.one_in(4)) {
          value = std::ldexp(T(1), static_cast<int>(random.between(-126, 127)));
          for (auto step = random.below(4); step > 0; --step) value = std::nextafter(value, T(0));
        }
        check(q, value);
      }
    }
  }
};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(RelativeBound, Values);

TYPED_TEST(RelativeBound, AcceptedValue_IsInsideTheBoundExactly) {
  TestFixture::for_many(131, []<class T>(Quantizer<T> const& q, T value) {
    impl::bin_t<T> bin;
    if (q.classify(value, bin) != Verdict::accepted) return;
    T const magnitude = q.reconstruct(bin);
    ASSERT_TRUE(within_relative(static_cast<double>(std::fabs(value)),
                                static_cast<double>(magnitude), q.bound))
        << std::hexfloat << value << " became " << magnitude;
  });
}

TEST(RelativeBoundOfFloats, EveryMantissa_IsInsideTheBound) {
  // The bins of an octave lie elsewhere than those of the next.
  Random random(137);
  for (double const bound : {0.9, 0.5, 0.1, 3e-2, 1e-2, 1e-3, 1e-4, 1e-5, 1.2e-6}) {
    auto const scale = LogScale<float>::with_bound(bound);
    ASSERT_TRUE(scale.proven);
    auto const exponent = static_cast<std::uint32_t>(
        random.between(FloatBits<float>::first_exponent, FloatBits<float>::last_exponent));
    std::uint32_t outside = 0;
    for (std::uint32_t m = 0; m < 1u << 23; ++m) {
      auto const value = std::bit_cast<float>(exponent << 23 | m);
      auto const restored = std::bit_cast<float>(scale.reconstruct(scale.bin_of(value)));
      outside += impl::within_relative_bound(static_cast<double>(value),
                                             static_cast<double>(restored), bound)
                     ? 0
                     : 1;
    }
    EXPECT_EQ(outside, 0u) << "bound " << bound << ", exponent " << exponent;
  }
}

TYPED_TEST(RelativeBound, QuickCheck_AcceptsOnlyWhatTheExactOneDoesWithTheSameBin) {
  TestFixture::for_many(132, []<class T>(Quantizer<T> const& q, T value) {
    bool accepted;
    auto const quick = q.quantize(value, accepted);
    if (!accepted) return;
    impl::bin_t<T> bin;
    ASSERT_EQ(q.classify(value, bin), Verdict::accepted) << std::hexfloat << value;
    ASSERT_EQ(quick, bin);
  });
}

TYPED_TEST(RelativeBound, ValuesOfEverySize_HaveBins) {
  for (double const bound : {0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    auto const q = Quantizer<TypeParam>::with_relative_bound(bound);
    Random random(133);
    int accepted_values = 0;
    constexpr int values = 20000;
    for (int i = 0; i < values; ++i) {
      auto const size = static_cast<int>(random.between(-125, 125));
      auto const value = static_cast<TypeParam>(
          std::ldexp(1 + static_cast<double>(random.below(1 << 30)) * 0x1p-30, size));
      bool accepted;
      q.quantize(value, accepted);
      accepted_values += accepted ? 1 : 0;
    }
    EXPECT_EQ(accepted_values, values) << "bound " << bound;
  }
}

TYPED_TEST(RelativeBound, OctaveOfBins_IsLittleMoreThanItMustBe) {
  for (double const bound : {1e-2, 1e-3, 1e-4}) {
    double const least = std::log(2.0) / (std::log1p(bound) - std::log1p(-bound));
    double const octave = std::ldexp(1.0, FloatBits<TypeParam>::mantissa);
    double const bins = octave / static_cast<double>(LogScale<TypeParam>::with_bound(bound).width);
    EXPECT_GE(bins, least);
    double const room_for_rounding = (TestFixture::is_float ? 0x1p-19 : 0x1p-48) / bound;
    EXPECT_LE(bins, 1.021 * (1 + bound / 2) * (1 + room_for_rounding) * least) << "bound " << bound;
  }
}

TYPED_TEST(RelativeBound, Verdicts_AreThoseOfTheDefinition) {
  TestFixture::for_many(134, []<class T>(Quantizer<T> const& q, T value) {
    impl::bin_t<T> bin;
    Verdict const verdict = q.classify(value, bin);
    if (value == 0) {
      ASSERT_EQ(verdict, Verdict::masked);
      ASSERT_EQ(q.marks(value, verdict), std::signbit(value));
      return;
    }
    bool const has_bin =
        std::fabs(value) >= 2 * std::numeric_limits<T>::min() &&
        std::fabs(value) < std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 1);
    ASSERT_EQ(verdict == Verdict::invalid, !has_bin) << std::hexfloat << value;
    if (!has_bin) return;
    bool const inside = within_relative(static_cast<double>(std::fabs(value)),
                                        static_cast<double>(q.reconstruct(bin)), q.bound);
    ASSERT_EQ(verdict == Verdict::accepted, inside) << std::hexfloat << value;
    ASSERT_EQ(q.marks(value, verdict), inside && value < 0);
  });
}

TYPED_TEST(RelativeBound, AnyBinOfAStream_GivesSomeNumber) {
  Random random(135);
  for (double const bound : bounds) {
    auto const scale = LogScale<TypeParam>::with_bound(bound);
    for (int i = 0; i < 20000; ++i) {
      auto const bin = static_cast<impl::bin_t<TypeParam>>(random.bits());
      static_cast<void>(scale.reconstruct(bin));  // the sanitizers look
    }
  }
}

TEST(WithinRelativeBound, NumbersNearTheBound_AreJudgedExactly) {
  Random random(136);
  KOMPAKT_TRACE_SEED(136);
  int inside = 0, outside = 0;
  for (int i = 0; i < 300000; ++i) {
    double const bound = std::ldexp(0.5 + static_cast<double>(random.below(1u << 31)) * 0x1p-32,
                                    -static_cast<int>(random.below(56)));
    double const a = std::ldexp(1 + static_cast<double>(random.bits() >> 12) * 0x1p-52,
                                static_cast<int>(random.between(-1080, 1020)));
    double b = random.one_in(2) ? a + bound * a : a - bound * a;
    for (auto step = random.below(3); step > 0; --step) {
      b = std::nextafter(b, random.one_in(2) ? 0.0 : 1e308);
    }
    bool const expected = within_relative(a, b, bound);
    ASSERT_EQ(impl::within_relative_bound(a, b, bound), expected)
        << std::hexfloat << a << " " << b << " " << bound;
    ASSERT_EQ(impl::within_relative_bound(-a, -b, bound), expected);
    ++(expected ? inside : outside);
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(outside, 1000);
}

TEST(WithinRelativeBound, NumbersThatAreNone_AreOutside) {
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (double const a : {infinity, -infinity, nan}) {
    for (double const b : {infinity, -infinity, nan, 0.0, 1.0}) {
      EXPECT_FALSE(impl::within_relative_bound(a, b, 0.5)) << a << " " << b;
      EXPECT_FALSE(impl::within_relative_bound(b, a, 0.5)) << a << " " << b;
    }
  }
  EXPECT_FALSE(impl::within_relative_bound(1e308, -1e308, 0.999));
  EXPECT_TRUE(impl::within_relative_bound(0, 0, 1e-3));
  EXPECT_FALSE(impl::within_relative_bound(0, 5e-324, 0.999));
}

}  // namespace
}  // namespace kompakt::test
