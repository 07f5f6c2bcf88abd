#include <cstdint>
#include <kompakt/box.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>

namespace kompakt::test {
namespace {

TEST(Box, OfNumbersOfAnyType_HasThem) {
  std::vector<std::size_t> const begin{3, 4}, end{10, 20};
  std::uint16_t const small = 10;
  for (kompakt::Box const& box : {kompakt::Box{{3, 4}, {10, 20}}, kompakt::Box{begin, end},
                                  kompakt::Box{{3l, 4l}, {std::size_t{small}, std::size_t{20}}}}) {
    EXPECT_EQ(to_string(box), "(3, 4) to (10, 20)");
    EXPECT_EQ(box.extent(0), 7u);
    EXPECT_EQ(box.extent(1), 16u);
  }
}

TEST(Box, OfAFieldOfThatShape_IsAllOfIt) {
  FieldShape const shape = shape_from<float>({10, 20});
  EXPECT_TRUE((kompakt::Box{{0, 0}, {10, 20}}.is_all_of(shape)));
  EXPECT_FALSE((kompakt::Box{{0, 0}, {10, 19}}.is_all_of(shape)));
  EXPECT_FALSE((kompakt::Box{{0}, {10}}.is_all_of(shape)));
  EXPECT_TRUE((kompakt::Box{{3, 4}, {3, 20}}.is_empty()));
  EXPECT_FALSE((kompakt::Box{{3, 4}, {4, 20}}.is_empty()));
  EXPECT_EQ((kompakt::Box{{3, 4}, {7, 5}}.shape_in(shape)), shape_from<float>({4, 1}));
}

TEST(Box, OfNumbersThatMakeNone_IsRefused) {
  auto const refusal = [](auto const& make) {
    Error const error = error_of(make);
    EXPECT_EQ(error.status(), Status::bad_argument);
    return std::string(error.what());
  };
  EXPECT_NE(refusal([] { kompakt::Box{{0, 0}, {8}}; }).find("(0, 0) to (8)"), std::string::npos);
  EXPECT_NE(refusal([] { kompakt::Box{{0, -7}, {8, 8}}; }).find("-7"), std::string::npos);
  refusal([] { kompakt::Box{{0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}}; });
}

}  // namespace
}  // namespace kompakt::test
