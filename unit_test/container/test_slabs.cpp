#include <gtest/gtest.h>

#include <kompakt/slabs.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

FieldShape random_shape(Random& random) {
  std::vector<std::size_t> extents(1 + random.below(4));
  for (std::size_t& extent : extents) extent = 1 + random.below(random.one_in(3) ? 200 : 20);
  Order const order = random.one_in(2) ? Order::last_fastest : Order::first_fastest;
  return random.one_in(2) ? shape_from<float>(extents, order) : shape_from<double>(extents, order);
}

/// Where a value of a box lies in the memory of the field, by the strides of that.
std::int64_t place_of(FieldShape const& whole, std::array<std::size_t, max_rank> const& index) {
  Strides const strides = strides_of(whole);
  std::int64_t place = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(whole.rank); ++i) {
    place += static_cast<std::int64_t>(index[i]) * strides[i];
  }
  return place;
}

TEST(Slabs, PartsOfAnyField_AreRunsOfItsMemoryInOrder) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    FieldShape const whole = random_shape(random);
    std::uint64_t const most = 1 + random.below(whole.bytes() * 5 / 4);
    Slabs const slabs(whole, most);
    EXPECT_EQ(slabs.whole(), whole);
    std::uint64_t values = 0;
    for (std::uint64_t k = 0; k < slabs.count(); ++k) {
      FieldShape const shape = slabs.shape(k);
      Box const box = slabs.box(k);
      EXPECT_TRUE(shape.bytes() <= most || shape.size() == 1);
      EXPECT_EQ(box.shape_in(whole), shape);
      EXPECT_EQ(slabs.part(k).total, FramePart::whole(whole).total);
      EXPECT_EQ(slabs.values_before(k), values);
      EXPECT_EQ(place_of(whole, box.begin), static_cast<std::int64_t>(values));
      auto last = box.end;
      for (std::size_t i = 0; i < static_cast<std::size_t>(whole.rank); ++i) --last[i];
      values += shape.size();
      EXPECT_EQ(place_of(whole, last), static_cast<std::int64_t>(values) - 1);
    }
    EXPECT_EQ(values, whole.size());
  }
}

TEST(Slabs, PartsOfSeveralSlices_CutFewTiles) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    FieldShape const whole = random_shape(random);
    Slabs const slabs(whole, 1 + random.below(whole.bytes()));
    FieldShape const first = slabs.shape(0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(whole.rank); ++i) {
      bool const cut = first.extents[i] < whole.extents[i];
      std::size_t const tile = first.extents[i] >= 32 ? 32 : 8;
      if (!cut || first.extents[i] < tile) continue;
      EXPECT_EQ(first.extents[i] % tile, 0u);
    }
  }
}

TEST(Slabs, FieldThatFits_IsOnePart) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    FieldShape const whole = random_shape(random);
    for (Slabs const& slabs : {Slabs(whole), Slabs(whole, whole.bytes())}) {
      EXPECT_EQ(slabs.count(), 1u);
      EXPECT_EQ(slabs.shape(0), whole);
      EXPECT_EQ(slabs.part(0), FramePart::whole(whole));
    }
  }
}

TEST(Slabs, BytesByAnotherCount_AreKept) {
  FieldShape const whole = shape_from<float>({64, 10, 10});
  Slabs const slabs(
      whole, [](FieldShape const& part) { return part.bytes() + 5000; }, 12000);
  EXPECT_EQ(slabs.shape(0).extents[0], 16u);  // of 17 that fit
  EXPECT_EQ(slabs.count(), 4u);
}

TEST(Slabs, PartOfAnArray_BeginsWhereItsBoxDoes) {
  std::vector<float> values(6 * 5 * 4);
  FieldShape const whole = shape_from<float>({6, 5, 4});
  StridedData const field = FieldData{values.data(), whole};
  StridedData const part = part_of(field, Box({2, 1, 3}, {4, 5, 4}));
  EXPECT_EQ(part.data, &values[(2 * 5 + 1) * 4 + 3]);
  EXPECT_EQ(part.shape, shape_from<float>({2, 4, 1}));
  EXPECT_EQ(part.strides, field.strides);
  ConstStridedData const none = part_of(ConstFieldData(nullptr, whole), Box({1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(none.data, nullptr);
}

}  // namespace
}  // namespace kompakt::test
