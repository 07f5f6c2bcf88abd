#include <cmath>
#include <kompakt/choose.hpp>
#include <kompakt/option_keys.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>

namespace kompakt::test {

template <class Exec>
class Choose : public testing::Test {
 public:
  template <class T>
  Choice choose(std::vector<T> const& field, FieldShape const& shape, Goal goal,
                Options const& options = {}) {
    auto const device = codec.upload(std::as_bytes(std::span(field)));
    return kompakt::choose(exec, ConstFieldData(device.data(), shape), options, goal, workspace);
  }
  Exec exec;
  Workspace<Exec> workspace{exec};
  Codec<Exec> codec{exec};
};
TYPED_TEST_SUITE(Choose, Spaces, SpaceName);

TYPED_TEST(Choose, ForRatio_IsTheSmallestOfAll) {
  FieldShape const shape = shape_from<float>({30, 40, 50});
  for (Family const family : all_families) {
    SCOPED_TRACE(name_of(family));
    auto const field = make_field<float>(family, shape);
    Choice const choice = this->choose(field, shape, Goal::ratio);
    EXPECT_GE(choice.sample_values, shape.size());  // more where what is lossless is tried too
    std::size_t const chosen = this->codec.compress(field, shape, choice.options).size();
    for (Pipeline const pipeline :
         {Pipeline::fixedlength, Pipeline::bitshuffle, Pipeline::huffman}) {
      EXPECT_LE(chosen, this->codec.compress(field, shape, {.pipeline = pipeline}).size());
    }
  }
}

TYPED_TEST(Choose, ForSmallest_IsNotLargerThanForRatioAndTriesRans) {
  FieldShape const shape = shape_from<float>({30, 40, 50});
  int taken = 0;
  for (Family const family : all_families) {
    SCOPED_TRACE(name_of(family));
    auto const field = make_field<float>(family, shape);
    Choice const choice = this->choose(field, shape, Goal::smallest);
    Choice const of_others = this->choose(field, shape, Goal::ratio);
    EXPECT_TRUE(choice.options.pack);
    EXPECT_EQ(of_others.reason.ratio(Pipeline::rans), 0);
    EXPECT_GT(choice.reason.ratio(Pipeline::rans), 0);
    taken += choice.options.pipeline == Pipeline::rans ? 1 : 0;
    std::size_t const chosen = this->codec.compress(field, shape, choice.options).size();
    EXPECT_LE(chosen, this->codec.compress(field, shape, of_others.options).size());
    for (Predictor const predictor : {Predictor::automatic, Predictor::interpolate}) {
      Options const rans{.pipeline = Pipeline::rans, .predictor = predictor};
      EXPECT_LE(chosen, this->codec.compress(field, shape, rans).size());
    }
  }
  EXPECT_GT(taken, 0);
}

// Values of few different sizes, and a bound far below what lies between two neighbours of the type.
TYPED_TEST(Choose, ForSizeWithABoundBelowTheSpacing_IsWithoutLossWhereThatIsSmaller) {
  FieldShape const shape = shape_from<float>({30, 40, 50});
  auto field = make_field<float>(Family::smooth, shape);
  for (float& value : field) value = 300 + std::round(100 * value) / 64;
  for (Goal const goal : {Goal::ratio, Goal::smallest}) {
    Choice const choice = this->choose(field, shape, goal, {ErrorBound::absolute(1e-9)});
    EXPECT_TRUE(choice.options.steps.any());
    auto const stream = this->codec.compress(field, shape, choice.options);
    EXPECT_LT(4 * stream.size(), shape.bytes());
    EXPECT_EQ(this->codec.template decompress<float>(stream, shape), field);
    EXPECT_EQ(this->choose(field, shape, goal, {ErrorBound::absolute(1e-2)}).options.bound.mode,
              ErrorBound::Mode::abs);
    // Whatever pipeline was named before.
    Options const named{.bound = ErrorBound::absolute(1e-9), .pipeline = Pipeline::huffman};
    EXPECT_EQ(text_of(this->choose(field, shape, goal, named).options), text_of(choice.options));
  }
}

// Values of few different sizes, and bounds that merge none of them: bins go by the steps, or there are none.
TYPED_TEST(Choose, ABalancedChoice_GoesByStepsOrIsWithoutLoss) {
  for (std::vector<std::size_t> const& extents : {std::vector<std::size_t>{90000}, {20, 20, 30}}) {
    SCOPED_TRACE(testing::PrintToString(extents));
    FieldShape const shape = shape_from<float>(extents);
    auto field = make_field<float>(Family::noise, shape);
    for (float& value : field) value = 300 + std::round(3000 * value) / 64;
    for (double const bound : {5e-3, 1e-9}) {
      Choice const choice =
          this->choose(field, shape, Goal::balanced, {ErrorBound::absolute(bound)});
      EXPECT_TRUE(choice.options.steps.any());
      auto const stream = this->codec.compress(field, shape, choice.options);
      Options const without{.bound = ErrorBound::absolute(bound), .pipeline = Pipeline::bitshuffle};
      EXPECT_LT(stream.size(), this->codec.compress(field, shape, without).size());
      EXPECT_EQ(this->codec.template decompress<float>(stream, shape), field);
    }
    // Doubles that hold floats of all magnitudes are no multiples of anything.
    std::vector<double> floats(shape.size());
    for (std::size_t i = 0; i < floats.size(); ++i)
      floats[i] = static_cast<double>(std::exp(field[i] - 300));
    for (double& value : floats) value = static_cast<double>(static_cast<float>(value));
    EXPECT_EQ(this->choose(floats, shape_from<double>(extents), Goal::balanced,
                           {ErrorBound::absolute(1e-15)})
                  .options.bound.mode,
              ErrorBound::Mode::lossless);
  }
}

// Components of vectors side by side, each smooth along the other index.
TYPED_TEST(Choose, ABalancedChoiceOfShortRows_GoesAlongAnotherIndex) {
  constexpr std::size_t rows = 30000, row = 3;
  FieldShape const shape = shape_from<float>({rows, row});
  std::vector<float> field(shape.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    auto const component = static_cast<float>(i % row);
    field[i] = 100 * component + std::sin(0.001f * static_cast<float>(i / row) + component);
  }
  for (ErrorBound const bound : {ErrorBound::absolute(1e-4), ErrorBound::lossless()}) {
    Choice const choice = this->choose(field, shape, Goal::balanced, {bound});
    EXPECT_EQ(choice.options.axis, 0);
    Options natural = choice.options;
    natural.axis = -1;
    EXPECT_LT(expect_round_trip(this->codec, field, shape, choice.options).size(),
              this->codec.compress(field, shape, natural).size());
    EXPECT_EQ(this->choose(field, shape, Goal::balanced, {.bound = bound, .axis = 1}).options.axis,
              1);
  }
  auto const noise = make_field<float>(Family::noise, shape);
  EXPECT_EQ(this->choose(noise, shape, Goal::balanced).options.axis, -1);
}

TYPED_TEST(Choose, ABalancedChoiceWithoutLoss_PacksFewBytes) {
  FieldShape const shape = shape_from<float>({300, 200});
  std::vector<float> classes(shape.size());
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<float>(i / 7001);
  for (auto const& [limits, field] : {std::pair<Limits, std::vector<float>>{{}, classes},
                                      {{0, 9}, classes},
                                      {{}, make_field<float>(Family::noise, shape)}}) {
    Options options{ErrorBound::lossless()};
    options.limits = limits;
    Choice const choice = this->choose(field, shape, Goal::balanced, options);
    EXPECT_EQ(choice.options.pack, field == classes);
  }
}

// Tiles and boxes of a sample may have fewer indices than the field.
TYPED_TEST(Choose, WithAnAxis_KeepsItWhateverTheRank) {
  for (std::vector<std::size_t> const& extents : {std::vector<std::size_t>{60000},
                                                  {300, 210},
                                                  {20, 50, 66},
                                                  {3, 8, 30, 90},
                                                  {2, 3, 5, 50, 44}}) {
    auto const shape = shape_from<float>(extents);
    auto const field = make_field<float>(Family::smooth, shape);
    for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::smallest}) {
      for (int axis = 0; axis < shape.rank; ++axis) {
        SCOPED_TRACE(std::to_string(axis) + " of " + std::to_string(shape.rank));
        Options options{ErrorBound::relative_to_range(1e-3)};
        options.axis = axis;
        Choice const choice = this->choose(field, shape, goal, options);
        EXPECT_EQ(choice.options.axis, axis);
        expect_round_trip(this->codec, field, shape, choice.options);
      }
    }
  }
}

