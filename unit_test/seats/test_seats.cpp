#include <container/reader.hpp>
#include <cstdlib>
#include <kompakt/io.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>

#include "toys.hpp"

// A coder and a predictor that the library does not know: it is built once more with their seats in its tables, and
// nothing else of it is touched. Neither has a form of its own for a backend.

namespace kompakt::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using impl::seat::toy_method;
using impl::seat::toy_pipeline;
using impl::seat::toy_predictor;

Options toy(ErrorBound bound, Predictor predictor = Predictor::automatic) {
  return {.bound = bound, .pipeline = toy_pipeline, .predictor = predictor};
}

class Seats : public testing::Test {
 protected:
  Codec<Exec> codec;
};

TEST_F(Seats, CoderOfATest_CodesFieldsOfEveryKind) {
  for (FieldShape const& shape : {shape_from<float>({5000}), shape_from<float>({70, 90}),
                                  shape_from<float>({20, 30, 40}), shape_from<float>({0, 7})}) {
    for (auto const family : {Family::smooth, Family::nan_islands, Family::spikes}) {
      auto const field = make_field<float>(family, shape);
      for (auto const bound : {ErrorBound::absolute(1e-3), ErrorBound::relative_to_range(1e-3),
                               ErrorBound::relative_to_value(1e-3), ErrorBound::lossless()}) {
        expect_round_trip(codec, field, shape, toy(bound));
      }
    }
  }
  FieldShape const doubles = shape_from<double>({33, 34, 35});
  expect_round_trip(codec, make_field<double>(Family::walk, doubles), doubles,
                    toy(ErrorBound::relative_to_range(1e-4)));
}

TEST_F(Seats, CoderOfATest_IsNamedAndTold) {
  EXPECT_STREQ(to_string(toy_pipeline), "toy");
  EXPECT_EQ(parse_pipeline("toy"), toy_pipeline);
  EXPECT_EQ(parse_pipeline("plain-bytes"), toy_pipeline);
  FieldShape const shape = shape_from<float>({20, 30, 40});
  auto const stream = codec.compress(make_field<float>(Family::smooth, shape), shape,
                                     toy(ErrorBound::absolute(1e-3)));
  EXPECT_EQ(inspect(stream).pipeline, toy_pipeline);
  Error const error =
      error_of([] { validate({.pipeline = toy_pipeline, .variant = Variant::nested}); });
  EXPECT_NE(std::string(error.what()).find("toy"), std::string::npos) << error.what();
}

TEST_F(Seats, CoderOfATest_RefusesDamage) {
  FieldShape const shape = shape_from<float>({60, 70});
  auto const field = make_field<float>(Family::walk, shape);
  auto const good = codec.compress(field, shape, toy(ErrorBound::absolute(1e-3)));
  std::size_t const payload =
      impl::read_header(good, good.size()).sections[impl::SectionId::payload].offset;
  for (std::size_t at = payload; at < good.size(); at += 97) {
    auto bytes = good;
    bytes[at] ^= std::byte{0x10};
    EXPECT_EQ(error_of([&] { codec.decompress<float>(bytes, shape); }).status(), Status::corrupt);
  }
}

TEST_F(Seats, CoderOfATest_DecodesRegions) {
  FieldShape const shape = shape_from<float>({40, 50, 60});
  auto const field = make_field<float>(Family::smooth, shape);
  auto const stream = codec.compress(field, shape, toy(ErrorBound::absolute(1e-3)));
  auto const whole = codec.decompress<float>(stream, shape);
  std::vector<std::size_t> const begin{3, 4, 5}, end{9, 24, 33};
  Exec const exec;
  Workspace<Exec> workspace(exec);
  auto const device = codec.upload(stream);
  Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> const region("region", 6, 20, 28);
  decompress(exec, device, workspace, region, Box{begin, end});
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 20; ++j) {
      for (std::size_t k = 0; k < 28; ++k) {
        ASSERT_EQ(region(i, j, k), whole[((i + 3) * 50 + j + 4) * 60 + k + 5]);
      }
    }
  }
}

TEST_F(Seats, PredictorOfATest_HasASectionThatItsTilesRead) {
  for (FieldShape const& shape : {shape_from<float>({5000}), shape_from<float>({20, 30, 40})}) {
    auto const field = make_field<float>(Family::smooth, shape);
    for (auto const bound : {ErrorBound::absolute(1e-3), ErrorBound::relative_to_range(1e-3)}) {
      auto const stream = expect_round_trip(codec, field, shape, toy(bound, toy_predictor));
      EXPECT_EQ(inspect(stream).prediction->method, toy_method);
      auto damaged = stream;
      auto const header = impl::read_header(stream, stream.size());
      damaged[header.sections[impl::SectionId::predictor].offset] ^= std::byte{1};
      Error const error = error_of([&] { codec.decompress<float>(damaged, shape); });
      EXPECT_EQ(error.status(), Status::corrupt) << error.what();
    }
  }
}

TEST_F(Seats, PredictorOfATest_GoesOnlyWithItsCoder) {
  EXPECT_EQ(parse_predictor("offset"), toy_predictor);
  Error const error = error_of([] { validate({.predictor = toy_predictor}); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("offset"), std::string::npos) << error.what();
}

TEST_F(Seats, Streams_SayWhoWroteThem) {
  FieldShape const shape = shape_from<float>({5000});
  auto const field = make_field<float>(Family::smooth, shape);
  auto const of_coder = codec.compress(field, shape, toy(ErrorBound::absolute(1e-3)));
  EXPECT_EQ(std::to_integer<int>(of_coder[impl::at::pipeline]), 200);
  auto const of_both = codec.compress(field, shape, toy(ErrorBound::absolute(1e-3), toy_predictor));
  EXPECT_EQ(std::to_integer<int>(of_both[impl::at::tiling]) >> impl::predictor_shift, 9);
  // For a test of the library that does not know them.
  if (char const* const path = std::getenv("KOMPAKT_TOY_STREAM")) {
    write_file(path, of_coder, Overwrite::yes);
  }
}

}  // namespace
}  // namespace kompakt::test
