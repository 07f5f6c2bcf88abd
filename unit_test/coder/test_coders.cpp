#include "coder_case.hpp"

#include <limits>

namespace kompakt::test {
namespace {

template <class CoderAndTile>
class Coder : public testing::Test, public CoderCase<CoderAndTile> {};
TYPED_TEST_SUITE_P(Coder);

TYPED_TEST_P(Coder, ZeroResiduals_NeedNoWords) {
  auto const residuals = TestFixture::zeros();
  for (Variant const variant : TestFixture::variants())
    EXPECT_EQ(TestFixture::words(variant, residuals), 0);
  TestFixture::expect_round_trip(residuals);
}

TYPED_TEST_P(Coder, EveryWidthInAllLanes_RoundTrips) {
  KOMPAKT_TRACE_SEED(101);
  Random random(101);
  for (int width = 0; width <= TestFixture::max_width; ++width) {
    SCOPED_TRACE(testing::Message() << "width " << width);
    auto residuals = TestFixture::zeros();
    for (int lane = 0; lane < impl::tile_lanes; ++lane) {
      TestFixture::fill_lane(random, residuals, lane, width, width);
    }
    TestFixture::expect_round_trip(residuals);
    if (TestFixture::HasFatalFailure()) return;
  }
}

TYPED_TEST_P(Coder, EveryWidthInOneLaneOnly_RoundTrips) {
  KOMPAKT_TRACE_SEED(102);
  Random random(102);
  for (int width = 0; width <= TestFixture::max_width; ++width) {
    for (int lane = 0; lane < impl::tile_lanes; ++lane) {
      auto residuals = TestFixture::zeros();
      TestFixture::fill_lane(random, residuals, lane, width, width);
      TestFixture::expect_round_trip(residuals);
      if (TestFixture::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST_P(Coder, SingleSpikeInEveryPlace_RoundTrips) {
  using Word = typename CoderCase<TypeParam>::U;
  constexpr Word all = std::numeric_limits<Word>::max();
  for (Word const code : {Word{1}, Word{200}, Word{70000}, static_cast<Word>(all / 2), all}) {
    for (int place = 0; place < impl::tile_values; ++place) {
      auto residuals = TestFixture::zeros();
      TestFixture::set_code(residuals, place / impl::lane_values, place % impl::lane_values, code);
      TestFixture::expect_round_trip(residuals);
      if (TestFixture::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST_P(Coder, RandomWidthsPerLane_RoundTrip) {
  KOMPAKT_TRACE_SEED(103);
  Random random(103);
  for (int round = 0; round < 500; ++round) {
    auto const widest = random.below(static_cast<std::uint64_t>(TestFixture::max_width) + 1);
    auto residuals = TestFixture::zeros();
    for (int lane = 0; lane < impl::tile_lanes; ++lane) {
      auto const width = static_cast<int>(random.below(widest + 1));
      TestFixture::fill_lane(random, residuals, lane, width, width);
    }
    TestFixture::expect_round_trip(residuals);
    if (TestFixture::HasFatalFailure()) return;
  }
}

// First codes that are wider than the rest by any number of bits, in some of the lanes.
template <class Case>
typename Case::Residuals residuals_with_outliers(Random& random) {
  auto residuals = Case::zeros();
  auto const max_width = static_cast<std::uint64_t>(Case::max_width);
  std::uint64_t const rarity = random.below(6) + 1, widest = random.below(max_width) + 1;
  for (int lane = 0; lane < impl::tile_lanes; ++lane) {
    std::uint64_t const rest = random.below(random.below(max_width) + 1);
    std::uint64_t const first = rest + random.below(max_width - rest + 1);
    bool const outlier = random.one_in(rarity);
    Case::fill_lane(random, residuals, lane, static_cast<int>(outlier ? first : rest % widest),
                    static_cast<int>(rest % widest));
  }
  return residuals;
}

TYPED_TEST_P(Coder, WideFirstCodes_RoundTrip) {
  KOMPAKT_TRACE_SEED(104);
  Random random(104);
  for (int round = 0; round < 1000; ++round) {
    TestFixture::expect_round_trip(residuals_with_outliers<CoderCase<TypeParam>>(random));
    if (TestFixture::HasFatalFailure()) return;
  }
}

REGISTER_TYPED_TEST_SUITE_P(Coder, ZeroResiduals_NeedNoWords, EveryWidthInAllLanes_RoundTrips,
                            EveryWidthInOneLaneOnly_RoundTrips, SingleSpikeInEveryPlace_RoundTrips,
                            RandomWidthsPerLane_RoundTrip, WideFirstCodes_RoundTrip);
INSTANTIATE_TYPED_TEST_SUITE_P(FixedLength, Coder, TilesOf<impl::FixedLength>, ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(BitshuffleNested, Coder, TilesOf<impl::BitshuffleNested>,
                               ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(BitshuffleFz, Coder, TilesOf<impl::BitshuffleFz>, ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(Huffman, Coder, TilesOf<impl::Huffman>, ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(Rans, Coder, TilesOf<impl::Rans>, ShapeAndValueName);

template <class CoderAndTile>
class FixedLength : public testing::Test, public CoderCase<CoderAndTile> {};
TYPED_TEST_SUITE(FixedLength, TilesOf<impl::FixedLength>, ShapeAndValueName);

// All lanes within a few bits of each other, where a lane with an outlier costs its neighbours
// planes of widths.
template <class Case>
typename Case::Residuals residuals_of_similar_widths(Random& random) {
  auto residuals = Case::zeros();
  auto const width = static_cast<int>(random.between(6, Case::max_width - 1));
  std::uint64_t const rarity = random.below(40) + 1, range = random.below(6) + 1;
  for (int lane = 0; lane < impl::tile_lanes; ++lane) {
    int const narrower = random.one_in(rarity) ? static_cast<int>(random.below(range)) : 0;
    Case::fill_lane(random, residuals, lane, width, width - narrower);
  }
  return residuals;
}

template <class Case>
void expect_automatic_not_larger(typename Case::Residuals const& residuals) {
  ASSERT_LE(Case::words(Variant::automatic, residuals), Case::words(Variant::plain, residuals));
}

TYPED_TEST(FixedLength, AutomaticVariantOfWideFirstCodes_IsNeverLargerThanPlain) {
  using Case = CoderCase<TypeParam>;
  KOMPAKT_TRACE_SEED(105);
  Random random(105);
  for (int round = 0; round < 10000 && !TestFixture::HasFatalFailure(); ++round) {
    expect_automatic_not_larger<Case>(residuals_with_outliers<Case>(random));
  }
}

TYPED_TEST(FixedLength, AutomaticVariantOfSimilarWidths_IsNeverLargerThanPlain) {
  using Case = CoderCase<TypeParam>;
  KOMPAKT_TRACE_SEED(106);
  Random random(106);
  for (int round = 0; round < 10000 && !TestFixture::HasFatalFailure(); ++round) {
    expect_automatic_not_larger<Case>(residuals_of_similar_widths<Case>(random));
  }
}

TYPED_TEST(FixedLength, OneLaneWithAnOutlierAmongEqualWidths_IsNotLargerThanPlain) {
  auto residuals = TestFixture::zeros();
  for (int lane = 0; lane < impl::tile_lanes; ++lane) {
    TestFixture::set_code(residuals, lane, 0, 1u << 9);
    TestFixture::set_code(residuals, lane, 1, lane == 5 ? 1u << 7 : 1u << 9);
  }
  expect_automatic_not_larger<CoderCase<TypeParam>>(residuals);
}

template <class CoderAndTile>
class Bitshuffle : public testing::Test, public CoderCase<CoderAndTile> {
 public:
  using Case = CoderCase<CoderAndTile>;
  using Word = typename Case::U;
  static constexpr Variant variant = Case::Coder::Elimination::variant;

  static int words_of(Word residual) {
    auto residuals = Case::zeros();
    residuals[1] = residual;
    Case::expect_round_trip(residuals);
    return Case::words(variant, residuals);
  }
};
TYPED_TEST_SUITE_P(Bitshuffle);

TYPED_TEST_P(Bitshuffle, SparseResiduals_RoundTrip) {
  KOMPAKT_TRACE_SEED(107);
  Random random(107);
  for (int round = 0; round < 2000; ++round) {
    auto residuals = TestFixture::zeros();
    std::uint64_t const widest = random.between(1, 17);
    for (std::uint64_t left = random.below(random.one_in(2) ? 8 : 400); left > 0; --left) {
      auto const place = static_cast<int>(random.below(impl::tile_values));
      auto const width = static_cast<int>(random.between(1, widest));
      TestFixture::set_code(residuals, place / impl::lane_values, place % impl::lane_values,
                            TestFixture::random_code(random, width));
    }
    TestFixture::expect_round_trip(residuals);
    if (TestFixture::HasFatalFailure()) return;
  }
}

// -32768 has a zig-zag of 16 bits, but not a sign and a magnitude.
TYPED_TEST_P(Bitshuffle, ResidualsWithoutACodeOfSixteenBits_CostAList) {
  using Residual = typename TestFixture::Word;
  constexpr int list_words = 1 + impl::list_words<typename TestFixture::T>(1);
  bool const fz = TestFixture::variant == Variant::fz;
  EXPECT_NE(TestFixture::words_of(Residual{32767}), list_words);
  EXPECT_NE(TestFixture::words_of(Residual{0} - Residual{32767}), list_words);
  EXPECT_EQ(TestFixture::words_of(Residual{0} - Residual{32768}) == list_words, fz);
  for (Residual const residual : {Residual{32768}, Residual{0} - Residual{32769},
                                  Residual{1} << (sizeof(Residual) * 8 - 1)}) {
    EXPECT_EQ(TestFixture::words_of(residual), list_words);
  }
}

// One byte of the second plane that is not zero: tops, a group, a flag byte, the byte; or a word of
// flags and a block.
TYPED_TEST_P(Bitshuffle, SingleOneInATile_TakesAWordOrABlock) {
  for (int lane : {0, 1, 17, 31}) {
    auto residuals = TestFixture::zeros();
    TestFixture::set_code(residuals, lane, 9, 2);
    EXPECT_EQ(TestFixture::words(TestFixture::variant, residuals),
              TestFixture::variant == Variant::fz ? 1 + 4 : 1);
  }
}

REGISTER_TYPED_TEST_SUITE_P(Bitshuffle, SparseResiduals_RoundTrip,
                            ResidualsWithoutACodeOfSixteenBits_CostAList,
                            SingleOneInATile_TakesAWordOrABlock);
INSTANTIATE_TYPED_TEST_SUITE_P(Deep, Bitshuffle, TilesOf<impl::BitshuffleNested>,
                               ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(Fz, Bitshuffle, TilesOf<impl::BitshuffleFz>, ShapeAndValueName);

}  // namespace
}  // namespace kompakt::test
