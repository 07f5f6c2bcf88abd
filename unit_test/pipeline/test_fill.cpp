#include <map>
#include <pipeline/detect_fill.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/rounding_mode.hpp>
#include <support/spaces.hpp>

// Fill values: masked, bit for bit, without a part in the range.

namespace kompakt::test {

namespace {

Options with_fill(Coding const& coding, ErrorBound bound, FillValue fill) {
  Options options = coding.with(bound);
  options.fill = fill;
  return options;
}

template <class T>
double range_without(std::vector<T> const& field, T fill) {
  T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest();
  for (T const value : field) {
    if (std::isfinite(value) && value != fill) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  return static_cast<double>(most) - static_cast<double>(least);
}

/// A field with `fill` in a third of its places: a block, and every 97th.
template <class T>
std::vector<T> with_holes(std::vector<T> field, T fill) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (i % 1500 < 480 || i % 97 == 0) field[i] = fill;
  }
  return field;
}

}  // namespace

template <class Exec>
class FillValues : public testing::Test {
 protected:
  Codec<Exec> codec;

  /// Round trip; the places of the fill value have its bits, and no other place has.
  template <class T>
  std::size_t check(std::vector<T> const& field, FieldShape const& shape, Options const& options,
                    T fill) {
    auto const stream = expect_round_trip(codec, field, shape, options);
    auto const restored = codec.template decompress<T>(stream, shape);
    for (std::size_t i = 0; i < field.size(); ++i) {
      EXPECT_EQ(bits_of(field[i]) == bits_of(fill), bits_of(restored[i]) == bits_of(fill)) << i;
      if (testing::Test::HasFailure()) break;
    }
    EXPECT_TRUE(codec.info().fill.has_value());
    return stream.size();
  }

  bool finds_fill(std::vector<float> const& field) {
    FieldShape const shape = shape_from<float>({field.size()});
    codec.compress(field, shape,
                   with_fill(all_codings[0], ErrorBound::absolute(1), FillValue::automatic()));
    return codec.info().fill.has_value();
  }
};
TYPED_TEST_SUITE(FillValues, Spaces, SpaceName);

TYPED_TEST(FillValues, OfEveryKindInEveryCoding_ComeBackBitForBit) {
  FieldShape const shape = shape_from<float>({9, 40, 70});
  auto const smooth = make_field<float>(Family::smooth, shape);
  float const payload = std::bit_cast<float>(0x7fc01234u);
  for (float const fill : {1e20f, -999.f, payload, std::numeric_limits<float>::max()}) {
    auto const field = with_holes(smooth, fill);
    for (Coding const& coding : all_codings) {
      SCOPED_TRACE(coding.name() + ", fill " + std::to_string(fill));
      auto const bound = ErrorBound::relative_to_range(1e-3);
      this->check(field, shape, with_fill(coding, bound, FillValue::automatic()), fill);
      EXPECT_EQ(this->codec.info().abs_bound, 1e-3 * range_without(field, fill));
      auto const found =
          this->codec.compress(field, shape, with_fill(coding, bound, FillValue::automatic()));
      expect_same_bytes(
          this->codec.compress(field, shape,
                               with_fill(coding, bound, FillValue::of(static_cast<double>(fill)))),
          found, "the fill value given");
    }
  }
}

// Machines make different ones: that of x86 has the sign.
TYPED_TEST(FillValues, NanOfAnyBits_IsWhatNanAsksFor) {
  FieldShape const shape = shape_from<float>({9, 40, 70});
  auto const smooth = make_field<float>(Family::smooth, shape);
  for (auto const bits : {0x7fc00000u, 0xffc00000u, 0x7fc01234u, 0xff800001u}) {
    float const fill = std::bit_cast<float>(bits);
    auto const field = with_holes(smooth, fill);
    for (auto const bound : {ErrorBound::absolute(1e-3), ErrorBound::relative_to_range(1e-3),
                             ErrorBound::relative_to_value(1e-3)}) {
      for (Coding const& coding : main_codings) {
        SCOPED_TRACE(coding.name());
        for (double const asked : {std::nan(""), -std::nan("7")}) {
          this->check(field, shape, with_fill(coding, bound, FillValue::of(asked)), fill);
          expect_same_bytes(
              this->codec.compress(field, shape, with_fill(coding, bound, FillValue::of(asked))),
              this->codec.compress(field, shape, with_fill(coding, bound, FillValue::automatic())),
              "NaN asked for");
        }
      }
    }
  }
}

// A NaN that the sample has not is masked if it is the quiet one; every NaN comes back.
TYPED_TEST(FillValues, NanThatIsNotThere_LeavesTheFieldAsItIs) {
  FieldShape const shape = shape_from<float>({50, 40});
  auto field = make_field<float>(Family::smooth, shape);
  auto const options =
      with_fill(all_codings[0], ErrorBound::absolute(1e-3), FillValue::of(std::nan("")));
  expect_round_trip(this->codec, field, shape, options);
  field[77] = std::bit_cast<float>(0x7fc00000u);
  field[78] = std::bit_cast<float>(0xffc00000u);
  field[79] = std::bit_cast<float>(0x7f812345u);
  expect_round_trip(this->codec, field, shape, options);
}

