#include "c_case.hpp"
#include <cmath>
#include <cstring>
#include <kompakt/any_codec.hpp>
#include <kompakt/option_keys.hpp>
#include <support/codings.hpp>
#include <support/placed.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>
#include <thread>

// The C interface gives bytes, values and numbers of the C++ one.

namespace kompakt::test {

template <class Exec>
class CCalls : public testing::Test {
 protected:
  using Bytes = Placed<Exec>;

  /// There and back, dense or with gaps, from and to either memory.
  template <class T>
  void round_trip(std::vector<std::size_t> const& extents, Options const& options, bool strided) {
    Random random(7);
    FieldShape shape = shape_from<T>(extents);
    Strides strides = strides_of(shape);
    std::size_t size = shape.size();
    if (strided) std::tie(strides, size) = random_strides(random, extents);
    std::vector<T> const array = values_of<T>(shape_from<T>({size}));
    for (MemoryOf const field_in : memories) {
      for (MemoryOf const stream_in : memories) {
        Bytes field(field_in, bytes_of(array)), restored(field_in, bytes_of(array));
        std::size_t const most = max_compressed_bytes(shape, options);
        Bytes stream(stream_in, most), expected(stream_in, most);
        StreamInfo const info = codec.compress({field.data(), shape, strides}, field_in, options,
                                               expected.span(), stream_in);
        codec.decompress(expected.span().first(info.bytes), stream_in,
                         {field.data(), shape, strides}, field_in);

        kompakt_field c_field = field_of(shape, field_in);
        if (strided) std::copy_n(strides.begin(), max_rank, c_field.strides);
        kompakt_options const c_options = to_c(options);
        auto const c_stream_in = static_cast<kompakt_memory>(stream_in);
        kompakt_info c_info = kompakt_info_default();
        std::uint64_t c_most = 0;
        ASSERT_EQ(kompakt_max_compressed_bytes(&c_field, &c_options, &c_most), KOMPAKT_OK);
        EXPECT_EQ(c_most, most);
        ASSERT_EQ(kompakt_compress(context.get(), &c_field, restored.data(), &c_options,
                                   stream.data(), c_most, c_stream_in, &c_info),
                  KOMPAKT_OK)
            << kompakt_last_message();
        expect_same_info(c_info, info);
        expect_same_bytes(stream.first(c_info.bytes), expected.first(info.bytes), "C");
        c_info = kompakt_info_default();
        ASSERT_EQ(kompakt_decompress(context.get(), stream.data(), info.bytes, c_stream_in,
                                     &c_field, restored.data(), &c_info),
                  KOMPAKT_OK)
            << kompakt_last_message();
        expect_same_info(c_info, info);
        expect_same_bytes(restored.contents(), field.contents(), "values");
      }
    }
  }

  template <class T>
  static std::vector<T> values_of(FieldShape const& shape) {
    if constexpr (std::is_integral_v<T>) {
      return make_integers<T>(shape);
    } else {
      return make_field<T>(Family::nan_islands, shape);
    }
  }

