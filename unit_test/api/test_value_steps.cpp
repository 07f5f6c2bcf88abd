#include <cmath>
#include <container/abridged.hpp>
#include <container/reader.hpp>
#include <kompakt/choose.hpp>
#include <pipeline/find_steps.hpp>
#include <pipeline/limits.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>

// Streams of values that are steps (Options::steps). Without loss every value comes back bit for bit, whatever the steps; within a
// bound every value keeps it.

namespace kompakt::test {

namespace {

using Kind = ValueSteps::Kind;

/// Made of double numbers one by one, as programs and files make them.
template <class T>
T made_of(ValueSteps const& steps, std::int64_t number) {
  auto const k = static_cast<double>(number);
  switch (steps.kind) {
    case Kind::quotients: return static_cast<T>(k / steps.step + steps.offset);
    case Kind::rounded: {
      auto const product = static_cast<T>(k * steps.step);
      return static_cast<T>(static_cast<double>(product) + steps.offset);
    }
    case Kind::bits: {
      auto const cut = ~((bits_t<T>{1} << static_cast<int>(steps.step)) - 1);
      auto const value = static_cast<T>(std::sin(k) * 1000);
      return std::bit_cast<T>(static_cast<bits_t<T>>(bits_of(value) & cut));
    }
    default: return static_cast<T>(k * steps.step + steps.offset);
  }
}

ValueSteps const kinds_of_steps[] = {{Kind::multiples, 1, 0},
                                     {Kind::multiples, 0.03, 0},
                                     {Kind::multiples, 0.25, -0.125},
                                     {Kind::multiples, 0.0015259021896696422, 273.15},
                                     {Kind::rounded, 0.5, 1.0 / 3},
                                     {Kind::rounded, 0.0015259021896696422, 40},
                                     {Kind::quotients, 100, 0},
                                     {Kind::quotients, 1e6, 0},
                                     {Kind::quotients, 200, -10.24},
                                     {Kind::bits, 1, 0},
                                     {Kind::bits, 12, 0},
                                     {Kind::bits, 22, 0}};

/// Sums of a walk made of steps; one value of `others` is no step but anything.
template <class T>
std::vector<T> stepped_field(ValueSteps const& steps, std::size_t size, std::uint64_t others,
                             std::uint64_t seed) {
  Random random(seed);
  auto const special = special_values<T>();
  std::vector<T> values(size);
  std::int64_t number = random.between(-2000, 2000);
  for (T& value : values) {
    number += random.between(-20, 20);
    value = made_of<T>(steps, number);
    if (others != 0 && random.one_in(others)) {
      value = random.one_in(2) ? special[random.below(special.size())] : random.any<T>();
    }
  }
  return values;
}

template <class T>
bool is_same(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

Options lossless_with(ValueSteps const& steps, Pipeline pipeline = Pipeline::fixedlength) {
  Options options{.bound = ErrorBound::lossless(), .pipeline = pipeline};
  options.steps = steps;
  return options;
}

}  // namespace

template <class Exec>
class ValueStepsOf : public testing::Test {
 protected:
  Codec<Exec> codec;

  template <class T>
  void check(std::vector<T> const& field, FieldShape const& shape, Options const& options) {
    auto const stream = codec.compress(field, shape, options);
    EXPECT_LE(stream.size(), max_compressed_bytes(shape, options));
    EXPECT_EQ(codec.info().steps, options.steps);
    EXPECT_EQ(codec.info().resolved(), ErrorBound::lossless());
    ASSERT_TRUE(is_same(codec.template decompress<T>(stream, shape), field));
#ifdef KOKKOS_ENABLE_SERIAL
    ASSERT_TRUE(stream == Codec<Kokkos::Serial>().compress(field, shape, options));
#endif
  }

