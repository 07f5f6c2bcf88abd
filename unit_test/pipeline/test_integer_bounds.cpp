#include <cmath>
#include <cstdint>
#include <kompakt/batch.hpp>
#include <kompakt/choose.hpp>
#include <limits>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/random.hpp>
#include <support/region.hpp>
#include <support/spaces.hpp>

// Integers within a bound: they are coded as the numbers that they are, and come back as integers.

namespace kompakt::test {

namespace {

constexpr ErrorBound bounds[] = {ErrorBound::absolute(0.3), ErrorBound::absolute(7.9),
                                 ErrorBound::relative_to_range(1e-2),
                                 ErrorBound::relative_to_value(0.03), ErrorBound::psnr(50)};

/// Smooth values with some noise over most of the type, up to 2^52, and both of its ends if they are below.
template <class N>
std::vector<N> integers(FieldShape const& shape, std::uint64_t seed) {
  constexpr double most = 0x1p52, lowest = std::max(-most, double(std::numeric_limits<N>::min())),
                   highest = std::min(most, double(std::numeric_limits<N>::max()));
  double const middle = lowest / 2 + highest / 2, half = highest / 2 - lowest / 2;
  Random random(seed);
  std::vector<N> field(shape.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    double const noise = static_cast<double>(random.below(1000)) / 1000 - 0.5;
    double const wave = 0.9 * std::sin(static_cast<double>(i) / 700) + 0.04 * noise;
    field[i] = static_cast<N>(middle + half * wave);
    if (i % 997 == 0) field[i] = static_cast<N>(i % 2 == 0 ? lowest : highest);
    if (i % 1013 == 0) field[i] = N{0};
  }
  return field;
}

/// Whether every value keeps a bound, or is the same. Integers below 2^53 are numbers of double.
template <class N>
void expect_kept(std::vector<N> const& original, std::vector<N> const& restored,
                 StreamInfo const& info) {
  ASSERT_EQ(original.size(), restored.size());
  ErrorBound const bound = info.resolved();
  for (std::size_t i = 0; i < original.size(); ++i) {
    bool const is_kept = bound.mode == ErrorBound::Mode::lossless
                             ? original[i] == restored[i]
                             : keeps_promise(static_cast<double>(original[i]),
                                             static_cast<double>(restored[i]), bound);
    ASSERT_TRUE(is_kept) << "value " << i << ": " << +original[i] << " became " << +restored[i]
                         << " within " << to_string(bound.mode) << " " << bound.value;
  }
}

/// Calls body(N{}) for every type of integers.
template <class Body>
void for_integer_types(Body const& body) {
  body(std::int8_t{});
  body(std::uint8_t{});
  body(std::int16_t{});
  body(std::uint16_t{});
  body(std::int32_t{});
  body(std::uint32_t{});
  body(std::int64_t{});
  body(std::uint64_t{});
}

}  // namespace

template <class Exec>
class IntegerBounds : public testing::Test {
 protected:
  Codec<Exec> codec;
  Codec<Kokkos::DefaultHostExecutionSpace> host;
  Exec exec;
  Workspace<Exec> workspace{exec};

  /// Compresses and checks a field; the stream.
  template <class N>
  std::vector<std::byte> check(std::vector<N> const& field, FieldShape const& shape,
                               Options const& options) {
    SCOPED_TRACE(std::string(to_string(shape.dtype)) + " " + to_string(options.bound.mode) + " " +
                 std::to_string(options.bound.value));
    auto const stream = codec.compress(field, shape, options);
    EXPECT_EQ(codec.info().shape, shape);
    expect_kept(field, codec.template decompress<N>(stream, shape), codec.info());
    expect_same_bytes(host.compress(field, shape, options), stream, "of the host");
    return stream;
  }
  template <class N>
  FieldData upload(std::vector<N> const& field, FieldShape const& shape) {
    memory.push_back(codec.upload(std::as_bytes(std::span(field))));
    return {memory.back().data(), shape};
  }
  std::vector<Kokkos::View<std::byte*, typename Exec::memory_space>> memory;
};
TYPED_TEST_SUITE(IntegerBounds, Spaces, SpaceName);

TYPED_TEST(IntegerBounds, OfEveryTypeAndCoding_AreKept) {
  for_integer_types([&]<class N>(N) {
    auto const shape = shape_from<N>({5, 33, 70});
    auto const field = integers<N>(shape, 1);
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name());
      for (ErrorBound const& bound : bounds) this->check(field, shape, coding.with(bound));
    }
  });
}

