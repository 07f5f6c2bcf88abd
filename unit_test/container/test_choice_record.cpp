#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <kompakt/choice_record.hpp>
#include <kompakt/options.hpp>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

constexpr Pipeline all_pipelines[] = {Pipeline::huffman, Pipeline::bitshuffle,
                                      Pipeline::fixedlength, Pipeline::rans};

ChoiceRecord reason_of(Goal goal, double huffman, double bitshuffle, double fixedlength) {
  ChoiceRecord reason(goal);
  reason.add(Pipeline::huffman, huffman);
  reason.add(Pipeline::bitshuffle, bitshuffle);
  reason.add(Pipeline::fixedlength, fixedlength);
  return reason;
}

TEST(ChoiceRecord, GoalAndRatios_ComeBackFromItsBits) {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    Goal const goal = random.one_in(2) ? Goal::smallest : Goal::balanced;
    double ratios[4];
    for (double& ratio : ratios) {
      ratio = std::ldexp(1.0 + 0x1p-30 * static_cast<double>(random.below(std::uint64_t{1} << 30)),
                         static_cast<int>(random.between(-14, 14)));
    }
    ChoiceRecord made = reason_of(goal, ratios[0], ratios[1], ratios[2]);
    made.add(Pipeline::rans, ratios[3]);
    auto const reason = ChoiceRecord::from_bits(made.bits());
    ASSERT_TRUE(reason);
    EXPECT_EQ(reason->goal(), goal);
    for (int p = 0; p < 4; ++p) {
      double const rounded = reason->ratio(all_pipelines[p]);
      EXPECT_LE(std::fabs(rounded - ratios[p]), std::ldexp(ratios[p], -7)) << ratios[p];
      EXPECT_EQ(rounded, std::ldexp(std::rint(std::ldexp(rounded, 6 - std::ilogb(rounded))),
                                    std::ilogb(rounded) - 6));
    }
  }
}

TEST(ChoiceRecord, RatiosBeyondTheScale_AreItsEnds) {
  ChoiceRecord const reason = reason_of(Goal::ratio, 1e300, 1e-300, 65280);
  EXPECT_EQ(reason.ratio(Pipeline::huffman), 65024);
  EXPECT_EQ(reason.ratio(Pipeline::bitshuffle), 0x1p-20);
  EXPECT_EQ(reason.ratio(Pipeline::fixedlength), 65024);
  EXPECT_TRUE(ChoiceRecord::from_bits(reason.bits()));
}

TEST(ChoiceRecord, RatiosBetweenTwoOfTheScale_AreTheEvenOne) {
  ChoiceRecord const reason = reason_of(Goal::ratio, 64.5, 65.5, 65.4999);
  EXPECT_EQ(reason.ratio(Pipeline::huffman), 64);
  EXPECT_EQ(reason.ratio(Pipeline::bitshuffle), 66);
  EXPECT_EQ(reason.ratio(Pipeline::fixedlength), 65);
}

TEST(ChoiceRecord, OfOnePipeline_TheBestRatioCounts) {
  ChoiceRecord reason = reason_of(Goal::ratio, 4, 3, 2);
  reason.add(Pipeline::huffman, 5);
  reason.add(Pipeline::bitshuffle, 1);
  EXPECT_EQ(reason, reason_of(Goal::ratio, 5, 3, 2));
}

TEST(ChoiceRecord, OfAPipelineWithoutRoom_ItIsSilent) {
  ChoiceRecord const without = reason_of(Goal::ratio, 4, 3, 2);
  for (int const number : {0, 5, 6, 7, 8, 200, 255}) {
    ChoiceRecord reason = without;
    reason.add(Pipeline(number), 9);
    EXPECT_EQ(reason, without) << number;
    EXPECT_EQ(reason.ratio(Pipeline(number)), 0) << number;
    EXPECT_NE(reason.text(Pipeline(number), Variant::automatic).find("huffman 4.0"),
              std::string::npos);
  }
}

TEST(ChoiceRecord, AnyBits_AreOneOrNone) {
  Random random(6);
  int sound = 0;
  for (int i = 0; i < 200000; ++i) {
    std::uint64_t const bits = random.bits() >> random.between(15, 63);
    std::optional<ChoiceRecord> const reason = ChoiceRecord::from_bits(bits);
    if (!reason) continue;
    ++sound;
    ASSERT_EQ(reason->bits(), bits);
    ASSERT_LT(bits, std::uint64_t{1} << 47);
    ASSERT_TRUE(reason->goal() || bits == 0);
    auto const seen = std::count_if(std::begin(all_pipelines), std::end(all_pipelines),
                                    [&](Pipeline p) { return reason->ratio(p) > 0; });
    ASSERT_TRUE(seen == 0 || (reason->goal() && reason->goal() != Goal::speed)) << bits;
    for (Pipeline const p : all_pipelines) ASSERT_LE(reason->ratio(p), 65024);
    for (Pipeline const p : all_pipelines) ASSERT_EQ(reason->text(p, {}).empty(), bits == 0);
  }
  EXPECT_GT(sound, 1000);
}

TEST(ChoiceRecord, Text_SaysWhatWasTakenFirst) {
  ChoiceRecord const reason = reason_of(Goal::ratio, 9.3, 120.0625, 1000);
  EXPECT_EQ(
      reason.text(Pipeline::huffman, Variant::custom),
      "huffman with its own codebook: ratio 9.2 in a sample; bitshuffle 120, fixedlength 1000");
  EXPECT_EQ(reason.text(Pipeline::bitshuffle, Variant::nested),
            "bitshuffle: ratio 120 in a sample; huffman 9.2, fixedlength 1000");
  EXPECT_EQ(ChoiceRecord(Goal::speed).text(Pipeline::fixedlength, Variant::automatic),
            "fixedlength in chains: the fastest on a GPU, whatever the field");
  EXPECT_EQ(ChoiceRecord(Goal::ratio).text(Pipeline::fixedlength, Variant::automatic),
            "fixedlength: there was nothing to compare");
  EXPECT_EQ(ChoiceRecord().text(Pipeline::fixedlength, Variant::automatic), "");
}

}  // namespace
}  // namespace kompakt::test
