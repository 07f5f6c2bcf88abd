#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {
namespace {

template <class Exec>
class PartOfAField : public ::testing::Test {};
TYPED_TEST_SUITE(PartOfAField, Spaces, SpaceName);

// A stream of a part is decoded as that of a field of its own, into Views of either layout.
TYPED_TEST(PartOfAField, Decompressed_FillsAViewOfThePart) {
  for (Coding const& coding : all_codings) {
    FieldShape shape;
    shape.rank = 3;
    shape.extents = {20, 17, 33};
    std::vector<float> field(shape.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = 0.01f * static_cast<float>(i % 33) + static_cast<float>(i / 561);
    }
    Options options;
    options.bound = ErrorBound::absolute(1e-3);
    options.pipeline = coding.pipeline;
    options.variant = coding.variant;
    options.predictor = coding.predictor;
    Codec<TypeParam> codec;
    std::vector<std::byte> stream = codec.compress(field, shape, options);
    EXPECT_FALSE(codec.info().is_part());
    std::vector<float> const expected = codec.template decompress<float>(stream, shape);
    FramePart part = FramePart::whole(shape);
    part.origin[0] = 40;
    part.total[0] = 100;
    mark_part(stream, part);
    EXPECT_EQ(codec.template decompress<float>(stream, shape), expected);
    FieldShape turned = shape;
    turned.order = Order::first_fastest;
    std::vector<float> const other = codec.template decompress<float>(stream, turned);
    for (std::size_t i = 0; i < field.size(); ++i) {
      std::size_t const x = i % 33, y = i / 33 % 17, z = i / 561;
      ASSERT_EQ(other[(x * 17 + y) * 20 + z], expected[i]);
    }
    FieldShape whole = shape;
    whole.extents[0] = 100;
    EXPECT_THROW(codec.template decompress<float>(stream, whole), Error);
  }
}

}  // namespace
}  // namespace kompakt::test
