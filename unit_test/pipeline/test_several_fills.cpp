#include <kompakt/batch.hpp>
#include <set>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

// Several values that stand for "no value", and values that nobody has declared but that make the range of a field.

namespace kompakt::test {

namespace {

constexpr float land = -999.9f, ice = -99.9f, cloud = 1e20f;

/// A field of 270 to 290 or so with some of each: land is the most frequent, NaN the rarest.
std::vector<float> with_several(FieldShape const& shape) {
  auto field = make_field<float>(Family::smooth, shape);
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] = 280 + 10 * field[i];
    if (i % 1000 < 100) field[i] = land;
    if (i % 1000 > 970) field[i] = ice;
    if (i % 777 == 0) field[i] = cloud;
    if (i % 3001 == 0) field[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return field;
}

double bound_of_values(std::vector<float> const& field) {
  std::set<float> const none{land, ice, cloud};
  float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
  for (float const value : field) {
    if (std::isnan(value) || none.contains(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return FieldRange{true, static_cast<double>(least), static_cast<double>(most), {}, {}}.bound(
      1e-3);
}

FillValue declared(FillValue fill) { return fill.with(ice).with(double{cloud}).with(double{land}); }

}  // namespace

template <class Exec>
class SeveralFills : public testing::Test {
 protected:
  Codec<Exec> codec;
  FieldShape shape = shape_from<float>({9, 60, 70});
  std::vector<float> field = with_several(shape);

  std::vector<std::byte> check(Options const& options) {
    auto const stream = expect_round_trip(codec, field, shape, options);
    auto const restored = codec.template decompress<float>(stream, shape);
    for (std::size_t i = 0; i < field.size(); ++i) {
      for (float const fill : {land, ice, cloud}) {
        EXPECT_EQ(field[i] == fill, bits_of(restored[i]) == bits_of(fill)) << i;
      }
      if (testing::Test::HasFailure()) break;
    }
    return stream;
  }
};
TYPED_TEST_SUITE(SeveralFills, Spaces, SpaceName);

TYPED_TEST(SeveralFills, InEveryCodingAndBound_ComeBackBitForBitAndCountInNoRange) {
  Codec<Kokkos::DefaultHostExecutionSpace> host;
  for (auto const bound : {ErrorBound::relative_to_range(1e-3), ErrorBound::absolute(0.01),
                           ErrorBound::relative_to_value(1e-3), ErrorBound::psnr(60)}) {
    for (Coding const& coding : all_codings) {
      SCOPED_TRACE(coding.name() + " " + to_string(bound.mode));
      Options options = coding.with(bound);
      options.fill = declared(FillValue::automatic());
      auto const stream = this->check(options);
      EXPECT_EQ(this->codec.info().fill, double{land}) << "the most frequent is masked";
      if (bound.mode == ErrorBound::Mode::r2r) {
        EXPECT_EQ(this->codec.info().abs_bound, bound_of_values(this->field));
      }
      expect_same_bytes(host.compress(this->field, this->shape, options), stream, "of the host");
    }
  }
}

TYPED_TEST(SeveralFills, ThatNobodyDeclared_AreAllFoundAndCountInNoRange) {
  for (auto const bound : {ErrorBound::relative_to_range(1e-3), ErrorBound::psnr(60)}) {
    for (Coding const& coding : all_codings) {
      SCOPED_TRACE(coding.name() + " " + to_string(bound.mode));
      Options options = coding.with(bound);
      options.fill = FillValue::automatic();
      this->check(options);
      if (bound.mode != ErrorBound::Mode::r2r) continue;
      EXPECT_EQ(this->codec.info().abs_bound, bound_of_values(this->field));
    }
  }
}

TYPED_TEST(SeveralFills, RareOnes_AreFoundBesideDeclaredOnesAsWithoutThem) {
  this->shape = shape_from<float>({40, 64, 96});
  this->field = make_field<float>(Family::smooth, this->shape);
  for (std::size_t i = 0; i < this->field.size(); ++i) {
    if (i % 5 == 0) this->field[i] = ice;
  }
  this->field[77777] = this->field[177776] = 3e5f;
  Options options = main_codings[0].with(ErrorBound::relative_to_range(1e-3));
  for (FillValue const& fill : {FillValue::automatic(), FillValue::automatic().with(-9999.0),
                                FillValue::automatic().with(-9999.0).with(double{ice})}) {
    options.fill = fill;
    expect_round_trip(this->codec, this->field, this->shape, options);
    EXPECT_LT(this->codec.info().abs_bound, 0.01) << fill.others_count;
  }
}

TYPED_TEST(SeveralFills, OfPartsThatHaveOneEach_AreThoseOfTheWhole) {
  using Memory = typename TypeParam::memory_space;
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  std::vector<FieldRange> parts;
  for (float const fill : {land, ice, cloud}) {
    for (std::size_t i = 0; i < this->field.size(); ++i) {
      this->field[i] = i % 10 == 0 ? fill : 280 + 0.01f * static_cast<float>(i % 1000);
    }
    Kokkos::View<float*, Memory> const values("values", this->field.size());
    Kokkos::deep_copy(values,
                      Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          this->field.data(), this->field.size()));
    ConstFieldData const part(values.data(), this->shape);
    parts.push_back(field_range(exec, part, FillValue::automatic(), workspace));
    EXPECT_EQ(parts.back().fill, double{fill});
  }
  FieldRange const whole = joined(joined(parts[0], parts[1]), parts[2]);
  FillValue const fills = whole.fills(FillValue::automatic());
  for (float const fill : {land, ice, cloud}) EXPECT_TRUE(fills.declares(double{fill})) << fill;
  EXPECT_EQ(whole.other_fill_count, 2);
  EXPECT_NEAR(whole.max, 290, 0.1);
  EXPECT_EQ(whole.fills(FillValue::none()), FillValue::none());
  EXPECT_EQ(joined(whole, whole).other_fill_count, 2);
}

TYPED_TEST(SeveralFills, GivenWithoutALook_AreMaskedAndStoredAsTheyAreNamed) {
  Options options = main_codings[2].with(ErrorBound::relative_to_range(1e-3));
  options.fill = FillValue::of(double{ice}).with(double{land}).with(double{cloud});
  this->check(options);
  EXPECT_EQ(this->codec.info().fill, double{ice});
  EXPECT_EQ(this->codec.info().abs_bound, bound_of_values(this->field));
}

// 1e20 is no float. The one next to it is found where the range is, and is no other fill value.
TYPED_TEST(SeveralFills, NumbersBesideValuesOfTheType_AreTheseValues) {
  auto cloudy = make_field<float>(Family::smooth, this->shape);
  for (std::size_t i = 0; i < cloudy.size(); i += 3) cloudy[i] = cloud;
  Options options = main_codings[0].with(ErrorBound::relative_to_range(1e-3));
  auto const compressed = [&](double fill) {
    options.fill = FillValue::of(fill);
    return this->codec.compress(cloudy, this->shape, options);
  };
  auto const exact = compressed(double{cloud});
  expect_same_bytes(compressed(1e20), exact, "as named in decimals");
  options.fill = FillValue::of(double{cloud}).with(1e20);
  expect_same_bytes(this->codec.compress(cloudy, this->shape, options), exact, "named twice");
  auto const device = this->codec.upload(std::as_bytes(std::span(cloudy)));
  Workspace<TypeParam> workspace{TypeParam()};
  for (Goal const goal : {Goal::balanced, Goal::ratio}) {
    auto const chosen = [&](double fill) {
      options.fill = FillValue::of(fill);
      return choose(TypeParam(), ConstFieldData(device.data(), this->shape), options, goal,
                    workspace)
          .reason_text();
    };
    EXPECT_EQ(chosen(1e20), chosen(double{cloud}));
  }
}

// One value of 37 800 is in no sample; as an end of the range it is seen.
TYPED_TEST(SeveralFills, SingleOnesOfConventions_ComeBackAndCountInNoRange) {
  auto const clean = make_field<float>(Family::smooth, this->shape);
  for (float const convention : {-9999.0f, -999.0f, -32768.0f}) {
    SCOPED_TRACE(convention);
    auto spotted = clean;
    spotted[4321] = convention;
    Options const options{ErrorBound::relative_to_range(1e-3)};
    auto const stream = this->codec.compress(spotted, this->shape, options);
    double const bound = this->codec.info().abs_bound;
    this->codec.compress(clean, this->shape, options);
    EXPECT_NEAR(bound, this->codec.info().abs_bound, 1e-3 * bound);
    auto const restored = this->codec.template decompress<float>(stream, this->shape);
    EXPECT_EQ(restored[4321], convention);
    expect_promise(spotted, restored, ErrorBound::absolute(bound));
    expect_same_bytes(stream, Codec<Kokkos::Serial>().compress(spotted, this->shape, options),
                      "Serial");
  }
}

TYPED_TEST(SeveralFills, OfAFieldThatIsNothingElse_ComeBack) {
  this->field.assign(this->shape.size(), land);
  for (std::size_t i = 0; i < this->field.size(); i += 3) this->field[i] = ice;
  for (auto const bound : {ErrorBound::relative_to_range(1e-3), ErrorBound::absolute(0.01),
                           ErrorBound::psnr(60), ErrorBound::lossless()}) {
    Options options;
    options.pipeline = Pipeline::automatic;
    options.bound = bound;
    options.fill = declared(FillValue::automatic());
    this->check(options);
    options.fill = FillValue::of(3).with(double{land}).with(double{ice});
    this->check(options);
  }
}

TYPED_TEST(SeveralFills, OnesThatAreNotThere_ChangeNoByte) {
  auto const clean = make_field<float>(Family::smooth, this->shape);
  Options options = main_codings[0].with(ErrorBound::relative_to_range(1e-3));
  auto const plain = this->codec.compress(clean, this->shape, options);
  options.fill = declared(FillValue::automatic());
  expect_same_bytes(this->codec.compress(clean, this->shape, options), plain, "none there");
}

TYPED_TEST(SeveralFills, NanThatStandsForOneInKernels_ComesBackToo) {
  for (std::uint32_t const bits : {0x7fc05badu, 0x7fc05baeu}) {
    this->field[4321] = std::bit_cast<float>(bits);
    Options options = main_codings[2].with(ErrorBound::absolute(0.01));
    options.fill = FillValue::of(double{land}).with(double{ice}).with(double{cloud});
    auto const stream = this->check(options);
    auto const restored = this->codec.template decompress<float>(stream, this->shape);
    EXPECT_EQ(bits_of(restored[4321]), bits);
  }
}

TEST(FillValue, ListOfDeclaredOnes_IsReadAndWritten) {
  Options options;
  set(options, "fill", "auto/-999.5/1e20");
  EXPECT_EQ(options.fill, FillValue::automatic().with(-999.5).with(1e20));
  EXPECT_NE(text_of(options).find("fill=auto/-999.5/1e+20"), std::string::npos) << text_of(options);
  set(options, "fill", "1/2/nan/1");
  EXPECT_EQ(options.fill.others_count, 2);
  for (char const* const word : {"1/none", "/", "1//2", "1/2/3/4/5/6/7/8/9", "auto/x"}) {
    EXPECT_EQ(error_of([&] { set(options, "fill", word); }).status(), Status::bad_argument) << word;
  }
  EXPECT_EQ(FillValue::automatic().with(1).with(2).settled(2), FillValue::of(2).with(1));
  EXPECT_EQ(FillValue::automatic().with(1).settled({}), FillValue::of(1));
  EXPECT_EQ(FillValue::automatic().settled({}), FillValue::none());
  options.fill.others_count = 8;
  EXPECT_EQ(error_of([&] { validate(options); }).status(), Status::bad_argument);
}

template <class Exec>
class Outliers : public testing::Test {
 protected:
  Codec<Exec> codec;
  FieldShape shape = shape_from<float>({400, 500});
  std::vector<float> field = make_field<float>(Family::smooth, shape);
  Options options = looked_for();

  static Options looked_for() {
    Options options = main_codings[0].with(ErrorBound::relative_to_range(1e-3));
    options.fill = FillValue::automatic();
    return options;
  }
  std::string refusal() {
    Error const error = error_of([&] { codec.compress(field, shape, options); });
    EXPECT_EQ(error.status(), Status::bad_argument);
    return error.what();
  }
};
TYPED_TEST_SUITE(Outliers, Spaces, SpaceName);

// Too rare to be found, or too different from each other.
TYPED_TEST(Outliers, FewValuesThatMakeTheRange_AreRefusedAndNamed) {
  for (std::size_t i = 1; i < 6; ++i) this->field[i * 31013] = static_cast<float>(i) * 1e18f;
  for (auto const bound : {ErrorBound::relative_to_range(1e-3), ErrorBound::psnr(70)}) {
    this->options.bound = bound;
    std::string const text = this->refusal();
    EXPECT_NE(text.find("5 values, such as 5e+18"), std::string::npos) << text;
    EXPECT_NE(text.find("fill value to none"), std::string::npos) << text;
  }
  this->options.fill = FillValue::none();
  expect_round_trip(this->codec, this->field, this->shape, this->options);
  this->options.fill = FillValue::automatic();
  this->options.bound = ErrorBound::absolute(1e-3);
  expect_round_trip(this->codec, this->field, this->shape, this->options);
  this->options.bound = ErrorBound::relative_to_range(1e-3);
  this->options.range = 2;
  expect_round_trip(this->codec, this->field, this->shape, this->options);
}

// Their difference is beyond the largest number.
TYPED_TEST(Outliers, AtBothEndsOfTheType_AreRefused) {
  FieldShape const doubles = shape_from<double>({400, 500});
  auto wide = make_field<double>(Family::smooth, doubles);
  wide[31013] = 1.7e308;
  wide[62026] = -1.7e308;
  Error const error = error_of([&] { this->codec.compress(wide, doubles, this->options); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("2 values"), std::string::npos) << error.what();
}

// The fewer values a field or a part of one has, the more of them one is.
TYPED_TEST(Outliers, OneValueOfAFew_IsRefused) {
  for (std::size_t const size : {9, 10, 100, 1000, 9999, 36000}) {
    this->shape = shape_from<float>({size});
    this->field = make_field<float>(Family::smooth, this->shape);
    this->field[size / 2] = 1e20f;
    EXPECT_NE(this->refusal().find("1 value, 1e+20;"), std::string::npos) << size;
    if (size > 10) {
      this->field[size / 3] = 9.96921e36f;
      EXPECT_NE(this->refusal().find("e+36"), std::string::npos) << size;
      this->field[size / 3] = 0;
      for (std::size_t i = 0; i < size / 2; ++i) this->field[i] = 0;
      EXPECT_NE(this->refusal().find("1 value, 1e+20;"), std::string::npos) << size;
    }
    this->field[size - 1] = -1e20f;
    if (size < 10) continue;
    EXPECT_NE(this->refusal().find("2 values, such as"), std::string::npos) << size;
    auto const memory = this->codec.upload(std::as_bytes(std::span(this->field)));
    TypeParam const exec;
    Workspace<TypeParam> workspace(exec);
    FieldRange const part = kompakt::field_range(exec, ConstFieldData(memory.data(), this->shape),
                                                 this->options.fill, workspace);
    FieldRange const whole = joined(FieldRange{true, 3, 4, {}, {}}, part);
    EXPECT_EQ(error_of([&] { options_for_parts(whole, this->options); }).status(),
              Status::bad_argument);
  }
}

// As where another fill value is declared than the one that the field has.
TYPED_TEST(Outliers, OneValueThatMostOfAFieldHas_IsRefused) {
  this->options.fill = FillValue::of(-5);
  for (std::size_t const size : {100, 3000, 200000}) {
    for (std::size_t const others : {2, 3, 10}) {
      this->shape = shape_from<float>({size});
      this->field = make_field<float>(Family::smooth, this->shape);
      Random random(size + others);
      for (float& value : this->field) value = random.below(others) == 0 ? value : 1e20f;
      for (auto const bound : {ErrorBound::relative_to_range(1e-3), ErrorBound::psnr(70)}) {
        this->options.bound = bound;
        EXPECT_NE(this->refusal().find("values, such as 1e+20; all others"), std::string::npos)
            << size << " values, one in " << others;
      }
    }
  }
}

TYPED_TEST(Outliers, ClassesOfAField_AreValues) {
  using Classes = std::vector<float>;
  this->options.bound = ErrorBound::relative_to_range(1e-3);
  for (Classes const& classes : {Classes{1, 2, 3}, {0, 1, 2}, {0, 10, 20}, {0, 1, 2, 5}, {-1, 1}}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      KOMPAKT_TRACE_SEED(seed);
      Random random(seed);
      this->shape = shape_from<float>({3000});
      this->field.resize(3000);
      for (float& value : this->field) value = classes[random.below(classes.size())];
      expect_round_trip(this->codec, this->field, this->shape, this->options);
    }
  }
  // A value that is small beside the range is lost in the bound.
  std::fill(this->field.begin(), this->field.end(), 5.0f);
  this->field[77] = 3e18f;
  this->field[1234] = -2e18f;
  EXPECT_NE(this->refusal().find("2 values, such as"), std::string::npos);
}

TYPED_TEST(Outliers, SecondValueThatRepeats_IsFoundOrRefused) {
  for (std::size_t i = 0; i < this->field.size(); ++i) {
    if (i % 3 == 0) this->field[i] = 1e30f;
    if (i % 7 == 0) this->field[i] = 1e28f;
  }
  expect_round_trip(this->codec, this->field, this->shape, this->options);
  EXPECT_LT(this->codec.info().abs_bound, 1);
  this->options.fill = FillValue::of(1e30);
  EXPECT_NE(this->refusal().find("such as 1e+28"), std::string::npos);
  this->options.fill = FillValue::automatic().with(1e28).with(1e30);
  expect_round_trip(this->codec, this->field, this->shape, this->options);
  EXPECT_LT(this->codec.info().abs_bound, 1);
}

TYPED_TEST(Outliers, RangesThatValuesMake_AreTaken) {
  auto const takes = [&](auto const& value_of, char const* what) {
    for (std::size_t i = 0; i < this->field.size(); ++i) this->field[i] = value_of(i);
    SCOPED_TRACE(what);
    expect_round_trip(this->codec, this->field, this->shape, this->options);
  };
  takes([](std::size_t i) { return i % 3 == 0 ? static_cast<float>(uniform(i, 1)) : 0.f; }, "rain");
  takes([](std::size_t i) { return static_cast<float>(std::exp(40 * uniform(i, 2))); },
        "seventeen orders of magnitude");
  takes([](std::size_t i) { return i % 5000 == 0 ? 1e9f : static_cast<float>(uniform(i, 3)); },
        "peaks that are no rarer than one in 5000, found as a fill value");
  takes([](std::size_t i) { return i < 100000 ? 1e-9f : 1.f; }, "a front");
  takes([](std::size_t i) { return i == 777 ? 1e5f : static_cast<float>(uniform(i, 4)); },
        "one peak, 10^5 times as high");
  takes([](std::size_t) { return 3.f; }, "one value");
  takes([](std::size_t i) { return i == 777 ? 1.f : 0.f; }, "one peak in zeros");
  this->shape = shape_from<float>({1000});
  this->field.resize(1000);
  takes([](std::size_t i) { return static_cast<float>(std::pow(10, 60 * uniform(i, 5) - 30)); },
        "a few values of sixty orders of magnitude");
  for (std::size_t const size : {2, 3, 4, 8}) {
    this->shape = shape_from<float>({size});
    this->field.resize(size);
    takes([](std::size_t i) { return i == 1 ? 1.f : 1e-9f; }, "a handful of values");
  }
}

// However many of one part they are.
TYPED_TEST(Outliers, OfPartsAreFoundByTheirCount_AsInTheWhole) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  auto const range_of = [&](std::span<float const> values) {
    auto const memory = this->codec.upload(std::as_bytes(values));
    ConstFieldData const part(memory.data(), shape_from<float>({values.size()}));
    return kompakt::field_range(exec, part, FillValue::automatic(), workspace);
  };
  auto const regular = this->field;
  for (std::size_t const odd : {1, 19, 21, 1000, 19000, 50000}) {
    this->field = regular;
    // Scattered in a few parts, and each a value of its own.
    for (std::size_t i = 0; i < odd; ++i) {
      this->field[i * 50000 / odd] = 1e20f * static_cast<float>(2 + uniform(i, 32));
    }
    FieldRange const whole = range_of(this->field);
    EXPECT_EQ(whole.outliers.has_value(), odd < 20) << odd;
    for (std::size_t const parts : {2, 3, 8, 40, 100}) {
      SCOPED_TRACE(std::to_string(odd) + " in " + std::to_string(parts) + " parts");
      std::vector<FieldRange> ranges;
      for (std::size_t k = 0; k < parts; ++k) {
        std::size_t const first = k * this->field.size() / parts;
        std::size_t const last = (k + 1) * this->field.size() / parts;
        ranges.push_back(range_of(std::span(this->field).subspan(first, last - first)));
      }
      FieldRange forwards, backwards;
      for (std::size_t k = 0; k < parts; ++k) {
        forwards = joined(forwards, ranges[k]);
        backwards = joined(backwards, ranges[parts - 1 - k]);
      }
      for (FieldRange const& joint : {forwards, backwards}) {
        EXPECT_EQ(joint.max, whole.max);
        ASSERT_EQ(joint.outliers.has_value(), whole.outliers.has_value());
        if (!whole.outliers) continue;
        EXPECT_EQ(joint.outliers->count, whole.outliers->count);
        EXPECT_EQ(joint.outliers->max, whole.outliers->max);
      }
    }
  }
}

TYPED_TEST(Outliers, OfParts_AreThoseOfTheWhole) {
  FieldRange const quiet{true, 0, 1, {}, {}};
  FieldRange const spread{true, 0, 1e20, {}, FieldRange::Outliers{3, 1e20, 0, 1e-3}};
  FieldRange const both = joined(quiet, spread);
  ASSERT_TRUE(both.outliers);
  EXPECT_EQ(both.outliers->count, 3u);
  EXPECT_EQ(both.outliers->max, 1);
  EXPECT_FALSE(joined(spread, FieldRange{true, 0, 1e19, {}, {}}).outliers);
  this->options.fill = FillValue::automatic();
  EXPECT_EQ(error_of([&] { options_for_parts(both, this->options); }).status(),
            Status::bad_argument);
}

// Given memory is enough, too: calls that find more take memory of their own.
TYPED_TEST(SeveralFills, OfFieldsInABatch_AreFoundAsInEachAlone) {
  using Memory = typename TypeParam::memory_space;
  using Readback = typename Workspace<TypeParam>::ReadbackBytes;
  TypeParam const exec;
  for (Coding const& coding : all_codings) {
    SCOPED_TRACE(coding.name());
    Options options = coding.with(ErrorBound::relative_to_range(1e-3));
    options.fill = FillValue::automatic();
    std::vector<std::vector<float>> fields(4, this->field);
    fields[1] = make_field<float>(Family::smooth, this->shape);
    for (float& value : fields[2]) value = value == land || value == cloud ? ice : value;
    std::vector<Kokkos::View<std::byte*, Memory>> memory;
    std::vector<ConstFieldData> data;
    for (auto const& values : fields) {
      memory.push_back(this->codec.upload(std::as_bytes(std::span(values))));
      data.push_back({memory.back().data(), this->shape});
    }
    std::span<ConstFieldData const> const list(data);
    WorkspaceSizes const sizes = max(compress_batch_workspace<TypeParam>(list, options),
                                     compress_workspace<TypeParam>(data[0], options));
    Kokkos::View<std::byte*, Memory> const device("device", sizes.device_bytes());
    Readback const readback("readback", sizes.readback);
    Workspace<TypeParam> workspace(exec, sizes, device, readback);
    std::vector<CompressedStream<Memory>> streams(fields.size());
    compress_batch(exec, list, options, workspace, std::span(streams));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      SCOPED_TRACE("field " + std::to_string(i));
      expect_same_bytes(this->codec.download(streams[i].bytes()),
                        this->codec.compress(fields[i], this->shape, options), "batch");
      EXPECT_EQ(streams[i].info().abs_bound, this->codec.info().abs_bound);
    }
    EXPECT_EQ(streams[0].info().abs_bound, bound_of_values(fields[0]));
    compress(exec, data[0], options, workspace, streams[1]);
    EXPECT_EQ(streams[1].info().abs_bound, bound_of_values(fields[0])) << "alone, in given memory";
  }
}

}  // namespace kompakt::test
