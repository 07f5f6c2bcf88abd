#include <complex>
#include <kompakt/choose.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/random.hpp>
#include <support/region.hpp>
#include <support/spaces.hpp>

// Complex numbers: their parts are a field each, and the magnitude of the difference keeps the bound.

namespace kompakt::test {

namespace {

/// A wave packet with noise, NaN and infinity.
template <class P>
std::vector<std::complex<P>> packet(std::size_t size) {
  Random random(3);
  std::vector<std::complex<P>> field(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const at = static_cast<double>(i);
    double const noise = static_cast<double>(random.below(1000)) * 1e-6;
    field[i] = std::complex<P>(std::polar(1 + std::sin(at / 900), at / 37)) +
               std::complex<P>(static_cast<P>(noise));
  }
  field[size / 2] = {std::numeric_limits<P>::quiet_NaN(), P(1)};
  field[size / 3] = {P(-1), std::numeric_limits<P>::infinity()};
  return field;
}

/// |a - b|^2 <= bound^2, in double, of which the parts of float leave no doubt.
template <class P>
void expect_kept(std::vector<std::complex<P>> const& original,
                 std::vector<std::complex<P>> const& restored, ErrorBound const& asked,
                 double of_parts) {
  ASSERT_EQ(original.size(), restored.size());
  for (std::size_t i = 0; i < original.size(); ++i) {
    for (bool const is_real : {true, false}) {
      double const x = is_real ? original[i].real() : original[i].imag();
      double const y = is_real ? restored[i].real() : restored[i].imag();
      if (!std::isfinite(x)) {
        ASSERT_TRUE(std::isnan(x) ? std::isnan(y) : x == y);
      } else if (asked.mode == ErrorBound::Mode::pwr) {
        ASSERT_TRUE(keeps_promise(x, y, asked)) << i;
      } else {
        ASSERT_TRUE(keeps_promise(x, y, ErrorBound::absolute(of_parts))) << i;
      }
    }
  }
}

}  // namespace

template <class Exec>
class ComplexFields : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  Codec<Exec> codec;
  Exec exec;
  Workspace<Exec> workspace{exec};

  template <class P>
  std::vector<std::byte> check(FieldShape const& shape, Options const& options) {
    SCOPED_TRACE(std::string(to_string(shape.dtype)) + " " + to_string(options.bound.mode));
    auto const field = packet<P>(shape.size());
    auto const stream = codec.compress(field, shape, options);
    StreamInfo const& info = codec.info();
    EXPECT_EQ(info.shape, shape);
    EXPECT_FALSE(info.is_part());
    EXPECT_EQ(info.bound, options.bound);
    EXPECT_EQ(inspect(stream).shape, shape);
    auto const restored = codec.template decompress<std::complex<P>>(stream, shape);
    if (options.bound.mode == ErrorBound::Mode::lossless) {
      EXPECT_EQ(std::memcmp(restored.data(), field.data(), shape.bytes()), 0);
    } else {
      expect_kept(field, restored, options.bound, info.abs_bound);
    }
    if (options.bound.mode == ErrorBound::Mode::abs) {
      EXPECT_LE(info.abs_bound * info.abs_bound * 2, options.bound.value * options.bound.value);
      EXPECT_GT(info.abs_bound * 1.4143, options.bound.value);
    }
    return stream;
  }
};
TYPED_TEST_SUITE(ComplexFields, Spaces, SpaceName);

TYPED_TEST(ComplexFields, OfEveryCoding_KeepTheBoundOfTheMagnitude) {
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    auto const shape = shape_from<std::complex<float>>({9, 33, 70}, order);
    auto const wide = shape_from<std::complex<double>>({9, 33, 70}, order);
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name());
      for (ErrorBound const& bound :
           {ErrorBound::absolute(1e-2), ErrorBound::relative_to_range(1e-3),
            ErrorBound::relative_to_value(1e-2), ErrorBound::psnr(60)}) {
        for (int const axis : {-1, 0, 2}) {
          Options options = coding.with(bound);
          options.axis = axis;
          this->template check<float>(shape, options);
          EXPECT_EQ(this->codec.info().axis,
                    axis >= 0 ? axis : (order == Order::last_fastest ? 2 : 0));
          this->template check<double>(wide, options);
        }
        Options options = coding.with(bound);
        options.axis = 1;
        options.second_axis = order == Order::last_fastest ? 0 : 2;
        this->template check<float>(shape, options);
        EXPECT_EQ(this->codec.info().second_axis, options.second_axis);
      }
    }
    this->template check<float>(shape, {ErrorBound::lossless(), Pipeline::rans});
    this->template check<double>(wide, {ErrorBound::lossless(), Pipeline::fixedlength});
  }
}

