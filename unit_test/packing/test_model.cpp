#include <gtest/gtest.h>

#include <algorithm>
#include <container/format.hpp>

#include "model_case.hpp"

namespace kompakt::test {
namespace {

using impl::ByteCounts;
using impl::ByteModel;

ByteCounts random_counts(Random& random) {
  ByteCounts counts{};
  std::uint64_t const present = 1 + random.below(256), width = 1 + random.below(50);
  for (auto& of_class : counts.count) {
    for (std::uint64_t& count : of_class) {
      if (random.below(256) < present) count = (random.bits() >> 14) >> random.below(width);
    }
  }
  return counts;
}

/// Whether all that was counted has a frequency, and those of a table are 2^11 in all.
void expect_usable(ByteModel const& model, ByteCounts const& counts) {
  auto const frequencies = model.frequencies();
  auto const steps = model.steps();
  ASSERT_EQ(frequencies.size(), 256u * static_cast<std::size_t>(model.tables()));
  ASSERT_EQ(steps.size(), 2048u * static_cast<std::size_t>(model.tables()));
  for (int k = 0; k < impl::rans::classes; ++k) {
    int const table = std::min(k, model.tables() - 1);
    for (std::size_t byte = 0; byte < 256; ++byte) {
      auto const f = frequencies[256 * static_cast<std::size_t>(table) + byte];
      if (counts.count[k][byte] > 0) {
        EXPECT_GT(f.count, 0);
      }
      for (std::uint32_t i = 0; i < f.count; ++i) {
        auto const step = steps[2048 * static_cast<std::size_t>(table) + f.below + i];
        ASSERT_EQ(step.byte(), byte);
        ASSERT_EQ(step.count(), f.count);
        ASSERT_EQ(step.distance(), i);
      }
    }
  }
}

TEST(ByteModel, OfAnyCounts_HasAllBytesAndIsRead) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    ByteCounts const counts = random_counts(random);
    ByteModel const model = ByteModel::of(counts);
    expect_usable(model, counts);
    auto bytes = model.bytes();
    EXPECT_LE(bytes.size() + 8, impl::max_packing_bytes);
    bytes.resize((bytes.size() + 15) / 16 * 16);
    auto const read = ByteModel::read(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->bytes(), model.bytes());
  }
}

TEST(ByteModel, OfTheLargestCounts_DoesNotOverflow) {
  ByteCounts counts{};
  for (auto& of_class : counts.count) std::fill(std::begin(of_class), std::end(of_class), 1);
  counts.count[0][0] = std::uint64_t{1} << 60;
  counts.count[0][7] = std::uint64_t{1} << 59;
  ByteModel const model = ByteModel::of(counts);
  expect_usable(model, counts);
  EXPECT_GT(model.coded_bytes(counts), std::uint64_t{1} << 56);
  EXPECT_LT(model.coded_bytes(counts), std::uint64_t{1} << 59);
}

TEST(ByteModel, AlteredSection_IsRefusedOrAnotherModel) {
  Random random(2);
  ByteCounts counts{};
  for (int i = 0; i < 20; ++i) count(counts, make_words(random, 64, 2));
  auto good = ByteModel::of(counts).bytes();
  good.resize((good.size() + 15) / 16 * 16);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    auto bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    auto const read = ByteModel::read(bytes);
    if (!read) continue;
    auto same = read->bytes();
    same.resize(bytes.size());
    EXPECT_EQ(same, bytes);
    expect_usable(*read, ByteCounts{});
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ByteModel::read(std::span(good).first(size)) && size + 16 <= good.size());
  }
}

TEST(ByteModel, OfBytesThatDependOnThoseBefore_TakesMoreTables) {
  ByteCounts counts{};
  counts.count[0][0] = 1000000;
  counts.count[1][255] = 1000000;
  counts.count[3][255] = 1000000;
  EXPECT_GT(ByteModel::of(counts).tables(), 1);
  counts = {};
  for (auto& of_class : counts.count) of_class[0] = of_class[1] = 100;
  EXPECT_EQ(ByteModel::of(counts).tables(), 1);
}

}  // namespace
}  // namespace kompakt::test
