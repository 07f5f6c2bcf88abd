#ifndef KOMPAKT_PIPELINE_INDEX_ORDER_HPP
#define KOMPAKT_PIPELINE_INDEX_ORDER_HPP

#include <algorithm>
#include <container/reader.hpp>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>

// A field whose fastest index is coded as another one: at the doors its indices get the order in which they are coded. Behind
// them it is a field with strides, and kernels know no other.

namespace kompakt::impl {

/// The order that options name, or a stream's header, for a shape with the parts of complex numbers.
template <class Axes>
IndexOrder order_of(FieldShape const& shape, Axes const& named, bool has_parts = false) {
  return order_of(shape, named_axes(named), has_parts);
}

/// Numbers of the indices of a shape in the order in which these are coded.
template <class Numbers>
void arrange(FieldShape const& shape, IndexOrder const& coded, Numbers& numbers) {
  typename Numbers::value_type fastest_first[max_rank + 2]{};
  auto const entry = [&](int i) -> auto& {
    return numbers[static_cast<std::size_t>(entry_of(shape, i))];
  };
  for (int i = 0; i < shape.rank; ++i) fastest_first[i] = entry(i);
  coded.arrange(fastest_first);
  for (int i = 0; i < shape.rank; ++i) entry(i) = fastest_first[i];
}

inline FieldShape coded_shape(FieldShape shape, IndexOrder const& coded) {
  arrange(shape, coded, shape.extents);
  return shape;
}

/// A field with its indices in the order in which a stream codes them. A View may have another order in memory.
template <class Field>
Field coded_field(FieldShape const& stream, IndexOrder const& coded, Field field) {
  arrange(stream, coded, field.strides);
  arrange(stream, coded, field.shape.extents);
  return field;
}
inline Box coded_box(FieldShape const& stream, IndexOrder const& coded, Box box) {
  arrange(stream, coded, box.begin);
  arrange(stream, coded, box.end);
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
  header.shape = coded_shape(header.coded_values(), header.coded);
  header.coded = {};
  return header;
}

}  // namespace kompakt::impl

#endif