  Exec exec;
  AnyCodec codec{exec};
  Context context = make_context(static_cast<kompakt_space>(space_of<Exec>), stream_of(exec));
};
TYPED_TEST_SUITE(CCalls, Spaces, SpaceName);

TYPED_TEST(CCalls, RoundTrip_IsThatOfCpp) {
  for (Coding const& coding : main_codings) {
    for (bool const strided : {false, true}) {
      SCOPED_TRACE(coding.name());
      Options const options = coding.with(ErrorBound::absolute(1e-3));
      this->template round_trip<float>({20, 33, 21}, options, strided);
      this->template round_trip<double>({5000}, options, strided);
      this->template round_trip<float>({5, 0, 3}, options, false);
    }
  }
}

TYPED_TEST(CCalls, EveryOptionAndType_IsThatOfCpp) {
  this->template round_trip<double>({40, 50}, {.bound = ErrorBound::relative_to_value(1e-2)}, true);
  this->template round_trip<double>({40, 50}, {.bound = ErrorBound::psnr(40)}, false);
  Options options{.bound = ErrorBound::relative_to_range(1e-3),
                  .pipeline = Pipeline::huffman,
                  .variant = Variant::custom,
                  .predictor = Predictor::chain,
                  .checksum = false,
                  .radius = 1024,
                  .range = 3.5,
                  .fill = FillValue::of(1e20)};
  this->template round_trip<float>({40, 50}, options, false);
  options = {.fill = FillValue::automatic()};
  this->template round_trip<float>({40, 50}, options, true);
  options = {.pipeline = Pipeline::huffman, .fill = FillValue::of(-7)};
  this->template round_trip<std::int16_t>({40, 50}, options, true);
  options = {.bound = ErrorBound::relative_to_range(1e-3)};
  this->template round_trip<std::int16_t>({40, 50}, options, true);
  options = {.bound = ErrorBound::lossless()};
  this->template round_trip<std::int8_t>({40, 50}, options, false);
  this->template round_trip<std::uint8_t>({40, 50}, options, true);
  this->template round_trip<std::int16_t>({40, 50}, options, true);
  this->template round_trip<std::uint16_t>({40, 50}, options, false);
  this->template round_trip<std::int32_t>({40, 50}, options, false);
  this->template round_trip<std::uint32_t>({40, 50}, options, true);
  this->template round_trip<std::int64_t>({2, 2, 2, 2, 2, 2, 2, 5}, options, true);
  this->template round_trip<std::uint64_t>({40, 50}, options, false);
}

TYPED_TEST(CCalls, IntegersWithoutAChosenBound_ComeBackExactly) {
  FieldShape const shape = shape_from<std::int32_t>({40, 50});
  std::vector<std::int32_t> const values = make_integers<std::int32_t>(shape);
  std::vector<std::int32_t> restored(values.size());
  kompakt_field const field = field_of(shape);
  kompakt_options const unsaid = kompakt_options_default();
  for (kompakt_options const* options : {&unsaid, static_cast<kompakt_options const*>(nullptr)}) {
    std::uint64_t most = 0;
    ASSERT_EQ(kompakt_max_compressed_bytes(&field, options, &most), KOMPAKT_OK);
    std::vector<std::byte> stream(most);
    kompakt_info info = kompakt_info_default();
    ASSERT_EQ(kompakt_compress(this->context.get(), &field, values.data(), options, stream.data(),
                               most, KOMPAKT_HOST, &info),
              KOMPAKT_OK)
        << kompakt_last_message();
    ASSERT_EQ(kompakt_decompress(this->context.get(), stream.data(), info.bytes, KOMPAKT_HOST,
                                 &field, restored.data(), &info),
              KOMPAKT_OK)
        << kompakt_last_message();
    EXPECT_EQ(info.bound.mode, KOMPAKT_BOUND_LOSSLESS);
    EXPECT_EQ(restored, values);
  }
}

TYPED_TEST(CCalls, Region_IsThatOfCpp) {
  FieldShape shape = shape_from<float>({12, 30, 40});
  shape.order = Order::first_fastest;
  auto values = make_field<float>(Family::smooth, shape);
  std::vector<std::byte> stream(max_compressed_bytes(shape));
  stream.resize(
      this->codec
          .compress(FieldData{values.data(), shape}, MemoryOf::host, {}, stream, MemoryOf::host)
          .bytes);
  Box const box{{2, 3, 5}, {9, 30, 6}};
  FieldShape const region = box.shape_in(shape);
  std::vector<float> expected(region.size()), found(region.size());
  this->codec.decompress(stream, MemoryOf::host, FieldData{expected.data(), region}, MemoryOf::host,
                         box);
  kompakt_field const c_region = field_of(region);
  std::uint64_t const begin[] = {2, 3, 5}, end[] = {9, 30, 6};
  kompakt_info info = kompakt_info_default();
  ASSERT_EQ(kompakt_decompress_region(this->context.get(), stream.data(), stream.size(),
                                      KOMPAKT_HOST, begin, end, &c_region, found.data(), &info),
            KOMPAKT_OK)
      << kompakt_last_message();
  EXPECT_EQ(found, expected);
  expect_same_info(info, inspect(stream));
}

TYPED_TEST(CCalls, Batch_IsThatOfTheFieldsAlone) {
  FieldShape const shapes[] = {shape_from<float>({50, 60}), shape_from<double>({3000})};
  auto const a = make_field<float>(Family::walk, shapes[0]);
  auto const b = make_field<double>(Family::smooth, shapes[1]);
  void const* const values[] = {a.data(), b.data()};
  ErrorBound const bounds[] = {ErrorBound::absolute(0.01), ErrorBound::relative_to_range(1e-4)};
  kompakt_bound const c_bounds[] = {to_c(bounds[0]), to_c(bounds[1])};
  for (bool const own_bounds : {false, true}) {
    std::vector<std::byte> streams[2];
    void* places[2];
    std::uint64_t capacities[2];
    kompakt_info infos[2] = {kompakt_info_default(), kompakt_info_default()};
    kompakt_field const fields[] = {field_of(shapes[0]), field_of(shapes[1])};
    for (std::size_t i = 0; i < 2; ++i) {
      streams[i].resize(max_compressed_bytes(shapes[i]));
      places[i] = streams[i].data();
      capacities[i] = streams[i].size();
    }
    ASSERT_EQ(kompakt_compress_batch(this->context.get(), 2, fields, values,
                                     own_bounds ? c_bounds : nullptr, nullptr, places, capacities,
                                     KOMPAKT_HOST, infos),
              KOMPAKT_OK)
        << kompakt_last_message();
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<std::byte> expected(capacities[i]);
      Options const options{.bound = own_bounds ? bounds[i] : Options{}.bound};
      expected.resize(this->codec
                          .compress(ConstFieldData(values[i], shapes[i]), MemoryOf::host, options,
                                    expected, MemoryOf::host)
                          .bytes);
      streams[i].resize(infos[i].bytes);
      expect_same_bytes(streams[i], expected, "batch");
      expect_same_info(infos[i], inspect(expected));
    }
  }
}