  template <class T>
  void every_kind() {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      KOMPAKT_TRACE_SEED(seed);
      Random random(seed);
      for (ValueSteps const& steps : kinds_of_steps) {
        std::vector<std::size_t> extents{1 + random.below(3), 1 + random.below(40),
                                         1 + random.below(60)};
        FieldShape const shape =
            shape_from<T>(extents, random.one_in(2) ? Order::first_fastest : Order::last_fastest);
        std::uint64_t const others[] = {0, 500, 20, 2};
        auto const field =
            stepped_field<T>(steps, shape.size(), others[random.below(4)], random.bits());
        Options options =
            lossless_with(steps, random.one_in(2) ? Pipeline::fixedlength : Pipeline::rans);
        options.predictor = random.one_in(2) ? Predictor::chain : Predictor::tile;
        options.pack = random.one_in(2);
        options.checksum = random.one_in(2);
        options.axis = static_cast<int>(random.between(-1, 2));
        if (random.one_in(3)) options.fill = FillValue::of(static_cast<double>(field[0]));
        if (random.one_in(3)) options.fill = FillValue::none();
        check(field, shape, options);
      }
    }
  }
};
TYPED_TEST_SUITE(ValueStepsOf, Spaces, SpaceName);

TYPED_TEST(ValueStepsOf, FieldsOfEveryKind_ComeBackBitForBit) {
  this->template every_kind<float>();
  this->template every_kind<double>();
}

TYPED_TEST(ValueStepsOf, FieldsThatHaveOthers_ComeBackBitForBit) {
  FieldShape const shape = shape_from<double>({5, 20, 30});
  for (Family const family : all_families) {
    SCOPED_TRACE(name_of(family));
    for (ValueSteps const& steps : kinds_of_steps) {
      this->check(make_field<double>(family, shape), shape, lossless_with(steps));
      this->check(make_field<float>(family, shape), shape_from<float>({5, 20, 30}),
                  lossless_with(steps, Pipeline::rans));
    }
  }
}

TYPED_TEST(ValueStepsOf, FieldsAreSmallerWithThem) {
  FieldShape const shape = shape_from<float>({100, 200});
  for (ValueSteps const& steps : kinds_of_steps) {
    if (steps.kind == Kind::bits && steps.step < 2) continue;
    auto const field = stepped_field<float>(steps, shape.size(), 0, 7);
    std::size_t const without =
        this->codec.compress(field, shape, lossless_with(ValueSteps::none())).size();
    std::size_t const with = this->codec.compress(field, shape, lossless_with(steps)).size();
    EXPECT_EQ(this->codec.info().exceptions, 0u);
    EXPECT_LT(10 * with, 9 * without) << steps.step;
  }
}

// Bounds of some steps and a part of one, and steps that are not those of the values.
TYPED_TEST(ValueStepsOf, FieldsWithinABound_KeepIt) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    ValueSteps const& steps = kinds_of_steps[random.below(9)];
    FieldShape const shape = shape_from<float>({1 + random.below(20), 1 + random.below(200)});
    std::uint64_t const others[] = {0, 500, 20, 2};
    bool const goes_by_range = random.one_in(4);  // which a few others would make
    auto const field = stepped_field<float>(
        steps, shape.size(), goes_by_range ? 0 : others[random.below(4)], random.bits());
    double const parts[] = {0, 1e-9, 0.2, 0.5, 0.7, 1 - 1e-9};
    double const whole = static_cast<double>(random.below(random.one_in(3) ? 60 : 4));
    double const bound = std::max((whole + parts[random.below(6)]) * impl::width_of(steps), 1e-9);
    Options options = all_codings[random.below(std::size(all_codings))].with(
        goes_by_range ? ErrorBound::relative_to_range(1e-4) : ErrorBound::absolute(bound));
    options.steps = random.one_in(5) ? kinds_of_steps[random.below(9)] : steps;
    if (random.one_in(3)) options.fill = FillValue::of(static_cast<double>(field[0]));
    auto const stream = expect_round_trip(this->codec, field, shape, options);
#ifdef KOKKOS_ENABLE_SERIAL
    EXPECT_EQ(stream, Codec<Kokkos::Serial>().compress(field, shape, options));
#endif
  }
}

