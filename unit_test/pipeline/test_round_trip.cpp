#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

template <class Exec>
class RoundTrip : public testing::Test {
 protected:
  Codec<Exec> codec;

  template <class T>
  void check(Family family, FieldShape const& shape, Options const& options) {
    SCOPED_TRACE(std::string(name_of(family)) + " rank " + std::to_string(shape.rank) + " x " +
                 std::to_string(shape.extents[0]) + ", bound " +
                 std::to_string(options.bound.value) + " " + to_string(options.bound.mode) + ", " +
                 to_string(options.pipeline) + " " + to_string(options.variant) + ", predictor " +
                 to_string(options.predictor));
    expect_round_trip(codec, make_field<T>(family, shape), shape, options);
  }

  template <class T>
  void families_and_bounds() {
    FieldShape const shape = shape_from<T>({9, 19, 37});
    for (Family const family : all_families) {
      for (double const e : {1e-1, 1e-3, 1e-7}) {
        for (Coding const& coding : main_codings) {
          check<T>(family, shape, coding.with(ErrorBound::relative_to_range(e)));
          check<T>(family, shape, coding.with(ErrorBound::absolute(e)));
        }
      }
    }
  }

  template <class T>
  void options() {
    FieldShape const shape = shape_from<T>({20, 33, 70});
    for (Family const family : {Family::smooth, Family::nan_islands, Family::bits}) {
      for (Coding const& coding : all_codings) {
        for (auto const predictor : {Predictor::chain, Predictor::tile, Predictor::automatic}) {
          for (bool const checksum : {false, true}) {
            check<T>(family, shape,
                     coding.with(ErrorBound::relative_to_range(1e-3), predictor, checksum));
          }
        }
      }
    }
  }

  template <class T>
  void sizes() {
    for (std::size_t const n :
         {1u, 2u, 31u, 32u, 33u, 997u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u, 100003u}) {
      for (Coding const& coding : main_codings) {
        check<T>(Family::walk, shape_from<T>({n}), coding.with({}));
        check<T>(Family::nan_islands, shape_from<T>({n}), coding.with({}));
      }
    }
    for (std::size_t const n : {1u, 2u, 7u, 8u, 9u, 31u, 32u, 33u}) {
      check<T>(Family::walk, shape_from<T>({n, 67}), {.predictor = Predictor::tile});
      check<T>(Family::smooth, shape_from<T>({67, n}), {.predictor = Predictor::tile});
      check<T>(Family::smooth, shape_from<T>({n, 9, 17}), {.predictor = Predictor::tile});
      check<T>(Family::smooth, shape_from<T>({17, n, 9}), {.predictor = Predictor::tile});
      check<T>(Family::spikes, shape_from<T>({9, 17, n}), {.predictor = Predictor::tile});
    }
  }

  template <class T>
  void ranks() {
    for (Order const order : {Order::last_fastest, Order::first_fastest}) {
      check<T>(Family::smooth, shape_from<T>({3, 5, 7, 11}, order), {});
      check<T>(Family::smooth, shape_from<T>({2, 3, 5, 1, 7, 4}, order), {});
      check<T>(Family::walk, shape_from<T>({2, 2, 2, 3, 2, 3, 2, 5}, order), {});
      check<T>(Family::walk, shape_from<T>({1, 1, 1, 1, 1, 1, 1, 1}, order), {});
    }
  }
};

TYPED_TEST_SUITE(RoundTrip, Spaces, SpaceName);

TYPED_TEST(RoundTrip, EveryFamilyAndBoundAsFloat_KeepsPromise) {
  this->template families_and_bounds<float>();
}
TYPED_TEST(RoundTrip, EveryFamilyAndBoundAsDouble_KeepsPromise) {
  this->template families_and_bounds<double>();
}
TYPED_TEST(RoundTrip, EveryOptionAsFloat_KeepsPromise) { this->template options<float>(); }
TYPED_TEST(RoundTrip, EveryOptionAsDouble_KeepsPromise) { this->template options<double>(); }
TYPED_TEST(RoundTrip, AwkwardSizesAsFloat_KeepPromise) { this->template sizes<float>(); }
TYPED_TEST(RoundTrip, AwkwardSizesAsDouble_KeepPromise) { this->template sizes<double>(); }
TYPED_TEST(RoundTrip, RanksUpToEightAsFloat_KeepPromise) { this->template ranks<float>(); }
TYPED_TEST(RoundTrip, RanksUpToEightAsDouble_KeepPromise) { this->template ranks<double>(); }

TYPED_TEST(RoundTrip, ExtremeBounds_KeepPromise) {
  for (double const e : {5e-324, 1e-320, 1e-45, 1e-38, 1e30, 1e300, 1.7976931348623157e308}) {
    for (Family const family :
         {Family::smooth, Family::zeros, Family::huge, Family::denormals, Family::bits}) {
      this->template check<float>(family, shape_from<float>({5, 1031}),
                                  {.bound = ErrorBound::absolute(e)});
      this->template check<double>(family, shape_from<double>({5, 1031}),
                                   {.bound = ErrorBound::absolute(e)});
    }
  }
}

TYPED_TEST(RoundTrip, ConstantFieldUnderRange_IsExactAndTiny) {
  FieldShape const shape = shape_from<double>({64, 64, 64});
  auto const field = make_field<double>(Family::constant, shape);
  auto const stream = expect_round_trip(this->codec, field, shape, {});
  EXPECT_EQ(this->codec.info().abs_bound, 0.0);
  EXPECT_LT(stream.size(), shape.bytes() / 2000);
  EXPECT_EQ(this->codec.template decompress<double>(stream, shape), field);
}

TYPED_TEST(RoundTrip, FieldOfNaNs_ComesBackBitForBit) {
  FieldShape const shape = shape_from<float>({5000});
  std::vector<float> const field(5000, std::bit_cast<float>(0x7fc01234u));
  auto const stream = expect_round_trip(this->codec, field, shape, {});
  EXPECT_LT(stream.size(), 500u);
}

TYPED_TEST(RoundTrip, ZerosUnderAbs_CostOnlyTheIndex) {
  FieldShape const shape = shape_from<float>({256, 4096});
  auto const stream = expect_round_trip(this->codec, std::vector<float>(shape.size()), shape,
                                        {.bound = ErrorBound::absolute(1e-3)});
  EXPECT_GT(static_cast<double>(shape.bytes()) / static_cast<double>(stream.size()), 1500.0);
}

TYPED_TEST(RoundTrip, EmptyField_IsHeaderOnly) {
  for (auto const& shape : {shape_from<float>({0}), shape_from<float>({3, 0, 5})}) {
    auto const stream = expect_round_trip(this->codec, std::vector<float>{}, shape, {});
    EXPECT_LE(stream.size(), 512u);
  }
}

TYPED_TEST(RoundTrip, LatticeWithErrorsOfExactlyTheBound_NeedsNoExceptions) {
  FieldShape const shape = shape_from<float>({100, 1000});
  std::vector<float> field(shape.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] = static_cast<float>(100000 + hash(i / 50) % 3000);  // whole pascals
  }
  expect_round_trip(this->codec, field, shape, {.bound = ErrorBound::absolute(1.0)});
  EXPECT_EQ(this->codec.info().exceptions, 0u);
}

}  // namespace kompakt::test
