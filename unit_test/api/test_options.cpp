#include <gtest/gtest.h>

#include <kompakt/kompakt.hpp>
#include <limits>
#include <optional>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>

namespace kompakt::test {

TEST(Words, OfEveryOption_ComeBack) {
  for (int i = 0; i < variant_count; ++i) {
    auto const v = static_cast<Variant>(i);
    EXPECT_EQ(parse_variant(to_string(v)), v);
  }
  for (auto const p :
       {Pipeline::huffman, Pipeline::bitshuffle, Pipeline::fixedlength, Pipeline::rans}) {
    EXPECT_EQ(parse_pipeline(to_string(p)), p);
  }
  for (auto const p : {Predictor::chain, Predictor::tile, Predictor::automatic}) {
    EXPECT_EQ(parse_predictor(to_string(p)), p);
  }
  EXPECT_EQ(parse_mode("abs"), ErrorBound::Mode::abs);
  EXPECT_EQ(parse_mode("r2r"), ErrorBound::Mode::r2r);
  EXPECT_EQ(parse_pipeline("cuszp2"), Pipeline::fixedlength);
  EXPECT_EQ(parse_pipeline("cusz"), Pipeline::huffman);
  for (char const* word : {"fz", "fz-gpu", "fz-omp"}) {
    EXPECT_EQ(parse_pipeline(word), Pipeline::bitshuffle);
  }
}

TEST(Words, Unknown_AreNamedBesideTheKnownOnes) {
  try {
    parse_variant("fancy");
    FAIL();
  } catch (Error const& e) {
    EXPECT_EQ(e.status(), Status::bad_argument);
    EXPECT_STREQ(e.what(),
                 "variant: 'fancy' is not known; use one of auto, plain, outlier, fz, nested, "
                 "custom, dictionary");
  }
}

/// What validate() says of options that it refuses.
std::string refusal_of(Options const& options) {
  try {
    validate(options);
  } catch (Error const& e) {
    EXPECT_EQ(e.status(), Status::bad_argument);
    return e.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(Validate, VariantOfAnotherPipeline_IsNamedBesideThoseThatGo) {
  EXPECT_EQ(refusal_of({.pipeline = Pipeline::bitshuffle, .variant = Variant::outlier}),
            "options: the variant 'outlier' is not one of the pipeline bitshuffle; use auto, fz "
            "or nested");
  EXPECT_THROW(validate({.variant = Variant::nested}), Error);
  EXPECT_THROW(validate({.pipeline = Pipeline::huffman, .variant = Variant::plain}), Error);
}

TEST(Validate, RadiusThatIsNoPowerOfTwo_IsNamed) {
  for (int const radius : {-1, 0, 1, 16, 511, 513, 65536}) {
    EXPECT_EQ(refusal_of({.pipeline = Pipeline::huffman, .radius = radius}),
              "options: the radius " + std::to_string(radius) +
                  " is not a power of two from 32 to 32768");
  }
  for (int radius = 32; radius <= 32768; radius *= 2) validate({.radius = radius});
}

TEST(Validate, DictionaryWithAnotherRadius_IsNamed) {
  Options options{.pipeline = Pipeline::huffman, .variant = Variant::dictionary};
  validate(options);
  options.radius = 256;
  EXPECT_EQ(refusal_of(options),
            "options: the dictionary's codebooks are for the radius 512, not 256; use the variant "
            "custom");
}

TEST(MaxCompressedBytes, OfNoise_IsReachedWithinAFewPercent) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({1 << 20});
  for (auto const p :
       {Pipeline::huffman, Pipeline::bitshuffle, Pipeline::fixedlength, Pipeline::rans}) {
    Options const options{.bound = ErrorBound::absolute(1e-30), .pipeline = p};
    auto const stream = codec.compress(make_field<float>(Family::bits, shape), shape, options);
    std::size_t const most = max_compressed_bytes(shape, options);
    EXPECT_LE(stream.size(), most);
    EXPECT_LE(static_cast<double>(most), 1.01 * static_cast<double>(shape.bytes()));
  }
}

TEST(MaxCompressedBytes, OfUnusableExtents_Throws) {
  FieldShape const huge = shape_from<float>({std::size_t{1} << 40, std::size_t{1} << 40});
  EXPECT_THROW(max_compressed_bytes(huge), Error);
  FieldShape const one_call = shape_from<float>({(std::size_t{1} << 43) - 2 * 4096});
  EXPECT_GT(max_compressed_bytes(one_call), std::size_t{1} << 43);
  for (std::size_t const values : {std::size_t{1} << 43, std::size_t{1} << 60}) {
    for (std::optional<Goal> const goal : {std::optional<Goal>(), std::optional(Goal::ratio)}) {
      Options options{.pipeline = goal ? Pipeline::automatic : Pipeline::huffman, .goal = goal};
      Error const error =
          error_of([&] { max_compressed_bytes(shape_from<double>({values}), options); });
      EXPECT_EQ(error.status(), Status::bad_argument);
      EXPECT_EQ(std::string(error.what()),
                "max_compressed_bytes: " + std::to_string(values / 4096) +
                    " chunks are more than one call can take; split the field");
    }
  }
  // Levels have fewer values in one call than tiles.
  Options const levels{.pipeline = Pipeline::huffman, .predictor = Predictor::interpolate};
  FieldShape const for_tiles = shape_from<float>({std::size_t{1} << 42});
  EXPECT_EQ(error_of([&] { max_compressed_bytes(for_tiles, levels); }).status(),
            Status::bad_argument);
  Options const any{.pipeline = Pipeline::automatic, .goal = Goal::ratio};
  EXPECT_GT(max_compressed_bytes(for_tiles, any), std::size_t{1} << 44);
  FieldShape nine = shape_from<float>({1, 1, 1, 1, 1, 1, 1, 1});
  nine.rank = 9;
  EXPECT_THROW(max_compressed_bytes(nine), Error);
}

Options with_range(double value, double range) {
  return {.bound = ErrorBound::relative_to_range(value), .range = range};
}

TEST(Validate, RangeThatIsNone_IsNamed) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  for (auto const& [range, word] : {std::pair{-1.0, "-1"}, {nan, "nan"}, {infinity, "inf"}}) {
    EXPECT_NE(
        refusal_of(with_range(1e-3, range)).find(std::string("the range ") + word + " is not"),
        std::string::npos)
        << range;
  }
}

TEST(Validate, RangeBesideAnAbsoluteBound_IsRefused) {
  Options options = with_range(1e-3, 5);
  options.bound = ErrorBound::absolute(1e-3);
  EXPECT_NE(refusal_of(options).find("this one is abs"), std::string::npos);
}

TEST(Validate, RangeThatMakesNoBound_IsRefused) {
  EXPECT_NE(refusal_of(with_range(1e-200, 1e-200)).find("is 0, not"), std::string::npos);
  EXPECT_NE(refusal_of(with_range(1e200, 1e200)).find("is inf, not"), std::string::npos);
}

}  // namespace kompakt::test
