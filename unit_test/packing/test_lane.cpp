#include <gtest/gtest.h>

#include "model_case.hpp"

namespace kompakt::test {
namespace {

namespace rans = impl::rans;
using impl::ByteCounts;
using impl::ByteModel;

/// A lane as encode_lane() leaves it, and what decodes it.
struct Lane {
  std::vector<std::uint32_t> words;
  ByteModel model;
  std::vector<std::uint16_t> coded;

  Lane(Random& random, std::size_t count, unsigned rarity)
      : words(make_words(random, count, rarity)) {
    ByteCounts counts{};
    test::count(counts, words);
    model = ByteModel::of(counts);
    auto const table = model.frequencies();
    std::vector<std::uint16_t> memory(2 * count);
    int const length = rans::encode_lane(words.data(), static_cast<int>(count), table.data(),
                                         model.tables(), memory.data() + memory.size());
    coded.assign(memory.end() - length, memory.end());
  }
  bool is_coded() const { return coded.size() < 2 * words.size(); }
  bool decode(std::vector<std::uint16_t> const& from, std::vector<std::uint32_t>& to) const {
    to.resize(words.size());
    auto const table = model.steps();
    return rans::decode_lane(from.data(), static_cast<int>(from.size()), table.data(),
                             model.tables(), static_cast<int>(words.size()), to.data());
  }
};

TEST(Lane, OfAnyWords_IsDecoded) {
  Random random(3);
  int coded = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    Lane const lane(random, 1 + random.below(64), i % 6);
    if (!lane.is_coded()) continue;
    ++coded;
    std::vector<std::uint32_t> words;
    EXPECT_TRUE(lane.decode(lane.coded, words));
    ASSERT_EQ(words, lane.words);
  }
  EXPECT_GT(coded, 1000);
}

TEST(Lane, OfOneByteOnly_TakesAStateAlone) {
  Random random(4);
  Lane const zeros(random, 64, 60);
  EXPECT_EQ(zeros.coded.size(), 2u);
  Lane const word(random, 1, 60);
  EXPECT_FALSE(word.is_coded());
}

TEST(Lane, IsAboutAsLongAsItsModelSays) {
  Random random(5);
  for (unsigned rarity = 1; rarity < 5; ++rarity) {
    Lane const lane(random, 64, rarity);
    ByteCounts counts{};
    count(counts, lane.words);
    auto const bytes = static_cast<double>(lane.model.coded_bytes(counts));
    EXPECT_NEAR(static_cast<double>(2 * lane.coded.size()), bytes + 3, 3);
  }
}

TEST(Lane, AlteredOrCut_IsRefusedOrOtherWords) {
  Random random(6);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    Lane const lane(random, 2 + random.below(63), 2);
    if (!lane.is_coded()) continue;
    auto coded = lane.coded;
    coded[random.below(coded.size())] ^= static_cast<std::uint16_t>(1u << random.below(16));
    std::vector<std::uint32_t> words;
    if (lane.decode(coded, words)) {
      EXPECT_NE(words, lane.words);
    } else {
      ++refused;
    }
    coded = lane.coded;
    coded.pop_back();
    if (coded.size() >= 2) {
      EXPECT_FALSE(lane.decode(coded, words) && words == lane.words);
    }
    coded = lane.coded;
    coded.push_back(0);
    EXPECT_FALSE(lane.decode(coded, words));
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace kompakt::test
