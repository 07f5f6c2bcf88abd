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

// Numbers of 16 bits: they are coded as numbers of f32, and come back as numbers of 16 bits within the bound.

namespace kompakt::test {

namespace {

constexpr ErrorBound bounds[] = {
    ErrorBound::absolute(0.3),           ErrorBound::absolute(2e-3),
    ErrorBound::relative_to_range(1e-2), ErrorBound::relative_to_range(7e-4),
    ErrorBound::relative_to_value(0.03), ErrorBound::psnr(50)};

/// Smooth values with some noise.
template <class Half>
std::vector<Half> wave(FieldShape const& shape, std::uint64_t seed, float amplitude = 1.7f) {
  Random random(seed);
  std::vector<Half> field(shape.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    auto const noise = static_cast<float>(random.below(1000)) / 1000 - 0.5f;
    field[i] = Half::nearest(amplitude * (std::sin(static_cast<float>(i) / 700) + 0.04f * noise));
  }
  return field;
}
/// Every number of the type and all of its NaN, in no order.
template <class Half>
std::vector<Half> all_bits() {
  std::vector<Half> field(0x10000);
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i].bits = static_cast<std::uint16_t>(40503 * i + 17);
  }
  return field;
}
/// Numbers around the places where their spacing doubles.
template <class Half>
std::vector<Half> near_powers(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<Half> field(size);
  for (Half& value : field) {
    auto const exponent = static_cast<int>(random.below(9)) - 6;
    std::uint16_t const power = Half::nearest(std::ldexp(1.0f, exponent)).bits;
    value.bits = static_cast<std::uint16_t>(power + random.below(7) - 3);
    if (random.one_in(3)) value.bits |= 0x8000;
  }
  return field;
}

template <class Half>
void expect_kept(std::vector<Half> const& original, std::vector<Half> const& restored,
                 StreamInfo const& info) {
  ASSERT_EQ(original.size(), restored.size());
  ErrorBound const bound = info.resolved();
  for (std::size_t i = 0; i < original.size(); ++i) {
    auto const x = static_cast<double>(original[i]), y = static_cast<double>(restored[i]);
    bool const is_exact = bound.mode == ErrorBound::Mode::lossless || !std::isfinite(x);
    bool const is_kept =
        is_exact ? original[i] == restored[i] : std::isfinite(y) && keeps_promise(x, y, bound);
    ASSERT_TRUE(is_kept) << "value " << i << ": " << x << " became " << y << " within "
                         << to_string(bound.mode) << " " << bound.value;
  }
}

template <class Body>
void for_halves(Body const& body) {
  body(Float16{});
  body(BFloat16{});
}

}  // namespace

template <class Exec>
class HalfFields : public testing::Test {
 protected:
  Codec<Exec> codec;
  Codec<Kokkos::DefaultHostExecutionSpace> host;
  Exec exec;
  Workspace<Exec> workspace{exec};

  /// Compresses and checks a field; the stream.
  template <class Half>
  std::vector<std::byte> check(std::vector<Half> const& field, FieldShape const& shape,
                               Options const& options) {
    SCOPED_TRACE(std::string(to_string(shape.dtype)) + " " + to_string(options.bound.mode) + " " +
                 std::to_string(options.bound.value));
    auto const stream = codec.compress(field, shape, options);
    EXPECT_EQ(codec.info().shape, shape);
    auto const restored = codec.template decompress<Half>(stream, shape);
    expect_kept(field, restored, codec.info());
    expect_same_bytes(host.compress(field, shape, options), stream, "of the host");
    EXPECT_EQ(host.template decompress<Half>(stream, shape), restored);
    return stream;
  }
  template <class Half>
  FieldData upload(std::vector<Half> const& field, FieldShape const& shape) {
    memory.push_back(codec.upload(std::as_bytes(std::span(field))));
    return {memory.back().data(), shape};
  }
  std::vector<Kokkos::View<std::byte*, typename Exec::memory_space>> memory;
};
TYPED_TEST_SUITE(HalfFields, Spaces, SpaceName);

// They are coded as numbers of twice the bytes, which a bound below the spacing of values does not make up for.
TYPED_TEST(HalfFields, ChoicesUnderATightBound_AreNotLargerThanWithoutLoss) {
  for_halves([&]<class Half>(Half) {
    for (auto const& extents : {std::vector<std::size_t>{5000}, {100, 600}, {40, 50, 60}}) {
      auto const shape = shape_from<Half>(extents);
      auto const field = wave<Half>(shape, 7);
      auto const exact =
          this->codec.compress(field, shape, {.bound = ErrorBound::lossless()}).size();
      for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::smallest}) {
        auto const chosen = [&](ErrorBound const& bound) {
          return kompakt::choose(this->exec, this->upload(field, shape), {.bound = bound}, goal,
                                 this->workspace)
              .options;
        };
        Options const options = chosen(ErrorBound::absolute(1e-7));
        EXPECT_EQ(options.bound.mode, ErrorBound::Mode::lossless) << to_string(goal);
        EXPECT_LE(this->check(field, shape, options).size(), exact) << to_string(goal);
        EXPECT_EQ(chosen(ErrorBound::absolute(0.05)).bound.mode, ErrorBound::Mode::abs);
      }
    }
  });
}