TYPED_TEST(IntegerBounds, AreWholeNumbers) {
  auto const shape = shape_from<std::int16_t>({3000});
  auto const field = integers<std::int16_t>(shape, 2);
  auto const bound_of = [&](ErrorBound const& bound) {
    this->check(field, shape, {bound});
    return this->codec.info().abs_bound;
  };
  EXPECT_EQ(bound_of(ErrorBound::absolute(0.99)), 0);
  EXPECT_EQ(bound_of(ErrorBound::absolute(7)), 7);
  EXPECT_EQ(bound_of(ErrorBound::absolute(7.99)), 7);
  EXPECT_EQ(bound_of(ErrorBound::relative_to_range(1e-3)), 65) << "of 65535";
  EXPECT_EQ(bound_of(ErrorBound::psnr(40)), 655);
  EXPECT_EQ(bound_of(ErrorBound::relative_to_value(0.125)), 0.125);
  EXPECT_EQ(this->codec.info().bound, ErrorBound::relative_to_value(0.125));
}

TYPED_TEST(IntegerBounds, WithoutRoomForAnError_ReturnEveryValue) {
  for_integer_types([&]<class N>(N) {
    auto const shape = shape_from<N>({2, 50, 41});
    auto const field = integers<N>(shape, 3);
    auto const stream = this->check(field, shape, {ErrorBound::absolute(0.7)});
    EXPECT_EQ(this->codec.template decompress<N>(stream, shape), field);
  });
}

TYPED_TEST(IntegerBounds, ForEveryGoal_AreKept) {
  for_integer_types([&]<class N>(N) {
    auto const shape = shape_from<N>({16, 64, 70});
    auto const field = integers<N>(shape, 4);
    for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::speed, Goal::smallest}) {
      SCOPED_TRACE(to_string(goal));
      for (ErrorBound const& bound : {bounds[1], bounds[2], bounds[4]}) {
        Options options{bound};
        auto const data = this->upload(field, shape);
        Choice const choice =
            choose(this->exec, ConstFieldData(data), options, goal, this->workspace);
        EXPECT_EQ(choice.options.bound, bound);
        this->check(field, shape, choice.options);
      }
    }
  });
}

TYPED_TEST(IntegerBounds, OfRegionsAndStridedFields_AreKept) {
  for_integer_types([&]<class N>(N) {
    auto const shape = shape_from<N>({14, 30, 50});
    auto const field = integers<N>(shape, 5);
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name());
      Options options = coding.with(ErrorBound::absolute(5));
      options.axis = 1;
      auto const stream = this->check(field, shape, options);
      auto const whole = this->codec.template decompress<N>(stream, shape);
      expect_region_in_view<N>(this->codec, this->exec, this->workspace, stream, whole);
    }
  });
}

