#include <gtest/gtest.h>

#include <cmath>
#include <core/quantize.hpp>
#include <limits>
#include <support/random.hpp>
#include <vector>

namespace kompakt::test {
namespace {

using impl::Quantizer;
using impl::Verdict;

template <class T>
using Limits = std::numeric_limits<T>;

/// Bounds from far below the smallest number of either type to the largest.
template <class T>
std::vector<double> bounds() {
  double const max = static_cast<double>(Limits<T>::max());
  return {5e-324,  1e-320,
          1e-310,  1e-46,
          1e-45,   1e-40,
          2e-38,   1e-20,
          1e-7,    1e-3,
          0.1,     0.5,
          1,       3,
          1e7,     1e15,
          1e30,    max / 4,
          max / 2, max,
          1e300,   Limits<double>::max()};
}

/// Numbers that need every decision: special ones, any bits, and near the edge between two bins.
template <class T>
T interesting_value(Random& random, double bound) {
  static std::vector<T> const special = special_values<T>();
  switch (random.below(8)) {
    case 0: return special[random.below(special.size())];
    case 1: return random.any<T>();
    case 2: return static_cast<T>(static_cast<double>(random.between(-40, 40)) * bound);
    default: break;
  }
  std::int64_t const digits = random.between(1, sizeof(T) == 4 ? 26 : 53);
  auto const k = static_cast<double>(static_cast<std::int64_t>(random.bits()) >> (63 - digits));
  T value = static_cast<T>((2 * k + static_cast<double>(random.between(-1, 1))) * bound);
  for (std::uint64_t step = random.below(3); step > 0; --step) {
    value = std::nextafter(value, random.one_in(2) ? T{0} : Limits<T>::infinity());
  }
  return value;
}

/// The definition, each operation rounded on its own because it goes through memory.
template <class T>
struct Reference {
  T volatile rounded;
  T volatile reconstructed;  // may overflow to an infinity
  T volatile difference;

  Reference(Quantizer<T> const& q, T value) {
    T volatile const scaled = value * q.inverse;
    rounded = std::nearbyint(scaled);
    reconstructed = rounded * q.step;
    difference = value - reconstructed;
  }
  bool has_bin() const { return std::fabs(rounded) <= impl::ValueTraits<T>::bin_limit; }
  bool keeps(T value, double bound) const {
    return has_bin() && keeps_promise<T>(value, reconstructed, bound);
  }

