#ifndef KOMPAKT_PIPELINE_INDEX_ORDER_HPP
#define KOMPAKT_PIPELINE_INDEX_ORDER_HPP

#include <algorithm>
#include <container/reader.hpp>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>

// A field whose fastest index is coded as another one: at the doors its indices get the order in which they are coded. Behind
// them it is a field with strides, and kernels know no other.

namespace kompakt::impl {

/// HeaderAsked::lead of Options::axis, which does not count the index of the parts of complex numbers.
inline int lead_of(FieldShape const& shape, int axis, bool has_parts = false) {
  if (axis < 0 || shape.size() == 0) return 0;
  return entry_of(shape, axis + entries_before_field(shape, has_parts));
}

/// Numbers of the indices of a shape in the order in which these are coded.
template <class Numbers>
void bring_first(FieldShape const& shape, int lead, Numbers& numbers) {
  auto const begin = numbers.begin(), at = begin + entry_of(shape, lead);
  if (shape.order == Order::last_fastest) {
    std::rotate(at, at + 1, begin + shape.rank);
  } else {
    std::rotate(begin, at, at + 1);
  }
}

inline FieldShape coded_shape(FieldShape shape, int lead) {
  bring_first(shape, lead, shape.extents);
  return shape;
}

/// A field with its indices in the order in which a stream codes them. A View may have another order in memory.
template <class Field>
Field coded_field(FieldShape const& stream, int lead, Field field) {
  bring_first(stream, lead, field.strides);
  bring_first(stream, lead, field.shape.extents);
  return field;
}
inline Box coded_box(FieldShape const& stream, int lead, Box box) {
  bring_first(stream, lead, box.begin);
  bring_first(stream, lead, box.end);
  return box;
}
/// Whether the parts of complex numbers in a target have their index where a stream has it. They lie side by side in a View of
/// complex numbers, as values along no other index do.
/// \param has_parts  whether the stream's are such
inline bool has_parts_as_stored(FieldShape const& stream, bool has_parts,
                                StridedData const& field) {
  std::size_t const own = part_axis(field.shape);
  bool const are_parts = has_parts && field.shape.rank == stream.rank && field.shape.rank > 1 &&
                         field.shape.extents[own] == 2 && field.strides[own] == 1;
  return !are_parts || own == part_axis(stream);
}
/// A target with the index of the parts of complex numbers where a stream has it: a View of the other order has it at the other end.
template <class Field>
Field parts_as_stored(FieldShape const& stream, bool has_parts, Field field) {
  if (has_parts_as_stored(stream, has_parts, field)) return field;
  auto const move = [&](auto& numbers) {
    auto const begin = numbers.begin(), end = begin + field.shape.rank;
    bool const is_first = part_axis(field.shape) == 0;
    std::rotate(begin, is_first ? begin + 1 : end - 1, end);
  };
  move(field.strides);
  move(field.shape.extents);
  field.shape.order = stream.order;
  return field;
}

/// The header of a stream as of one whose values have the type, and whose indices the order, in which they are coded.
inline Header coded_header(Header header) {
  header.shape = coded_shape(header.coded_values(), header.lead);
  header.lead = 0;
  return header;
}

}  // namespace kompakt::impl

#endif
