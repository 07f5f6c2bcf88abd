#ifndef KOMPAKT_UNIT_TEST_SUPPORT_STRIDED_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_STRIDED_HPP

#include <cstddef>
#include <kompakt/field.hpp>
#include <support/random.hpp>
#include <utility>
#include <vector>

namespace kompakt::test {

/// Calls body(indices) for every element of the extents, the last index fastest.
template <class Body>
void for_indices(std::vector<std::size_t> const& extents, Body const& body) {
  std::size_t size = 1;
  for (std::size_t const n : extents) size *= n;
  std::vector<std::size_t> index(extents.size());
  for (std::size_t i = 0; i < size; ++i) {
    body(index);
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      if (++index[axis] < extents[axis]) break;
      index[axis] = 0;
    }
  }
}

inline std::size_t offset_of(std::vector<std::size_t> const& index, Strides const& strides) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    at += index[i] * static_cast<std::size_t>(strides[i]);
  }
  return at;
}

/// Steps of an array whose axes lie in any order and with gaps, and the values that it spans.
inline std::pair<Strides, std::size_t> random_strides(Random& random,
                                                      std::vector<std::size_t> const& extents) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    axes.insert(axes.begin() + static_cast<long>(random.below(axes.size() + 1)), i);
  }
  Strides strides{};
  std::size_t size = 1;
  for (std::size_t const axis : axes) {
    strides[axis] = static_cast<std::int64_t>(size);
    size *= extents[axis] + random.below(3);
  }
  return {strides, size};
}

}  // namespace kompakt::test

#endif
