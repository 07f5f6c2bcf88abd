#include <files/boxes.hpp>
#include <gtest/gtest.h>
#include <numeric>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

using files::ArrayBox;

// Numbers of the values of a box, in C order.
std::vector<std::uint64_t> values_in(ArrayBox const& box, std::vector<std::size_t> const& extents) {
  std::vector<std::uint64_t> values = {0};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    std::vector<std::uint64_t> next;
    for (std::uint64_t const before : values) {
      for (std::size_t i = 0; i < box.extent[axis]; ++i) {
        next.push_back(before * extents[axis] + box.begin[axis] + i);
      }
    }
    values = std::move(next);
  }
  return values;
}

TEST(Boxes, OfAnyRun_HoldEachOfItsValuesOnceInOrder) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    std::vector<std::size_t> extents(1 + random.below(5));
    for (std::size_t& extent : extents) extent = 1 + random.below(6);
    std::uint64_t const size =
        std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
    std::uint64_t const first = random.below(size), count = random.below(size - first + 1);
    std::vector<std::byte> memory(4 * count);
    std::vector<std::uint64_t> met;
    std::size_t boxes = 0;
    files::for_each_box(extents, 4, first, std::span<std::byte>(memory),
                        [&](ArrayBox const& box, std::span<std::byte> bytes) {
                          auto const values = values_in(box, extents);
                          ASSERT_EQ(bytes.size(), 4 * values.size());
                          ASSERT_EQ(bytes.data(), memory.data() + 4 * met.size());
                          met.insert(met.end(), values.begin(), values.end());
                          ++boxes;
                        });
    std::vector<std::uint64_t> run(count);
    std::iota(run.begin(), run.end(), first);
    EXPECT_EQ(met, run);
    EXPECT_LE(boxes, 2 * extents.size()) << "each box costs a call of the library";
  }
}

}  // namespace
}  // namespace kompakt::test