// Bins of three values in place of 2.2, and values at the ends of bins, which rounding refused.
TYPED_TEST(ValueStepsOf, FieldsWithinABound_AreSmallerWithThem) {
  ValueSteps const tenths{Kind::quotients, 10, 0};
  FieldShape const shape = shape_from<double>({100, 200});
  auto const field = stepped_field<double>(tenths, shape.size(), 0, 7);
  for (double const bound : {0.11, 0.1, 0.3}) {
    Options options{.bound = ErrorBound::absolute(bound), .pipeline = Pipeline::huffman};
    std::size_t const without = this->codec.compress(field, shape, options).size();
    options.steps = tenths;
    EXPECT_LT(this->codec.compress(field, shape, options).size(), without) << bound;
    EXPECT_EQ(this->codec.info().exceptions, 0u) << bound;
  }
}

TYPED_TEST(ValueStepsOf, RegionsComeBackBitForBit) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  FieldShape const shape = shape_from<float>({30, 40, 50});
  ValueSteps const steps{Kind::quotients, 100, 0};
  auto const field = stepped_field<float>(steps, shape.size(), 90, 3);
  auto const stream = this->codec.compress(field, shape, lossless_with(steps));
  auto const device = this->codec.upload(stream);
  Box const box({3, 5, 7}, {20, 31, 44});
  FieldShape const part = shape_from<float>({17, 26, 37});
  Kokkos::View<std::byte*, typename TypeParam::memory_space> const to("part", part.bytes());
  using Stream = Kokkos::View<std::byte const*, typename TypeParam::memory_space>;
  decompress(exec, Stream(device), workspace, FieldData{to.data(), part}, box);
  exec.fence();
  auto const bytes = this->codec.download(to);
  for_indices({17, 26, 37}, [&](std::vector<std::size_t> const& i) {
    std::size_t const at = offset_of(i, strides_of(part));
    float value;
    std::memcpy(&value, bytes.data() + 4 * at, 4);
    ASSERT_EQ(bits_of(value),
              bits_of(field[offset_of({i[0] + 3, i[1] + 5, i[2] + 7}, strides_of(shape))]));
  });
}

TYPED_TEST(ValueStepsOf, AChoiceWithoutLoss_AreFound) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  FieldShape const shape = shape_from<float>({20, 40, 50});
  for (ValueSteps const& steps : kinds_of_steps) {
    // Of roundings in between a line finds most values only.
    if (steps.kind == Kind::rounded || (steps.kind == Kind::bits && steps.step < 12)) continue;
    auto const field = stepped_field<float>(steps, shape.size(), 0, 5);
    auto const device = this->codec.upload(std::as_bytes(std::span(field)));
    for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::smallest}) {
      Options options{.bound = ErrorBound::lossless()};
      ConstFieldData const data(device.data(), shape);
      Choice const choice = choose(exec, data, options, goal, workspace);
      EXPECT_TRUE(choice.options.steps.any()) << to_string(goal) << " " << steps.step;
      options.steps = ValueSteps::none();
      EXPECT_EQ(choose(exec, data, options, goal, workspace).options.steps, ValueSteps::none());
      std::size_t const with = this->codec.compress(field, shape, choice.options).size();
      EXPECT_LT(10 * this->codec.info().exceptions, field.size());
      options.pack = choice.options.pack;
      options.pipeline = Pipeline::fixedlength;
      EXPECT_LT(with, this->codec.compress(field, shape, options).size());
    }
  }
}