  /// The bin beside the nearest one, on the side of the value.
  static Reference beside(Quantizer<T> const& q, T value, Reference const& nearest) {
    Reference other = nearest;
    other.rounded = nearest.rounded + (value > nearest.reconstructed ? T{1} : T{-1});
    other.reconstructed = other.rounded * q.step;
    return other;
  }
};

template <class T>
class Quantize : public testing::Test {
 public:
  /// Calls check(quantizer, value) on many values for each bound.
  template <class Check>
  static void for_many(std::uint64_t seed, Check const& check) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    for (double bound : bounds<T>()) {
      SCOPED_TRACE(testing::Message() << "bound " << bound);
      auto const q = Quantizer<T>::with_bound(bound);
      for (int i = 0; i < 30000 && !testing::Test::HasFatalFailure(); ++i) {
        check(q, interesting_value<T>(random, bound));
      }
    }
  }
};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(Quantize, Values);

template <class T>
void expect_promise(Quantizer<T> const& q, T value) {
  impl::bin_t<T> bin;
  if (q.classify(value, bin) != Verdict::accepted) return;
  ASSERT_TRUE(keeps_promise(value, q.reconstruct(bin), q.bound)) << std::hexfloat << value;
  ASSERT_LE(std::fabs(static_cast<T>(bin)), impl::ValueTraits<T>::bin_limit);
}

TYPED_TEST(Quantize, AcceptedValue_IsInsideTheBoundExactly) {
  TestFixture::for_many(31, expect_promise<TypeParam>);
}

// In both directions: nothing inside the bound whose bin is in range is refused.
template <class T>
void expect_verdict_of_definition(Quantizer<T> const& q, T value) {
  Reference<T> const reference(q, value);
  impl::bin_t<T> bin;
  Verdict const verdict = q.classify(value, bin);
  ASSERT_EQ(verdict == Verdict::invalid, !reference.has_bin()) << std::hexfloat << value;
  if (!reference.has_bin()) {
    ASSERT_EQ(bin, 0);
    return;
  }
  auto const beside = Reference<T>::beside(q, value, reference);
  bool const is_nearest = reference.keeps(value, q.bound), is_beside = beside.keeps(value, q.bound);
  T const expected = is_nearest || !is_beside ? reference.rounded : beside.rounded;
  ASSERT_EQ(static_cast<T>(bin), expected) << std::hexfloat << value;
  ASSERT_EQ(verdict == Verdict::accepted, is_nearest || is_beside) << std::hexfloat << value;
  ASSERT_EQ(bits_of(q.reconstruct(bin)), bits_of(static_cast<T>(bin) * q.step));
}

TYPED_TEST(Quantize, AnyValue_GetsBinAndVerdictOfTheDefinition) {
  TestFixture::for_many(32, expect_verdict_of_definition<TypeParam>);
}

template <class T>
void expect_agreement(Quantizer<T> const& q, T value) {
  bool accepted;
  impl::bin_t<T> const fast = q.quantize(value, accepted);
  impl::bin_t<T> bin;
  Verdict const verdict = q.classify(value, bin);
  if (accepted) {
    ASSERT_EQ(verdict, Verdict::accepted) << std::hexfloat << value;
    ASSERT_EQ(fast, bin) << std::hexfloat << value;
    return;
  }
  // The cheap check leaves nothing to the exact one but differences of exactly the limit, and bins beside the nearest.
  Reference<T> const reference(q, value);
  if (verdict == Verdict::accepted && static_cast<T>(bin) == reference.rounded) {
    ASSERT_EQ(std::fabs(reference.difference), q.limit) << std::hexfloat << value;
  }
}

TYPED_TEST(Quantize, CheapCheck_AgreesWithTheWholeCheck) {
  TestFixture::for_many(33, expect_agreement<TypeParam>);
}

TYPED_TEST(Quantize, NotANumberOrInfinite_IsInvalidUnderEveryBound) {
  for (double bound : bounds<TypeParam>()) {
    auto const q = Quantizer<TypeParam>::with_bound(bound);
    for (TypeParam value : special_values<TypeParam>()) {
      if (is_finite(value)) continue;
      bool accepted = true;
      impl::bin_t<TypeParam> bin = 7;
      q.quantize(value, accepted);
      EXPECT_FALSE(accepted) << bits_of(value) << " bound " << bound;
      EXPECT_EQ(q.classify(value, bin), Verdict::invalid) << bits_of(value) << " bound " << bound;
      EXPECT_EQ(bin, 0);
    }
  }
}

TYPED_TEST(Quantize, BothZeros_AreBinZeroUnderEveryBound) {
  for (double bound : bounds<TypeParam>()) {
    auto const q = Quantizer<TypeParam>::with_bound(bound);
    for (TypeParam zero : {TypeParam{0}, -TypeParam{0}}) {
      impl::bin_t<TypeParam> bin = 7;
      EXPECT_EQ(q.classify(zero, bin), Verdict::accepted) << bound;
      EXPECT_EQ(bin, 0);
      EXPECT_EQ(q.reconstruct(bin), 0);
    }
  }
}

TYPED_TEST(Quantize, LargestBin_IsAcceptedAndTheNextIsInvalid) {
  TypeParam const limit = impl::ValueTraits<TypeParam>::bin_limit;
  for (double bound : {0.5, 0x1p-20, 0x1p10}) {
    auto const q = Quantizer<TypeParam>::with_bound(bound);
    for (TypeParam sign : {TypeParam{1}, TypeParam{-1}}) {
      TypeParam const last = sign * limit * q.step;
      bool accepted;
      impl::bin_t<TypeParam> bin;
      EXPECT_EQ(q.classify(last, bin), Verdict::accepted);
      EXPECT_EQ(static_cast<TypeParam>(bin), sign * limit);
      EXPECT_EQ(q.quantize(last, accepted), bin);
      EXPECT_TRUE(accepted);
      TypeParam const beyond = sign * (limit + 2) * q.step;
      EXPECT_EQ(q.classify(beyond, bin), Verdict::invalid);
      q.quantize(beyond, accepted);
      EXPECT_FALSE(accepted);
    }
  }
}

// Pressure in whole Pa, counts, times: every second value has an error of exactly the bound.
TYPED_TEST(Quantize, ValuesOnALatticeWithErrorOfTheBound_AreAccepted) {
  for (double bound : {0x1p-30, 0.25, 1.0, 2.0, 3.0, 1000.0}) {
    auto const q = Quantizer<TypeParam>::with_bound(bound);
    for (std::int64_t k = -3001; k <= 3001; k += 2) {
      auto const value = static_cast<TypeParam>(static_cast<double>(k) * bound);
      impl::bin_t<TypeParam> bin;
      ASSERT_EQ(q.classify(value, bin), Verdict::accepted) << k << " times " << bound;
      ASSERT_EQ(std::fabs(value - q.reconstruct(bin)), static_cast<TypeParam>(bound));
    }
  }
}

// 24 bits of a float hold 7 / 2 units in the last place of numbers near 20, but not whether x / 7 units is above or below a half.
TEST(QuantizeFloats, ValueThatRoundingTakesToAnotherBin_GetsItsOwn) {
  double const unit = 0x1p-19;
  auto const q = Quantizer<float>::with_bound(3.5 * unit);
  int beside = 0;
  for (int i = 0; i < 10000; ++i) {
    auto const value = static_cast<float>(20 + i * unit);
    impl::bin_t<float> bin;
    ASSERT_EQ(q.classify(value, bin), Verdict::accepted) << value;
    ASSERT_LE(std::fabs(value - q.reconstruct(bin)), 3 * unit);
    beside += static_cast<float>(bin) != std::nearbyint(value * q.inverse);
  }
  EXPECT_GT(beside, 0);
}

// Under bounds of a few units in the last place of the largest value. Beside a power of two, where units change, some are left.
TYPED_TEST(Quantize, NarrowedBins_LeaveNoValueBetweenThem) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 37;
  KOMPAKT_TRACE_SEED(seed);
  Random random(seed);
  auto const part = [&] { return static_cast<double>(random.bits() >> 11) * 0x1p-53; };
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    double const magnitude = std::ldexp(1 + part(), static_cast<int>(random.between(-20, 20)));
    double const unit = std::ldexp(1., std::ilogb(magnitude) - Limits<T>::digits + 1);
    double const fewest = sizeof(T) == 4 ? 0 : 3;  // doubles have bins below 2^51 only
    double const bound = unit * std::exp2(fewest + (12 - fewest) * part());
    auto const q = Quantizer<T>::with_bound(bound, {}, magnitude);
    ASSERT_LE(q.step, static_cast<T>(2 * bound));
    ASSERT_GT(static_cast<double>(q.step), 2 * bound - 1.01 * unit);
    for (int i = 0; i < 50; ++i) {
      auto const value = static_cast<T>(magnitude * (0.25 + 0.75 * part()));
      impl::bin_t<T> bin;
      bool const accepted = q.classify(value, bin) == Verdict::accepted;
      refused += accepted ? 0 : 1;
      ASSERT_TRUE(!accepted || keeps_promise(value, q.reconstruct(bin), bound));
    }
  }
  EXPECT_LE(refused, 10);
}

