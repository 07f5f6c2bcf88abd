#include <cmath>
#include <container/header.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// Prediction from reconstructed values, level by level. That it keeps the promise, in regions, damaged streams, batches
// and with fill values too, is tested where all codings are; here is what is its own.

namespace kompakt::test {

template <class Exec>
class Interpolated : public testing::Test {
 protected:
  static Options with(ErrorBound bound, Pipeline pipeline = Pipeline::bitshuffle) {
    return {bound, pipeline, Variant::automatic, Predictor::interpolate};
  }

  /// A field of a few waves, the same whatever its extents.
  template <class T>
  static std::vector<T> waves(FieldShape const& shape) {
    std::vector<T> field(shape.size());
    std::size_t const nx = shape.extents[static_cast<std::size_t>(shape.rank) - 1];
    std::size_t const ny =
        shape.rank > 1 ? shape.extents[static_cast<std::size_t>(shape.rank) - 2] : 1;
    for (std::size_t i = 0; i < field.size(); ++i) {
      double const x = static_cast<double>(i % nx), y = static_cast<double>(i / nx % ny),
                   z = static_cast<double>(i / nx / ny);
      field[i] = static_cast<T>(std::sin(0.11 * x) * std::cos(0.07 * y) + std::sin(0.05 * (z + x)));
    }
    return field;
  }

  template <class T>
  void every_extent() {
    Codec<Kokkos::Serial> serial;
    std::size_t const extents[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 33};
    for (std::size_t const a : extents) {
      for (std::size_t const b : extents) {
        for (FieldShape const& shape : {shape_from<T>({a * b + 1}), shape_from<T>({a, b}),
                                        shape_from<T>({b, 7, a}), shape_from<T>({a, b, 40})}) {
          SCOPED_TRACE(testing::PrintToString(shape.extents));
          auto const field = make_field<T>(Family::smooth, shape);
          for (auto const& options : {with(ErrorBound::relative_to_range(1e-3)),
                                      with(ErrorBound::relative_to_value(1e-3)),
                                      with(ErrorBound::relative_to_range(1e-3), Pipeline::rans)}) {
            auto const stream = expect_round_trip(codec, field, shape, options);
            expect_same_bytes(stream, serial.compress(field, shape, options), "Serial");
            EXPECT_LE(stream.size(), max_compressed_bytes(shape, options));
          }
        }
      }
    }
  }