TYPED_TEST(Choose, Choices_AreTheSameOnEverySpace) {
  for (std::vector<std::size_t> const& extents :
       {std::vector<std::size_t>{5000000}, {2300, 2100}, {90, 250, 260}, {3, 7, 600, 500}}) {
    for (Order const order : {Order::last_fastest, Order::first_fastest}) {
      FieldShape const shape = shape_from<float>(extents, order);
      auto const field = make_field<float>(Family::walk, shape);
      Choice const choice = this->choose(field, shape, Goal::balanced);
      EXPECT_GT(choice.sample_values, shape.size() / 80);
      EXPECT_LE(choice.sample_values, shape.size() / 32);
      Kokkos::Serial const serial;
      Workspace<Kokkos::Serial> serial_workspace(serial);
      Choice const expected = kompakt::choose(serial, ConstFieldData(field.data(), shape), {},
                                              Goal::balanced, serial_workspace);
      EXPECT_EQ(choice.reason_text(), expected.reason_text());
      EXPECT_EQ(choice.reason, expected.reason);
      EXPECT_EQ(choice.options.pipeline, expected.options.pipeline);
    }
  }
}

// Waves that a cubic follows, and noise that nothing follows: only where it may win is interpolation looked at, in boxes.
TYPED_TEST(Choose, Interpolation_IsTriedAndTakenWhereNeighboursTellAValue) {
  for (std::vector<std::size_t> const& extents :
       {std::vector<std::size_t>{300000}, {500, 600}, {60, 70, 80}, {3, 60, 70, 80}}) {
    SCOPED_TRACE(testing::PrintToString(extents));
    FieldShape const shape = shape_from<double>(extents);
    auto const noise = make_field<double>(Family::noise, shape);
    Choice const rough = this->choose(noise, shape, Goal::balanced);
    EXPECT_NE(rough.options.predictor, Predictor::interpolate);
    EXPECT_EQ(rough.candidates.size(), 3u);
    std::vector<double> waves(shape.size());
    for (std::size_t i = 0; i < waves.size(); ++i) {
      std::size_t place = i;
      waves[i] = 1;
      for (auto extent = extents.rbegin(); extent != extents.rend(); place /= *extent, ++extent) {
        waves[i] *= std::sin(0.05 * static_cast<double>(place % *extent) + 1);
      }
    }
    Choice const smooth =
        this->choose(waves, shape, Goal::balanced, {.bound = ErrorBound::relative_to_range(1e-5)});
    EXPECT_EQ(smooth.options.predictor, Predictor::interpolate);
    EXPECT_GT(smooth.sample_values, rough.sample_values);
  }
}

