#include <cstdint>
#include <functional>
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

// Every pair of boxes of a small field, against the values that they have.
TEST(Box, CommonWithAnother_HasTheValuesThatBothHave) {
  std::vector<kompakt::Box> boxes;
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      FieldShape const shape = shape_from<float>({1 + y % 3, 1 + (x + y) % 4});
      boxes.push_back(kompakt::Box::at({y, x}, shape));
      EXPECT_EQ(boxes.back().shape_in(shape), shape);
    }
  }
  boxes.emplace_back(kompakt::Box{{1, 3}, {1, 5}});  // without values
  FieldShape const shape_of_any = shape_from<float>({9, 9});
  auto const has = [](kompakt::Box const& box, std::size_t y, std::size_t x) {
    return box.begin[0] <= y && y < box.end[0] && box.begin[1] <= x && x < box.end[1];
  };
  for (kompakt::Box const& a : boxes) {
    for (kompakt::Box const& b : boxes) {
      kompakt::Box const common = a.common_with(b);
      kompakt::Box const own = common.is_empty() ? common : common.seen_from(a);
      bool any = false;
      for (std::size_t y = 0; y < 10; ++y) {
        for (std::size_t x = 0; x < 10; ++x) {
          bool const both = has(a, y, x) && has(b, y, x);
          any |= both;
          EXPECT_EQ(has(common, y, x), both) << to_string(a) << ", " << to_string(b);
          if (!both) continue;
          EXPECT_TRUE(has(own, y - a.begin[0], x - a.begin[1])) << to_string(own);
        }
      }
      EXPECT_EQ(common.is_empty(), !any) << to_string(common);
      EXPECT_EQ(own.shape_in(shape_of_any), common.shape_in(shape_of_any));
    }
  }
}

std::string refusal(std::function<void()> const& make) {
  Error const error = error_of(make);
  EXPECT_EQ(error.status(), Status::bad_argument);
  return error.what();
}

TEST(Box, SeenFromOneThatItDoesNotLieIn_IsRefused) {
  kompakt::Box const box{{2, 3}, {4, 6}};
  EXPECT_EQ(to_string(box.seen_from(kompakt::Box{{2, 2}, {4, 6}})), "(0, 1) to (2, 4)");
  for (kompakt::Box const& outer :
       {kompakt::Box{{3, 3}, {4, 6}}, kompakt::Box{{2, 3}, {4, 5}}, kompakt::Box{{2}, {4}}}) {
    std::string const message = refusal([&] { static_cast<void>(box.seen_from(outer)); });
    EXPECT_NE(message.find("(2, 3) to (4, 6)"), std::string::npos) << message;
    EXPECT_NE(message.find(to_string(outer)), std::string::npos) << message;
  }
  refusal([&] { static_cast<void>(box.common_with(kompakt::Box{{2}, {4}})); });
}

TEST(Box, OfNumbersThatMakeNone_IsRefused) {
  EXPECT_NE(refusal([] { kompakt::Box{{0, 0}, {8}}; }).find("(0, 0) to (8)"), std::string::npos);
  EXPECT_NE(refusal([] { kompakt::Box{{0, -7}, {8, 8}}; }).find("-7"), std::string::npos);
  refusal([] { kompakt::Box{{0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}}; });
}

}  // namespace
}  // namespace kompakt::test
