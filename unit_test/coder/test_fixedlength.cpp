#include "fixedlength_case.hpp"

#include <limits>

namespace kompakt::test {
namespace {

template <class ShapeAndValue>
class FixedLength : public testing::Test, public FixedLengthCase<ShapeAndValue> {};
TYPED_TEST_SUITE(FixedLength, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(FixedLength, ZeroResiduals_NeedNoWords) {
  auto const residuals = TestFixture::zeros();
  for (Variant const variant : all_variants) EXPECT_EQ(TestFixture::words(variant, residuals), 0);
  TestFixture::expect_round_trip(residuals);
}

TYPED_TEST(FixedLength, EveryWidthInAllLanes_RoundTrips) {
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

TYPED_TEST(FixedLength, EveryWidthInOneLaneOnly_RoundTrips) {
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

TYPED_TEST(FixedLength, SingleSpikeInEveryPlace_RoundTrips) {
  using Word = typename FixedLengthCase<TypeParam>::U;
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

TYPED_TEST(FixedLength, RandomWidthsPerLane_RoundTrip) {
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

TYPED_TEST(FixedLength, WideFirstCodes_RoundTrip) {
  KOMPAKT_TRACE_SEED(104);
  Random random(104);
  for (int round = 0; round < 1000; ++round) {
    TestFixture::expect_round_trip(residuals_with_outliers<FixedLengthCase<TypeParam>>(random));
    if (TestFixture::HasFatalFailure()) return;
  }
}

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
  using Case = FixedLengthCase<TypeParam>;
  KOMPAKT_TRACE_SEED(105);
  Random random(105);
  for (int round = 0; round < 10000 && !TestFixture::HasFatalFailure(); ++round) {
    expect_automatic_not_larger<Case>(residuals_with_outliers<Case>(random));
  }
}

TYPED_TEST(FixedLength, AutomaticVariantOfSimilarWidths_IsNeverLargerThanPlain) {
  using Case = FixedLengthCase<TypeParam>;
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
  expect_automatic_not_larger<FixedLengthCase<TypeParam>>(residuals);
}

}  // namespace
}  // namespace kompakt::test
