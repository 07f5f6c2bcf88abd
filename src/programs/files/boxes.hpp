#ifndef KOMPAKT_FILES_BOXES_HPP
#define KOMPAKT_FILES_BOXES_HPP

#include "field_file.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kompakt::files {

/// Values of an array, in C order: those from `begin` on, `extent` of them along each axis.
struct ArrayBox {
  std::vector<std::size_t> begin, extent;
};

/// The largest box that begins with a value and whose values follow one another in the memory of the array.
/// \param extents  of the array
/// \param first    number of the value
/// \param most     values it may have; at least one
inline ArrayBox box_at(std::vector<std::size_t> const& extents, std::uint64_t first,
                       std::uint64_t most) {
  ArrayBox box{std::vector<std::size_t>(extents.size()),
               std::vector<std::size_t>(extents.size(), 1)};
  std::uint64_t slice = 1;  // values of an index of the axis
  bool grows = true;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    box.begin[axis] = first / slice % extents[axis];
    if (grows) {
      std::uint64_t const left = extents[axis] - box.begin[axis];
      box.extent[axis] = static_cast<std::size_t>(std::min<std::uint64_t>(left, most / slice));
      grows = box.extent[axis] == extents[axis] && most / slice / extents[axis] > 0;
    }
    slice *= extents[axis];
  }
  return box;
}

/// Calls move(box, bytes) for the boxes that a run of values is made of, in order, each with its bytes.
/// \param bytes  of the run
template <class Bytes, class Move>
void for_each_box(std::vector<std::size_t> const& extents, std::size_t value_bytes,
                  std::uint64_t first, Bytes bytes, Move const& move) {
  while (!bytes.empty()) {
    ArrayBox const box = box_at(extents, first, bytes.size() / value_bytes);
    std::size_t values = 1;
    for (std::size_t const extent : box.extent) values *= extent;
    move(box, bytes.first(values * value_bytes));
    bytes = bytes.subspan(values * value_bytes);
    first += values;
  }
}

/// Reads the values of an array box by box.
class BoxReader : public FieldReader {
 public:
  explicit BoxReader(FieldShape const& shape)
      : m_extents(slowest_first(shape, shape.extents)), m_value_bytes(size_of(shape.dtype)) {}

  void rewind() final { m_next = 0; }
  void read(std::span<std::byte> values) final {
    for_each_box(m_extents, m_value_bytes, m_next, values,
                 [&](ArrayBox const& box, std::span<std::byte> to) { read_box(box, to); });
    m_next += values.size() / m_value_bytes;
  }

 private:
  virtual void read_box(ArrayBox const& box, std::span<std::byte> to) = 0;

  std::vector<std::size_t> m_extents;
  std::size_t m_value_bytes;
  std::uint64_t m_next = 0;
};

}  // namespace kompakt::files

#endif