TYPED_TEST(FillValues, AmongValuesAsDouble_CostAboutABit) {
  FieldShape const shape = shape_from<double>({60, 60, 70});
  auto const smooth = make_field<double>(Family::smooth, shape);
  auto const field = with_holes(smooth, 1e20);
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    auto const bound = ErrorBound::absolute(1e-3);
    std::size_t const plain =
        expect_round_trip(this->codec, smooth, shape, coding.with(bound)).size();
    std::size_t const masked =
        this->check(field, shape, with_fill(coding, bound, FillValue::automatic()), 1e20);
    EXPECT_EQ(this->codec.info().exceptions, 0u);
    EXPECT_LT(masked, plain + shape.size() * 3 / 8) << "three bits a value";
  }
}

TYPED_TEST(FillValues, OfAFieldThatIsNothingElse_TakeNothing) {
  FieldShape const shape = shape_from<float>({100, 1000});
  std::vector<float> const field(shape.size(), 1e20f);
  for (Coding const& coding : main_codings) {
    for (auto const bound : {ErrorBound::absolute(1e-3), ErrorBound::relative_to_range(1e-3)}) {
      EXPECT_LT(this->check(field, shape, with_fill(coding, bound, FillValue::of(1e20)), 1e20f),
                2500u);
    }
  }
}

TYPED_TEST(FillValues, OfAFieldThatIsNothingElse_AreFoundIfTheyHaveNoBin) {
  FieldShape const shape = shape_from<float>({100, 1000});
  std::vector<float> const land(shape.size(), 1e20f), value(shape.size(), 3.25f);
  auto const automatic =
      with_fill(all_codings[0], ErrorBound::absolute(1e-3), FillValue::automatic());
  EXPECT_LT(this->check(land, shape, automatic, 1e20f), 2500u);
  this->codec.compress(value, shape, automatic);
  EXPECT_FALSE(this->codec.info().fill.has_value());
}

// A chunk or a slab of land alone, by what stands for no value in many files.
TYPED_TEST(FillValues, OfConventions_AreExactWhereThereIsNothingElse) {
  FieldShape const shape = shape_from<float>({64, 64});
  for (float const fill : {1e20f, -9999.f, -999.f, -32768.f, 9.96921e36f}) {
    std::vector<float> const land(shape.size(), fill);
    for (auto const bound : {ErrorBound::absolute(0.07), ErrorBound::relative_to_value(1e-3)}) {
      for (Coding const& coding : main_codings) {
        this->check(land, shape, with_fill(coding, bound, FillValue::automatic()), fill);
      }
    }
  }
}

TYPED_TEST(FillValues, ThatAreDeclared_AreTheSameUnderAnyRounding) {
  FieldShape const shape = shape_from<float>({9, 40, 70});
  auto const field = with_holes(make_field<float>(Family::smooth, shape), 1e20f);
  for (auto const bound :
       {ErrorBound::relative_to_range(1e-3), ErrorBound::relative_to_value(1e-3)}) {
    auto const options = with_fill(all_codings[0], bound, FillValue::of(1e20));
    auto const expected = this->codec.compress(field, shape, options);
    for (int const mode : other_rounding_modes) {
      RoundingMode const other(mode);
      expect_same_bytes(this->codec.compress(field, shape, options), expected, "rounding");
    }
  }
}

TYPED_TEST(FillValues, BesideAConstant_AreAConstantStream) {
  FieldShape const shape = shape_from<double>({64, 64, 32});
  auto const field = with_holes(make_field<double>(Family::constant, shape), -1e34);
  for (Coding const& coding : main_codings) {
    auto const bound = ErrorBound::relative_to_range(1e-3);
    this->check(field, shape, with_fill(coding, bound, FillValue::automatic()), -1e34);
    EXPECT_EQ(this->codec.info().abs_bound, 0.0);
    EXPECT_EQ(this->codec.info().predictor_word(), std::string("constant"));
    EXPECT_EQ(this->codec.info().exceptions, 0u);
  }
}

TYPED_TEST(FillValues, OfZero_AreNotNegativeZeros) {
  FieldShape const shape = shape_from<float>({6000});
  auto field = with_holes(make_field<float>(Family::walk, shape), 0.f);
  for (std::size_t i = 5; i < field.size(); i += 11) field[i] = -0.f;
  for (Coding const& coding : main_codings) {
    auto const stream = this->codec.compress(
        field, shape, with_fill(coding, ErrorBound::absolute(1e-3), FillValue::of(0)));
    auto const restored = this->codec.template decompress<float>(stream, shape);
    expect_promise(field, restored, 1e-3);
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (bits_of(field[i]) == 0) {
        ASSERT_EQ(bits_of(restored[i]), 0u) << i;
      }
    }
  }
}

