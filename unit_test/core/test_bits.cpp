#include <gtest/gtest.h>

#include <array>
#include <core/bits.hpp>
#include <limits>
#include <support/random.hpp>
#include <type_traits>

namespace kompakt::test {
namespace {

using impl::lane_values;

template <class U>
class ZigZag : public testing::Test {};
using Unsigned = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(ZigZag, Unsigned);

TYPED_TEST(ZigZag, SmallDifferences_AlternateFromZero) {
  using S = std::make_signed_t<TypeParam>;
  for (S d = -1000; d <= 1000; ++d) {
    TypeParam const expected = static_cast<TypeParam>(d < 0 ? -2 * d - 1 : 2 * d);
    EXPECT_EQ(impl::zigzag(static_cast<TypeParam>(d)), expected) << d;
  }
}

TYPED_TEST(ZigZag, ExtremeDifferences_TakeTheLargestCodes) {
  using S = std::make_signed_t<TypeParam>;
  constexpr TypeParam all = std::numeric_limits<TypeParam>::max();
  EXPECT_EQ(impl::zigzag(static_cast<TypeParam>(std::numeric_limits<S>::min())), all);
  EXPECT_EQ(impl::zigzag(static_cast<TypeParam>(std::numeric_limits<S>::max())), all - 1);
  EXPECT_EQ(impl::unzigzag(all), static_cast<TypeParam>(std::numeric_limits<S>::min()));
  EXPECT_EQ(impl::unzigzag(all - 1), static_cast<TypeParam>(std::numeric_limits<S>::max()));
}

TYPED_TEST(ZigZag, AnyWord_ComesBackBothWays) {
  KOMPAKT_TRACE_SEED(11);
  Random random(11);
  for (int i = 0; i < 100000; ++i) {
    auto const word = static_cast<TypeParam>(random.bits() >> random.below(sizeof(TypeParam) * 8));
    ASSERT_EQ(impl::unzigzag(impl::zigzag(word)), word);
    ASSERT_EQ(impl::zigzag(impl::unzigzag(word)), word);
  }
}

TYPED_TEST(ZigZag, BitWidthOfPowers_IsPositionAndOne) {
  EXPECT_EQ(impl::bit_width(TypeParam{0}), 0);
  for (int p = 0; p < static_cast<int>(sizeof(TypeParam)) * 8; ++p) {
    TypeParam const power = TypeParam{1} << p;
    EXPECT_EQ(impl::bit_width(power), p + 1);
    EXPECT_EQ(impl::bit_width<TypeParam>(power | (power - 1)), p + 1);
  }
}

TEST(Bits, RankInMask_CountsTheSetBitsBelow) {
  KOMPAKT_TRACE_SEED(12);
  Random random(12);
  for (int i = 0; i < 1000; ++i) {
    auto const mask = static_cast<std::uint32_t>(random.bits());
    int below = 0;
    for (int lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(impl::rank_in_mask(mask, lane), below) << mask << " lane " << lane;
      below += static_cast<int>(mask >> lane & 1u);
    }
    ASSERT_EQ(impl::popcount(mask), below);
  }
}

TEST(Bits, CeilDiv_RoundsUpOnlyRemainders) {
  for (int a = 0; a < 100; ++a) {
    for (int b = 1; b < 20; ++b) EXPECT_EQ(impl::ceil_div(a, b), a / b + (a % b != 0 ? 1 : 0));
  }
}

template <class Width>
class Planes : public testing::Test {
 public:
  static constexpr int width = Width::value;
  using Codes = std::array<std::uint32_t, lane_values>;
  using PlaneWords = std::array<std::uint32_t, static_cast<std::size_t>(width)>;

