#ifndef KOMPAKT_UNIT_TEST_SUPPORT_FIELDS_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_FIELDS_HPP

#include <bit>
#include <cmath>
#include <cstdint>
#include <kompakt/field.hpp>
#include <limits>
#include <string>
#include <vector>

// Fields for tests: made by integer arithmetic and single roundings only, so that they are the same
// on every machine, which golden streams need.

namespace kompakt::test {

inline std::uint64_t hash(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

enum class Family {
  smooth,       // a parabola in each axis and a little noise
  walk,         // random walk
  noise,        // uniform in [-1, 1)
  bits,         // random bit patterns: NaNs, infinities, denormals, everything
  constant,     // 3.25 everywhere
  zeros,        // 0 but for a few values
  lattice,      // multiples of 1/8: errors of exactly the bound
  spikes,       // smooth with values of 1e30
  nan_islands,  // smooth with runs of NaNs with payloads, and infinities
  denormals,    // below the smallest normal number
  huge,         // up to the largest number
  offset,       // 1e6 and small differences
  surfaces,     // rough functions of two axes each: only three differences cancel them
  land,         // smooth with regions of fill_value, whole rows of it and single ones
};

inline constexpr Family all_families[] = {
    Family::smooth, Family::walk,    Family::noise,    Family::bits,        Family::constant,
    Family::zeros,  Family::lattice, Family::spikes,   Family::nan_islands, Family::denormals,
    Family::huge,   Family::offset,  Family::surfaces, Family::land};

inline char const* name_of(Family family) {
  constexpr char const* names[] = {"smooth", "walk",    "noise",    "bits",        "constant",
                                   "zeros",  "lattice", "spikes",   "nan_islands", "denormals",
                                   "huge",   "offset",  "surfaces", "land"};
  return names[static_cast<int>(family)];
}

/// What stands for "no value here" in the family `land`.
inline constexpr double fill_value = 0x1p66;

/// Uniform in [-1, 1).
inline double uniform(std::uint64_t i, std::uint64_t seed) {
  return static_cast<double>(static_cast<std::int64_t>(hash(i * 2654435761u + seed)) >> 11) *
         0x1p-52;
}

template <class T>
T smooth_value(std::size_t i, FieldShape const& shape, std::uint64_t seed) {
  double sum = 0.001 * uniform(i, seed);
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    std::size_t const n = shape.extents[static_cast<std::size_t>(axis)];
    double const x = (static_cast<double>(i % n) + 0.5) / static_cast<double>(n) - 0.4;
    sum += x * x * (axis + 1);
    i /= n;
  }
  return static_cast<T>(sum);
}

template <class T>
T surfaces_value(std::size_t i, FieldShape const& shape, std::uint64_t seed) {
  std::size_t index[3] = {0, 0, 0};  // of the last three axes
  for (int axis = shape.rank - 1, k = 0; axis >= 0 && k < 3; --axis, ++k) {
    std::size_t const n = shape.extents[static_cast<std::size_t>(axis)];
    index[k] = i % n;
    i /= n;
  }
  double sum = 0;
  for (std::size_t k = 0; k < 2; ++k) sum += uniform(index[k] * 65537 + index[k + 1], seed + k);
  return static_cast<T>(sum);
}

template <class T>
T nonfinite_value(std::size_t i, std::uint64_t seed) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  U const payload = static_cast<U>(hash(i + seed)) >> 10;
  T const quiet = std::numeric_limits<T>::quiet_NaN();
  switch (i % 3) {
    case 0: return std::bit_cast<T>(static_cast<U>(std::bit_cast<U>(quiet) | (payload >> 4)));
    case 1: return std::numeric_limits<T>::infinity();
    default: return -std::numeric_limits<T>::infinity();
  }
}

/// Whether a place of the family `land` has no value.
inline bool is_land(std::size_t i, FieldShape const& shape, std::uint64_t seed) {
  std::size_t const row = shape.extents[static_cast<std::size_t>(shape.rank - 1)];
  std::size_t const x = i % row, y = i / row;
  return (x < row / 2 && y % 64 < 40) || hash(y + seed) % 13 == 0 || hash(i + seed) % 301 == 0;
}

/// Values of a field of this shape, in memory order.
template <class T>
std::vector<T> make_field(Family family, FieldShape const& shape, std::uint64_t seed = 1) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<T> field(shape.size());
  double walk = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    T const smooth = smooth_value<T>(i, shape, seed);
    double const u = uniform(i, seed + 7);
    walk += u;
    switch (family) {
      case Family::smooth: field[i] = smooth; break;
      case Family::walk: field[i] = static_cast<T>(walk); break;
      case Family::noise: field[i] = static_cast<T>(u); break;
      case Family::bits: field[i] = std::bit_cast<T>(static_cast<U>(hash(i + seed))); break;
      case Family::constant: field[i] = T{3.25}; break;
      case Family::zeros: field[i] = hash(i + seed) % 997 == 0 ? static_cast<T>(u) : T{0}; break;
      case Family::lattice: field[i] = static_cast<T>(std::floor(u * 40) / 8); break;
      case Family::spikes:
        field[i] = hash(i + seed) % 501 == 0 ? static_cast<T>(u * 1e30) : smooth;
        break;
      case Family::nan_islands:
        field[i] = hash(i / 13 + seed) % 11 == 0 ? nonfinite_value<T>(i, seed) : smooth;
        break;
      case Family::denormals: field[i] = std::numeric_limits<T>::min() * static_cast<T>(u); break;
      case Family::huge: field[i] = std::numeric_limits<T>::max() * static_cast<T>(u); break;
      case Family::offset: field[i] = static_cast<T>(1e6 + 0.01 * u); break;
      case Family::land:
        field[i] = is_land(i, shape, seed) ? static_cast<T>(fill_value) : smooth;
        break;
      case Family::surfaces: field[i] = surfaces_value<T>(i, shape, seed); break;
    }
  }
  return field;
}

/// A shape from extents, slowest first.
template <class T>
FieldShape shape_from(std::vector<std::size_t> const& extents, Order order = Order::last_fastest) {
  FieldShape shape;
  shape.dtype = impl::dtype_of<T>();
  shape.order = order;
  shape.rank = 0;
  for (std::size_t n : extents) shape.extents[static_cast<std::size_t>(shape.rank++)] = n;
  return shape;
}

/// Integers that walk by steps of up to 2, around the end of N's numbers.
template <class N>
std::vector<N> make_integers(FieldShape const& shape, std::uint64_t seed = 1) {
  std::vector<N> field(shape.size());
  std::int64_t walk = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    walk += static_cast<std::int64_t>(hash(i + seed) % 5) - 2;
    field[i] = static_cast<N>(walk);
  }
  return field;
}

}  // namespace kompakt::test

#endif