TYPED_TEST(ComplexFields, AreTheirPartsOneBehindTheOther) {
  auto const shape = shape_from<std::complex<float>>({40, 50});
  auto const field = packet<float>(shape.size());
  std::vector<float> parts;
  for (auto const& value : field) parts.push_back(value.real());
  for (auto const& value : field) parts.push_back(value.imag());
  auto const stream = this->codec.compress(field, shape, {ErrorBound::lossless()});
  auto const of_parts = shape_from<float>({2, 40, 50});
  auto const back = this->codec.template decompress<float>(stream, of_parts);
  EXPECT_EQ(std::memcmp(back.data(), parts.data(), of_parts.bytes()), 0);
}

TYPED_TEST(ComplexFields, InViewsWithStridesAndRegions_AreKept) {
  using Value = Kokkos::complex<double>;
  auto const shape = shape_from<Value>({14, 30, 50});
  auto const stream = this->template check<double>(shape, {ErrorBound::absolute(1e-3)});
  auto const whole = this->codec.template decompress<std::complex<double>>(stream, shape);
  expect_region_in_view<Value>(this->codec, this->exec, this->workspace, stream, whole);
}

TYPED_TEST(ComplexFields, ForEveryGoal_AreKept) {
  auto const shape = shape_from<std::complex<float>>({16, 64, 70});
  auto const field = packet<float>(shape.size());
  auto const device = this->codec.upload(std::as_bytes(std::span(field)));
  for (Goal const goal : {Goal::balanced, Goal::ratio, Goal::speed, Goal::smallest}) {
    SCOPED_TRACE(to_string(goal));
    for (ErrorBound const& bound : {ErrorBound::absolute(1e-3), ErrorBound::lossless()}) {
      Choice const choice = choose(this->exec, ConstFieldData(device.data(), shape), Options{bound},
                                   goal, this->workspace);
      this->template check<float>(shape, choice.options);
    }
  }
}

// Extents of 2 leave the extents of the parts' index alone to tell where it lies.
TYPED_TEST(ComplexFields, OfOneOrder_AreRestoredInTheOther) {
  using Complex = std::complex<float>;
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    bool const is_last = order == Order::last_fastest;
    for (auto const& extents : {std::vector<std::size_t>{2, 2}, {20, 30}, {1, 2}, {3, 2, 5}, {7}}) {
      SCOPED_TRACE(testing::PrintToString(extents));
      FieldShape shape;
      shape.dtype = Dtype::c64;
      shape.rank = static_cast<int>(extents.size());
      std::ranges::copy(extents, shape.extents.begin());
      shape.order = order;
      FieldShape other = shape;
      other.order = is_last ? Order::first_fastest : Order::last_fastest;
      auto const stream =
          this->codec.compress(packet<float>(shape.size()), shape, {ErrorBound::absolute(1e-3)});
      auto const as_stored = this->codec.template decompress<Complex>(stream, shape);
      auto const in_other = this->codec.template decompress<Complex>(stream, other);
      auto const strides = strides_of(shape), others = strides_of(other);
      std::vector<Complex> expected(shape.size());
      for (std::size_t i = 0; i < shape.size(); ++i) {
        std::size_t from = 0, to = 0, rest = i;
        for (std::size_t k = 0; k < extents.size(); ++k) {
          std::size_t const index = rest % extents[k];
          rest /= extents[k];
          from += index * static_cast<std::size_t>(strides[k]);
          to += index * static_cast<std::size_t>(others[k]);
        }
        expected[to] = as_stored[from];
      }
      EXPECT_EQ(std::memcmp(in_other.data(), expected.data(), shape.bytes()), 0);
    }
  }
}

TYPED_TEST(ComplexFields, MarkedAsParts_StayComplex) {
  auto const shape = shape_from<std::complex<float>>({4, 50});
  auto stream = this->template check<float>(shape, {ErrorBound::absolute(1e-3)});
  FramePart part = FramePart::whole(shape);
  part.origin[0] = 8;
  part.total[0] = 12;
  StreamInfo const info = mark_part(stream, part);
  EXPECT_EQ(info.part, part);
  EXPECT_EQ(info.shape, shape);
}

TYPED_TEST(ComplexFields, OfRank8OrALaterAxis_AreRefused) {
  auto const field = packet<float>(256);
  auto const status = [&](FieldShape const& shape, Options const& options) {
    return error_of([&] { this->codec.compress(field, shape, options); }).status();
  };
  auto const full = shape_from<std::complex<float>>({2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(status(full, {}), Status::bad_argument);
  Options options;
  options.axis = 2;
  EXPECT_EQ(status(shape_from<std::complex<float>>({16, 16}), options), Status::bad_argument);
}

}  // namespace kompakt::test
