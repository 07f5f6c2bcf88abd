#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

// Values within the bound of a fill value: none of them may come back as it, or readers would take it for a missing value.

namespace kompakt::test {

namespace {

/// A field around fill values, what is declared of them, and a bound that reaches from one to the other.
struct NearCase {
  std::vector<double> fills;
  double wide;  ///< how far from a fill value the values lie
  ErrorBound bound;
  Limits limits{};
};

template <class T>
T stored(double value) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::min());
    constexpr auto highest = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(std::clamp(std::nearbyint(value), lowest, highest));
  } else {
    return static_cast<T>(value);
  }
}

/// Values near one of the fill values, and these themselves, in runs.
template <class T>
std::vector<T> field_near(NearCase const& around, std::size_t fills_there, std::size_t size,
                          Random& random) {
  std::vector<T> field(size);
  for (std::size_t i = 0; i < size; ++i) {
    double const phase = static_cast<double>(i) * 0.003;
    double const fill = around.fills[i / 500 % around.fills.size()];
    double const away =
        around.wide * (std::sin(phase) + 0.1 * static_cast<double>(random.between(-9, 9)) / 9);
    field[i] = stored<T>(std::clamp(fill + away, around.limits.lower, around.limits.upper));
    if (fills_there > 0 && random.one_in(7)) {
      field[i] = stored<T>(around.fills[random.below(fills_there)]);
    }
  }
  return field;
}

template <class T>
bool is_missing(T value, NearCase const& around) {
  return std::any_of(around.fills.begin(), around.fills.end(),
                     [&](double fill) { return value == stored<T>(fill); });
}

template <class T>
std::size_t differences(std::vector<T> const& a, std::vector<T> const& b, NearCase const& around) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += is_missing(a[i], around) != is_missing(b[i], around) ? 1 : 0;
  }
  return count;
}

FillValue declared(NearCase const& around, bool looked_for) {
  auto const first = static_cast<std::size_t>(looked_for ? 0 : 1);
  FillValue fill = looked_for ? FillValue::automatic() : FillValue::of(around.fills[0]);
  for (std::size_t i = first; i < around.fills.size(); ++i) fill = fill.with(around.fills[i]);
  return fill;
}

}  // namespace

template <class Exec>
class FillsNearby : public testing::Test {
 protected:
  Codec<Exec> codec;
  Codec<Kokkos::DefaultHostExecutionSpace> host;

  /// Compresses and holds what comes back to the bound; the stream.
  template <class T>
  std::vector<std::byte> round_trip(std::vector<T> const& field, FieldShape const& shape,
                                    Options const& options) {
    if constexpr (std::is_floating_point_v<T>) {
      return expect_round_trip(codec, field, shape, options);
    } else {
      auto const stream = codec.compress(field, shape, options);
      auto const back = codec.template decompress<T>(stream, shape);
      ErrorBound const bound = codec.info().resolved();
      for (std::size_t i = 0; i < field.size(); ++i) {
        bool const is_kept =
            keeps_promise(static_cast<double>(field[i]), static_cast<double>(back[i]), bound);
        EXPECT_TRUE(is_kept) << +field[i] << " became " << +back[i];
      }
      return stream;
    }
  }

  /// Compresses a field and counts what becomes missing, or no longer is.
  template <class T>
  void check_field(std::vector<T> const& field, NearCase const& around, Coding const& coding,
                   bool looked_for) {
    SCOPED_TRACE(testing::Message() << coding.name() << ", fill " << around.fills[0] << " and "
                                    << around.fills.size() - 1 << " more, bound "
                                    << around.bound.value << (looked_for ? ", looked for" : ""));
    auto const shape = shape_from<T>({3, 16, 130});
    Options options = coding.with(around.bound);
    options.fill = declared(around, looked_for);
    options.limits = around.limits;
    auto const stream = round_trip(field, shape, options);
    auto const back = codec.template decompress<T>(stream, shape);
    ASSERT_EQ(differences(field, back, around), 0u);
    expect_same_bytes(host.compress(field, shape, options), stream, "on a host");
  }

  template <class T>
  void check(std::vector<NearCase> const& cases) {
    KOMPAKT_TRACE_SEED(41);
    Random random(41);
    bool looked_for = false;
    for (NearCase const& around : cases) {
      for (std::size_t const fills_there : {std::size_t{0}, around.fills.size()}) {
        auto const field = field_near<T>(around, fills_there, 3 * 16 * 130, random);
        for (Coding const& coding : main_codings) {
          looked_for = !looked_for;
          check_field(field, around, coding, looked_for);
        }
        looked_for = !looked_for;  // the other half of the codings
      }
    }
  }
};
TYPED_TEST_SUITE(FillsNearby, Spaces, SpaceName);

