#include <gtest/gtest.h>

#include <array>
#include <container/format.hpp>
#include <core/exceptions.hpp>
#include <core/tile.hpp>
#include <support/tile_shapes.hpp>
#include <vector>

namespace kompakt::test {
namespace {

using impl::Extents3;
using impl::tile_values;
using impl::TileBox;
using impl::TileGrid;

template <class Shape>
class TileOfShape : public testing::Test {};
TYPED_TEST_SUITE(TileOfShape, TileShapes, ShapeName);

TYPED_TEST(TileOfShape, NaturalPlace_IsAPermutationOfTheTile) {
  std::array<int, tile_values> seen{};
  for (int lane = 0; lane < impl::tile_lanes; ++lane) {
    for (int reg = 0; reg < impl::lane_values; ++reg) {
      int const place = impl::natural_place<TypeParam>(lane, reg);
      ASSERT_GE(place, 0);
      ASSERT_LT(place, tile_values);
      ++seen[static_cast<std::size_t>(place)];
    }
  }
  for (int const count : seen) ASSERT_EQ(count, 1);
  EXPECT_EQ(impl::natural_place<TypeParam>(0, 0), 0);
}

TYPED_TEST(TileOfShape, QuadOfALane_LiesSideBySideAlongX) {
  for (int lane = 0; lane < impl::tile_lanes; ++lane) {
    for (int reg = 0; reg < impl::lane_values; ++reg) {
      int const quad = impl::natural_place<TypeParam>(lane, reg - reg % 4);
      EXPECT_EQ(impl::natural_place<TypeParam>(lane, reg), quad + reg % 4);
      EXPECT_EQ(quad / TypeParam::X, (quad + 3) / TypeParam::X);
    }
  }
}

TYPED_TEST(TileOfShape, BoxesOfAGrid_TileTheFieldExactlyOnce) {
  for (Extents3 const& n : odd_extents) {
    TileGrid<TypeParam> const grid(n);
    std::vector<int> seen(static_cast<std::size_t>(n.size()));
    for (std::int64_t tile = 0; tile < grid.tiles; ++tile) {
      TileBox const box = grid.box(tile);
      ASSERT_GT(box.size(), 0);
      ASSERT_LE(box.size(), tile_values);
      for (int place = 0; place < tile_values; ++place) {
        std::int64_t const index = impl::field_index<TypeParam>(box, place);
        if (index >= 0) ++seen.at(static_cast<std::size_t>(index));
      }
    }
    for (int const count : seen) ASSERT_EQ(count, 1) << n.x << " " << n.y << " " << n.z;
  }
}

TYPED_TEST(TileOfShape, ValuesBefore_IsTheSumOfTheBoxesBefore) {
  for (Extents3 const& n : odd_extents) {
    TileGrid<TypeParam> const grid(n);
    std::int64_t before = 0;
    for (std::int64_t tile = 0; tile < grid.tiles; ++tile) {
      ASSERT_EQ(grid.values_before(tile), before) << n.x << " " << n.y << " " << n.z << " " << tile;
      before += grid.box(tile).size();
    }
    ASSERT_EQ(before, n.size());
    for (int beyond = 0; beyond < 4; ++beyond) {
      ASSERT_EQ(grid.values_before(grid.tiles + beyond), n.size());
      ASSERT_EQ(grid.box(grid.tiles + beyond).size(), 0);
    }
  }
}

TYPED_TEST(TileOfShape, ChunkCount_CoversAllTilesWithFewerThanFourSpare) {
  for (Extents3 const& n : odd_extents) {
    TileGrid<TypeParam> const grid(n);
    std::int64_t const chunks = impl::chunk_count(TypeParam::shape, n);
    EXPECT_EQ(chunks, grid.chunks());
    EXPECT_GE(chunks * impl::chunk_tiles, grid.tiles);
    EXPECT_LT((chunks - 1) * impl::chunk_tiles, grid.tiles);
  }
}

TYPED_TEST(TileOfShape, MoreThanFourBillionValues_AreCountedIn64Bits) {
  Extents3 const n{1 << 20, 1 << 10, 1 << 8};  // 2^38 values
  TileGrid<TypeParam> const grid(n);
  EXPECT_EQ(grid.tiles, n.size() / tile_values);
  EXPECT_EQ(grid.values_before(grid.tiles - 1), n.size() - tile_values);
  EXPECT_EQ(impl::field_index<TypeParam>(grid.box(grid.tiles - 1), tile_values - 1), n.size() - 1);
}

struct CountCalls {
  TileShape expected;
  int* calls;
  template <class Shape>
  KOKKOS_FUNCTION void operator()(Shape) const {
    *calls += Shape::shape == expected ? 1 : 1000;
  }
};

TYPED_TEST(TileOfShape, WithTileShape_CallsWithTheShapeOfTheKind) {
  int calls = 0;
  impl::with_tile_shape(TypeParam::shape, CountCalls{TypeParam::shape, &calls});
  EXPECT_EQ(calls, 1);
}

Extents3 fold(std::vector<std::size_t> const& fastest_first) {
  return impl::fold_extents(fastest_first.data(), static_cast<int>(fastest_first.size()));
}

void expect_extents(Extents3 n, std::int64_t x, std::int64_t y, std::int64_t z) {
  EXPECT_EQ(n.x, x);
  EXPECT_EQ(n.y, y);
  EXPECT_EQ(n.z, z);
}

TEST(FoldExtents, UnitExtents_AreDropped) {
  expect_extents(fold({1}), 1, 1, 1);
  expect_extents(fold({1, 1, 1, 1}), 1, 1, 1);
  expect_extents(fold({1, 7, 1, 5, 1}), 7, 5, 1);
  expect_extents(fold({7, 1, 5, 1, 3, 1}), 7, 5, 3);
}

TEST(FoldExtents, MoreThanThree_FoldTheSlowest) {
  expect_extents(fold({69, 69, 115, 288}), 69, 69, 115 * 288);
  expect_extents(fold({2, 3, 5, 7, 11, 13, 17, 19}), 2, 3, 5 * 7 * 11 * 13 * 17 * 19);
}

TEST(FoldExtents, AZeroExtent_LeavesNoValues) {
  EXPECT_EQ(fold({0}).size(), 0);
  EXPECT_EQ(fold({4, 0, 3, 2}).size(), 0);
}

TEST(FoldExtents, EitherMemoryOrder_PutsTheFastestFirst) {
  FieldShape shape;
  shape.rank = 3;
  shape.extents = {4, 5, 6};
  shape.order = Order::last_fastest;
  expect_extents(impl::fold_shape(shape), 6, 5, 4);
  shape.order = Order::first_fastest;
  expect_extents(impl::fold_shape(shape), 4, 5, 6);
}

}  // namespace
}  // namespace kompakt::test
