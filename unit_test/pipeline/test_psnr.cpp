#include <cstdlib>
#include <filesystem>
#include <kompakt/field_range.hpp>
#include <pipeline/psnr_bound.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <support/spaces.hpp>

// A PSNR as the bound: always reached, by the largest bound that can be found.

namespace kompakt::test {

namespace {

/// 20 log10(range / rmse) over the finite values but the fill value, in the widest type there is.
template <class T>
long double psnr_of(std::vector<T> const& field, std::vector<T> const& restored, T fill,
                    long double range = 0) {
  long double squares = 0, least = INFINITY, most = -INFINITY;
  std::size_t count = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!is_finite(field[i]) || bits_of(field[i]) == bits_of(fill)) continue;
    auto const x = static_cast<long double>(field[i]);
    long double const error = static_cast<long double>(restored[i]) - x;
    squares += error * error;
    least = std::min(least, x);
    most = std::max(most, x);
    ++count;
  }
  if (squares == 0) return INFINITY;
  if (range == 0) range = most - least;
  return 10 * std::log10(range * range / (squares / static_cast<long double>(count)));
}

}  // namespace

template <class Exec>
class Psnr : public testing::Test {
 protected:
  Codec<Exec> codec;

  template <class T>
  long double reached(std::vector<T> const& field, FieldShape const& shape, Options const& options,
                      T fill = std::numeric_limits<T>::quiet_NaN()) {
    auto const stream = expect_round_trip(codec, field, shape, options);
    EXPECT_EQ(codec.info().bound, options.bound);
    return psnr_of(field, codec.template decompress<T>(stream, shape), fill, options.range);
  }
};
TYPED_TEST_SUITE(Psnr, Spaces, SpaceName);

template <class T, class Test>
void check_targets(Test const& test) {
  for (std::vector<std::size_t> const& extents :
       {std::vector<std::size_t>{1}, {5000}, {70, 61}, {17, 21, 36}, {50, 60, 70}}) {
    FieldShape const shape = shape_from<T>(extents);
    for (Family const family : all_families) {
      auto const field = make_field<T>(family, shape);
      for (double const target : {10.0, 43.21, 60.0, 120.0}) {
        SCOPED_TRACE(std::string(name_of(family)) + ", " + std::to_string(target));
        EXPECT_GE(test(field, shape, main_codings[0].with(ErrorBound::psnr(target))), target);
      }
    }
  }
}
TYPED_TEST(Psnr, OfEveryFamily_IsReached) {
  check_targets<float>([&](auto const&... a) { return this->reached(a...); });
  check_targets<double>([&](auto const&... a) { return this->reached(a...); });
}

TYPED_TEST(Psnr, OfUniformErrors_IsNotMuchAboveTheTarget) {
  FieldShape const shape = shape_from<float>({40, 60, 70});
  for (Family const family : {Family::smooth, Family::walk, Family::noise, Family::surfaces}) {
    auto const field = make_field<float>(family, shape);
    for (Coding const& coding : tile_codings) {
      for (double const target : {40.0, 60.0, 80.0}) {
        SCOPED_TRACE(std::string(name_of(family)) + ", " + std::to_string(target));
        auto const psnr = this->reached(field, shape, coding.with(ErrorBound::psnr(target)));
        // Noise at a small bound may be stored as it is.
        if (std::isfinite(psnr)) {
          EXPECT_LT(psnr, target + 0.3);
        }
      }
    }
  }
}

TYPED_TEST(Psnr, WithManyExactValues_AllowsLargerErrors) {
  FieldShape const shape = shape_from<double>({40, 60, 70});
  auto field = make_field<double>(Family::noise, shape);
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (hash(i) % 20 != 0) field[i] = 0;
  }
  EXPECT_LT(this->reached(field, shape, main_codings[0].with(ErrorBound::psnr(50))), 50.5);
  EXPECT_GT(this->codec.info().abs_bound, 2 * std::pow(10, -50.0 / 20) * 5);
}

TYPED_TEST(Psnr, WithAFillValue_IsThatOfTheOthers) {
  FieldShape const shape = shape_from<float>({40, 60, 70});
  auto const field = make_field<float>(Family::land, shape);
  Options options = main_codings[0].with(ErrorBound::psnr(60));
  options.fill = FillValue::automatic();
  auto const psnr = this->reached(field, shape, options, static_cast<float>(fill_value));
  EXPECT_GE(psnr, 60);
  EXPECT_LT(psnr, 60.3);
}

TYPED_TEST(Psnr, WithARangeGiven_IsReachedByIt) {
  FieldShape const shape = shape_from<float>({20, 60, 70});
  auto const field = make_field<float>(Family::smooth, shape);
  Options options = main_codings[0].with(ErrorBound::psnr(60));
  options.range = 10;
  auto const psnr = this->reached(field, shape, options);
  EXPECT_GE(psnr, 60);
  EXPECT_LT(psnr, 63);
}

