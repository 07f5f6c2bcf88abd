#include <gtest/gtest.h>

#include <cmath>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/option_keys.hpp>
#include <limits>
#include <support/fields.hpp>

// One bound of a whole field for parts that are compressed apart.

namespace kompakt::test {

namespace {

constexpr std::size_t rows = 12, columns = 500;

/// A field whose parts have ranges of their own.
std::vector<double> field_between(double least, double most) {
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double const at = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    double const wave = std::sin(40 * at) * at * (1 - at) / 4;
    values[i] = (1 - at - wave) * least + (at + wave) * most;
  }
  values.front() = least;
  values.back() = most;
  return values;
}

/// The field after a trip of each row through a stream of its own.
std::vector<double> restored_by_rows(std::vector<double> const& values, Options const& options) {
  AnyCodec codec;
  FieldShape const row = shape_from<double>({columns});
  std::vector<double> restored(values.size());
  std::vector<std::byte> stream(max_compressed_bytes(row, options));
  for (std::size_t i = 0; i < values.size(); i += columns) {
    StreamInfo const info = codec.compress(ConstFieldData(&values[i], row), MemoryOf::host, options,
                                           stream, MemoryOf::host);
    codec.decompress(std::span(stream).first(info.bytes), MemoryOf::host,
                     FieldData(&restored[i], row), MemoryOf::host);
  }
  return restored;
}

FieldRange range_of(std::vector<double> const& values) {
  auto const [least, most] = std::minmax_element(values.begin(), values.end());
  return {true, *least, *most, {}};
}

/// Errors in units that do not overflow.
void expect_within(std::vector<double> const& values, std::vector<double> const& restored,
                   ErrorBound const& bound, std::string const& text) {
  FieldRange const range = range_of(values);
  long double const width = static_cast<long double>(range.max) - range.min;
  long double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    long double const error = std::abs(static_cast<long double>(values[i]) - restored[i]);
    if (bound.mode == ErrorBound::Mode::r2r) {
      ASSERT_LE(error, bound.value * width) << text << " " << i;
    }
    squares += width > 0 ? (error / width) * (error / width) : error;
  }
  if (bound.mode != ErrorBound::Mode::psnr) return;
  ASSERT_LE(squares / static_cast<long double>(values.size()), std::pow(10.0L, -bound.value / 10))
      << text;
}

}  // namespace

TEST(OptionsForParts, OfEveryRange_KeepTheBoundOfTheWhole) {
  constexpr double huge = std::numeric_limits<double>::max();
  std::pair<double, double> const ends[] = {
      {-1, 3}, {270, 300}, {-huge, huge}, {-huge, 0.9 * huge}, {0, huge}, {5, 5}};
  for (auto const& [least, most] : ends) {
    auto const values = field_between(least, most);
    FieldRange const range = range_of(values);
    for (char const* text : {"r2r:1e-3", "r2r:1e-6", "psnr:60", "psnr:100"}) {
      for (char const* pipeline : {"fixedlength", "bitshuffle", "rans"}) {
        Options options;
        set(options, text);
        set(options, "pipeline", pipeline);
        std::string const name =
            std::string(text) + " " + pipeline + " of " + std::to_string(least);
        Options const parts = options_for_parts(range, options);
        EXPECT_NO_THROW(validate(parts)) << name;
        expect_within(values, restored_by_rows(values, parts), options.bound, name);
        Options const absolute = absolute_options_for_parts(range, options);
        EXPECT_NO_THROW(validate(absolute)) << name;
        EXPECT_FALSE(absolute.bound.needs_range()) << name;
        expect_within(values, restored_by_rows(values, absolute), options.bound, name);
      }
    }
  }
}

TEST(OptionsForParts, OfARangeWithoutFiniteEnds_AreRefused) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (FieldRange const& range :
       {FieldRange{true, 0, infinity, {}, {}}, {true, -infinity, 0, {}, {}}}) {
    EXPECT_THROW(options_for_parts(range, {}), Error);
    EXPECT_THROW(absolute_options_for_parts(range, {}), Error);
  }
}