  static Codes random_codes(Random& random, int bits) {
    Codes codes;
    for (auto& code : codes)
      code = bits == 0 ? 0 : static_cast<std::uint32_t>(random.bits() >> (64 - bits));
    return codes;
  }
  // Bit by bit: what the header promises.
  static PlaneWords naive_planes(Codes const& codes) {
    PlaneWords planes{};
    for (std::size_t p = 0; p < planes.size(); ++p) {
      for (std::size_t i = 0; i < codes.size(); ++i) planes[p] |= (codes[i] >> p & 1u) << i;
    }
    return planes;
  }
};
using Widths = testing::Types<std::integral_constant<int, 8>, std::integral_constant<int, 16>,
                              std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(Planes, Widths);

TYPED_TEST(Planes, CodesOfEveryWidth_AgreeWithBitLoop) {
  KOMPAKT_TRACE_SEED(13);
  Random random(13);
  for (int round = 0; round < 100; ++round) {
    for (int bits = 0; bits <= TestFixture::width; ++bits) {
      auto const codes = TestFixture::random_codes(random, bits);
      typename TestFixture::PlaneWords planes;
      impl::codes_to_planes<TestFixture::width>(codes.data(), planes.data());
      ASSERT_EQ(planes, TestFixture::naive_planes(codes)) << "bits " << bits;
    }
  }
}

TYPED_TEST(Planes, PlanesOfAnyCodes_GiveTheCodesBack) {
  KOMPAKT_TRACE_SEED(14);
  Random random(14);
  for (int round = 0; round < 1000; ++round) {
    auto const codes = TestFixture::random_codes(random, TestFixture::width);
    auto planes = TestFixture::naive_planes(codes);
    typename TestFixture::Codes back;
    impl::planes_to_codes<TestFixture::width>(planes.data(), back.data());
    ASSERT_EQ(back, codes);
  }
}

TYPED_TEST(Planes, EachSingleBit_LandsInItsPlane) {
  for (std::size_t i = 0; i < lane_values; ++i) {
    for (int p = 0; p < TestFixture::width; ++p) {
      typename TestFixture::Codes codes{};
      codes[i] = 1u << p;
      typename TestFixture::PlaneWords planes;
      impl::codes_to_planes<TestFixture::width>(codes.data(), planes.data());
      ASSERT_EQ(planes, TestFixture::naive_planes(codes)) << "code " << i << " bit " << p;
    }
  }
}

// Number i of a packed word of `width` bits each, with its sign.
template <int width>
std::int64_t packed_number(std::uint32_t word, int i) {
  auto const bits = static_cast<std::int64_t>(std::uint64_t{word} >> (i * width));
  std::int64_t const half = std::int64_t{1} << (width - 1), low = bits & (2 * half - 1);
  return low < half ? low : low - 2 * half;
}

// Twice the magnitude, and one more below zero.
inline std::uint32_t sign_magnitude(std::int64_t number) {
  return static_cast<std::uint32_t>(number < 0 ? -2 * number + 1 : 2 * number);
}

TYPED_TEST(Planes, MagnitudesOfResiduals_AreThoseOfTheirCodesAndComeBackPacked) {
  constexpr int bits = TestFixture::width;
  KOMPAKT_TRACE_SEED(15);
  Random random(15);
  for (int round = 0; round < 1000; ++round) {
    std::array<std::int64_t, lane_values> numbers;
    typename TestFixture::Codes residuals, codes;
    std::int64_t const most = (std::int64_t{1} << random.below(bits)) - 1;
    for (std::size_t i = 0; i < lane_values; ++i) {
      auto const magnitude =
          static_cast<std::int64_t>(random.between(0, static_cast<std::uint64_t>(most)));
      numbers[i] = random.one_in(2) ? -magnitude : magnitude;
      residuals[i] = static_cast<std::uint32_t>(numbers[i]);
      codes[i] = sign_magnitude(numbers[i]);
    }
    typename TestFixture::PlaneWords planes;
    impl::residuals_to_magnitudes<bits>(residuals.data(), planes.data());
    ASSERT_EQ(planes, TestFixture::naive_planes(codes));
    impl::magnitudes_to_packed<bits>(planes.data());
    for (int i = 0; i < lane_values; ++i) {
      ASSERT_EQ(packed_number<bits>(planes[static_cast<std::size_t>(i % bits)], i / bits),
                numbers[static_cast<std::size_t>(i)]);
    }
  }
}

TYPED_TEST(Planes, SignWithoutAMagnitude_IsZero) {
  typename TestFixture::PlaneWords planes{};
  planes[0] = 0xffffffffu;
  planes[1] = 0x0f0f0f0fu;
  impl::magnitudes_to_packed<TestFixture::width>(planes.data());
  for (int i = 0; i < lane_values; ++i) {
    ASSERT_EQ(packed_number<TestFixture::width>(
                  planes[static_cast<std::size_t>(i % TestFixture::width)], i / TestFixture::width),
              i % 8 < 4 ? -1 : 0);
  }
}

}  // namespace
}  // namespace kompakt::test
