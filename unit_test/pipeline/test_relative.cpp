#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// Bounds relative to each value: |x - x'| <= bound * |x|, zeros and signs exact.

namespace kompakt::test {

template <class Exec>
class RelativeToValue : public testing::Test {
 protected:
  Codec<Exec> codec;

  template <class T>
  std::size_t check(std::vector<T> const& field, FieldShape const& shape, Options const& options) {
    std::size_t const bytes = expect_round_trip(codec, field, shape, options).size();
    EXPECT_EQ(codec.info().resolved(), options.bound);
    return bytes;
  }
};
TYPED_TEST_SUITE(RelativeToValue, Spaces, SpaceName);

template <class Exec, class T>
void check_families(Codec<Exec>& codec) {
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    for (std::vector<std::size_t> const& extents :
         {std::vector<std::size_t>{1}, {5000}, {70, 61}, {17, 21, 36}, {2, 3, 16, 64}}) {
      FieldShape const shape = shape_from<T>(extents, order);
      for (Family const family : all_families) {
        auto const field = make_field<T>(family, shape);
        for (Coding const& coding : main_codings) {
          SCOPED_TRACE(std::string(name_of(family)) + ", " + coding.name());
          expect_round_trip(codec, field, shape, coding.with(ErrorBound::relative_to_value(1e-3)));
        }
      }
    }
  }
}
TYPED_TEST(RelativeToValue, EveryFamilyAndShape_KeepsThePromise) {
  check_families<TypeParam, float>(this->codec);
  check_families<TypeParam, double>(this->codec);
}

TYPED_TEST(RelativeToValue, BoundsOfEverySize_AreKept) {
  FieldShape const shape = shape_from<float>({20, 30, 40});
  for (Family const family : {Family::walk, Family::spikes}) {
    auto const field = make_field<float>(family, shape);
    for (double const bound : {0.999, 0.5, 0.1, 1e-2, 1e-4, 1e-6, 1e-7, 1e-9, 1e-30}) {
      SCOPED_TRACE(bound);
      for (Coding const& coding : main_codings) {
        this->check(field, shape, coding.with(ErrorBound::relative_to_value(bound)));
      }
    }
  }
}

/// Magnitudes from 1e-7 to 1e30, smooth: hopeless for an absolute bound.
template <class T>
std::vector<T> wide_range(FieldShape const& shape) {
  auto field = make_field<T>(Family::smooth, shape);
  for (T& value : field) value = std::pow(T(10), 14 * value);
  return field;
}

TYPED_TEST(RelativeToValue, EveryMantissa_HasTheSameBinEverywhere) {
  std::vector<float> field(1u << 23);
  for (std::uint32_t m = 0; m < field.size(); ++m) field[m] = std::bit_cast<float>(0x3f800000u | m);
  FieldShape const shape = shape_from<float>({field.size()});
  auto const options = tile_codings[0].with(ErrorBound::relative_to_value(1e-5), Predictor::chain);
  Codec<Kokkos::DefaultHostExecutionSpace> host;
  expect_same_bytes(this->codec.compress(field, shape, options),
                    host.compress(field, shape, options), "all mantissas");
  EXPECT_EQ(this->codec.info().exceptions, 0u);
}

TYPED_TEST(RelativeToValue, NumbersOfManySizes_TakeAFewBits) {
  FieldShape const shape = shape_from<float>({64, 64, 64});
  auto const field = wide_range<float>(shape);
  std::size_t const bytes =
      this->check(field, shape, tile_codings[0].with(ErrorBound::relative_to_value(1e-2)));
  EXPECT_LT(bytes, shape.bytes() / 4);
  EXPECT_EQ(this->codec.info().exceptions, 0u);
}

TYPED_TEST(RelativeToValue, SignsAndZeros_TakeAboutABit) {
  FieldShape const shape = shape_from<float>({64, 64, 64});
  auto const positive = wide_range<float>(shape);
  for (Coding const& coding : tile_codings) {
    SCOPED_TRACE(coding.name());
    auto const options = coding.with(ErrorBound::relative_to_value(1e-2));
    std::size_t const plain = this->check(positive, shape, options);
    auto negative = positive, mixed = positive, rain = positive;
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      negative[i] = -negative[i];
      if (hash(i) % 2 == 0) mixed[i] = -mixed[i];
      if (hash(i / 50) % 3 == 0) rain[i] = 0;
    }
    std::size_t const tiles = shape.size() / 1024;
    EXPECT_LE(this->check(negative, shape, options), plain + 8 * tiles);
    EXPECT_LE(this->check(mixed, shape, options), plain + shape.size() / 8 + 12 * tiles);
    // The first values behind a gap are further from what predicts them.
    EXPECT_LE(this->check(rain, shape, options), plain + shape.size() * 5 / 8);
    EXPECT_EQ(this->codec.info().exceptions, 0u);
  }
}

TYPED_TEST(RelativeToValue, ZerosAndFillValues_AreToldApart) {
  FieldShape const shape = shape_from<double>({40, 60, 70});
  for (double const fill : {1e20, -999.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    auto field = wide_range<double>(shape);
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (i / 37 % 4 == 0) field[i] = fill;
      if (i / 29 % 5 == 0) field[i] = 0;
      if (i / 90000 % 2 == 1) field[i] = i % 2 == 0 ? fill : 0;  // tiles of nothing else
      if (i < 8000) field[i] = i < 4000 ? fill : 0;
      if (i % 1000 == 17) field[i] = -0.0;
    }
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name() + ", fill " + std::to_string(fill));
      Options options = coding.with(ErrorBound::relative_to_value(1e-3));
      for (FillValue const& value : {FillValue::none(), FillValue::of(fill)}) {
        options.fill = value;
        auto const stream = this->codec.compress(field, shape, options);
        auto const restored = this->codec.template decompress<double>(stream, shape);
        expect_promise(field, restored, options.bound);
        for (std::size_t i = 0; i < field.size(); ++i) {
          bool const masked = value.mode != FillValue::Mode::none && field[i] == fill;
          if (field[i] == 0 || masked) {
            ASSERT_EQ(bits_of(restored[i]), bits_of(field[i])) << i;
          }
        }
      }
    }
  }
}

TYPED_TEST(RelativeToValue, InDamagedStreams_NeverEscapes) {
  FieldShape const shape = shape_from<float>({13, 40, 70});
  auto field = make_field<float>(Family::walk, shape);
  for (std::size_t i = 0; i < field.size(); i += 1 + hash(i) % 90) field[i] = 0;
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    Options options = coding.with(ErrorBound::relative_to_value(1e-2));
    options.checksum = false;
    expect_damage_in_bounds(this->codec, field, shape, options);
  }
}

}  // namespace kompakt::test