TYPED_TEST(FillValues, ThatAreNone_AreNotDetected) {
  FieldShape const shape = shape_from<float>({50000});
  for (Family const family : {Family::smooth, Family::walk, Family::noise, Family::zeros,
                              Family::lattice, Family::offset, Family::spikes, Family::constant}) {
    EXPECT_FALSE(this->finds_fill(make_field<float>(family, shape))) << name_of(family);
  }
  std::vector<float> classes(50000), signs(50000), rain(50000), once(50000);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    double const u = uniform(i, 3);
    classes[i] = static_cast<float>(hash(i) % 4);
    signs[i] = static_cast<float>(hash(i) % 3) - 1.f;
    rain[i] = u < 0.5 ? 0.f : static_cast<float>(u - 0.5);
    once[i] = i == 700 ? 1e20f : static_cast<float>(u);
  }
  EXPECT_FALSE(this->finds_fill(classes)) << "the lowest class is as far from the rest as any";
  EXPECT_FALSE(this->finds_fill(signs));
  EXPECT_FALSE(this->finds_fill(rain)) << "no rain is next to little rain";
  EXPECT_FALSE(this->finds_fill(once)) << "once is not often";
  EXPECT_TRUE(this->finds_fill(with_holes(rain, -1.f)));
}

TYPED_TEST(FillValues, NotThere_LeaveTheStreamAsItIs) {
  FieldShape const shape = shape_from<float>({30, 40, 50});
  for (Family const family : {Family::smooth, Family::bits}) {
    auto const field = make_field<float>(family, shape);
    for (Coding const& coding : main_codings) {
      auto const bound = ErrorBound::relative_to_range(1e-3);
      auto const plain = this->codec.compress(field, shape, coding.with(bound));
      expect_same_bytes(
          this->codec.compress(field, shape, with_fill(coding, bound, FillValue::automatic())),
          plain, name_of(family));
    }
  }
}

TYPED_TEST(FillValues, InDamagedStreams_NeverEscape) {
  FieldShape const shape = shape_from<float>({13, 40, 70});
  auto const field = make_field<float>(Family::land, shape);
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    Options options =
        with_fill(coding, ErrorBound::relative_to_range(1e-3), FillValue::automatic());
    options.checksum = false;
    expect_damage_in_bounds(this->codec, field, shape, options);
  }
}

// What a device's threads find in their shares, joined in any order, is what one thread finds.
template <class T>
void check_shares() {
  using U = impl::unsigned_t<T>;
  using Keys = impl::FiniteKeys<T>;
  T const nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  T const other_nan = std::bit_cast<T>(static_cast<U>(bits_of(nan) + 5));
  T const last_nan = std::bit_cast<T>(static_cast<U>(~U{0}));
  std::vector<T> const kinds[] = {
      {1, 2, 3},
      {-1, 7, 7, 7},
      {nan, other_nan},
      {5},
      {inf, -inf, nan, 4, 4},
      {last_nan, 2},
      {last_nan},
      {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(0), -T(0)}};
  for (std::vector<T> const& kind : kinds) {
    for (int const count : {1, 31, 700, 4096}) {
      std::vector<T> values(static_cast<std::size_t>(count));
      std::map<U, std::uint32_t> low, high, nans;
      for (std::size_t i = 0; i < values.size(); ++i) {
        T const value = values[i] = kind[hash(i) % kind.size()];
        ++low[Keys::above_lowest(value)];
        ++high[Keys::below_highest(value)];
        if (std::isnan(value)) ++nans[static_cast<U>(bits_of(value))];
      }
      auto const expect_end = [](std::map<U, std::uint32_t> const& keys, auto const& end) {
        EXPECT_EQ(end.end, keys.begin()->first);
        EXPECT_EQ(end.count, keys.begin()->second);
        EXPECT_EQ(end.next, keys.size() > 1 ? std::next(keys.begin())->first : ~U{0});
      };
      for (int const threads : {1, 3, 32, 512}) {
        SCOPED_TRACE(std::to_string(count) + " values on " + std::to_string(threads) + " threads");
        impl::FillSample<T> joined;
        for (int thread = 0; thread < threads; ++thread) {
          int const turn = (thread * 7 + 2) % threads;
          joined.join(impl::sample_of(values.data(), turn, count, threads));
        }
        EXPECT_EQ(joined.values, values.size());
        expect_end(low, joined.low);
        expect_end(high, joined.high);
        EXPECT_EQ(joined.nan.count, nans.empty() ? 0 : nans.begin()->second);
        if (!nans.empty()) {
          EXPECT_EQ(joined.nan.end, nans.begin()->first);
        }
      }
    }
  }
}
TEST(FillSample, OfTheSharesOfManyThreads_IsThatOfOne) {
  check_shares<float>();
  check_shares<double>();
}

}  // namespace kompakt::test
