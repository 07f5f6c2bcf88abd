#include <gtest/gtest.h>

#include <core/exceptions.hpp>
#include <memory>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <support/tile_shapes.hpp>
#include <vector>

// Tails whose places no encoder writes. Buffers have exactly the size that is spoken of, so that a
// build with the address sanitizer sees any access beyond.

namespace kompakt::test {
namespace {

using impl::tile_values;
using impl::TileBox;

template <class ShapeAndValue>
class DamagedTail : public testing::Test {
 public:
  using Shape = typename ShapeAndValue::Shape;
  using T = typename ShapeAndValue::T;

  /// A clipped tile that is all of its field.
  static constexpr impl::Extents3 extents{Shape::X - 3, Shape::Y == 1 ? 1 : Shape::Y - 1,
                                          Shape::Z == 1 ? 1 : Shape::Z - 2};
  TileBox box = impl::TileGrid<Shape>(extents).box(0);
  std::unique_ptr<T[]> field{new T[static_cast<std::size_t>(extents.size())]()};

  bool read(std::vector<int> const& places) {
    auto const count = static_cast<int>(places.size());
    auto const words = static_cast<std::size_t>(impl::list_words<T>(count));
    std::unique_ptr<std::uint32_t[]> tail(new std::uint32_t[words]());
    for (std::size_t i = 0; i < places.size(); ++i) {
      tail[i / 2] |= static_cast<std::uint32_t>(places[i]) << (i % 2 * 16);
    }
    return impl::read_tail<Shape>(SingleThreadTeam{}, tail.get(),
                                  impl::RecordTail::make(count, 0, 0), box, {T{}, T{}},
                                  field.get());
  }
  bool read_mask(std::vector<std::uint32_t> const& mask) {
    auto const tail = impl::RecordTail::make(0, static_cast<int>(mask.size()), 0);
    return impl::read_tail<Shape>(SingleThreadTeam{}, mask.data(), tail, box, {T{1}, T{1}},
                                  field.get());
  }
  /// A place (in lanes) inside the field, or outside of it.
  static int find_place(TileBox const& box, bool inside, int after) {
    for (int i = after + 1; i < tile_values; ++i) {
      int const natural = impl::natural_place<Shape>(i / impl::lane_values, i % impl::lane_values);
      if ((impl::field_index<Shape>(box, natural) >= 0) == inside) return i;
    }
    return -1;
  }
};
TYPED_TEST_SUITE(DamagedTail, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(DamagedTail, AscendingPlacesInside_AreRead) {
  EXPECT_TRUE(this->read({0, 1, 2, 3, 32}));
}

TYPED_TEST(DamagedTail, PlacesNotAscending_AreRefused) {
  EXPECT_FALSE(this->read({1, 0}));
  EXPECT_FALSE(this->read({0, 1, 3, 2, 4}));
  EXPECT_FALSE(this->read({0, 0}));
  EXPECT_FALSE(this->read({5, 6, 6}));
}

TYPED_TEST(DamagedTail, PlaceOutsideTheField_IsRefused) {
  int const outside = this->find_place(this->box, false, -1);
  ASSERT_GT(outside, 0);
  EXPECT_FALSE(this->read({outside}));
  EXPECT_FALSE(this->read({0, outside}));
}

TYPED_TEST(DamagedTail, PlaceBeyondTheTile_IsRefused) {
  for (int place : {tile_values, tile_values + 1, 0x7fff, 0x8000, 0xffff}) {
    EXPECT_FALSE(this->read({place})) << place;
    EXPECT_FALSE(this->read({0, 3, place})) << place;
  }
}

TYPED_TEST(DamagedTail, AnyPlaces_AreReadOnlyIfAscendingAndInside) {
  KOMPAKT_TRACE_SEED(81);
  Random random(81);
  for (int round = 0; round < 20000; ++round) {
    std::vector<int> places;
    int last = -1;
    bool sound = true;
    for (std::uint64_t n = random.below(20) + 1; n > 0; --n) {
      int const next = this->find_place(this->box, !random.one_in(30), last);
      int const place =
          random.one_in(30) || next < 0 ? static_cast<int>(random.below(65536)) : next;
      bool const inside =
          place < tile_values && impl::field_index<typename TestFixture::Shape>(
                                     this->box, impl::natural_place<typename TestFixture::Shape>(
                                                    place / 32, place % 32)) >= 0;
      sound = sound && inside && place > last;
      last = place;
      places.push_back(place);
    }
    ASSERT_EQ(this->read(places), sound);
  }
}

TYPED_TEST(DamagedTail, MaskThatIsNotSound_IsRefused) {
  EXPECT_TRUE(this->read_mask({1, 0, 1}));
  EXPECT_FALSE(this->read_mask({1, 0, 0})) << "a lane that is said to have fill values has none";
  EXPECT_FALSE(this->read_mask({1, 0, ~0u})) << "a full lane is not said to be one";
  EXPECT_FALSE(this->read_mask({1, 0})) << "a word is missing";
  EXPECT_FALSE(this->read_mask({1, 0, 1, 1})) << "a word too many";
  EXPECT_FALSE(this->read_mask({0, 1})) << "full, but without fill values";
  EXPECT_FALSE(this->read_mask({~0u, ~0u})) << "places outside the field";
}

}  // namespace
}  // namespace kompakt::test