TYPED_TEST(ValueStepsOf, AChoiceInSmallFields_AreFoundOrNone) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  for (std::vector<std::size_t> const& extents : {std::vector<std::size_t>{1},
                                                  {1, 1, 1},
                                                  {0},
                                                  {2},
                                                  {63},
                                                  {64},
                                                  {1, 70},
                                                  {5, 1, 40},
                                                  {3, 3, 3, 3, 3}}) {
    FieldShape const shape = shape_from<double>(extents);
    auto const field = stepped_field<double>({Kind::quotients, 10, 0}, shape.size(), 0, 6);
    auto const device = this->codec.upload(std::as_bytes(std::span(field)));
    for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::smallest, Goal::speed}) {
      Options const options{.bound = ErrorBound::lossless()};
      ConstFieldData const data(device.data(), shape);
      Choice const choice = choose(exec, data, options, goal, workspace);
      bool const finds = shape.size() >= 64 && goal != Goal::speed;
      EXPECT_EQ(choice.options.steps.any(), finds) << shape.size() << " " << to_string(goal);
      auto const stream = this->codec.compress(field, shape, choice.options);
      EXPECT_TRUE(is_same(this->codec.template decompress<double>(stream, shape), field));
    }
  }
}

namespace {

ValueSteps found_in(std::vector<float> values) {
  return impl::find_steps(std::span<float>(values), 0.9);
}

}  // namespace

TEST(FindSteps, OfValuesThatAreAnyNumbers_AreNone) {
  for (Family const family : {Family::smooth, Family::walk, Family::noise, Family::bits,
                              Family::zeros, Family::constant, Family::denormals, Family::huge}) {
    auto const field = make_field<float>(family, shape_from<float>({10000}));
    EXPECT_EQ(found_in(field), ValueSteps::none()) << name_of(family);
  }
  EXPECT_EQ(found_in({}), ValueSteps::none());
  EXPECT_EQ(found_in({1, 2, 3}), ValueSteps::none());
}

TEST(FindSteps, BesideFillValuesAndZeros_AreThoseOfTheValues) {
  ValueSteps const steps{Kind::quotients, 100, 0};
  auto field = stepped_field<float>(steps, 10000, 0, 4);
  for (std::size_t i = 0; i < field.size(); i += 3) field[i] = i % 2 == 0 ? 1e20f : 0.0f;
  for (std::size_t i = 1; i < field.size(); i += 30) field[i] = std::nanf("");
  EXPECT_EQ(found_in(field), steps);
}

TEST(StepsOfAStream, AreToldByItsOptions) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({50, 40});
  for (char const* const word : {"quotients:100", "multiples:0.5:20", "rounded:0.1:-3", "bits:8"}) {
    Options options;
    set(options, std::string("lossless,steps=") + word);
    EXPECT_EQ(text_of(options, "steps"), word);
    auto const stream = codec.compress(make_field<float>(Family::lattice, shape), shape, options);
    EXPECT_EQ(text_of(options_of(inspect(stream)), "steps"), word);
  }
  Options options;
  set(options, "steps", "0.5");
  EXPECT_EQ(options.steps, (ValueSteps{Kind::multiples, 0.5, 0}));
  set(options, "steps", "auto");
  EXPECT_EQ(options.steps, ValueSteps{});
}

TEST(StepsOfAStream, ThatAreNone_AreRefusedWithWhatTheyAre) {
  Options options;
  for (char const* const word : {"", "x", "quotients", "quotients:", "none:1", "auto:1",
                                 "multiples:a", "multiples:1:b", "-1", "multiples:1:2:3"}) {
    EXPECT_EQ(error_of([&] { set(options, "steps", word); }).status(), Status::bad_argument)
        << word;
  }
  double const nan = std::nan("");
  for (ValueSteps const& steps : {ValueSteps{Kind::multiples, 0, 0},
                                  {Kind::quotients, -1, 0},
                                  {Kind::rounded, nan, 0},
                                  {Kind::multiples, 1, nan},
                                  {Kind::bits, 0, 0},
                                  {Kind::bits, 52, 0},
                                  {Kind::bits, 2.5, 0},
                                  {Kind::bits, 8, 1}}) {
    EXPECT_EQ(error_of([&] { validate(lossless_with(steps)); }).status(), Status::bad_argument);
  }
  options = lossless_with({Kind::multiples, 1, 0});
  options.bound = ErrorBound::psnr(60);
  EXPECT_EQ(error_of([&] { validate(options); }).status(), Status::bad_argument);
  options = lossless_with({Kind::bits, 8, 0});
  options.bound = ErrorBound::absolute(1e-3);
  EXPECT_EQ(error_of([&] { validate(options); }).status(), Status::bad_argument);
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({64});
  EXPECT_EQ(error_of([&] {
              codec.compress(std::vector<float>(64), shape, lossless_with({Kind::bits, 23, 0}));
            }).status(),
            Status::bad_argument);
}