TYPED_TEST(IntegerBounds, WithFillValues_LeaveThemOutOfTheRange) {
  auto const shape = shape_from<std::int16_t>({40, 50, 60});
  auto field = integers<std::int16_t>(shape, 6);
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] = static_cast<std::int16_t>(field[i] / 64);
    if (i % 100 < 30) field[i] = -32768;
    if (i % 100 > 90) field[i] = -9999;
  }
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    for (ErrorBound const& bound : bounds) {
      Options options = coding.with(bound);
      options.fill = FillValue::automatic().with(-32768).with(-9999);
      auto const stream = this->check(field, shape, options);
      EXPECT_EQ(this->codec.info().fill, -32768);
      auto const back = this->codec.template decompress<std::int16_t>(stream, shape);
      for (std::size_t i = 0; i < field.size(); ++i) {
        ASSERT_EQ(field[i] <= -9999, back[i] <= -9999) << i;
        if (field[i] <= -9999) {
          ASSERT_EQ(field[i], back[i]) << i;
        }
      }
    }
  }
  Options found{ErrorBound::relative_to_range(1e-2)};
  this->check(field, shape, found);
  EXPECT_EQ(this->codec.info().abs_bound, 10)
      << "of 1023 without the fill values that nobody declared";
}

TYPED_TEST(IntegerBounds, FillValuesThatTheTypeCannotHave_AreRefused) {
  auto const shape = shape_from<std::uint8_t>({100});
  std::vector<std::uint8_t> const field(100, 7);
  for (double const fill : {-1.0, 0.5, 256.0, 1e300, double(NAN)}) {
    Options options{.bound = ErrorBound::absolute(2), .fill = FillValue::of(fill)};
    Error const error = error_of([&] { this->codec.compress(field, shape, options); });
    EXPECT_EQ(error.status(), Status::bad_argument);
    EXPECT_NE(std::string(error.what()).find("is no value of u8; leave it out"), std::string::npos)
        << error.what();
    options.fill = FillValue::of(255).with(fill);  // declared besides, such values cannot be there
    expect_kept(field,
                this->codec.template decompress<std::uint8_t>(
                    this->codec.compress(field, shape, options), shape),
                this->codec.info());
  }
}

TYPED_TEST(IntegerBounds, WithLimits_StayInside) {
  auto const shape = shape_from<std::uint8_t>({40, 90});
  auto field = integers<std::uint8_t>(shape, 7);
  for (auto& value : field) value = static_cast<std::uint8_t>(3 + value % 98);
  for (Coding const& coding : main_codings) {
    Options options = coding.with(ErrorBound::absolute(9));
    options.limits = {2.5, 100.5};
    auto const back =
        this->codec.template decompress<std::uint8_t>(this->check(field, shape, options), shape);
    EXPECT_GE(*std::ranges::min_element(back), 3);
    EXPECT_LE(*std::ranges::max_element(back), 100);
  }
}

TYPED_TEST(IntegerBounds, WithLimitsBeyondTheType_AreKept) {
  double const infinity = std::numeric_limits<double>::infinity();
  for_integer_types([&]<class N>(N) {
    auto const shape = shape_from<N>({2000});
    auto const field = integers<N>(shape, 13);
    for (Limits const& limits : {Limits{0, 99999999}, Limits{-1e30, 1e30}, Limits{0, 16777217},
                                 Limits{1e9, infinity}, Limits{-infinity, -1e9}}) {
      Options options{ErrorBound::absolute(7)};
      options.limits = limits;
      this->check(field, shape, options);
    }
  });
}

TYPED_TEST(IntegerBounds, OfValuesThatAreNoNumbersOfDouble_AreWithoutLoss) {
  auto const shape = shape_from<std::int64_t>({3000});
  auto field = integers<std::int64_t>(shape, 8);
  field[17] = std::numeric_limits<std::int64_t>::min() + 1;
  for (Coding const& coding : main_codings) {
    for (ErrorBound const& bound : bounds) {
      this->check(field, shape, coding.with(bound));
      EXPECT_EQ(this->codec.info().bound, ErrorBound::lossless());
    }
  }
  field[17] = (std::int64_t{1} << 53) - 1;
  this->check(field, shape, {ErrorBound::absolute(5)});
  EXPECT_EQ(this->codec.info().bound, ErrorBound::absolute(5));
}