// Strides decide where values lie, not which of them are in the sample.
TYPED_TEST(Choose, ChoiceForAPartOfAnArray_IsThatForACopy) {
  std::vector<std::size_t> const extents{40, 50, 60};
  FieldShape const shape = shape_from<float>(extents);
  auto const field = make_field<float>(Family::surfaces, shape);
  Strides strides{}, side_by_side = strides_of(shape);
  strides[0] = 53 * 66 * 2, strides[1] = 66 * 2, strides[2] = 2;
  std::vector<float> array(extents[0] * 53 * 66 * 2, 1e9f);
  for_indices(extents, [&](std::vector<std::size_t> const& index) {
    array[offset_of(index, strides)] = field[offset_of(index, side_by_side)];
  });
  auto const device = this->codec.upload(std::as_bytes(std::span(array)));
  Choice const choice = kompakt::choose(this->exec, ConstStridedData(device.data(), shape, strides),
                                        {}, Goal::balanced, this->workspace);
  EXPECT_EQ(choice.reason, this->choose(field, shape, Goal::balanced).reason);
}

TYPED_TEST(Choose, Reason_ComesBackFromTheStream) {
  using Memory = typename TypeParam::memory_space;
  Codec<Kokkos::Serial> serial;
  for (FieldShape const& shape : {shape_from<float>({40, 50, 60}), shape_from<float>({3, 0})}) {
    auto const field = make_field<float>(Family::walk, shape);
    for (Goal const goal : {Goal::ratio, Goal::speed, Goal::balanced, Goal::smallest}) {
      SCOPED_TRACE(to_string(goal));
      Choice const choice = this->choose(field, shape, goal);
      ChoiceRecord const reason = choice.reason;
      EXPECT_EQ(reason.goal(), goal);
      auto const stream = this->codec.compress(field, shape, choice.options, reason);
      EXPECT_EQ(stream, serial.compress(field, shape, choice.options, reason));
      StreamInfo const info = inspect(stream);
      EXPECT_EQ(info.reason, reason);
      EXPECT_EQ(this->codec.info().reason, reason);
      EXPECT_EQ(info.reason.text(info.pipeline, info.variant), choice.reason_text());
      auto const device = this->codec.upload(stream);
      Kokkos::View<float*, Memory> const restored("restored", shape.size());
      EXPECT_EQ(decompress(this->exec, Kokkos::View<std::byte const*, Memory>(device),
                           this->workspace, FieldData{restored.data(), shape})
                    .reason,
                reason);
      EXPECT_FALSE(inspect(this->codec.compress(field, shape, choice.options)).reason.goal());
    }
  }
}

