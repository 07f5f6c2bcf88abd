#include <cmath>
#include <functional>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

// Limits between which values come back that lie there.

namespace kompakt::test {

namespace {

/// A share of something, from 0 to 1 and often one of these.
template <class T>
std::vector<T> share(FieldShape const& shape) {
  auto field = make_field<T>(Family::smooth, shape);
  for (T& value : field) value = std::clamp(T(0.5) + T(0.8) * value, T(0), T(1));
  return field;
}

template <class T>
std::size_t count_outside(std::vector<T> const& field, Limits const& limits) {
  return static_cast<std::size_t>(std::count_if(field.begin(), field.end(), [&](T value) {
    return static_cast<double>(value) < limits.lower || static_cast<double>(value) > limits.upper;
  }));
}

constexpr Limits unit{0, 1};

template <class Call>
void expect_refusal(std::string const& text, Call const& call) {
  Error const error = error_of(call);
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
}

}  // namespace

template <class Exec>
class ValueLimits : public testing::Test {
 protected:
  Codec<Exec> codec;
  Codec<Kokkos::DefaultHostExecutionSpace> host;
};
TYPED_TEST_SUITE(ValueLimits, Spaces, SpaceName);

TYPED_TEST(ValueLimits, InEveryCodingAndBound_AreKeptAndTheBoundToo) {
  auto const check = [&]<class T>(T) {
    auto const shape = shape_from<T>({11, 40, 50});
    auto const field = share<T>(shape);
    std::size_t would_leave = 0;
    for (ErrorBound const bound : {ErrorBound::relative_to_range(0.03), ErrorBound::absolute(0.07),
                                   ErrorBound::relative_to_value(0.02), ErrorBound::psnr(40)}) {
      for (Coding const& coding : all_codings) {
        Options options = coding.with(bound);
        auto const free =
            this->codec.template decompress<T>(this->codec.compress(field, shape, options), shape);
        options.limits = unit;
        auto const stream = expect_round_trip(this->codec, field, shape, options);
        EXPECT_EQ(inspect(stream).limits, unit);
        auto const kept = this->codec.template decompress<T>(stream, shape);
        would_leave += count_outside(free, unit);
        EXPECT_EQ(count_outside(kept, unit), 0u);
        expect_same_bytes(this->host.compress(field, shape, options), stream, "on a host");
      }
    }
    EXPECT_GT(would_leave, 0u) << "the test tests nothing";
  };
  check(float{});
  check(double{});
}

TYPED_TEST(ValueLimits, ValuesOutside_KeepTheBoundOrTheirBits) {
  KOMPAKT_TRACE_SEED(5);
  Random random(5);
  auto const shape = shape_from<float>({60000});
  for (Coding const& coding : main_codings) {
    for (ErrorBound const bound : {ErrorBound::absolute(0.07), ErrorBound::relative_to_range(0.01),
                                   ErrorBound::relative_to_value(0.01)}) {
      auto field = share<float>(shape);
      for (std::uint64_t i = 0; i < 3000; ++i) {
        auto const step = static_cast<float>(random.below(4000)) / 10000.f;
        field[random.below(field.size())] = random.one_in(2) ? 1 + step : -step;
      }
      field[17] = std::numeric_limits<float>::infinity();
      field[18] = std::numeric_limits<float>::quiet_NaN();
      field[19] = -0.f;
      Options options = coding.with(bound);
      options.limits = unit;
      auto const stream = expect_round_trip(this->codec, field, shape, options);
      auto const kept = this->codec.template decompress<float>(stream, shape);
      for (std::size_t i = 0; i < field.size(); ++i) {
        bool const was_inside = field[i] >= 0 && field[i] <= 1;
        ASSERT_TRUE(!was_inside || (kept[i] >= 0 && kept[i] <= 1)) << i;
      }
    }
  }
}

// What is a bound of x is another one of the limit: the one of its sign decides which values may be moved.
TYPED_TEST(ValueLimits, ThatAreNotZero_KeepTheBoundOfEachValue) {
  KOMPAKT_TRACE_SEED(11);
  Random random(11);
  auto const check = [&]<class T>(T) {
    auto const shape = shape_from<T>({6, 40, 50});
    for (Coding const& coding : all_codings) {
      for (double const e : {0.4, 0.1, 1e-3}) {
        std::vector<T> field(shape.size());
        for (T& value : field) {
          double const share = static_cast<double>(random.below(4001)) / 1000 - 2;
          value = random.one_in(8) ? T(1) : static_cast<T>(1 + e * share);
        }
        field[7] = -std::numeric_limits<T>::infinity();
        bool const is_upper = random.one_in(2);
        if (is_upper) std::transform(field.begin(), field.end(), field.begin(), std::negate<T>());
        Options options = coding.with(ErrorBound::relative_to_value(e));
        options.limits = is_upper ? Limits{.upper = -1} : Limits{.lower = 1};
        auto const stream = expect_round_trip(this->codec, field, shape, options);
        auto const kept = this->codec.template decompress<T>(stream, shape);
        for (std::size_t i = 0; i < field.size(); ++i) {
          bool const was_inside = is_upper ? field[i] <= -1 : field[i] >= 1;
          bool const is_inside = is_upper ? kept[i] <= -1 : kept[i] >= 1;
          ASSERT_TRUE(!was_inside || is_inside) << coding.name() << ", " << e << ", " << field[i];
        }
      }
    }
  };
  check(float{});
  check(double{});
}

// As with _FillValue and valid_min of a file that are the same number.
TYPED_TEST(ValueLimits, ThatAreAFillValue_AreNotWhatOthersBecome) {
  KOMPAKT_TRACE_SEED(13);
  Random random(13);
  auto const shape = shape_from<float>({6, 40, 50});
  std::vector<float> field(shape.size());
  for (float& value : field) {
    value = -999 + static_cast<float>(random.below(4000)) / 1000;
    if (random.one_in(3)) value = -999;
  }
  field[9] = 200;
  auto const fills = [](std::vector<float> const& values) {
    return std::count(values.begin(), values.end(), -999.f);
  };
  for (FillValue const& fill :
       {FillValue::automatic().with(-999), FillValue::of(-999), FillValue::of(-1e20).with(-999),
        FillValue::automatic().with(-1e20).with(-999)}) {
    for (Coding const& coding : all_codings) {
      for (ErrorBound const bound :
           {ErrorBound::absolute(0.5), ErrorBound::absolute(50),
            ErrorBound::relative_to_range(0.004), ErrorBound::relative_to_value(1e-3)}) {
        Options options = coding.with(bound);
        options.fill = fill;
        options.limits = {-999, 300};
        auto const kept = this->codec.template decompress<float>(
            this->codec.compress(field, shape, options), shape);
        ASSERT_EQ(fills(kept), fills(field)) << coding.name() << ", " << bound.value;
      }
    }
  }
}

TYPED_TEST(ValueLimits, ThatAreAFoundFillValue_AreNotWhatOthersBecome) {
  KOMPAKT_TRACE_SEED(17);
  Random random(17);
  auto const shape = shape_from<float>({100, 40, 50});
  std::vector<float> field(shape.size());
  for (float& value : field) value = static_cast<float>(random.below(10000)) / 100;
  std::fill_n(field.begin(), field.size() / 3, -999.f);
  for (std::size_t i : {5u, 7u, 11u, 13u}) {  // where no sample looks
    field[field.size() - i] = -999 + static_cast<float>(random.below(400)) / 1000;
  }
  for (Coding const& coding : all_codings) {
    Options options = coding.with(ErrorBound::absolute(0.5));
    options.fill = FillValue::automatic();
    options.limits = {-999, 300};
    auto const stream = this->codec.compress(field, shape, options);
    ASSERT_EQ(inspect(stream).fill, -999) << "the test tests nothing";
    auto const kept = this->codec.template decompress<float>(stream, shape);
    for (std::size_t i = 0; i < field.size(); ++i) {
      ASSERT_EQ(kept[i] == -999, field[i] == -999) << coding.name() << ", " << field[i];
    }
  }
}

TYPED_TEST(ValueLimits, FillValuesOutside_ComeBackBitForBit) {
  auto const shape = shape_from<float>({20, 30, 40});
  for (Coding const& coding : main_codings) {
    auto field = share<float>(shape);
    for (std::size_t i = 0; i < field.size(); i += 3) field[i] = -0.001f;
    Options options = coding.with(ErrorBound::absolute(0.05));
    options.fill = FillValue::of(static_cast<double>(-0.001f));
    options.limits = unit;
    auto const kept =
        this->codec.template decompress<float>(this->codec.compress(field, shape, options), shape);
    for (std::size_t i = 0; i < field.size(); i += 3) ASSERT_EQ(kept[i], -0.001f);
    // One that is stored as it is would be moved.
    options.fill = FillValue::of(-999).with(static_cast<double>(-0.001f));
    expect_refusal("lies outside of the limits by less than the bound",
                   [&] { this->codec.compress(field, shape, options); });
  }
}

TYPED_TEST(ValueLimits, LimitsThatNoValueOfTheTypeHas_LieBetween) {
  auto const shape = shape_from<float>({5000});
  std::vector<float> field(5000);
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = 0.1f + 1e-3f * static_cast<float>(i % 7);
  Options options = main_codings[0].with(ErrorBound::absolute(0.01));
  options.limits = {0.1, 0.106};
  auto const stream = expect_round_trip(this->codec, field, shape, options);
  Limits const found = inspect(stream).limits;
  EXPECT_GE(found.lower, 0.1);
  EXPECT_LE(found.upper, 0.106);
  options.limits = {std::nextafter(0.1, 0), 0.1};
  expect_refusal("no value of f32 lies between the limits",
                 [&] { this->codec.compress(field, shape, options); });
  options.limits = {2, 1};
  EXPECT_THROW(this->codec.compress(field, shape, options), Error);
}

TYPED_TEST(ValueLimits, OfLosslessStreamsAndEmptyOnes_AreLeftOut) {
  auto const shape = shape_from<float>({500});
  auto const field = share<float>(shape);
  Options options = main_codings[0].with(ErrorBound::lossless());
  options.pipeline = Pipeline::fixedlength;
  options.variant = Variant::automatic;
  options.predictor = Predictor::automatic;
  options.limits = unit;
  EXPECT_FALSE(inspect(this->codec.compress(field, shape, options)).limits.any());
}

}  // namespace kompakt::test
