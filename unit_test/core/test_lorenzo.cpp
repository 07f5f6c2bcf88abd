#include <gtest/gtest.h>

#include <array>
#include <predictor/lorenzo.hpp>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <support/tile_shapes.hpp>

namespace kompakt::test {
namespace {

template <class ShapeAndValue>
class Lorenzo : public testing::Test {
 public:
  using Shape = typename ShapeAndValue::Shape;
  using U = impl::unsigned_t<typename ShapeAndValue::T>;
  using Words = std::array<U, impl::tile_values>;

  /// Full-range words, so that every sum wraps around; or small ones, as in real tiles.
  static Words random_words(Random& random) {
    auto const shift = random.one_in(2) ? 0 : sizeof(U) * 8 - 1 - random.below(20);
    Words words;
    for (auto& word : words) word = static_cast<U>(static_cast<U>(random.bits()) >> shift);
    return words;
  }
  static Words difference(Words words) {
    std::array<U, impl::tile_lanes> halo;
    impl::Lorenzo::difference<Shape>(SingleThreadTeam{}, {}, words.data(), halo.data());
    return words;
  }
  static Words integrate(Words words) {
    std::array<U, impl::tile_lanes> halo;
    impl::Lorenzo::integrate<Shape>(SingleThreadTeam{}, {}, words.data(), halo.data());
    return words;
  }
  static U at(Words const& words, int z, int y, int x) {
    if (z < 0 || y < 0 || x < 0) return 0;
    return words[static_cast<std::size_t>((z * Shape::Y + y) * Shape::X + x)];
  }
  /// Inclusion and exclusion over the corners of the unit cell before (z, y, x).
  static U corner_sum(Words const& words, int z, int y, int x) {
    U sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      int const dz = corner >> 2, dy = corner >> 1 & 1, dx = corner & 1;
      if ((dz > 0 && Shape::Z == 1) || (dy > 0 && Shape::Y == 1)) continue;
      U const word = at(words, z - dz, y - dy, x - dx);
      sum = (dz + dy + dx) % 2 == 0 ? static_cast<U>(sum + word) : static_cast<U>(sum - word);
    }
    return sum;
  }
  static void expect_inclusion_and_exclusion(Words const& bins) {
    Words const residuals = difference(bins);
    for (int z = 0; z < Shape::Z; ++z) {
      for (int y = 0; y < Shape::Y; ++y) {
        for (int x = 0; x < Shape::X; ++x) {
          ASSERT_EQ(at(residuals, z, y, x), corner_sum(bins, z, y, x)) << z << " " << y << " " << x;
        }
      }
    }
  }
  /// Clears the residuals outside nz x ny x nx, as for a clipped tile, and expects the bins inside.
  static void expect_clipped_round_trip(Words const& bins, int nz, int ny, int nx) {
    auto const inside = [=](int i) {
      int const x = i % Shape::X, y = i / Shape::X % Shape::Y, z = i / (Shape::X * Shape::Y);
      return x < nx && y < ny && z < nz;
    };
    Words words = difference(bins);
    for (int i = 0; i < impl::tile_values; ++i) {
      if (!inside(i)) words[static_cast<std::size_t>(i)] = 0;
    }
    words = integrate(words);
    for (int i = 0; i < impl::tile_values; ++i) {
      if (!inside(i)) continue;
      ASSERT_EQ(words[static_cast<std::size_t>(i)], bins[static_cast<std::size_t>(i)]) << i;
    }
  }
};
TYPED_TEST_SUITE(Lorenzo, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(Lorenzo, DifferenceOfAnyBins_IsInclusionAndExclusion) {
  KOMPAKT_TRACE_SEED(51);
  Random random(51);
  for (int round = 0; round < 20; ++round) {
    TestFixture::expect_inclusion_and_exclusion(TestFixture::random_words(random));
  }
}

TYPED_TEST(Lorenzo, IntegrateAfterDifference_GivesTheBinsBack) {
  KOMPAKT_TRACE_SEED(52);
  Random random(52);
  for (int round = 0; round < 200; ++round) {
    auto const bins = TestFixture::random_words(random);
    ASSERT_EQ(TestFixture::integrate(TestFixture::difference(bins)), bins);
    ASSERT_EQ(TestFixture::difference(TestFixture::integrate(bins)), bins);
  }
}

TYPED_TEST(Lorenzo, ConstantBins_LeaveNothingButTheFirst) {
  typename TestFixture::Words bins, expected{};
  bins.fill(static_cast<typename TestFixture::U>(-12345));
  expected[0] = bins[0];
  EXPECT_EQ(TestFixture::difference(bins), expected);
}

// What lies beyond a clipped edge is at higher places and must not reach the values inside.
TYPED_TEST(Lorenzo, BinsBeyondAnEdge_DoNotReachThoseInside) {
  KOMPAKT_TRACE_SEED(53);
  Random random(53);
  for (int round = 0; round < 50; ++round) {
    auto const nz = static_cast<int>(random.between(1, TypeParam::Shape::Z));
    auto const ny = static_cast<int>(random.between(1, TypeParam::Shape::Y));
    auto const nx = static_cast<int>(random.between(1, TypeParam::Shape::X));
    TestFixture::expect_clipped_round_trip(TestFixture::random_words(random), nz, ny, nx);
  }
}

}  // namespace
}  // namespace kompakt::test
