#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <coder/huffman/code_lengths.hpp>
#include <coder/huffman/make_book.hpp>
#include <coder/huffman/prefix_code.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <utility>
#include <vector>

namespace kompakt::test {

namespace huffman = impl::huffman;
using Counts = std::vector<std::uint32_t>;
using Lengths = std::vector<std::uint8_t>;

namespace {

huffman::Alphabets one_alphabet(std::size_t n, int limit) {
  return {{{{0, static_cast<int>(n), limit}, {}, {}}}, 1};
}

Lengths lengths_of(Counts const& counts, huffman::Alphabets const& set) {
  auto const place = [&](impl::Carver& carver) { return huffman::CodeMemory::in(carver, set); };
  std::vector<std::uint32_t> memory(impl::carved_bytes(place) / 4);
  impl::Carver carver(reinterpret_cast<std::byte*>(memory.data()));
  Lengths lengths(counts.size(), 0xff);
  huffman::code_lengths(SingleThreadTeam{}, set, counts.data(), place(carver), lengths.data());
  return lengths;
}
Lengths lengths_of(Counts const& counts, int limit) {
  return lengths_of(counts, one_alphabet(counts.size(), limit));
}

std::uint64_t cost(Counts const& counts, Lengths const& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    bits += static_cast<std::uint64_t>(counts[i]) * lengths[i];
  }
  return bits;
}

/// Bits of a code without a limit: the sum of all inner nodes of Huffman's tree.
std::uint64_t huffman_cost(Counts const& counts) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> queue;
  for (std::uint32_t const count : counts) {
    if (count > 0) queue.push(count);
  }
  if (queue.size() == 1) return queue.top();
  std::uint64_t bits = 0;
  while (queue.size() > 1) {
    std::uint64_t const a = queue.top();
    queue.pop();
    std::uint64_t const sum = a + queue.top();
    queue.pop();
    bits += sum;
    queue.push(sum);
  }
  return bits;
}

/// Sum of 2^-length in units of 2^-24.
std::uint64_t kraft_sum(Lengths const& lengths) {
  std::uint64_t sum = 0;
  for (std::uint8_t const length : lengths) {
    if (length > 0) sum += std::uint64_t{1} << (24 - length);
  }
  return sum;
}

Counts random_counts(Random& random, int n) {
  Counts counts(static_cast<std::size_t>(n));
  for (std::uint32_t& count : counts) {
    // The sums that the code is made of fit in 32 bits.
    count = random.below(4) == 0
                ? 0
                : static_cast<std::uint32_t>(random.bits() >> random.between(46, 63));
  }
  return counts;
}

struct Decoder {
  huffman::DecodeTable<12> table;
  huffman::CanonicalCode code;
  std::vector<std::uint16_t> sorted;
  bool complete;

  explicit Decoder(Lengths const& lengths) : sorted(lengths.size()) {
    huffman::Numbering numbering;
    complete =
        huffman::make_tables(SingleThreadTeam{}, one_alphabet(lengths.size(), huffman::max_length),
                             lengths.data(), numbering, &code, sorted.data(), table);
  }
  huffman::Decoded decode(std::uint32_t bits) const {
    huffman::Decoded const found = table.decode(bits);
    return found.length > 0 ? found : code.decode(bits, sorted.data());
  }
};

/// Every entry with a code is found by its code, whatever follows it.
void expect_decodable(Lengths const& lengths) {
  huffman::CanonicalCode code;
  huffman::Numbering numbering;
  std::vector<huffman::CodeWord> words(lengths.size());
  std::vector<std::uint16_t> sorted(lengths.size());
  huffman::make_code_words(SingleThreadTeam{}, one_alphabet(lengths.size(), huffman::max_length),
                           lengths.data(), numbering, &code, sorted.data(), words.data());
  auto const decoder = std::make_unique<Decoder>(lengths);
  ASSERT_TRUE(decoder->complete);
  Random random(7);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    ASSERT_EQ(words[i].length(), lengths[i]);
    if (lengths[i] == 0) continue;
    auto const behind = static_cast<std::uint32_t>(random.bits()) << lengths[i];
    auto const found = decoder->decode(words[i].bits() | behind);
    ASSERT_EQ(found.value, i);
    ASSERT_EQ(found.length, lengths[i]);
  }
}

}  // namespace

TEST(PrefixCode, OneEntry_HasABit) {
  EXPECT_EQ(lengths_of({0, 0, 9, 0}, 12), (Lengths{0, 0, 1, 0}));
}

