#ifndef KOMPAKT_UNIT_TEST_SUPPORT_TILE_SHAPES_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_TILE_SHAPES_HPP

#include <gtest/gtest.h>

#include <array>
#include <core/tile.hpp>
#include <string>

namespace kompakt::test {

using Chain = impl::Tile<TileShape::chain>;
using Square = impl::Tile<TileShape::square>;
using Brick = impl::Tile<TileShape::brick>;

/// The tile shapes as types of a typed test.
using TileShapes = testing::Types<Chain, Square, Brick>;

/// Every tile shape with either type of values.
template <class ShapeType, class ValueType>
struct ShapeAndValue {
  using Shape = ShapeType;
  using T = ValueType;
};
using ShapesAndValues = testing::Types<ShapeAndValue<Chain, float>, ShapeAndValue<Square, float>,
                                       ShapeAndValue<Brick, float>, ShapeAndValue<Chain, double>,
                                       ShapeAndValue<Square, double>, ShapeAndValue<Brick, double>>;

/// Names of the typed tests: "chain_float".
struct ShapeName {
  template <class Shape>
  static std::string GetName(int) {
    constexpr char const* names[] = {"chain", "square", "brick"};
    return names[static_cast<int>(Shape::shape)];
  }
};
struct ShapeAndValueName {
  template <class Pair>
  static std::string GetName(int i) {
    bool const is_float = sizeof(typename Pair::T) == sizeof(float);
    return ShapeName::GetName<typename Pair::Shape>(i) + (is_float ? "_float" : "_double");
  }
};

/// Extents around the edges of tiles, prime, one value thin, and of every rank up to three.
inline constexpr std::array<impl::Extents3, 26> odd_extents{{
    {1, 1, 1},    {2, 1, 1},    {31, 1, 1},   {32, 1, 1},   {33, 1, 1},  {1023, 1, 1}, {1024, 1, 1},
    {1025, 1, 1}, {4097, 1, 1}, {9973, 1, 1}, {32, 32, 1},  {33, 31, 1}, {31, 33, 1},  {1, 100, 1},
    {5, 1000, 1}, {97, 101, 1}, {64, 65, 1},  {16, 8, 8},   {17, 9, 9},  {15, 7, 7},   {1, 1, 500},
    {3, 2, 77},   {47, 13, 11}, {33, 33, 33}, {16, 24, 40}, {1, 37, 41},
}};

}  // namespace kompakt::test

#endif