TEST(OptionsForParts, TakeTheFillValueFoundAndTheRangeGiven) {
  FieldRange const found{true, 0, 10, 1e20};
  Options options;
  set(options, "r2r:1e-2,fill=auto");
  Options const parts = options_for_parts(found, options);
  EXPECT_EQ(text_of(parts), "r2r:0.01,pipeline=fixedlength,fill=1e+20,range=10");
  set(options, "range", "4");
  EXPECT_EQ(options_for_parts(found, options).range, 4);
  EXPECT_EQ(absolute_options_for_parts(found, options).bound, ErrorBound::absolute(0.04));
  set(options, "abs:0.5");
  EXPECT_EQ(options_for_parts({true, 0, 10, {}}, options).fill, FillValue::none());
  set(options, "fill", "7");
  EXPECT_EQ(options_for_parts({true, 0, 10, {}}, options).fill, FillValue::of(7));
}

// No part can tell: each has values alone or land alone.
TEST(OptionsForParts, LandThatFillsWholeParts_IsMaskedAndLeavesTheRange) {
  AnyCodec codec;
  FieldShape const row = shape_from<double>({columns});
  for (auto const& [first, last] : {std::pair(0u, 1u), {0u, 9u}, {5u, 6u}, {3u, 12u}}) {
    std::vector<double> values = field_between(260, 300);
    std::fill(values.begin() + first * columns, values.begin() + last * columns, 1e20);
    FieldRange whole;
    for (std::size_t i = 0; i < values.size(); i += columns) {
      whole = joined(whole, codec.field_range(ConstFieldData(&values[i], row), MemoryOf::host,
                                              FillValue::automatic()));
    }
    for (char const* text : {"r2r:1e-3", "psnr:60", "pwr:1e-3"}) {
      Options options;
      set(options, text);
      Options const parts = options_for_parts(whole, options);
      auto const restored = restored_by_rows(values, parts);
      for (std::size_t i = 0; i < values.size(); ++i) {
        bool const is_land = values[i] == 1e20;
        ASSERT_LE(std::abs(values[i] - restored[i]), is_land ? 0 : 0.31)
            << text << " " << i << " land from " << first;
      }
      if (options.bound.needs_range()) {
        EXPECT_LT(parts.range, 40.1) << text;
      }
    }
    Options none;
    none.fill = FillValue::none();
    EXPECT_GT(options_for_parts(whole, none).range, 9e19) << "asked for";
  }
}

// What lies apart in a part is one crowd where the range is wider.
TEST(OptionsForParts, APeakInOnePart_IsRefusedInAnyOrderOfThem) {
  AnyCodec codec;
  FieldShape const row = shape_from<double>({columns});
  std::vector<double> peak = field_between(278, 282), plain = peak, level(columns, 281);
  peak.resize(columns);
  plain.resize(columns);
  peak[7] = 1e30;
  std::vector<FieldRange> parts;
  for (auto const* values : {&peak, &plain, &level}) {
    parts.push_back(codec.field_range(ConstFieldData(values->data(), row), MemoryOf::host,
                                      FillValue::automatic()));
  }
  auto const [a, b, c] = std::tie(parts[0], parts[1], parts[2]);
  for (FieldRange const& whole : {joined(joined(a, b), c), joined(a, joined(b, c)),
                                  joined(joined(c, b), a), joined(joined(c, a), b)}) {
    EXPECT_THROW(options_for_parts(whole, Options{}), Error);
  }
}

TEST(OptionsForParts, OfEqualValues_AreLosslessWhereOnlyAnAbsoluteBoundIsKept) {
  Options options;
  set(options, "r2r:1e-2,pipeline=huffman,variant=custom,predictor=interpolate");
  Options const parts = absolute_options_for_parts({true, 7, 7, {}}, options);
  EXPECT_EQ(parts.bound, ErrorBound::lossless());
  EXPECT_EQ(parts.pipeline, Pipeline::fixedlength);
  EXPECT_NO_THROW(validate(parts));
}

}  // namespace kompakt::test