TYPED_TEST(HalfFields, OfEveryCoding_AreKept) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({5, 33, 70});
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name());
      for (ErrorBound const& bound : bounds) {
        this->check(wave<Half>(shape, 1), shape, coding.with(bound));
        this->check(near_powers<Half>(shape.size(), 2), shape, coding.with(bound));
      }
    }
  });
}

TYPED_TEST(HalfFields, OfAllBits_AreKept) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({16, 64, 64});
    auto const field = all_bits<Half>();
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name());
      for (ErrorBound const& bound :
           {ErrorBound::absolute(100), ErrorBound::absolute(1e-3), ErrorBound::absolute(3e-8),
            ErrorBound::relative_to_value(1e-3), ErrorBound::relative_to_range(1e-3)}) {
        this->check(field, shape, coding.with(bound));
      }
    }
  });
}

TYPED_TEST(HalfFields, WithoutLoss_ReturnAllBits) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({64, 1024});
    for (auto const& field : {all_bits<Half>(), wave<Half>(shape, 3)}) {
      for (Pipeline const pipeline : {Pipeline::fixedlength, Pipeline::rans}) {
        Options options{ErrorBound::lossless(), pipeline};
        auto const stream = this->check(field, shape, options);
        EXPECT_LT(stream.size(), field.size() * 2 + field.size() / 4);
      }
    }
    auto const smooth = wave<Half>(shape, 3);
    EXPECT_LT(this->check(smooth, shape, {ErrorBound::lossless(), Pipeline::rans}).size(),
              smooth.size() * 7 / 4);
  });
}

TYPED_TEST(HalfFields, TellTheBoundOfValues) {
  auto const shape = shape_from<Float16>({3000});
  auto field = wave<Float16>(shape, 4);
  field[5] = Float16::nearest(-2), field[6] = Float16::nearest(2);
  this->check(field, shape, {ErrorBound::absolute(0.1)});
  EXPECT_EQ(this->codec.info().abs_bound, 0.1);
  this->check(field, shape, {ErrorBound::relative_to_range(0.01)});
  EXPECT_EQ(this->codec.info().abs_bound, 0.04);
  this->check(field, shape, {ErrorBound::relative_to_value(0.125)});
  EXPECT_EQ(this->codec.info().abs_bound, 0.125);
}

TYPED_TEST(HalfFields, ForEveryGoal_AreKept) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({16, 64, 70});
    auto const field = wave<Half>(shape, 5);
    for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::speed, Goal::smallest}) {
      SCOPED_TRACE(to_string(goal));
      for (ErrorBound const& bound : {bounds[1], bounds[2], bounds[5], ErrorBound::lossless()}) {
        auto const data = this->upload(field, shape);
        Choice const choice =
            choose(this->exec, ConstFieldData(data), Options{bound}, goal, this->workspace);
        EXPECT_EQ(choice.options.bound, bound);
        this->check(field, shape, choice.options);
      }
    }
  });
}

TYPED_TEST(HalfFields, InViewsWithStridesAndRegions_AreKept) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({14, 30, 50});
    auto const field = wave<Half>(shape, 6);
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name());
      for (ErrorBound const& bound : {ErrorBound::absolute(0.01), ErrorBound::lossless()}) {
        Options options = coding.with(bound);
        if (bound == ErrorBound::lossless()) options = {bound, Pipeline::rans};
        options.axis = 1;
        auto const stream = this->check(field, shape, options);
        auto const whole = this->codec.template decompress<Half>(stream, shape);
        expect_region_in_view<Half>(this->codec, this->exec, this->workspace, stream, whole);
      }
    }
  });
}

TYPED_TEST(HalfFields, BesideAFillValue_DoNotBecomeIt) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({20, 100});
    Random random(8);
    for (float const number : {0.0f, 1.0f, -2.0f, 1.75f, Half::largest().number()}) {
      Half const fill = Half::nearest(number);
      auto field = near_powers<Half>(shape.size(), 9);
      for (Half& value : field) {
        if (random.one_in(9)) value = fill;
        if (random.one_in(9))
          value.bits = static_cast<std::uint16_t>(fill.bits + 1 - random.below(3));
      }
      for (Coding const& coding : main_codings) {
        SCOPED_TRACE(coding.name() + " " + std::to_string(number));
        for (double const bound : {0.004, 0.0078125, 0.3, 5.0}) {
          Options options = coding.with(ErrorBound::absolute(bound));
          options.fill = FillValue::of(static_cast<double>(fill));
          auto const back =
              this->codec.template decompress<Half>(this->check(field, shape, options), shape);
          for (std::size_t i = 0; i < field.size(); ++i) {
            ASSERT_EQ(field[i] == fill, back[i] == fill)
                << i << ": " << static_cast<double>(field[i]) << " "
                << static_cast<double>(back[i]);
          }
        }
      }
    }
  });
}