TYPED_TEST(CCalls, BatchAfterAChoice_StoresItsReason) {
  FieldShape const shape = shape_from<float>({30, 40});
  auto const values = make_field<float>(Family::walk, shape);
  kompakt_field const field = field_of(shape);
  kompakt_options options = kompakt_options_default();
  ASSERT_EQ(
      kompakt_choose(this->context.get(), &field, values.data(), KOMPAKT_GOAL_RATIO, &options),
      KOMPAKT_OK);
  std::vector<std::byte> stream(max_compressed_bytes(shape));
  void const* const from = values.data();
  void* const to = stream.data();
  std::uint64_t const capacity = stream.size();
  kompakt_info info = kompakt_info_default();
  ASSERT_EQ(kompakt_compress_batch(this->context.get(), 1, &field, &from, nullptr, &options, &to,
                                   &capacity, KOMPAKT_HOST, &info),
            KOMPAKT_OK)
      << kompakt_last_message();
  EXPECT_EQ(info.goal, KOMPAKT_GOAL_RATIO);
}

TYPED_TEST(CCalls, ChoiceAndItsReason_AreThoseOfCpp) {
  FieldShape const shape = shape_from<float>({64, 100});
  auto const values = make_field<float>(Family::smooth, shape);
  ConstFieldData const field(values.data(), shape);
  for (Goal const goal : {Goal::ratio, Goal::speed, Goal::balanced, Goal::smallest}) {
    Choice const choice = this->codec.choose(field, MemoryOf::host, {}, goal);
    kompakt_options options = kompakt_options_default();
    kompakt_field const c_field = field_of(shape);
    ASSERT_EQ(kompakt_choose(this->context.get(), &c_field, values.data(),
                             static_cast<kompakt_goal>(goal), &options),
              KOMPAKT_OK)
        << kompakt_last_message();
    kompakt_options const expected = to_c(choice.options, choice.reason);
    EXPECT_EQ(std::memcmp(&options, &expected, sizeof options), 0);
    std::vector<std::byte> a(max_compressed_bytes(shape, choice.options)), b(a.size());
    StreamInfo const info = this->codec.compress(field, MemoryOf::host, choice.options, a,
                                                 MemoryOf::host, choice.reason);
    kompakt_info c_info = kompakt_info_default();
    ASSERT_EQ(kompakt_compress(this->context.get(), &c_field, values.data(), &options, b.data(),
                               b.size(), KOMPAKT_HOST, &c_info),
              KOMPAKT_OK);
    EXPECT_EQ(a, b);
    expect_same_info(c_info, info);
    EXPECT_EQ(c_info.goal, static_cast<kompakt_goal>(goal));
  }
}

