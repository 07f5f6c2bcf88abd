#include <gtest/gtest.h>

#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// Bounds relative to a range that the caller gives.

namespace kompakt::test {

namespace {

Options with(double value, double range, Pipeline pipeline = Pipeline::fixedlength) {
  Options options;
  options.bound = ErrorBound::relative_to_range(value);
  options.pipeline = pipeline;
  options.range = range;
  return options;
}

}  // namespace

template <class Exec>
class GivenRange : public testing::Test {
 protected:
  Codec<Exec> codec;
};
TYPED_TEST_SUITE(GivenRange, Spaces, SpaceName);

TYPED_TEST(GivenRange, ThatIsTheFieldsOwn_MakesTheSameStream) {
  FieldShape const shape = shape_from<float>({20, 30, 40});
  auto const field = make_field<float>(Family::surfaces, shape);
  auto const [least, most] = std::minmax_element(field.begin(), field.end());
  double const range = static_cast<double>(*most) - static_cast<double>(*least);
  for (Pipeline const pipeline :
       {Pipeline::fixedlength, Pipeline::bitshuffle, Pipeline::huffman, Pipeline::rans}) {
    auto const own = this->codec.compress(field, shape, with(1e-3, 0, pipeline));
    expect_same_bytes(this->codec.compress(field, shape, with(1e-3, range, pipeline)), own,
                      to_string(pipeline));
  }
}

TYPED_TEST(GivenRange, FoundByFieldRange_MakesTheStreamOfTheFieldsOwn) {
  using Memory = typename TypeParam::memory_space;
  FieldShape const shape = shape_from<double>({13, 40, 70});
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  for (Family const family : {Family::land, Family::nan_islands, Family::surfaces}) {
    auto const field = make_field<double>(family, shape);
    Kokkos::View<double*, Memory> const values("values", field.size());
    Kokkos::deep_copy(values,
                      Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          field.data(), field.size()));
    for (FillValue const& fill : {FillValue::none(), FillValue::automatic()}) {
      FieldRange const range =
          field_range(exec, ConstFieldData(values.data(), shape), fill, workspace);
      ASSERT_TRUE(range.any);
      Options options = with(1e-3, 0);
      options.fill = fill;
      auto const own = this->codec.compress(field, shape, options);
      EXPECT_EQ(range.fill.has_value(), this->codec.info().fill.has_value());
      options.range = range.width();
      if (range.fill) options.fill = FillValue::of(*range.fill);
      expect_same_bytes(this->codec.compress(field, shape, options), own, name_of(family));
    }
  }
}

TYPED_TEST(GivenRange, OfAViewWithoutItsGhostCells_IsThatOfItsValues) {
  using Memory = typename TypeParam::memory_space;
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  Kokkos::View<float**, Kokkos::LayoutRight, Memory> const field("field", 40, 50);
  Kokkos::deep_copy(field, 1e9f);
  auto const inner = Kokkos::subview(field, std::make_pair(1, 39), std::make_pair(2, 48));
  Kokkos::deep_copy(inner, -2.5f);
  Kokkos::deep_copy(Kokkos::subview(inner, 3, 4), 7.25f);
  FieldRange const range = field_range(exec, inner, FillValue::none(), workspace);
  EXPECT_TRUE(range.any);
  EXPECT_EQ(range.min, -2.5);
  EXPECT_EQ(range.max, 7.25);
}

TYPED_TEST(GivenRange, OfNoValues_IsNone) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  FieldRange const range = field_range(exec, ConstFieldData(nullptr, shape_from<float>({0, 3})),
                                       FillValue::automatic(), workspace);
  EXPECT_FALSE(range.any);
  EXPECT_FALSE(range.fill.has_value());
}

TYPED_TEST(GivenRange, OfPartsOfAField_GivesThemOneBound) {
  FieldShape const shape = shape_from<double>({5000});
  for (Family const family : {Family::walk, Family::zeros, Family::nan_islands, Family::noise}) {
    auto const field = make_field<double>(family, shape);
    for (double const range : {1e-3, 7.25, 1e9}) {
      Options const options = with(1e-2, range);
      expect_round_trip(this->codec, field, shape, options);
      FieldRange const given{true, 0, range, std::nullopt};
      EXPECT_EQ(this->codec.info().abs_bound, given.bound(1e-2));
      EXPECT_EQ(this->codec.info().bound, options.bound) << "the stream tells what was asked for";
    }
  }
}

}  // namespace kompakt::test
