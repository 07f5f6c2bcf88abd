#include <limits>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// Without loss: every value comes back bit for bit, integers too, and no stream is longer than it may be.

namespace kompakt::test {

namespace {

Options lossless(Variant variant = Variant::automatic, Predictor predictor = Predictor::automatic,
                 bool checksum = true) {
  return {ErrorBound::lossless(), Pipeline::fixedlength, variant, predictor, checksum};
}

constexpr Variant variants[] = {Variant::automatic, Variant::plain, Variant::outlier};

Options by_rans(Options options) {
  options.pipeline = Pipeline::rans;
  options.variant = Variant::automatic;
  return options;
}

/// Integers with all their bits.
template <class N>
std::vector<N> noise(std::size_t size) {
  std::vector<N> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<N>(hash(i + 3));
  return values;
}

/// The smallest and the largest in turn: no residual is larger.
template <class N>
std::vector<N> extremes(std::size_t size) {
  using Limits = std::numeric_limits<N>;
  std::vector<N> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = hash(i) % 2 == 0 ? Limits::lowest() : Limits::max();
  }
  return values;
}

template <class N>
struct IntegerFields {
  static std::vector<std::vector<N>> of(FieldShape const& shape) {
    return {make_integers<N>(shape), noise<N>(shape.size()), extremes<N>(shape.size()),
            std::vector<N>(shape.size(), N{77})};
  }
};

}  // namespace

template <class Exec>
class Lossless : public testing::Test {
 protected:
  Codec<Exec> codec;

  template <class N>
  void check_integers(std::vector<N> const& field, FieldShape const& shape,
                      Options const& options) {
    auto const stream = codec.compress(field, shape, options);
    EXPECT_LE(stream.size(), max_compressed_bytes(shape, options));
    ASSERT_EQ(codec.template decompress<N>(stream, shape), field);
    EXPECT_EQ(codec.info().resolved(), ErrorBound::lossless());
    EXPECT_EQ(codec.info().shape.dtype, impl::dtype_of<N>());
#ifdef KOKKOS_ENABLE_SERIAL
    EXPECT_TRUE(stream == Codec<Kokkos::Serial>().compress(field, shape, options));
#endif
  }

  template <class N>
  void every_shape() {
    for (std::vector<std::size_t> const& extents : {std::vector<std::size_t>{1},
                                                    {31},
                                                    {1023},
                                                    {1024},
                                                    {1025},
                                                    {9001},
                                                    {70, 61},
                                                    {1, 33},
                                                    {17, 21, 36},
                                                    {2, 3, 16, 64}}) {
      for (Order const order : {Order::last_fastest, Order::first_fastest}) {
        FieldShape const shape = shape_from<N>(extents, order);
        SCOPED_TRACE(to_string(shape.dtype) + std::string(" x ") + std::to_string(shape.size()));
        for (auto const& field : IntegerFields<N>::of(shape)) {
          check_integers(field, shape, lossless());
          check_integers(field, shape, by_rans(lossless()));
        }
      }
    }
  }

  template <class N>
  void every_option() {
    FieldShape const shape = shape_from<N>({9, 33, 50});
    for (auto const& field : IntegerFields<N>::of(shape)) {
      for (auto const predictor : {Predictor::chain, Predictor::tile}) {
        for (Variant const variant : variants) {
          check_integers(field, shape, lossless(variant, predictor, predictor == Predictor::chain));
        }
        check_integers(field, shape,
                       by_rans(lossless({}, predictor, predictor == Predictor::tile)));
      }
    }
  }

  template <class T>
  void every_family() {
    for (std::vector<std::size_t> const& extents :
         {std::vector<std::size_t>{5000}, {70, 61}, {17, 21, 36}}) {
      FieldShape const shape = shape_from<T>(extents);
      for (Family const family : all_families) {
        auto const field = make_field<T>(family, shape);
        for (auto const& fill : {FillValue::none(), FillValue::automatic()}) {
          for (Variant const variant : variants) {
            SCOPED_TRACE(name_of(family));
            Options options = lossless(variant);
            options.fill = fill;
            expect_round_trip(codec, field, shape, options);
            if (variant == Variant::automatic) {
              expect_round_trip(codec, field, shape, by_rans(options));
            }
          }
        }
      }
    }
  }
};
TYPED_TEST_SUITE(Lossless, Spaces, SpaceName);

TYPED_TEST(Lossless, EveryFamilyOfNumbers_ComesBackBitForBit) {
  this->template every_family<float>();
  this->template every_family<double>();
}

TYPED_TEST(Lossless, IntegersOfEveryType_ComeBackFromEveryShape) {
  this->template every_shape<std::int8_t>();
  this->template every_shape<std::uint8_t>();
  this->template every_shape<std::int16_t>();
  this->template every_shape<std::uint16_t>();
  this->template every_shape<std::int32_t>();
  this->template every_shape<std::uint32_t>();
  this->template every_shape<std::int64_t>();
  this->template every_shape<std::uint64_t>();
}

TYPED_TEST(Lossless, IntegersOfEveryType_ComeBackWithEveryOption) {
  this->template every_option<std::int8_t>();
  this->template every_option<std::uint16_t>();
  this->template every_option<std::int32_t>();
  this->template every_option<std::uint64_t>();
}

// Equal numbers have equal residuals, whatever they are stored as.
TYPED_TEST(Lossless, NarrowIntegers_TakeNoMoreThanWideOnes) {
  auto const payload = [&]<class N>(N) {
    FieldShape const shape = shape_from<N>({20, 40, 50});
    std::vector<N> field(shape.size());
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<N>(i % 50 + i / 50 % 7);
    return this->codec.compress(field, shape, lossless()).size();
  };
  std::size_t const narrow = payload(std::uint8_t{});
  EXPECT_EQ(narrow, payload(std::int16_t{}));
  EXPECT_EQ(narrow, payload(std::uint32_t{}));
  EXPECT_EQ(narrow, payload(std::int64_t{}));
}

TYPED_TEST(Lossless, FillValue_SavesMoreThanItsMask) {
  FieldShape const shape = shape_from<float>({60, 70, 80});
  auto const field = make_field<float>(Family::land, shape);
  Options options = lossless();
  options.fill = FillValue::none();
  std::size_t const without = this->codec.compress(field, shape, options).size();
  options.fill = FillValue::automatic();
  EXPECT_LT(expect_round_trip(this->codec, field, shape, options).size(), without);
  EXPECT_TRUE(this->codec.info().fill.has_value());
}

TYPED_TEST(Lossless, DamagedRecords_StayInBounds) {
  Options const fixed = lossless(Variant::outlier, Predictor::tile, false);
  FieldShape const floats = shape_from<float>({300, 170}),
                   bytes = shape_from<std::uint8_t>({50, 70});
  for (Options const& options : {fixed, by_rans(fixed)}) {
    expect_damage_in_bounds(this->codec, make_field<float>(Family::zeros, floats), floats, options);
    expect_damage_in_bounds(this->codec, make_integers<std::uint8_t>(bytes), bytes, options);
  }
}

}  // namespace kompakt::test
