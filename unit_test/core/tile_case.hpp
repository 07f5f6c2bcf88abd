#ifndef KOMPAKT_UNIT_TEST_CORE_TILE_CASE_HPP
#define KOMPAKT_UNIT_TEST_CORE_TILE_CASE_HPP

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <core/exceptions.hpp>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <support/tile_shapes.hpp>
#include <vector>

namespace kompakt::test {

/// Fields with exceptions, cut into clipped tiles, and the library's functions on one tile.
template <class ShapeAndValue>
class TileCase {
 public:
  using Shape = typename ShapeAndValue::Shape;
  using T = typename ShapeAndValue::T;
  using U = impl::unsigned_t<T>;

  /// Neither it nor its reciprocal is exact: some values near the edge of bins are refused.
  impl::Quantizer<T> quantizer = impl::Quantizer<T>::with_bound(0.1);

  /// What quantize_tile() leaves.
  struct Quantized {
    std::array<U, impl::tile_values> bins;
    impl::ExceptionScratch scratch;
    impl::RecordTail tail;

    /// By the place in lanes.
    U bin(int i) const {
      return bins[static_cast<std::size_t>(
          impl::natural_place<Shape>(i / impl::lane_values, i % impl::lane_values))];
    }
    bool is_exception(int i) const { return tail.overwrites() && bit(scratch.exception, i); }
    bool is_masked(int i) const { return tail.overwrites() && bit(scratch.masked, i); }
    bool is_negative(int i) const { return tail.signs() != 0 && bit(scratch.negative, i); }

   private:
    static bool bit(std::uint32_t const* masks, int i) {
      return (masks[i / impl::lane_values] >> i % impl::lane_values & 1u) != 0;
    }
  };

  /// Index in the field from the place in lanes, -1 outside.
  static std::int64_t index_of(impl::TileBox const& box, int i) {
    return impl::field_index<Shape>(
        box, impl::natural_place<Shape>(i / impl::lane_values, i % impl::lane_values));
  }

  Quantized quantize(std::vector<T> const& field, impl::TileBox const& box) const {
    Quantized tile;
    tile.bins.fill(static_cast<U>(0x5555555555555555u));
    std::array<U, impl::tile_lanes> valid;
    tile.tail = impl::quantize_tile<Shape>(SingleThreadTeam{}, quantizer, field.data(), box,
                                           tile.bins.data(), valid.data(), tile.scratch);
    return tile;
  }

  /// The tail that write_tail() writes: all of its words and not the one behind.
  std::vector<std::uint32_t> written_tail(std::vector<T> const& field, impl::TileBox const& box,
                                          Quantized const& tile) const {
    auto const words = static_cast<std::size_t>(tile.tail.template words<T>());
    std::vector<std::uint32_t> tails[2];
    for (std::uint32_t const filler : {0u, ~0u}) {
      std::vector<std::uint32_t>& tail = tails[filler & 1u];
      tail.assign(words + 1, filler);
      impl::write_tail<Shape>(SingleThreadTeam{}, field.data(), box, tile.tail, tile.scratch,
                              tail.data());
      EXPECT_EQ(tail.back(), filler);
      tail.pop_back();
    }
    EXPECT_EQ(tails[0], tails[1]) << "a word was left as it was";
    return tails[0];
  }

  /// A smooth field; about one value in `rarity` (0: none) is special or large.
  static std::vector<T> make_field(Random& random, impl::Extents3 n, std::uint64_t rarity) {
    static std::vector<T> const special = special_values<T>();
    std::int64_t const most = sizeof(T) == 4 ? std::int64_t{1} << 23 : std::int64_t{1} << 51;
    std::vector<T> field(static_cast<std::size_t>(n.size()));
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = static_cast<T>(10 * std::sin(static_cast<double>(i) * 0.01) + 0.003);
      if (rarity == 0 || !random.one_in(rarity)) continue;
      field[i] = random.one_in(2)
                     ? special[random.below(special.size())]
                     : static_cast<T>(static_cast<double>(random.between(-most, most)) * 0.1);
    }
    return field;
  }

  /// Calls check(field, box) for every tile of fields of odd extents.
  template <class Check>
  static void for_tiles(std::uint64_t seed, std::uint64_t rarity, Check const& check) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    for (impl::Extents3 const& n : odd_extents) {
      SCOPED_TRACE(testing::Message() << n.x << " x " << n.y << " x " << n.z);
      auto const field = make_field(random, n, rarity);
      impl::TileGrid<Shape> const grid(n);
      for (std::int64_t tile = 0; tile < grid.tiles; ++tile) {
        check(field, grid.box(tile));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

}  // namespace kompakt::test

#endif