TYPED_TEST(FillsNearby, OfFloats_StayApart) {
  auto const absolute = [](double bound) { return ErrorBound::absolute(bound); };
  std::vector<NearCase> const cases{
      {{0}, 3, absolute(1)},
      {{-0.0}, 3, absolute(1)},
      {{1000}, 0.01, absolute(1e-4)},
      {{1 << 20}, 40, absolute(0.125)},
      {{-998}, 2, absolute(0.5)},
      {{1}, 0.5, ErrorBound::relative_to_value(0.25)},
      {{-2}, 0.5, ErrorBound::relative_to_value(0.03)},
      {{2.1768155701899398e-38F}, 1e-38, ErrorBound::relative_to_value(0.1)},
      {{1.7212432e38F}, 2e37, ErrorBound::relative_to_value(0.1)},
      {{-32760}, 0.01, absolute(1e-3)},
      {{0, 4}, 3, absolute(1)},
      {{0, 4, 1e20}, 3, absolute(1)},
      {{2, 4}, 1, ErrorBound::relative_to_value(0.2)},
      {{0, 1}, 0.7, absolute(0.2), {0, 1}},
      {{0}, 0.7, absolute(0.2), {0, 1}},
      {{0, 5}, 3, ErrorBound::relative_to_range(0.1)},
  };
  this->template check<float>(cases);
  this->template check<double>(cases);
}

TYPED_TEST(FillsNearby, OfIntegers_StayApart) {
  auto const absolute = [](double bound) { return ErrorBound::absolute(bound); };
  this->template check<std::uint8_t>({{{0}, 20, absolute(3)},
                                      {{255}, 20, absolute(6)},
                                      {{100, 104}, 9, absolute(2)},
                                      {{100}, 30, ErrorBound::relative_to_value(0.1)}});
  this->template check<std::int8_t>({{{-128}, 20, absolute(3)}, {{127}, 20, absolute(6)}});
  this->template check<std::int16_t>({{{-32766}, 20, absolute(3)},
                                      {{-32767}, 20, absolute(3)},
                                      {{32767}, 50, absolute(12)},
                                      {{-9998, -9990}, 20, absolute(4)},
                                      {{0}, 30, absolute(5), {0, 100}},
                                      {{1000}, 300, ErrorBound::relative_to_value(0.002)}});
  this->template check<std::int32_t>({{{std::numeric_limits<std::int32_t>::min()}, 20, absolute(3)},
                                      {{-998}, 40, absolute(0.5)},
                                      {{-998}, 40, ErrorBound::relative_to_range(0.1)}});
  this->template check<std::uint64_t>({{{0}, 30, absolute(3)}, {{7}, 30, absolute(3)}});
  this->template check<std::int64_t>({{{0}, 30, absolute(3)}, {{-0x1p50}, 90, absolute(9)}});
}

TYPED_TEST(FillsNearby, OfConventionsThatAreNotThere_ChangeNothing) {
  auto const shape = shape_from<float>({6000});
  std::vector<float> field(6000);
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] = -999.2F + 0.3F * std::sin(static_cast<float>(i) / 50);
  }
  Options options{.bound = ErrorBound::absolute(0.5)};
  auto const plain = this->codec.compress(field, shape, options);
  FillValue conventions = FillValue::automatic();
  for (double const fill : {9.969209968386869e36, 1e20, -9999.0, -999.0, -32768.0}) {
    conventions = conventions.with(fill);
  }
  options.fill = conventions;
  expect_same_bytes(plain, this->codec.compress(field, shape, options), "with conventions");
  // One of them alone has been declared.
  options.fill = FillValue::automatic().with(-999);
  auto const apart = this->codec.template decompress<float>(
      expect_round_trip(this->codec, field, shape, options), shape);
  EXPECT_EQ(std::count(apart.begin(), apart.end(), -999.0F), 0);
  auto const with_nothing = this->codec.template decompress<float>(plain, shape);
  EXPECT_GT(std::count(with_nothing.begin(), with_nothing.end(), -999.0F), 0);
  std::vector<std::int32_t> integers(field.begin(), field.end());
  for (auto& value : integers) value += value == -999 ? 1 : 0;
  FieldShape const of_integers = shape_from<std::int32_t>({6000});
  options.bound = ErrorBound::absolute(1);
  auto const kept = this->codec.template decompress<std::int32_t>(
      expect_round_trip(this->codec, integers, of_integers, options), of_integers);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), -999), 0);
  options.bound = ErrorBound::absolute(0.5);
  options.fill = conventions;
  field[3] = -999;
  auto const stream = expect_round_trip(this->codec, field, shape, options);
  auto const back = this->codec.template decompress<float>(stream, shape);
  EXPECT_EQ(std::count(back.begin(), back.end(), -999.0F), 1);
}

}  // namespace kompakt::test
