#ifndef KOMPAKT_CORE_HALF_BOUND_HPP
#define KOMPAKT_CORE_HALF_BOUND_HPP

#include <algorithm>
#include <cmath>
#include <kompakt/half.hpp>

namespace kompakt::impl {

/// The next number in value; that of the lowest finite one is -infinity.
template <class Half>
Half next_below(Half half) {
  bool const is_negative = (half.bits & 0x8000u) != 0;
  unsigned const magnitude = half.bits & 0x7fffu;
  if (magnitude == 0) return {std::uint16_t{0x8001}};
  return {static_cast<std::uint16_t>(is_negative ? half.bits + 1 : half.bits - 1)};
}

/// What binades of a type of 16 bits have: numbers side by side are `spacing` apart.
template <class Half>
struct Binades {
  /// log2 of the magnitude, not below that of the smallest normal number, nor above that of the largest one.
  static int exponent(double magnitude) {
    if (!(magnitude > 0)) return Half::min_exponent;
    return std::clamp(std::ilogb(magnitude), Half::min_exponent, Half::max_exponent);
  }
  static double spacing(int exponent) { return std::ldexp(1.0, exponent - Half::digits + 1); }
};

/// The bound, a number of f32, that numbers have to keep, so that after rounding to Half all values keep `bound`.
///
/// A value x and what it may become, up to x + bound, lie on grids of spacings u and w >= u. Rounded, a number below
/// (floor(bound / u) + 1) u - w / 2 beyond x comes to the largest number of the grid within the bound, or to a smaller one. Towards 0
/// the grid is that of a binade further down, which has its own limit.
/// \param bound    > 0
/// \param largest  no value has a larger magnitude; 0: not known
template <class Half>
double bound_before_rounding(double bound, double largest) {
  using Grid = Binades<Half>;
  constexpr double negligible = 0x1p-20;  // a spacing this much below the bound
  double const end = std::ldexp(1.0, Half::max_exponent + 1);
  bound = std::fmin(bound, 2 * end);  // under which any value may become any other
  double allowed = bound;
  for (int e = Grid::exponent(largest > 0 ? largest : end); e >= Half::min_exponent; --e) {
    double const u = Grid::spacing(e);
    double const last = std::ldexp(1.0, e + 1) - u;
    double const x = largest > 0 && largest < last ? largest : last;
    double const w = Grid::spacing(Grid::exponent(x + bound));
    allowed = std::fmin(allowed, (std::floor(bound / u) + 1) * u - w / 2);
    if (u < negligible * bound) {  // what is smaller is as near to 0
      allowed = std::fmin(allowed, bound - w / 2);
      break;
    }
  }
  // The largest number of f32 below the limit, where there would be ties.
  auto const most = static_cast<float>(std::fmin(allowed, 0x1.fffffep127));
  bool const is_below = static_cast<double>(most) < allowed;
  return static_cast<double>(is_below ? most : std::nextafter(most, 0.0f));
}

}  // namespace kompakt::impl

#endif
