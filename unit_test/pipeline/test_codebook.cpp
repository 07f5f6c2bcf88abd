#include <cmath>
#include <container/format.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

// Whose codebook a field gets.

namespace kompakt::test {

namespace {

Options with(Variant variant) {
  return {ErrorBound::absolute(0.5), Pipeline::huffman, variant, Predictor::chain};
}

/// The first byte of a stream's codebook: 1 made for the field, 2 the dictionary's.
int codebook_kind(std::vector<std::byte> const& stream) {
  return static_cast<int>(stream.at(impl::StreamLayout(1, 0, {0, 1}).coder));
}

/// Sums of residuals that `residual` draws.
template <class Residual>
std::vector<float> sums(std::size_t count, Residual const& residual) {
  Random random(21);
  std::vector<float> field(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) field[i] = static_cast<float>(sum += residual(random, i));
  return field;
}

/// Laplacian, of a width that changes along the field: what the dictionary is for.
double usual(Random& random, std::size_t i) {
  double const width = 0.5 + 4 * std::pow(std::sin(static_cast<double>(i) * 1e-3), 4);
  double const u = static_cast<double>(random.between(1, 1 << 20)) / (1 << 20);
  return std::round((random.below(2) == 0 ? width : -width) * std::log(u));
}
/// Nothing but a few numbers far apart.
double comb(Random& random, std::size_t) {
  return (random.below(2) == 0 ? 37.0 : -37.0) * static_cast<double>(random.below(2));
}

}  // namespace

template <class Exec>
class Codebook : public testing::Test {};
TYPED_TEST_SUITE(Codebook, Spaces, SpaceName);

TYPED_TEST(Codebook, OfAUsualField_IsTheDictionarysAndNotMuchWorse) {
  Codec<TypeParam> codec;
  auto const field = sums(300000, usual);
  FieldShape const shape = shape_from<float>({field.size()});
  auto const automatic = codec.compress(field, shape, with(Variant::automatic));
  auto const custom = codec.compress(field, shape, with(Variant::custom));
  EXPECT_EQ(codebook_kind(automatic), 2);
  EXPECT_EQ(codebook_kind(custom), 1);
  EXPECT_LE(static_cast<double>(automatic.size()), 1.02 * static_cast<double>(custom.size()));
}

TYPED_TEST(Codebook, OfAComb_IsItsOwn) {
  Codec<TypeParam> codec;
  auto const field = sums(300000, comb);
  FieldShape const shape = shape_from<float>({field.size()});
  auto const automatic = codec.compress(field, shape, with(Variant::automatic));
  EXPECT_EQ(codebook_kind(automatic), 1);
  EXPECT_LT(automatic.size(), codec.compress(field, shape, with(Variant::dictionary)).size());
}

TYPED_TEST(Codebook, OfASmallComb_IsNotWorthItsSection) {
  Codec<TypeParam> codec;
  auto const field = sums(1000, comb);
  FieldShape const shape = shape_from<float>({field.size()});
  EXPECT_EQ(codebook_kind(codec.compress(field, shape, with(Variant::automatic))), 2);
}

// What the sample does not hold has no code of its own.
TYPED_TEST(Codebook, OfAFieldLongerThanItsSample_CodesWhatItNeverSaw) {
  Codec<Kokkos::DefaultHostExecutionSpace> reference;
  Codec<TypeParam> codec;
  auto field = sums(3000000, usual);
  for (std::size_t i = 0; i < field.size(); i += 100003) field[i] += static_cast<float>(i % 997);
  FieldShape const shape = shape_from<float>({field.size()});
  for (Variant const variant : {Variant::automatic, Variant::custom, Variant::dictionary}) {
    SCOPED_TRACE(to_string(variant));
    auto const stream = codec.compress(field, shape, with(variant));
    expect_same_bytes(stream, reference.compress(field, shape, with(variant)), "reference");
    expect_promise(field, codec.template decompress<float>(stream, shape), 0.5);
  }
}

}  // namespace kompakt::test