TYPED_TEST(IntegerBounds, OfConstantsAndFieldsWithoutValues_AreKept) {
  for_integer_types([&]<class N>(N) {
    for (ErrorBound const& bound : bounds) {
      auto const shape = shape_from<N>({2000});
      auto const stream =
          this->check(std::vector<N>(2000, std::numeric_limits<N>::max()), shape, {bound});
      EXPECT_LT(stream.size(), 4000u);
      this->check(std::vector<N>{}, shape_from<N>({0}), {bound});
      this->check(std::vector<N>{N{100}}, shape_from<N>({1}), {bound});
    }
  });
}

TYPED_TEST(IntegerBounds, InABatch_AreThoseOfSeparateCalls) {
  auto const shape = shape_from<std::int16_t>({30, 70}), wide = shape_from<std::uint32_t>({9, 70});
  auto const field = integers<std::int16_t>(shape, 9);
  auto const other = integers<std::uint32_t>(wide, 10);
  std::vector<FieldData> const fields{this->upload(field, shape), this->upload(other, wide),
                                      this->upload(field, shape)};
  std::vector<ErrorBound> const of_fields{bounds[1], bounds[2], ErrorBound::lossless()};
  Options options;
  options.pipeline = Pipeline::fixedlength;
  std::vector<CompressedStream<typename TypeParam::memory_space>> streams(3);
  compress_batch(this->exec, fields, options, this->workspace, std::span(streams), of_fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Options alone = options;
    alone.bound = of_fields[i];
    auto const stream = i == 1 ? this->codec.compress(other, wide, alone)
                               : this->codec.compress(field, shape, alone);
    expect_same_bytes(stream, this->codec.download(streams[i].bytes()), "of the batch");
  }
}

TYPED_TEST(IntegerBounds, OfAllShortFieldsOfBytes_AreKept) {
  // Every byte under every whole bound, in streams of all 256 of them.
  auto const shape = shape_from<std::int8_t>({256});
  std::vector<std::int8_t> field(256);
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<std::int8_t>(i * 37);
  for (int bound = 0; bound < 256; ++bound) {
    this->check(field, shape, {ErrorBound::absolute(bound + 0.5)});
    this->check(field, shape, {ErrorBound::relative_to_value((bound + 0.5) / 257)});
  }
}

TYPED_TEST(IntegerBounds, InGivenMemory_TakeNoMore) {
  using Memory = typename TypeParam::memory_space;
  using Readback = Kokkos::View<std::byte*, typename impl::readback_space<TypeParam>::type>;
  for_integer_types([&]<class N>(N) {
    auto const shape = shape_from<N>({40, 90});
    auto const field = this->upload(integers<N>(shape, 11), shape);
    for (Coding const& coding : main_codings) {
      for (ErrorBound const& bound : bounds) {
        Options options = coding.with(bound);
        options.fill = FillValue::automatic();
        auto const sizes = compress_workspace<TypeParam>(field, options);
        Kokkos::View<std::byte*, Memory> const device("device", sizes.device_bytes());
        Workspace<TypeParam> given(this->exec, sizes, device, Readback("readback", sizes.readback));
        CompressedStream<Memory> stream;
        EXPECT_NO_THROW(compress(this->exec, field, options, given, stream)) << coding.name();
      }
    }
  });
}

TYPED_TEST(IntegerBounds, OfDamagedStreams_StayInsideTheField) {
  auto const shape = shape_from<std::int16_t>({20, 30, 40});
  auto const field = integers<std::int16_t>(shape, 12);
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    Options const options =
        coding.with(ErrorBound::absolute(3), Predictor::automatic, /*checksum=*/false);
    auto const good = this->codec.compress(field, shape, options);
    for (std::uint64_t i = 0; i < 300; ++i) {
      auto const bytes = with_altered_byte(good, i, static_cast<std::byte>(hash(i + 7) | 1));
      try {
        this->codec.template decompress<std::int16_t>(bytes, shape);
      } catch (Error const& error) {
        EXPECT_EQ(error.status(), Status::corrupt);
      }
    }
  }
}

}  // namespace kompakt::test