// As parts of a field are without values: their bounds must not be above those of the others.
TYPED_TEST(Psnr, OfNoValuesWithARangeGiven_IsTheLowestBound) {
  FieldShape const shape = shape_from<float>({20, 60, 70});
  Options options = main_codings[0].with(ErrorBound::psnr(60));
  options.range = 10;
  options.fill = FillValue::of(-999);
  for (float const value : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -999.0f}) {
    std::vector<float> const field(shape.size(), value);
    EXPECT_EQ(this->reached(field, shape, options, -999.0f), INFINITY);
    EXPECT_NEAR(this->codec.info().abs_bound, 0.01, 1e-9) << value;
  }
}

TYPED_TEST(Psnr, OfAConstantField_IsAConstantStream) {
  FieldShape const shape = shape_from<float>({5000});
  auto const field = make_field<float>(Family::constant, shape);
  this->codec.compress(field, shape, main_codings[0].with(ErrorBound::psnr(60)));
  EXPECT_EQ(this->codec.info().abs_bound, 0.0);
  EXPECT_EQ(this->codec.info().predictor_word(), std::string("constant"));
}

// Which rungs are tried ahead changes nothing: the bytes of a stream depend on where the search ends.
TEST(PsnrBisection, OfManyStepsAtOnce_EndsWhereThatOfOneDoes) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    auto const is_enough = [&](int rung) {  // not always the lower ones
      return hash(seed * 1000 + static_cast<std::uint64_t>(rung)) % 3 > 0;
    };
    impl::Bisection<1> one{0, impl::PsnrLadder::last};
    while (!one.is_done()) one.step(is_enough(one.middle()));
    impl::Bisection<3> many{0, impl::PsnrLadder::last};
    while (!many.is_done()) {
      many.step_down([&, tried = many](int node) { return is_enough(tried.rung(node)); });
    }
    ASSERT_EQ(many.enough, one.enough);
  }
}

// The two ways to add, one for hosts and one for devices, give the same integers.
template <class T>
void check_squares() {
  constexpr int bounds = 5;
  impl::Fill<T> const fill{true, static_cast<T>(1e20)};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    std::vector<T> field(static_cast<std::size_t>(random.between(1, 2048)));
    for (T& value : field) {
      value = random.one_in(5)   ? fill.value
              : random.one_in(5) ? random.any<T>()
                                 : static_cast<T>(random.between(-100000, 100000)) / 777;
    }
    impl::TriedBounds<T, bounds> tried;
    for (int k = 0; k < bounds; ++k) tried.set(k, k * 0.01);  // of none, too
    auto const count = static_cast<int>(field.size());
    impl::SquareSums<bounds> in_vectors{}, in_registers{};
    impl::detail::add_squares_in_vectors(field.data(), count, tried, fill, in_vectors);
    impl::detail::add_squares_in_registers(SingleThreadTeam{}, field.data(), count, tried, fill,
                                           in_registers);
    for (int k = 0; k <= bounds; ++k) EXPECT_EQ(in_vectors.of[k], in_registers.of[k]) << k;
  }
}
TEST(PsnrSquares, InVectorsAndInRegisters_AreTheSame) {
  check_squares<float>();
  check_squares<double>();
}

// A decoder moves what lies outside of limits, which the search does not see.
TYPED_TEST(Psnr, WithLimits_IsReached) {
  auto const shape = shape_from<float>({20000});
  for (double const decibels : {20.0, 40.0, 70.0}) {
    std::vector<float> field(20000);
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = i % 100 == 0 ? static_cast<float>(i % 3) : -0.003f;
    }
    Options options{.bound = ErrorBound::psnr(decibels)};
    options.limits.lower = 0;
    EXPECT_GE(this->reached(field, shape, options), decibels);
  }
}

TEST(PsnrBound, ShareOfTheRange_IsNeverAboveThePower) {
  for (int i = 0; i <= 1000000; ++i) {
    double const decibels = i * 1e-3;
    long double const exact = std::pow(10.0L, -static_cast<long double>(decibels) / 20);
    auto const share = static_cast<long double>(impl::share_of_range(decibels));
    ASSERT_LE(share, exact) << decibels;
    ASSERT_GE(share, exact * (1 - 1e-12L)) << decibels;
  }
}

TEST(PsnrBound, OfPartsOfTinyRanges_IsRoundedDown) {
  double const least = std::numeric_limits<double>::denorm_min();
  FieldRange const range{true, 0, 3 * least, {}, {}};
  Options const options =
      absolute_options_for_parts(range, {.bound = ErrorBound::psnr(1), .fill = FillValue::none()});
  EXPECT_EQ(options.bound, ErrorBound::absolute(2 * least));
}

}  // namespace kompakt::test