  Codec<Exec> codec;
};
TYPED_TEST_SUITE(Interpolated, Spaces, SpaceName);

TYPED_TEST(Interpolated, FieldsOfEveryExtent_KeepThePromise) {
  this->template every_extent<float>();
  this->template every_extent<double>();
}

// From one step of the lattice for the whole range to bounds that it has no room for.
TYPED_TEST(Interpolated, BoundsOfEverySize_AreKept) {
  FieldShape const shape = shape_from<float>({20, 33, 70});
  FieldShape const doubles = shape_from<double>({20, 33, 70});
  for (Family const family : all_families) {
    for (double bound = 1e3; bound > 1e-12; bound /= 30) {
      SCOPED_TRACE(std::string(name_of(family)) + ", bound " + std::to_string(bound));
      for (Pipeline const pipeline : {Pipeline::bitshuffle, Pipeline::huffman, Pipeline::rans}) {
        auto const options = this->with(ErrorBound::absolute(bound), pipeline);
        expect_round_trip(this->codec, make_field<float>(family, shape), shape, options);
        expect_round_trip(this->codec, make_field<double>(family, doubles), doubles, options);
      }
    }
  }
}

// From half of each value to bounds that no step is narrow enough for.
TYPED_TEST(Interpolated, BoundsRelativeToValuesOfEverySize_AreKept) {
  FieldShape const shape = shape_from<float>({20, 33, 70});
  FieldShape const doubles = shape_from<double>({20, 33, 70});
  Codec<Kokkos::Serial> serial;
  for (Family const family : all_families) {
    for (double bound = 0.999; bound > 1e-17; bound /= 50) {
      SCOPED_TRACE(std::string(name_of(family)) + ", bound " + std::to_string(bound));
      for (Pipeline const pipeline : {Pipeline::bitshuffle, Pipeline::huffman, Pipeline::rans}) {
        auto const options = this->with(ErrorBound::relative_to_value(bound), pipeline);
        auto const f32 = make_field<float>(family, shape);
        auto const f64 = make_field<double>(family, doubles);
        expect_same_bytes(expect_round_trip(this->codec, f32, shape, options),
                          serial.compress(f32, shape, options), "Serial");
        expect_same_bytes(expect_round_trip(this->codec, f64, doubles, options),
                          serial.compress(f64, doubles, options), "Serial");
      }
    }
  }
}

TYPED_TEST(Interpolated, SmoothMagnitudes_TakeLessThanDifferencesOfThem) {
  FieldShape const shape = shape_from<float>({64, 80, 96});
  auto field = this->template waves<float>(shape);
  for (float& value : field) value = -std::exp(5 * value);
  for (double const bound : {1e-2, 1e-3, 1e-4}) {
    auto const pwr = ErrorBound::relative_to_value(bound);
    std::size_t const differences =
        this->codec.compress(field, shape, {pwr, Pipeline::bitshuffle}).size();
    EXPECT_LT(1.2 * static_cast<double>(this->codec.compress(field, shape, this->with(pwr)).size()),
              static_cast<double>(differences))
        << bound;
    EXPECT_EQ(this->codec.info().exceptions, 0u);
  }
}

// The lattice reaches less than an octave either way.
TYPED_TEST(Interpolated, TinyBoundOnMagnitudesFarFrom1_HasNoExceptions) {
  FieldShape const shape = shape_from<double>({30, 40, 50});
  for (double const size : {1e-200, 101325.0, 1e250}) {
    auto field = this->template waves<double>(shape);
    for (double& value : field) value = size * (1 + 0.1 * value);
    expect_round_trip(this->codec, field, shape, this->with(ErrorBound::relative_to_value(1e-7)));
    EXPECT_EQ(this->codec.info().exceptions, 0u) << size;
    field[12345] = -size * 1e30;  // out of reach
    expect_round_trip(this->codec, field, shape, this->with(ErrorBound::relative_to_value(1e-7)));
    EXPECT_GT(this->codec.info().exceptions, 0u) << size;
  }
}

// What a lattice is counted from is a number of the stream: any will do.
TYPED_TEST(Interpolated, AnyReference_IsReadAsSome) {
  FieldShape const shape = shape_from<float>({13, 40, 70});
  auto const options = this->with(ErrorBound::relative_to_value(1e-3));
  auto const good = this->codec.compress(make_field<float>(Family::walk, shape), shape, options);
  for (std::uint64_t i = 0; i < 50; ++i) {
    auto stream = good;
    std::uint64_t const reference = i == 0 ? ~std::uint64_t{0} : hash(i) >> i;
    impl::put(&stream[impl::at::constant], reference, 8);
    impl::put(&stream[impl::at::checksum], 0, 4);
    std::size_t const front = impl::table_end_of(stream.data());
    impl::put(&stream[impl::at::checksum], impl::checksum_bytes(stream.data(), front, 0), 4);
    EXPECT_EQ(this->codec.template decompress<float>(stream, shape).size(), shape.size());
  }
}

TYPED_TEST(Interpolated, SmoothField_TakesAFractionOfWhatDifferencesTake) {
  FieldShape const shape = shape_from<float>({64, 80, 96});
  auto const field = this->template waves<float>(shape);
  for (double const bound : {1e-2, 1e-3, 1e-4}) {
    auto const r2r = ErrorBound::relative_to_range(bound);
    std::size_t const differences =
        this->codec.compress(field, shape, {r2r, Pipeline::bitshuffle}).size();
    EXPECT_LT(3 * this->codec.compress(field, shape, this->with(r2r)).size(), differences) << bound;
  }
}

TYPED_TEST(Interpolated, ConstantField_TakesNothingButItsIndex) {
  FieldShape const shape = shape_from<float>({100, 100, 100});
  std::vector<float> const field(shape.size(), -7.25f);
  auto const stream =
      expect_round_trip(this->codec, field, shape, this->with(ErrorBound::relative_to_range(1e-3)));
  EXPECT_LT(stream.size(), 1500u);
}

TYPED_TEST(Interpolated, WhatItHasNoWayFor_IsRefused) {
  FieldShape const shape = shape_from<float>({30, 40});
  auto const field = make_field<float>(Family::smooth, shape);
  auto const status_of = [&](Options const& options) {
    try {
      this->codec.compress(field, shape, options);
      return Status::ok;
    } catch (Error const& e) {
      return e.status();
    }
  };
  Options options = this->with(ErrorBound::absolute(1e-3));
  EXPECT_EQ(status_of(options), Status::ok);
  options.variant = Variant::fz;
  EXPECT_EQ(status_of(options), Status::bad_argument);
  options = this->with(ErrorBound::absolute(1e-3), Pipeline::fixedlength);
  EXPECT_EQ(status_of(options), Status::bad_argument);
  EXPECT_EQ(status_of(this->with(ErrorBound::relative_to_value(1e-3))), Status::ok);
}

}  // namespace kompakt::test