TYPED_TEST(CCalls, Range_IsThatOfCpp) {
  FieldShape const shape = shape_from<double>({64, 100});
  auto const values = make_field<double>(Family::land, shape);
  kompakt_field const field = field_of(shape);
  kompakt_options options = kompakt_options_default();
  for (FillValue const& fill : {FillValue::none(), FillValue::automatic()}) {
    FieldRange const expected =
        this->codec.field_range(ConstFieldData(values.data(), shape), MemoryOf::host, fill);
    options.fill_mode = static_cast<kompakt_fill_mode>(fill.mode);
    kompakt_range range = kompakt_range_default();
    ASSERT_EQ(kompakt_field_range(this->context.get(), &field, values.data(), &options, &range),
              KOMPAKT_OK)
        << kompakt_last_message();
    EXPECT_EQ(range.any != 0, expected.any);
    EXPECT_EQ(range.min, expected.min);
    EXPECT_EQ(range.max, expected.max);
    EXPECT_EQ(range.width, expected.width());
    double width = 0;
    ASSERT_EQ(kompakt_range_width(range.min, range.max, &width), KOMPAKT_OK);
    EXPECT_EQ(width, expected.width());
    EXPECT_EQ(range.has_fill != 0, expected.fill.has_value());
    EXPECT_EQ(range.fill, expected.fill.value_or(0));
  }
}

TYPED_TEST(CCalls, OptionsForParts_HaveAllFillValues) {
  FieldShape const shape = shape_from<float>({64, 100});
  auto values = make_field<float>(Family::smooth, shape);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? -1e30F : 1e20F;
  kompakt_field const field = field_of(shape);
  kompakt_options options = kompakt_options_default();
  kompakt_range range = kompakt_range_default();
  ASSERT_EQ(kompakt_field_range(this->context.get(), &field, values.data(), &options, &range),
            KOMPAKT_OK)
      << kompakt_last_message();
  EXPECT_EQ(range.has_fill, 1);
  ASSERT_EQ(range.other_fill_count, 1);
  EXPECT_LT(range.width, 1e6);
  ASSERT_EQ(kompakt_options_for_parts(&range, &options), KOMPAKT_OK) << kompakt_last_message();
  EXPECT_EQ(options.range, range.width);
  EXPECT_EQ(options.fill_mode, KOMPAKT_FILL_VALUE);
  EXPECT_EQ(options.fill, range.fill);
  ASSERT_EQ(options.other_fill_count, 1);
  EXPECT_EQ(options.other_fills[0], range.other_fills[0]);
}

// Every type of the header's list is measured: the one value that is off, by how much, and where.
void expect_quality(kompakt_context* context, kompakt_dtype dtype,
                    std::vector<std::byte> const& original, std::vector<std::byte> const& other,
                    std::size_t extent, double error) {
  kompakt_field field = kompakt_field_default();
  field.dtype = dtype;
  field.rank = 1;
  field.extents[0] = extent;
  kompakt_quality q = kompakt_quality_default();
  kompakt_bound const bound = kompakt_absolute(error / 2);
  ASSERT_EQ(kompakt_compare(context, &field, original.data(), &field, other.data(), &bound,
                            KOMPAKT_QUALITY_ALL, &q),
            KOMPAKT_OK)
      << dtype << ": " << kompakt_last_message();
  EXPECT_EQ(q.max_abs_error, error) << dtype;
  EXPECT_EQ(q.violations, 1u) << dtype;
}

