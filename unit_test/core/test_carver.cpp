#include <gtest/gtest.h>

#include <core/carver.hpp>
#include <core/lattice.hpp>
#include <cstdint>
#include <vector>

// Layouts are measured by the functions that place them, without memory. A compiler evaluates that here, and refuses to
// advance a null pointer, which programs with the undefined behaviour sanitizer stop at.

namespace kompakt::test {
namespace {

using impl::LevelGrid;
using impl::LevelParts;

constexpr bool stays_without_memory(LevelParts const& parts) {
  LevelParts const measured = parts.in(nullptr);
  for (impl::LevelPart const& part : measured.of) {
    if (part.values != nullptr) return false;
  }
  return parts.places() > 0;
}
static_assert(impl::behind(static_cast<int*>(nullptr), 7) == nullptr);

// In a function: outside of one nvcc refuses what assert() of newer C libraries is made of.
TEST(Carver, LevelsOfAGrid_StayWithoutMemory) {
  static_assert(stays_without_memory(LevelGrid<impl::Tile<TileShape::chain>>({70000}).whole()));
  static_assert(stays_without_memory(LevelGrid<impl::Tile<TileShape::square>>({300, 200}).whole()));
  static_assert(
      stays_without_memory(LevelGrid<impl::Tile<TileShape::brick>>({40, 50, 60}).whole()));
}

TEST(Carver, WithoutMemory_MeasuresWhatItTakesWithMemory) {
  auto const place = [](impl::Carver& carver) {
    carver.take<char>(3);
    return carver.take<std::uint64_t>(5);
  };
  alignas(16) std::byte memory[64];
  impl::Carver measuring, placing(memory);
  EXPECT_EQ(place(measuring), nullptr);
  EXPECT_EQ(reinterpret_cast<std::byte*>(place(placing)), memory + 16);
  EXPECT_EQ(measuring.bytes(), placing.bytes());
  EXPECT_EQ(impl::behind(memory, 7), memory + 7);
}

TEST(LevelParts, InMemory_LieBehindOneAnother) {
  LevelParts const parts = LevelGrid<impl::Tile<TileShape::square>>({300, 200}).whole();
  std::vector<std::uint32_t> memory(parts.places());
  LevelParts const placed = parts.in(memory.data());
  std::uint32_t const* next = memory.data();
  for (int level = 1; level <= impl::max_levels; ++level) {
    EXPECT_EQ(placed.of[level].values, next) << level;
    next += placed.of[level].places();
  }
  EXPECT_EQ(next, memory.data() + memory.size());
}

// Numbers of chunks are taken from headers before anything has said that one call can take so many.
TEST(LevelCounts, OfExtentsThatNoMemoryHolds_AreExact) {
  constexpr std::int64_t n = std::int64_t{1} << 58;
  impl::LevelCounts const chain = impl::level_counts({n, 1, 1});
  EXPECT_EQ(chain.values_above, n - n / 64);
  EXPECT_EQ(chain.chunks, (2 * n - n / 64) / 32768);
  EXPECT_EQ(impl::level_counts({std::int64_t{1} << 47, 1, 1}).chunks - (std::int64_t{1} << 32),
            (std::int64_t{1} << 32) - (std::int64_t{1} << 26));
  impl::LevelCounts const square = impl::level_counts({n, 2, 1});
  EXPECT_EQ(square.values_above, n - n / 16);
}

}  // namespace
}  // namespace kompakt::test
