#ifndef KOMPAKT_SLABS_HPP
#define KOMPAKT_SLABS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>
#include <kompakt/stream.hpp>

namespace kompakt {

/// A field in parts that follow one another in its memory, so that each can become a frame of a sequence. Depends on
/// what it is given alone. Host only.
class Slabs {
 public:
  /// Bytes that a part takes, by whatever is counted; more for a larger one.
  using PartBytes = std::function<std::uint64_t(FieldShape const&)>;

  // All throw Error bad_argument for an impossible rank, or extents that are not countable.

  /// One part, the whole field.
  explicit Slabs(FieldShape const& shape);
  /// Parts that take no more than so many bytes, or have one value. They are cut along the slowest axis, or along the
  /// slowest one whose slices are small enough; so that few tiles are cut, parts of several slices have a multiple of 8 of
  /// them, or of 32.
  Slabs(FieldShape const& shape, PartBytes const& part_bytes, std::uint64_t max_bytes);
  /// Parts of no more than so many bytes of values.
  Slabs(FieldShape const& shape, std::uint64_t max_bytes);

  std::uint64_t count() const { return m_outer * m_cuts; }
  FieldShape shape(std::uint64_t number) const;
  FramePart part(std::uint64_t number) const;
  /// Box of a part in the field.
  Box box(std::uint64_t number) const { return Box::at(part(number).origin, shape(number)); }
  /// Number of values in front of a part.
  std::uint64_t values_before(std::uint64_t number) const;
  FieldShape whole() const { return in_own_order(m_shape); }

 private:
  FieldShape with_extent(int axis, std::size_t extent) const;
  FieldShape in_own_order(FieldShape shape) const;

  Order m_order;
  FieldShape m_shape;         // in C order: what is cut is mirrored for a field in the other one
  int m_axis = 0;             // what is cut; slower ones are taken one by one
  std::size_t m_extent = 0;   // of a part along it
  std::uint64_t m_cuts = 1;   // along it
  std::uint64_t m_outer = 1;  // indices of the slower ones
};

/// The values of a box of an array, in which it lies.
StridedData part_of(StridedData const& field, Box const& box);
ConstStridedData part_of(ConstStridedData const& field, Box const& box);

}  // namespace kompakt

#endif
