#include <gtest/gtest.h>

#include <algorithm>
#include <core/checksum.hpp>
#include <set>
#include <support/random.hpp>
#include <utility>
#include <vector>

namespace kompakt::test {
namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t checksum(Words const& words, std::uint32_t seed = 0) {
  return impl::checksum_words(words.data(), static_cast<std::uint32_t>(words.size()), seed);
}

Words random_words(Random& random, std::size_t count) {
  Words words(count);
  for (auto& word : words) word = static_cast<std::uint32_t>(random.bits());
  return words;
}

TEST(Checksum, EverySingleBitFlip_IsSeen) {
  KOMPAKT_TRACE_SEED(61);
  Random random(61);
  for (Words words : {Words(64, 0u), Words(64, ~0u), random_words(random, 64)}) {
    std::uint32_t const sound = checksum(words);
    for (auto& word : words) {
      for (int bit = 0; bit < 32; ++bit) {
        word ^= 1u << bit;
        ASSERT_NE(checksum(words), sound) << "word " << &word - words.data() << " bit " << bit;
        word ^= 1u << bit;
      }
    }
  }
}

TEST(Checksum, AnotherWordInOnePlace_IsSeen) {
  KOMPAKT_TRACE_SEED(62);
  Random random(62);
  Words words = random_words(random, 8);
  std::uint32_t const sound = checksum(words, 5);
  for (int round = 0; round < 100000; ++round) {
    auto& word = words[random.below(words.size())];
    std::uint32_t const old = std::exchange(word, static_cast<std::uint32_t>(random.bits()));
    if (word != old) {
      ASSERT_NE(checksum(words, 5), sound);
    }
    word = old;
  }
}

TEST(Checksum, AnyTwoSwappedWords_AreSeen) {
  KOMPAKT_TRACE_SEED(63);
  Random random(63);
  Words words = random_words(random, 300);
  std::uint32_t const sound = checksum(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (words[i] == words[j]) continue;
      std::swap(words[i], words[j]);
      ASSERT_NE(checksum(words), sound) << i << " " << j;
      std::swap(words[i], words[j]);
    }
  }
}

TEST(Checksum, AddedInAnyOrder_IsTheSame) {
  KOMPAKT_TRACE_SEED(64);
  Random random(64);
  Words const words = random_words(random, 1000);
  std::vector<std::uint32_t> order(words.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random.below(i + 1)]);
    std::uint32_t sum = 0;
    for (std::uint32_t const i : order) sum += impl::checksum_word(words[i], i, 9);
    ASSERT_EQ(sum, checksum(words, 9));
  }
}

TEST(Checksum, MissingOrAddedZeroWord_IsSeen) {
  for (std::size_t count = 0; count < 200; ++count) {
    EXPECT_NE(checksum(Words(count, 0u)), checksum(Words(count + 1, 0u))) << count;
  }
}

TEST(Checksum, OtherSeed_GivesAnotherSum) {
  KOMPAKT_TRACE_SEED(65);
  Random random(65);
  Words const words = random_words(random, 50);
  std::set<std::uint32_t> sums;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) sums.insert(checksum(words, seed));
  EXPECT_EQ(sums.size(), 1000u);
}

TEST(Checksum, ChunkSeeds_DifferBetweenNeighboursAndAcrossFourBillion) {
  std::set<std::uint32_t> seeds;
  for (std::int64_t chunk = 0; chunk < 100000; ++chunk) seeds.insert(impl::chunk_seed(chunk));
  EXPECT_EQ(seeds.size(), 100000u);
  for (std::int64_t chunk = 0; chunk < 1000; ++chunk) {
    EXPECT_NE(impl::chunk_seed(chunk), impl::chunk_seed(chunk + (std::int64_t{1} << 32)));
  }
}

// The numbers are part of the format: an implementation elsewhere can be checked against them.
TEST(Checksum, KnownWords_GiveTheStoredSums) {
  EXPECT_EQ(impl::checksum_word(0, 0, 0), 0x8296e1f4u);
  EXPECT_EQ(checksum({1, 2, 3, 0xffffffffu}, 7), 0x55c118f7u);
  EXPECT_EQ(impl::chunk_seed(0x123456789a), 0xd2abec4cu);
}

}  // namespace
}  // namespace kompakt::test