TYPED_TEST(Quantize, HugeBound_TakesEveryFiniteValueAsZero) {
  auto const q = Quantizer<TypeParam>::with_bound(static_cast<double>(Limits<TypeParam>::max()));
  for (TypeParam value : special_values<TypeParam>()) {
    if (!is_finite(value)) continue;
    impl::bin_t<TypeParam> bin;
    EXPECT_EQ(q.classify(value, bin), Verdict::accepted) << value;
    EXPECT_EQ(bin, 0);
  }
}

TYPED_TEST(Quantize, ConstantField_TakesOnlyTheSameBits) {
  for (TypeParam constant : special_values<TypeParam>()) {
    auto const q = Quantizer<TypeParam>::with_constant(constant);
    EXPECT_EQ(bits_of(q.reconstruct(0)), bits_of(constant));
    for (TypeParam value : special_values<TypeParam>()) {
      impl::bin_t<TypeParam> bin = 7;
      bool const same = bits_of(value) == bits_of(constant);
      EXPECT_EQ(q.classify(value, bin), same ? Verdict::accepted : Verdict::invalid);
      EXPECT_EQ(bin, 0);
    }
  }
}

template <class T>
void expect_no_value_becomes_the_fill(Quantizer<T> q, T fill, Random& random) {
  q.keep_apart_from_fill(sizeof(T) == 4 ? Dtype::f32 : Dtype::f64);
  bool accepted = true;
  q.quantize(fill, accepted);
  ASSERT_FALSE(accepted) << "the fill value " << fill;
  for (int i = 0; i < 40; ++i) {
    T value = fill;
    auto const steps = static_cast<int>(random.between(0, 12));
    for (int k = 0; k < steps; ++k) {
      value = std::nextafter(value, random.one_in(2) ? Limits<T>::max() : Limits<T>::lowest());
    }
    if (random.one_in(3)) value += static_cast<T>(random.between(-9, 9)) * q.step / 9;
    impl::bin_t<T> bin = q.quantize(value, accepted);
    if (!accepted && q.classify(value, bin) != Verdict::accepted) continue;
    T const back =
        q.bins == impl::Bins::relative && value < 0 ? -q.reconstruct(bin) : q.reconstruct(bin);
    ASSERT_TRUE(back != fill || value == fill) << std::hexfloat << value << " became " << fill;
  }
}

