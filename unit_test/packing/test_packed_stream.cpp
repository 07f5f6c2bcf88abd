#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// What packing does to streams as a whole; that they are decoded, in every way there is, the tests of those ways show.

namespace kompakt::test {

template <class Exec>
class PackedStream : public testing::Test {
 protected:
  Codec<Exec> codec;
};
TYPED_TEST_SUITE(PackedStream, Spaces, SpaceName);

TYPED_TEST(PackedStream, OfAField_IsNeverLarger) {
  int smaller = 0;
  for (Family const family :
       {Family::smooth, Family::walk, Family::lattice, Family::nan_islands, Family::surfaces}) {
    for (FieldShape const& shape :
         {shape_from<float>({100}), shape_from<float>({70, 90}), shape_from<float>({23, 40, 70})}) {
      for (Coding const& coding : all_codings) {
        if (coding.pack) continue;
        Options options = coding.with(ErrorBound::relative_to_range(1e-2));
        auto const field = make_field<float>(family, shape);
        auto const plain = this->codec.compress(field, shape, options);
        options.pack = true;
        auto const packed = expect_round_trip(this->codec, field, shape, options);
        EXPECT_EQ(this->codec.info().packed, packed.size() < plain.size());
        EXPECT_LE(packed.size(), plain.size());
        if (packed.size() == plain.size()) {
          EXPECT_EQ(packed, plain);
        }
        smaller += packed.size() < plain.size();
      }
    }
  }
  EXPECT_GT(smaller, 30);
}

TYPED_TEST(PackedStream, OfARoughField_StaysAsItIs) {
  FieldShape const shape = shape_from<double>({23, 40, 70});
  auto const field = make_field<double>(Family::bits, shape);
  Options options{ErrorBound::absolute(1e-300)};
  auto const plain = this->codec.compress(field, shape, options);
  options.pack = true;
  EXPECT_EQ(expect_round_trip(this->codec, field, shape, options), plain);
  EXPECT_FALSE(this->codec.info().packed);
}

}  // namespace kompakt::test