TYPED_TEST(CCalls, Quality_IsThatOfEveryType) {
  constexpr std::size_t extent = 60, off = 41;
  for (int dtype = 0; dtype < dtype_count; ++dtype) {
    auto const type = static_cast<Dtype>(dtype);
    std::size_t const parts = is_complex(type) ? 2 : 1;
    with_value_type(type, [&]<class N>(N) {
      auto const bytes_with = [&](float different) {
        std::vector<std::byte> bytes(extent * size_of(type));
        for (std::size_t i = 0; i < extent * parts; ++i) {
          float const number = static_cast<float>(i % 50) + (i == off ? different : 0.0f);
          N value;
          if constexpr (HalfFloat<N>) {
            value = N::nearest(number);
          } else {
            value = static_cast<N>(number);
          }
          std::memcpy(&bytes[i * sizeof(N)], &value, sizeof(N));
        }
        return bytes;
      };
      expect_quality(this->context.get(), static_cast<kompakt_dtype>(type), bytes_with(0),
                     bytes_with(4), extent, 4);
    });
  }
}

TYPED_TEST(CCalls, QualityOfIntegersThatNoDoubleHolds_IsRefused) {
  std::vector<std::int64_t> const values(5, (std::int64_t{1} << 53) + 1);
  kompakt_field field = kompakt_field_default();
  field.dtype = KOMPAKT_I64;
  field.rank = 1;
  field.extents[0] = values.size();
  kompakt_quality q = kompakt_quality_default();
  EXPECT_EQ(kompakt_compare(this->context.get(), &field, values.data(), &field, values.data(),
                            nullptr, 0, &q),
            KOMPAKT_BAD_ARGUMENT);
  EXPECT_NE(std::string(kompakt_last_message()).find("2^53"), std::string::npos);
}

TYPED_TEST(CCalls, Quality_IsThatOfCpp) {
  FieldShape const shape = shape_from<float>({30, 40});
  auto const a = make_field<float>(Family::smooth, shape);
  auto b = a;
  for (std::size_t i = 0; i < b.size(); i += 3) b[i] += 0.01f * static_cast<float>(i % 7);
  kompakt_field const field = field_of(shape);
  kompakt_bound const bound = kompakt_absolute(0.05);
  for (std::uint32_t const groups :
       {KOMPAKT_QUALITY_BASIC, KOMPAKT_QUALITY_SSIM, KOMPAKT_QUALITY_ALL}) {
    bool const all = groups == KOMPAKT_QUALITY_ALL;
    MetricsOptions const wanted{groups != 0, all, all, all};
    Metrics const expected = this->codec.metrics(ConstFieldData(a.data(), shape), MemoryOf::host,
                                                 ConstFieldData(b.data(), shape), MemoryOf::host,
                                                 ErrorBound::absolute(0.05), wanted);
    kompakt_quality q = kompakt_quality_default();
    ASSERT_EQ(kompakt_compare(this->context.get(), &field, a.data(), &field, b.data(), &bound,
                              groups, &q),
              KOMPAKT_OK)
        << kompakt_last_message();
    auto const expect_same = [](double found, double wanted_number) {
      if (std::isnan(wanted_number)) {
        EXPECT_TRUE(std::isnan(found));
      } else {
        EXPECT_NEAR(found, wanted_number, 1e-12 * std::abs(wanted_number));
      }
    };
    EXPECT_EQ(q.values, expected.values);
    EXPECT_EQ(q.nonfinite, expected.nonfinite);
    EXPECT_EQ(q.violations, expected.violations);
    EXPECT_EQ(q.first_violation, expected.first_violation);
    EXPECT_EQ(q.max_abs_error, expected.max_abs_error);
    expect_same(q.max_rel_error, expected.max_rel_error);
    expect_same(q.mean_error, expected.mean_error);
    EXPECT_EQ(q.min, expected.min);
    EXPECT_EQ(q.max, expected.max);
    expect_same(q.rmse, expected.rmse());
    expect_same(q.nrmse, expected.nrmse());
    expect_same(q.psnr_db, expected.psnr_db());
    expect_same(q.pearson, expected.pearson);
    expect_same(q.ssim, expected.ssim);
    EXPECT_EQ(q.ssim_windows, expected.ssim_windows);
    for (std::size_t i = 0; i < Metrics::lags; ++i) {
      expect_same(q.autocorrelation[i], all ? expected.autocorrelation[i] : Metrics::undefined);
    }
    for (std::size_t i = 0; i < ErrorHistogram::bins; ++i) {
      EXPECT_EQ(q.histogram[i], all ? expected.histogram.counts[i] : 0);
    }
    EXPECT_EQ(q.histogram_below, expected.histogram.below);
    EXPECT_EQ(q.histogram_above, expected.histogram.above);
    expect_same(q.entropy_original, expected.entropy_original);
    expect_same(q.entropy_reconstructed, expected.entropy_reconstructed);
  }
}