TEST(QuantizeBesideAFill, NoOtherValue_BecomesTheFillValue) {
  Random random(7);
  KOMPAKT_TRACE_SEED(7);
  auto const check = [&]<class T>(T) {
    for (int i = 0; i < 40000; ++i) {
      double const bound =
          std::ldexp(1 + random.below(1000) / 1000.0, static_cast<int>(random.between(-30, 10)));
      auto q = Quantizer<T>::with_bound(bound);
      int const width = static_cast<int>(random.between(0, sizeof(T) == 4 ? 24 : 51));
      auto const k = static_cast<T>(random.below(std::uint64_t{1} << width));
      T const fill = (random.one_in(2) ? k : -k) * q.step;
      expect_no_value_becomes_the_fill(Quantizer<T>::with_bound(bound, {true, fill}), fill, random);
      if (bound >= 1) continue;
      auto const r = Quantizer<T>::with_relative_bound(bound, {true, fill});
      T magnitude = r.reconstruct(r.scale.bin_of(T(1) + static_cast<T>(random.below(1000))));
      if (random.one_in(2)) magnitude = -magnitude;
      expect_no_value_becomes_the_fill(Quantizer<T>::with_relative_bound(bound, {true, magnitude}),
                                       magnitude, random);
    }
  };
  check(float{});
  check(double{});
}

TEST(QuantizeBesideAFill, FillValuesOfConventions_LeaveTheQuickCheckOn) {
  auto const check = [&]<class T>(T) {
    for (double const convention : impl::conventional_fills) {
      for (double bound = 1e-6; bound < 10; bound *= 1.37) {
        auto q = Quantizer<T>::with_bound(bound, {true, static_cast<T>(convention)});
        q.keep_apart_from_fill(sizeof(T) == 4 ? Dtype::f32 : Dtype::f64);
        bool accepted = false;
        q.quantize_linear(static_cast<T>(3 * q.step), accepted);
        EXPECT_TRUE(accepted) << convention << " within " << bound;
      }
    }
  };
  check(float{});
  check(double{});
}

}  // namespace
}  // namespace kompakt::test