TYPED_TEST(Choose, Reason_IsInEveryStreamOfABatch) {
  using Memory = typename TypeParam::memory_space;
  FieldShape const shape = shape_from<float>({70, 80});
  auto const field = make_field<float>(Family::walk, shape);
  Choice const choice = this->choose(field, shape, Goal::ratio);
  auto const device = this->codec.upload(std::as_bytes(std::span(field)));
  std::vector<ConstFieldData> const fields(3, ConstFieldData(device.data(), shape));
  std::vector<CompressedStream<Memory>> streams(3);
  compress_batch(this->exec, std::span(fields), choice.options, this->workspace, std::span(streams),
                 {}, choice.reason);
  for (auto const& stream : streams) {
    EXPECT_EQ(stream.info().reason, choice.reason);
    EXPECT_EQ(inspect(this->codec.download(stream.bytes())).reason, choice.reason);
  }
}

TYPED_TEST(Choose, BoundOfTheSample_IsThatOfTheField) {
  // Quiet but for a storm that no run of the sample sees: its range is that of all.
  FieldShape const shape = shape_from<float>({200, 200, 200});
  auto field = make_field<float>(Family::noise, shape);
  for (float& value : field) value *= 1e-3f;
  auto const quiet = this->choose(field, shape, Goal::ratio);
  field[12345] = 1000;
  auto const storm = this->choose(field, shape, Goal::ratio);
  EXPECT_LT(quiet.candidates[0].ratio, 8);
  EXPECT_GT(storm.candidates[0].ratio, 100);
}

TYPED_TEST(Choose, ForSpeed_DoesNotLookAtTheField) {
  Choice const choice =
      kompakt::choose(this->exec, ConstFieldData(nullptr, shape_from<float>({5000})), {},
                      Goal::speed, this->workspace);
  EXPECT_TRUE(choice.candidates.empty());
  EXPECT_EQ(choice.options.pipeline, Pipeline::fixedlength);
  EXPECT_EQ(choice.options.predictor, Predictor::chain);
}

TYPED_TEST(Choose, OptionsThatItDoesNotChoose_Stay) {
  FieldShape const shape = shape_from<double>({100, 100});
  Options options;
  options.bound = ErrorBound::relative_to_value(1e-2);
  options.checksum = false;
  options.radius = 64;
  options.fill = FillValue::of(-1);
  Options const chosen =
      this->choose(make_field<double>(Family::walk, shape), shape, Goal::ratio, options).options;
  EXPECT_EQ(chosen.bound, options.bound);
  EXPECT_EQ(chosen.checksum, options.checksum);
  EXPECT_EQ(chosen.radius, options.radius);
  EXPECT_EQ(chosen.fill, options.fill);
}

TYPED_TEST(Choose, FieldsWithoutValuesOrRange_GetSomePipeline) {
  FieldShape const empty = shape_from<float>({4, 0}), flat = shape_from<float>({4000});
  EXPECT_NO_THROW(this->choose(std::vector<float>{}, empty, Goal::ratio));
  EXPECT_NO_THROW(this->choose(make_field<float>(Family::constant, flat), flat, Goal::ratio));
  EXPECT_NO_THROW(this->choose(std::vector<float>(4000, NAN), flat, Goal::balanced));
}

TEST(Goal, Words_AreKnown) {
  for (Goal const goal : {Goal::ratio, Goal::speed, Goal::balanced, Goal::smallest}) {
    EXPECT_EQ(parse_goal(to_string(goal)), goal);
  }
  EXPECT_THROW(parse_goal("size"), Error);
}

}  // namespace kompakt::test
