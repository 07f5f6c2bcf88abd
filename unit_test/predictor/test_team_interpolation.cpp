#include <gtest/gtest.h>

#include <barrier>
#include <thread>

// Before other headers of the library, whose part of the device is wanted.
#include <support/device_part.hpp>

#include <support/random.hpp>
#include <support/tile_shapes.hpp>

#include "one_tile.hpp"

// The threads of a team on a device and one thread of a host make the same of a tile. Threads of a host stand in for the team: what
// lacks a barrier there comes out wrong here, too, and ThreadSanitizer names it.

namespace kompakt::test {
namespace {

/// A thread of a team of 32, which all make the same calls.
class ThreadOfTeam {
 public:
  static constexpr int size = 32;
  struct Shared {
    std::barrier<> barrier{size};
    std::array<void*, size> reduced{};
  };

  ThreadOfTeam(Shared& shared, int rank) : m_shared(shared), m_rank(rank) {}
  int team_rank() const { return m_rank; }
  int team_size() const { return size; }
  void team_barrier() const { m_shared.barrier.arrive_and_wait(); }
  template <class Reducer>
  void team_reduce(Reducer const& reducer) const {
    using Value = typename Reducer::value_type;
    Value mine = reducer.reference();
    m_shared.reduced[static_cast<std::size_t>(m_rank)] = &mine;
    team_barrier();
    Value all;
    reducer.init(all);
    for (void* const of_thread : m_shared.reduced) {
      reducer.join(all, *static_cast<Value*>(of_thread));
    }
    team_barrier();
    reducer.reference() = all;
  }

 private:
  Shared& m_shared;
  int m_rank;
};

template <class Rules, class Shape, class T>
MadeOfTile<T> by_team(OneTile<Shape, T> const& of) {
  auto const memory = std::make_unique<TileMemory<T>>();
  auto const shared = std::make_unique<ThreadOfTeam::Shared>();
  MadeOfTile<T> made;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ThreadOfTeam::size; ++rank) {
    threads.emplace_back(
        [&, rank] { make_and_go_back<Rules>(ThreadOfTeam(*shared, rank), of, *memory, made); });
  }
  for (std::thread& thread : threads) thread.join();
  return made;
}

template <class ShapeAndValue>
class TeamInterpolation : public testing::Test {
 public:
  using Shape = typename ShapeAndValue::Shape;
  using T = typename ShapeAndValue::T;

  /// Some tile of level 0 or 1, whole or not, of a field that carries on, is noisy, has kinks or lacks values.
  static OneTile<Shape, T> make_tile(Random& random) {
    auto const extent = [&](int most) {
      return most == 1 ? std::int64_t{1} : static_cast<std::int64_t>(random.between(2, 3 * most));
    };
    impl::LevelGrid<Shape> const grid(
        impl::Extents3{extent(Shape::X), extent(Shape::Y), extent(Shape::Z)});
    OneTile<Shape, T> of;
    double const noise = random.one_in(2) ? 0 : 1e-2, kinks = random.one_in(2) ? 0 : 0.3;
    bool const lacks_some = random.one_in(3);
    of.field.resize(static_cast<std::size_t>(grid.n.size()));
    for (std::size_t i = 0; i < of.field.size(); ++i) {
      auto const at = static_cast<double>(i), x = std::fmod(at, static_cast<double>(grid.n.x));
      double const value = std::sin(0.3 * x) + std::cos(0.001 * at) +
                           kinks * std::fabs(std::fmod(x, 9) - 4) +
                           noise * static_cast<double>(random.below(100));
      of.field[i] = lacks_some && random.one_in(9) ? std::numeric_limits<T>::quiet_NaN()
                                                   : static_cast<T>(value);
    }
    of.quantizer = impl::Quantizer<T>::with_bound(1e-3, {});
    auto const parts = grid.whole();
    of.above.resize(parts.places());
    of.parts = parts.in(of.above.data());
    int const level = random.one_in(2) ? 0 : 1;
    fill_level(grid, level + 1, of, random);
    std::int64_t const chunk = grid.first_chunk(level);
    do {
      of.tile = grid.tile(chunk, static_cast<int>(random.below(impl::sparse_chunk_tiles)));
    } while (of.tile.size() == 0);
    return of;
  }

 private:
  // Near to the field's values, as reconstructed ones are.
  static void fill_level(impl::LevelGrid<Shape> const& grid, int level, OneTile<Shape, T>& of,
                         Random& random) {
    auto const scale = impl::LatticeScale<T>::of(of.quantizer);
    impl::LevelPart const& part = of.parts.of[level];
    for (std::int64_t z = 0; z < part.extents.z; ++z) {
      for (std::int64_t y = 0; y < part.extents.y; ++y) {
        for (std::int64_t x = 0; x < part.extents.x; ++x) {
          std::int64_t const at =
              (((z << level) * grid.n.y + (y << level)) * grid.n.x) + (x << level);
          std::uint32_t const value = scale.lattice_value(of.field[static_cast<std::size_t>(at)]);
          part.values[part.index(x, y, z)] = value + static_cast<std::uint32_t>(random.below(9));
        }
      }
    }
  }
};
TYPED_TEST_SUITE(TeamInterpolation, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(TeamInterpolation, OfSomeTiles_IsThatOfOneThread) {
  bool has_rules = false;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto const of = TestFixture::make_tile(random);
    auto const by_rules = by_team<impl::TileRules>(of);
    EXPECT_EQ(by_rules, by_one_thread<impl::TileRules>(of));
    EXPECT_EQ(by_rules.back, by_rules.lattice);
    has_rules |= by_rules.residuals[0] != 0;
    EXPECT_EQ(by_team<impl::OneRule>(of), by_one_thread<impl::OneRule>(of));
  }
  EXPECT_TRUE(has_rules);
}

}  // namespace
}  // namespace kompakt::test