// A search of the whole range finds what a call does not look for: a lone value of a convention.
TYPED_TEST(HalfFields, BesideALoneValueFarAway_AreKept) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({3000});
    for (float const far : {-32768.f, -999.f, 20000.f}) {
      auto field = wave<Half>(shape, 8, 100);
      field[1234] = Half::nearest(far);
      for (double bound = 1; bound < 300; bound *= 1.19) {
        this->check(field, shape, {ErrorBound::absolute(bound)});
      }
    }
  });
}

TYPED_TEST(HalfFields, FillValuesOfWiderTypes_AreRoundedOrRefused) {
  auto const shape = shape_from<Float16>({3000});
  auto field = wave<Float16>(shape, 10);
  for (std::size_t i = 0; i < 100; ++i) field[7 * i] = Float16::nearest(-9999);
  Options options{.bound = ErrorBound::relative_to_range(1e-3), .fill = FillValue::of(-9999)};
  this->check(field, shape, options);
  EXPECT_EQ(this->codec.info().fill, -10000);
  EXPECT_LT(this->codec.info().abs_bound, 0.01);
  options.fill = FillValue::of(1e20);
  Error const error = error_of([&] { this->codec.compress(field, shape, options); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("1e+20 is no value of f16; leave it out"),
            std::string::npos)
      << error.what();
}

TYPED_TEST(HalfFields, WithLimits_StayInside) {
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({40, 90});
    auto field = wave<Half>(shape, 11);
    for (Half& value : field) value.bits &= 0x7fff;
    for (Coding const& coding : main_codings) {
      Options options = coding.with(ErrorBound::absolute(0.1));
      options.limits = {0, 1.7654321};
      auto const back =
          this->codec.template decompress<Half>(this->check(field, shape, options), shape);
      for (std::size_t i = 0; i < field.size(); ++i) {
        auto const x = static_cast<double>(field[i]), y = static_cast<double>(back[i]);
        ASSERT_GE(y, 0);
        if (x <= 1.7654321) {
          ASSERT_LE(y, 1.7654321) << x;
        }
      }
    }
  });
}

TYPED_TEST(HalfFields, OfConstantsAndFieldsWithoutValues_AreKept) {
  for_halves([&]<class Half>(Half) {
    for (ErrorBound const& bound : bounds) {
      auto const shape = shape_from<Half>({2000});
      for (Half const value : {Half::largest(), Half::nearest(0.1f), Half{0}, Half{0x7fff}}) {
        // The largest one and NaN may have no bins.
        auto const stream = this->check(std::vector<Half>(2000, value), shape, {bound});
        EXPECT_LT(stream.size(), (value.bits & 0x7fff) < 0x7000 ? 5000u : 10000u);
      }
      this->check(std::vector<Half>{}, shape_from<Half>({0}), {bound});
      this->check(std::vector<Half>{Half::nearest(3)}, shape_from<Half>({1}), {bound});
    }
  });
}

TYPED_TEST(HalfFields, InABatch_AreThoseOfSeparateCalls) {
  auto const shape = shape_from<Float16>({30, 70}), wide = shape_from<BFloat16>({9, 70});
  auto const field = wave<Float16>(shape, 12);
  auto const other = wave<BFloat16>(wide, 13);
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

TYPED_TEST(HalfFields, InGivenMemory_TakeNoMore) {
  using Memory = typename TypeParam::memory_space;
  using Readback = Kokkos::View<std::byte*, typename impl::readback_space<TypeParam>::type>;
  for_halves([&]<class Half>(Half) {
    auto const shape = shape_from<Half>({40, 90});
    auto const field = this->upload(wave<Half>(shape, 14), shape);
    for (Coding const& coding : main_codings) {
      for (ErrorBound const& bound : bounds) {
        Options options = coding.with(bound);
        options.fill = FillValue::automatic();
        auto const sizes = compress_workspace<TypeParam>(field, options);
        Kokkos::View<std::byte*, Memory> const device("device", sizes.device_bytes());
        Workspace<TypeParam> given(this->exec, sizes, device, Readback("readback", sizes.readback));
        CompressedStream<Memory> stream;
        compress(this->exec, field, options, given, stream);
        this->check(wave<Half>(shape, 14), shape, options);
        EXPECT_EQ(stream.info().bytes, this->codec.info().bytes);
      }
    }
  });
}

}  // namespace kompakt::test