TYPED_TEST(CCalls, Context_SaysWhereItIsAndWhatItHolds) {
  kompakt_space space = KOMPAKT_SPACE_DEFAULT;
  ASSERT_EQ(kompakt_context_space(this->context.get(), &space), KOMPAKT_OK);
  EXPECT_EQ(space, static_cast<kompakt_space>(space_of<TypeParam>));
  EXPECT_EQ(kompakt_has_space(space), 1);
  std::uint64_t before = 1, after = 0;
  ASSERT_EQ(kompakt_context_bytes(this->context.get(), &before), KOMPAKT_OK);
  this->template round_trip<float>({100, 100}, {}, true);
  ASSERT_EQ(kompakt_context_bytes(this->context.get(), &after), KOMPAKT_OK);
  EXPECT_EQ(before, 0u);
  EXPECT_GT(after, 0u);
  EXPECT_EQ(kompakt_context_fence(this->context.get()), KOMPAKT_OK);
}

namespace {

template <class Enum>
constexpr bool same(std::int32_t number, Enum value) {
  return number == static_cast<std::int32_t>(value);
}

}  // namespace

TEST(CNumbers, AreThoseOfCpp) {
  static_assert(same(KOMPAKT_SPACE_SERIAL, Space::serial) &&
                same(KOMPAKT_SPACE_OPENMP, Space::openmp) && same(KOMPAKT_SPACE_CUDA, Space::cuda));
  static_assert(same(KOMPAKT_F32, Dtype::f32) && same(KOMPAKT_F64, Dtype::f64) &&
                same(KOMPAKT_I8, Dtype::i8) && same(KOMPAKT_U8, Dtype::u8) &&
                same(KOMPAKT_I16, Dtype::i16) && same(KOMPAKT_U16, Dtype::u16) &&
                same(KOMPAKT_I32, Dtype::i32) && same(KOMPAKT_U32, Dtype::u32) &&
                same(KOMPAKT_I64, Dtype::i64) && same(KOMPAKT_U64, Dtype::u64));
  static_assert(same(KOMPAKT_LAST_FASTEST, Order::last_fastest) &&
                same(KOMPAKT_FIRST_FASTEST, Order::first_fastest));
  static_assert(same(KOMPAKT_HOST, MemoryOf::host) && same(KOMPAKT_IN_SPACE, MemoryOf::space));
  static_assert(same(KOMPAKT_BOUND_ABS, ErrorBound::Mode::abs) &&
                same(KOMPAKT_BOUND_R2R, ErrorBound::Mode::r2r) &&
                same(KOMPAKT_BOUND_PWR, ErrorBound::Mode::pwr) &&
                same(KOMPAKT_BOUND_PSNR, ErrorBound::Mode::psnr) &&
                same(KOMPAKT_BOUND_LOSSLESS, ErrorBound::Mode::lossless));
  static_assert(
      same(KOMPAKT_HUFFMAN, Pipeline::huffman) && same(KOMPAKT_BITSHUFFLE, Pipeline::bitshuffle) &&
      same(KOMPAKT_FIXEDLENGTH, Pipeline::fixedlength) && same(KOMPAKT_RANS, Pipeline::rans));
  static_assert(same(KOMPAKT_VARIANT_PLAIN, Variant::plain) &&
                same(KOMPAKT_VARIANT_OUTLIER, Variant::outlier) &&
                same(KOMPAKT_VARIANT_AUTO, Variant::automatic) &&
                same(KOMPAKT_VARIANT_FZ, Variant::fz) &&
                same(KOMPAKT_VARIANT_NESTED, Variant::nested) &&
                same(KOMPAKT_VARIANT_CUSTOM, Variant::custom) &&
                same(KOMPAKT_VARIANT_DICTIONARY, Variant::dictionary));
  static_assert(same(KOMPAKT_PREDICTOR_AUTO, Predictor::automatic) &&
                same(KOMPAKT_PREDICTOR_CHAIN, Predictor::chain) &&
                same(KOMPAKT_PREDICTOR_TILE, Predictor::tile) &&
                same(KOMPAKT_PREDICTOR_INTERPOLATE, Predictor::interpolate));
  static_assert(same(KOMPAKT_GOAL_RATIO, Goal::ratio) && same(KOMPAKT_GOAL_SPEED, Goal::speed) &&
                same(KOMPAKT_GOAL_BALANCED, Goal::balanced) &&
                same(KOMPAKT_GOAL_SMALLEST, Goal::smallest));
  static_assert(same(KOMPAKT_FILL_NONE, FillValue::Mode::none) &&
                same(KOMPAKT_FILL_AUTO, FillValue::Mode::automatic) &&
                same(KOMPAKT_FILL_VALUE, FillValue::Mode::value));
  static_assert(same(KOMPAKT_METHOD_LORENZO, PredictionMethod::lorenzo) &&
                same(KOMPAKT_METHOD_INTERPOLATION, PredictionMethod::interpolation));
  static_assert(same(KOMPAKT_TILE_CHAIN, TileShape::chain) &&
                same(KOMPAKT_TILE_SQUARE, TileShape::square) &&
                same(KOMPAKT_TILE_BRICK, TileShape::brick));

  // What a program starts with is what C++ does.
  kompakt_options const defaults = kompakt_options_default(), same_in_cpp = to_c(Options{});
  EXPECT_EQ(std::memcmp(&defaults, &same_in_cpp, sizeof defaults), 0);
}