TEST(PrefixCode, NoEntry_HasNoCode) { EXPECT_EQ(lengths_of({0, 0, 0}, 12), (Lengths{0, 0, 0})); }

TEST(PrefixCode, TwoEntries_HaveABitEach) {
  EXPECT_EQ(lengths_of({1, 0, 1000000}, 12), (Lengths{1, 0, 1}));
}

TEST(PrefixCode, EqualCounts_GiveEqualLengths) {
  EXPECT_EQ(lengths_of(Counts(1024, 5), 12), Lengths(1024, 10));
}

TEST(PrefixCode, FibonacciCounts_MeetTheLimit) {
  Counts counts = {1, 1};
  while (counts.size() < 36)
    counts.push_back(counts[counts.size() - 1] + counts[counts.size() - 2]);
  for (int const limit : {6, 8, 12, 15, 20}) {
    Lengths const lengths = lengths_of(counts, limit);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), limit);
    EXPECT_EQ(kraft_sum(lengths), std::uint64_t{1} << 24);
    expect_decodable(lengths);
  }
}

TEST(PrefixCode, Ties_AreResolvedByNumber) {
  // Of five equal counts the two that come first get the longer codes.
  EXPECT_EQ(lengths_of({1, 1, 1, 1, 1}, 12), (Lengths{3, 3, 2, 2, 2}));
}

TEST(PrefixCode, AnyCounts_CostWhatHuffmansTreeCosts) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    Counts const counts = random_counts(random, static_cast<int>(random.between(1, 300)));
    // No code of 300 entries with such counts is longer than this.
    Lengths const lengths = lengths_of(counts, 24);
    if (*std::max_element(lengths.begin(), lengths.end()) == 24) continue;
    ASSERT_EQ(cost(counts, lengths), huffman_cost(counts));
  }
}

TEST(PrefixCode, AnyCountsAndLimit_GiveACompleteCodeThatDecodes) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    auto const n = static_cast<int>(random.between(2, 700));
    auto const limit = static_cast<int>(random.between(10, 20));
    Counts const counts = random_counts(random, n);
    Lengths const lengths = lengths_of(counts, limit);
    int used = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      ASSERT_EQ(lengths[k] > 0, counts[k] > 0);
      ASSERT_LE(lengths[k], limit);
      used += counts[k] > 0 ? 1 : 0;
    }
    if (used < 2) continue;
    ASSERT_EQ(kraft_sum(lengths), std::uint64_t{1} << 24);
    expect_decodable(lengths);
  }
}

TEST(PrefixCode, AlphabetsSideBySide_GetTheCodesThatEachGetsAlone) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    std::vector<Counts> parts;
    Counts together;
    huffman::Alphabets set{{}, huffman::alphabet_count};
    for (huffman::Alphabet& part : set.parts.list) {
      // Some have no entry that occurs, or one.
      Counts const counts = random.below(8) == 0
                                ? Counts{0, random.below(2) == 0 ? 0u : 7u, 0}
                                : random_counts(random, static_cast<int>(random.between(1, 400)));
      part = {static_cast<int>(together.size()), static_cast<int>(counts.size()),
              static_cast<int>(random.between(9, 20))};
      together.insert(together.end(), counts.begin(), counts.end());
      parts.push_back(counts);
    }
    Lengths const lengths = lengths_of(together, set);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      auto const begin = lengths.begin() + set.parts.list[k].first;
      Lengths const own(begin, begin + set.parts.list[k].count);
      ASSERT_EQ(own, lengths_of(parts[k], set.parts.list[k].length_limit));
    }
  }
}

TEST(PrefixCode, LengthsOfNoCompleteCode_AreRefused) {
  for (Lengths const& lengths :
       {Lengths{1, 1, 1}, Lengths{1}, Lengths{0, 0}, Lengths{2, 2, 0, 14}}) {
    EXPECT_FALSE(std::make_unique<Decoder>(lengths)->complete);
  }
}

TEST(PrefixCode, Log2_IsThatOfDouble) {
  Random random(5);
  for (int i = 0; i < 10000; ++i) {
    auto const x = static_cast<std::uint32_t>(random.bits() >> random.between(32, 63));
    if (x == 0) continue;
    double const units = std::log2(static_cast<double>(x)) * 65536;
    EXPECT_NEAR(huffman::log2_fixed(x), units, 1.01) << x;
    EXPECT_LE(huffman::log2_fixed(x), units + 1e-6) << x;
  }
}

}  // namespace kompakt::test
