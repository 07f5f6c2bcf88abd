#include "tile_case.hpp"

#include <gtest/gtest.h>

#include <array>
#include <core/exceptions.hpp>
#include <support/random.hpp>
#include <vector>

namespace kompakt::test {
namespace {

using impl::ExceptionScratch;
using impl::lane_values;
using impl::tile_lanes;
using impl::tile_values;
using impl::TileBox;
using impl::Verdict;

template <class ShapeAndValue>
class QuantizeTile : public testing::Test, public TileCase<ShapeAndValue> {
 public:
  using Case = TileCase<ShapeAndValue>;
  using U = typename Case::U;
  std::array<int, 4> seen{};  // of each verdict

  static bool has_bin(Verdict verdict) {
    return verdict == Verdict::accepted || verdict == Verdict::refused;
  }

  /// The first valid bin in the order of lanes.
  U expected_base(std::vector<typename Case::T> const& field, TileBox const& box) const {
    impl::bin_t<typename Case::T> bin;
    for (int i = 0; i < tile_values; ++i) {
      std::int64_t const index = Case::index_of(box, i);
      if (index < 0) continue;
      auto const value = field[static_cast<std::size_t>(index)];
      if (has_bin(this->quantizer.classify(value, bin))) return static_cast<U>(bin);
    }
    return 0;
  }

  /// A value without a bin takes that of the one before it in its lane, else the base.
  void check(std::vector<typename Case::T> const& field, TileBox const& box) {
    typename Case::Quantized const tile = this->quantize(field, box);
    U const base = expected_base(field, box);
    U last = base;
    int exceptions = 0, masked = 0, negatives = 0;
    for (int i = 0; i < tile_values; ++i) {
      if (i % lane_values == 0) last = base;
      std::int64_t const index = Case::index_of(box, i);
      if (index < 0) continue;
      impl::bin_t<typename Case::T> bin;
      Verdict const verdict = this->quantizer.classify(field[static_cast<std::size_t>(index)], bin);
      if (has_bin(verdict)) last = static_cast<U>(bin);
      ASSERT_EQ(tile.bin(i), last) << "place " << i;
      ASSERT_EQ(tile.is_exception(i), verdict == Verdict::refused || verdict == Verdict::invalid)
          << "place " << i;
      ASSERT_EQ(tile.is_masked(i), verdict == Verdict::masked) << "place " << i;
      bool const negative = this->quantizer.marks(field[static_cast<std::size_t>(index)], verdict);
      ASSERT_EQ(tile.is_negative(i), negative) << "place " << i;
      exceptions += tile.is_exception(i) ? 1 : 0;
      masked += tile.is_masked(i) ? 1 : 0;
      negatives += negative ? 1 : 0;
      ++seen[static_cast<std::size_t>(verdict)];
    }
    ASSERT_EQ(tile.tail.exceptions(), exceptions);
    ASSERT_EQ(tile.tail.mask() != 0, masked > 0);
    ASSERT_EQ(tile.tail.mask() == impl::RecordTail::all, masked == box.size());
    ASSERT_EQ(tile.tail.signs() != 0, negatives > 0);
    ASSERT_EQ(tile.tail.signs() == impl::RecordTail::all, negatives == box.size());
  }