TEST(StepsOfAStream, ThatNobodyWrites_AreCorrupt) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({50, 40});
  auto const field = make_field<float>(Family::lattice, shape);
  auto const stream = codec.compress(field, shape, lossless_with({Kind::bits, 8, 0}));
  auto const plain = codec.compress(field, shape, Options{ErrorBound::absolute(1)});
  auto const altered = [&](std::vector<std::byte> bytes, std::uint32_t kind, double step,
                           double offset) {
    std::uint32_t features;
    std::memcpy(&features, bytes.data() + impl::at::features, 4);
    features = (features & ~impl::feature::steps) | kind << impl::feature::steps_shift;
    impl::put(bytes.data() + impl::at::features, features, 4);
    impl::put(bytes.data() + impl::at::constant, std::bit_cast<std::uint64_t>(step), 8);
    impl::put(bytes.data() + impl::at::abs_bound, std::bit_cast<std::uint64_t>(offset), 8);
    impl::put(bytes.data() + impl::at::checksum, 0, 4);
    impl::put(bytes.data() + impl::at::checksum,
              impl::checksum_bytes(bytes.data(), impl::table_end_of(bytes.data()), 0), 4);
    return bytes;
  };
  EXPECT_EQ(inspect(altered(stream, 1, 0.5, 3)).steps, (ValueSteps{Kind::multiples, 0.5, 3}));
  double const nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (std::uint32_t kind = 0; kind < 8; ++kind) {
    for (double const step : {0.0, -1.0, nan, inf, 1e300, 23.0, 2.5}) {
      for (double const offset : {0.0, nan, -inf, 5.0}) {
        bool const is_step = step > 0 && step < inf && std::abs(offset) < inf;
        bool const is_sound = kind == 0 ? step == 0 && offset == 0 : kind < 4 && is_step;
        auto const bytes = altered(stream, kind, step, offset);
        if (is_sound) {
          EXPECT_NO_THROW(codec.decompress<float>(bytes, shape));
        } else {
          EXPECT_EQ(error_of([&] { codec.decompress<float>(bytes, shape); }).status(),
                    Status::corrupt)
              << kind << " " << step << " " << offset;
        }
        if (kind == 0) continue;
        EXPECT_EQ(error_of([&] { inspect(altered(plain, kind, step, offset)); }).status(),
                  Status::corrupt);
      }
    }
  }
}

TEST(StepsOfAStream, StayInItsAbridgedForm) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<double>({50, 40});
  auto const field = stepped_field<double>({Kind::quotients, 10, 0.5}, shape.size(), 50, 1);
  auto const stream = codec.compress(field, shape, lossless_with({Kind::quotients, 10, 0.5}));
  std::vector<std::byte> shorter(stream.size()), again;
  shorter.resize(impl::abridge(stream, shorter.data()));
  ASSERT_GT(shorter.size(), 0u);
  impl::restore(shorter, shape, again);
  EXPECT_EQ(inspect(again).steps, inspect(stream).steps);
  EXPECT_TRUE(is_same(codec.decompress<double>(again, shape), field));
}

}  // namespace kompakt::test