TEST(COptions, ByKeyAndWord_AreThoseOfCpp) {
  kompakt_options options = kompakt_options_default();
  ASSERT_EQ(kompakt_options_set_text(&options, "r2r:1e-4,predictor=tile,pack"), KOMPAKT_OK);
  ASSERT_EQ(kompakt_options_set(&options, "pipeline", "huffman"), KOMPAKT_OK);
  Options expected;
  set(expected, "r2r:1e-4,predictor=tile,pack");
  set(expected, "pipeline", "huffman");
  char text[128];
  std::uint64_t length = 0;
  ASSERT_EQ(kompakt_options_text(&options, text, sizeof text, &length), KOMPAKT_OK);
  EXPECT_EQ(std::string(text), text_of(expected));
  EXPECT_EQ(length, text_of(expected).size());
  EXPECT_EQ(kompakt_options_text(&options, text, length, &length), KOMPAKT_BUFFER_TOO_SMALL);
  kompakt_options const before = options;
  EXPECT_EQ(kompakt_options_set(&options, "predictor", "tiles"), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(kompakt_options_set_text(&options, "pack=false,colour=red"), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(kompakt_options_set_text(&options, "pack=false,0.01"), KOMPAKT_BAD_ARGUMENT);
  EXPECT_STREQ(kompakt_last_advice(), "write abs:0.01 or r2r:0.01");
  EXPECT_EQ(std::memcmp(&options, &before, sizeof before), 0);
}

TEST(COptions, BoundAndMethod_AreFoundAsInCpp) {
  std::int32_t names = -1;
  for (char const* text : {"abs:0.01", "lossless,pack", "pack"}) {
    ASSERT_EQ(kompakt_options_names_bound(text, &names), KOMPAKT_OK);
    EXPECT_EQ(names, names_bound(text) ? 1 : 0) << text;
  }
  EXPECT_EQ(kompakt_options_names_bound("mode=abs", &names), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(kompakt_options_names_bound(nullptr, &names), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(kompakt_options_names_bound("pack", nullptr), KOMPAKT_BAD_ARGUMENT);
  kompakt_options options = kompakt_options_default();
  ASSERT_EQ(kompakt_options_names_method(&options, &names), KOMPAKT_OK);
  EXPECT_EQ(names, 1);
  options.pipeline = KOMPAKT_PIPELINE_AUTO;
  ASSERT_EQ(kompakt_options_names_method(&options, &names), KOMPAKT_OK);
  EXPECT_EQ(names, 0);
  options.predictor = KOMPAKT_PREDICTOR_TILE;
  ASSERT_EQ(kompakt_options_names_method(&options, &names), KOMPAKT_OK);
  EXPECT_EQ(names, 1);
  EXPECT_EQ(kompakt_options_names_method(nullptr, &names), KOMPAKT_BAD_ARGUMENT);
}

TEST(COptions, KeysAndTheirWords_AreThoseOfCpp) {
  std::int32_t i = 0;
  for (OptionKey const& key : option_keys()) {
    char const* const name = kompakt_option_key(i++);
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(key.key, name);
    EXPECT_EQ(key.help, kompakt_option_help(name, nullptr));
    std::int32_t k = 0;
    for (OptionWord const& word : key.words) {
      EXPECT_EQ(word.word, kompakt_option_word(name, k++));
      EXPECT_EQ(word.help, kompakt_option_help(name, word.word.data()));
    }
    EXPECT_EQ(kompakt_option_word(name, k), nullptr);
  }
  EXPECT_EQ(kompakt_option_key(i), nullptr);
  EXPECT_EQ(kompakt_option_help("colour", nullptr), nullptr);
  double least = 0, most = 0;
  EXPECT_EQ(kompakt_option_range("radius", &least, &most), KOMPAKT_OK);
  EXPECT_EQ(least, 32);
  EXPECT_EQ(most, 32768);
  EXPECT_EQ(kompakt_option_range("pack", &least, &most), KOMPAKT_BAD_ARGUMENT);
  EXPECT_STREQ(kompakt_option_word_of("pipeline", KOMPAKT_HUFFMAN), "huffman");
  EXPECT_EQ(kompakt_option_word_of("pipeline", 5), nullptr);
  EXPECT_EQ(kompakt_option_word_of("pipeline", 257), nullptr);
}

TEST(CParts, MarkedPart_IsThatOfCpp) {
  FieldShape const shape = shape_from<float>({10, 20});
  auto const values = make_field<float>(Family::smooth, shape);
  Context const context = make_context();
  std::vector<std::byte> stream(max_compressed_bytes(shape));
  kompakt_field const field = field_of(shape);
  kompakt_info info = kompakt_info_default();
  ASSERT_EQ(kompakt_compress(context.get(), &field, values.data(), nullptr, stream.data(),
                             stream.size(), KOMPAKT_HOST, &info),
            KOMPAKT_OK);
  stream.resize(info.bytes);
  std::vector<std::byte> expected = stream;
  StreamInfo const marked = mark_part(expected, {{30, 0}, {100, 20}});
  std::uint64_t const origin[] = {30, 0}, total[] = {100, 20};
  ASSERT_EQ(kompakt_mark_part(stream.data(), stream.size(), origin, total, &info), KOMPAKT_OK);
  expect_same_bytes(stream, expected, "part");
  expect_same_info(info, marked);
  EXPECT_EQ(info.is_part, 1);
  EXPECT_EQ(kompakt_mark_part(stream.data(), stream.size(), origin, total, nullptr), KOMPAKT_OK);
}

TEST(CThreads, ContextsOfSeveralThreads_WorkAtOnce) {
  FieldShape const shape = shape_from<float>({200, 300});
  auto const values = make_field<float>(Family::walk, shape);
  kompakt_field const field = field_of(shape);
  std::vector<std::byte> streams[4];
  std::vector<std::thread> threads;
  for (auto& stream : streams) {
    threads.emplace_back([&] {
      Context const context = make_context(KOMPAKT_SPACE_DEFAULT);
      kompakt_info info = kompakt_info_default();
      stream.resize(max_compressed_bytes(shape));
      EXPECT_EQ(kompakt_compress(context.get(), &field, values.data(), nullptr, stream.data(),
                                 stream.size(), KOMPAKT_HOST, &info),
                KOMPAKT_OK)
          << kompakt_last_message();
      stream.resize(info.bytes);
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& stream : streams) expect_same_bytes(stream, streams[0], "thread");
}

}  // namespace kompakt::test