  void expect_seen(std::initializer_list<Verdict> verdicts) const {
    for (Verdict const v : verdicts) {
      EXPECT_GT(seen[static_cast<std::size_t>(v)], 0) << "the data have lost their point";
    }
  }
};
TYPED_TEST_SUITE(QuantizeTile, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(QuantizeTile, FewExceptions_GiveBinsAndFillOfTheDefinition) {
  this->for_tiles(71, 50, [&](auto const& field, TileBox const& box) { this->check(field, box); });
  this->expect_seen({Verdict::accepted, Verdict::refused, Verdict::invalid});
}

TYPED_TEST(QuantizeTile, ManyExceptions_GiveBinsAndFillOfTheDefinition) {
  this->for_tiles(72, 2, [&](auto const& field, TileBox const& box) { this->check(field, box); });
  this->expect_seen({Verdict::accepted, Verdict::refused, Verdict::invalid});
}

TYPED_TEST(QuantizeTile, ConstantField_HasTheOtherValuesAsExceptions) {
  this->quantizer = impl::Quantizer<typename TypeParam::T>::with_constant(0);
  this->for_tiles(73, 3, [&](auto const& field, TileBox const& box) { this->check(field, box); });
}

TYPED_TEST(QuantizeTile, FillValueThatHasABin_IsMasked) {
  using Value = typename TypeParam::T;
  for (auto const& one : {impl::Quantizer<Value>::with_bound(0.1, {true, Value{0}}),
                          impl::Quantizer<Value>::with_constant(Value(0.5), {true, Value{0}})}) {
    this->quantizer = one;
    this->for_tiles(78, 3, [&](auto field, TileBox const& box) {
      for (std::size_t i = 0; i < field.size(); i += i % 7 + 1)
        field[i] = i % 2 == 0 ? Value{0} : -Value{0};
      this->check(field, box);
    });
    this->expect_seen({Verdict::masked});
  }
}

TYPED_TEST(QuantizeTile, RelativeBound_HasSignsAndMasksZeros) {
  using Value = typename TypeParam::T;
  for (impl::Fill<Value> const fill :
       {impl::Fill<Value>{}, impl::Fill<Value>{true, Value(10.003)}}) {
    this->quantizer = impl::Quantizer<Value>::with_relative_bound(1e-2, fill);
    for (std::uint64_t const run : {1u, 30u, 600u, 5000u}) {
      this->for_tiles(79, 9, [&](auto field, TileBox const& box) {
        for (std::size_t i = 0; i < field.size(); ++i) {
          if (i / run % 5 == 0) field[i] = i / run % 2 == 0 ? Value{0} : -std::fabs(field[i]);
          if (i / run % 7 == 0) field[i] = Value(10.003);
        }
        this->check(field, box);
      });
    }
    this->for_tiles(80, 0, [&](auto const& field, TileBox const& box) { this->check(field, box); });
    this->expect_seen({Verdict::accepted, Verdict::invalid, Verdict::masked});
  }
}

TYPED_TEST(QuantizeTile, NoExceptions_LeaveZeroOutsideTheField) {
  this->for_tiles(74, 0, [&](auto const& field, TileBox const& box) {
    auto const tile = this->quantize(field, box);
    ASSERT_FALSE(tile.tail.any());
    for (int i = 0; i < tile_values; ++i) {
      if (this->index_of(box, i) < 0) {
        ASSERT_EQ(tile.bin(i), 0u) << "place " << i;
      }
    }
    this->check(field, box);
  });
}

TYPED_TEST(QuantizeTile, NothingButNaN_HasBinZeroEverywhere) {
  using Value = typename TypeParam::T;
  std::vector<Value> const field(tile_values, std::numeric_limits<Value>::quiet_NaN());
  TileBox const box = impl::TileGrid<typename TypeParam::Shape>({tile_values, 1, 1}).box(0);
  auto const tile = this->quantize(field, box);
  EXPECT_EQ(tile.tail.exceptions(), box.size());
  for (int i = 0; i < tile_values; ++i) ASSERT_EQ(tile.bin(i), 0u);
}

template <class ShapeAndValue>
class Tail : public testing::Test, public TileCase<ShapeAndValue> {
 public:
  using Case = TileCase<ShapeAndValue>;
  using T = typename Case::T;

  void check_format(std::vector<T> const& field, TileBox const& box) const {
    auto const tile = this->quantize(field, box);
    int const count = tile.tail.exceptions();
    if (count == 0) return;
    auto const tail = this->written_tail(field, box, tile);
    auto const half = [&](int i) {
      return tail[static_cast<std::size_t>(i / 2)] >> (i % 2 * 16) & 0xffffu;
    };
    for (int i = 0; i < count; ++i) {
      auto const place = static_cast<int>(half(i));
      ASSERT_LT(place, tile_values);
      if (i > 0) {
        ASSERT_LT(half(i - 1), half(i));
      }
      ASSERT_GE(Case::index_of(box, place), 0);
      T const stored =
          impl::load_value<T>(tail.data() + (count + 1) / 2 + i * impl::value_words<T>);
      ASSERT_EQ(bits_of(stored),
                bits_of(field[static_cast<std::size_t>(Case::index_of(box, place))]));
    }
    if (count % 2 != 0) {
      ASSERT_EQ(half(count), 0u);
    }
  }

  void check_round_trip(std::vector<T> const& field, TileBox const& box) const {
    auto const tile = this->quantize(field, box);
    if (!tile.tail.any() || tile.tail.is_one_value()) return;
    auto const tail = this->written_tail(field, box, tile);
    T const untouched{-7.5};
    std::vector<T> decoded(field.size(), untouched);
    ASSERT_TRUE(impl::read_tail<typename Case::Shape>(
        SingleThreadTeam{}, tail.data(), tile.tail, box, this->quantizer.masked(), decoded.data()));
    int restored = 0;
    for (int i = 0; i < tile_values; ++i) {
      if (Case::index_of(box, i) < 0) continue;
      auto const index = static_cast<std::size_t>(Case::index_of(box, i));
      T expected = tile.is_negative(i) ? -untouched : untouched;
      if (tile.is_exception(i) || tile.is_masked(i)) expected = field[index];
      ASSERT_EQ(bits_of(decoded[index]), bits_of(expected));
      restored += tile.is_exception(i) ? 1 : 0;
    }
    ASSERT_EQ(restored, tile.tail.exceptions());
  }
};
TYPED_TEST_SUITE(Tail, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(Tail, WrittenOne_HasAscendingPlacesZeroPaddingAndRawBits) {
  this->for_tiles(75, 9,
                  [&](auto const& field, TileBox const& box) { this->check_format(field, box); });
}

TYPED_TEST(Tail, OfFillValues_RestoresThemAndTheExceptions) {
  using Value = typename TypeParam::T;
  for (Value const fill : {Value{0}, std::numeric_limits<Value>::infinity(), Value(10.003)}) {
    this->quantizer = impl::Quantizer<Value>::with_bound(0.1, {true, fill});
    for (std::uint64_t const run : {3u, 40u, 700u}) {
      this->for_tiles(77, 9, [&](auto field, TileBox const& box) {
        for (std::size_t i = 0; i < field.size(); ++i) {
          if (i / run % 3 == 0) field[i] = fill;
        }
        this->check_round_trip(field, box);
      });
    }
  }
}

TYPED_TEST(Tail, WithSigns_RestoresThemAndWhatIsMasked) {
  using Value = typename TypeParam::T;
  for (impl::Fill<Value> const fill : {impl::Fill<Value>{}, impl::Fill<Value>{true, Value(-3)}}) {
    this->quantizer = impl::Quantizer<Value>::with_relative_bound(1e-2, fill);
    for (std::uint64_t const run : {1u, 40u, 700u}) {
      this->for_tiles(81, 9, [&](auto field, TileBox const& box) {
        for (std::size_t i = 0; i < field.size(); ++i) {
          if (i / run % 3 == 0) field[i] = i % 3 == 0 ? -Value{0} : Value{0};
          if (i / run % 8 == 0) field[i] = Value(-3);
        }
        this->check_round_trip(field, box);
      });
    }
  }
}

TYPED_TEST(Tail, ReadOne_RestoresExactlyTheExceptions) {
  this->for_tiles(
      76, 9, [&](auto const& field, TileBox const& box) { this->check_round_trip(field, box); });
}

}  // namespace
}  // namespace kompakt::test
