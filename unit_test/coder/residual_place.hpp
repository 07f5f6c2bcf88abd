#ifndef KOMPAKT_UNIT_TEST_CODER_RESIDUAL_PLACE_HPP
#define KOMPAKT_UNIT_TEST_CODER_RESIDUAL_PLACE_HPP

#include <core/half_tile.hpp>
#include <core/record.hpp>

namespace kompakt::test {

/// Where the residual of a point of a tile lies; -1 for a point of class 0, which the level above has.
template <class Shape>
int residual_place(impl::CodedTile const& tile, int x, int y, int z) {
  using Half = impl::HalfTile<Shape>;
  if (!tile.has_classes) return (z * Shape::Y + y) * Shape::X + x;
  bool const halves_y = Half::axes > 1, halves_z = Half::axes > 2;
  int const c = x % 2 + (halves_y ? y % 2 * 2 : 0) + (halves_z ? z % 2 * 4 : 0);
  int const row = (halves_z ? z / 2 : z) * Half::Y + (halves_y ? y / 2 : y);
  return c == 0 ? -1 : Half::place(c, row, x / 2);
}

}  // namespace kompakt::test

#endif
