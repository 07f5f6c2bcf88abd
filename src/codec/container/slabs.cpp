#include <algorithm>
#include <kompakt/slabs.hpp>
#include <string>

namespace kompakt {

namespace {

// So that few tiles are cut by the ends of a slab: whole chunks of a chain, whole tiles along slower axes.
std::size_t without_cut_tiles(std::size_t extent, bool fastest) {
  for (std::size_t const tile : {std::size_t{4096}, std::size_t{32}, std::size_t{8}}) {
    if ((fastest || tile <= 32) && extent >= tile) return extent / tile * tile;
  }
  return extent;
}

// Data is one of StridedData and its constant form; Byte of what it points to.
template <class Byte, class Data>
Data part_in_box(Data const& field, Box const& box) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    first += static_cast<std::int64_t>(box.begin[i]) * field.strides[i];
  }
  first *= static_cast<std::int64_t>(size_of(field.shape.dtype));
  auto* const data = static_cast<Byte*>(field.data);
  return {data == nullptr ? nullptr : data + first, box.shape_in(field.shape), field.strides};
}

}  // namespace

StridedData part_of(StridedData const& field, Box const& box) {
  return part_in_box<std::byte>(field, box);
}
ConstStridedData part_of(ConstStridedData const& field, Box const& box) {
  return part_in_box<std::byte const>(field, box);
}

Slabs::Slabs(FieldShape const& shape) : m_order(shape.order) {
  if (shape.rank < 1 || shape.rank > max_rank || !is_countable(shape)) {
    throw Error(Status::bad_argument, "Slabs",
                "a field of rank " + std::to_string(shape.rank) + " cannot be cut",
                "check the extents; ranks are 1 to 8, and fields have at most 2^60 values");
  }
  m_shape = in_own_order(shape);
  m_extent = m_shape.extents[0];
  m_shape.order = Order::last_fastest;
}

Slabs::Slabs(FieldShape const& shape, PartBytes const& part_bytes, std::uint64_t max_bytes)
    : Slabs(shape) {
  while (m_axis + 1 < m_shape.rank && part_bytes(with_extent(m_axis, 1)) > max_bytes) {
    m_outer *= m_shape.extents[static_cast<std::size_t>(m_axis)];
    ++m_axis;
  }
  std::size_t const whole = m_shape.extents[static_cast<std::size_t>(m_axis)];
  m_extent = whole;
  while (m_extent > 1) {
    std::uint64_t const needed = part_bytes(with_extent(m_axis, m_extent));
    if (needed <= max_bytes) break;
    auto const fraction = static_cast<double>(max_bytes) / static_cast<double>(needed);
    auto const smaller = static_cast<std::size_t>(static_cast<double>(m_extent) * fraction);
    m_extent = std::max<std::size_t>(std::min(smaller, m_extent - 1), 1);
  }
  if (m_extent < whole) m_extent = without_cut_tiles(m_extent, m_axis + 1 == m_shape.rank);
  m_cuts = whole == 0 ? 1 : (whole + m_extent - 1) / m_extent;
}

Slabs::Slabs(FieldShape const& shape, std::uint64_t max_bytes)
    : Slabs(
          shape, [](FieldShape const& part) { return part.bytes(); }, max_bytes) {}

// A part with so many slices along an axis, and one index of each slower one.
FieldShape Slabs::with_extent(int axis, std::size_t extent) const {
  FieldShape shape = m_shape;
  std::fill_n(shape.extents.begin(), axis, std::size_t{1});
  shape.extents[static_cast<std::size_t>(axis)] = extent;
  return shape;
}

// From C order to that of the field, or the reverse.
FieldShape Slabs::in_own_order(FieldShape shape) const {
  if (m_order == Order::last_fastest) return shape;
  std::reverse(shape.extents.begin(), shape.extents.begin() + shape.rank);
  shape.order = m_order;
  return shape;
}

FieldShape Slabs::shape(std::uint64_t number) const {
  std::size_t const from = number % m_cuts * m_extent;
  std::size_t const left = m_shape.extents[static_cast<std::size_t>(m_axis)] - from;
  return in_own_order(with_extent(m_axis, std::min(m_extent, left)));
}

FramePart Slabs::part(std::uint64_t number) const {
  FramePart part = FramePart::whole(whole());
  part.origin[static_cast<std::size_t>(m_axis)] = number % m_cuts * m_extent;
  std::uint64_t rest = number / m_cuts;
  for (auto axis = static_cast<std::size_t>(m_axis); axis-- > 0;) {
    part.origin[axis] = rest % m_shape.extents[axis];
    rest /= m_shape.extents[axis];
  }
  if (m_order == Order::first_fastest) {
    std::reverse(part.origin.begin(), part.origin.begin() + m_shape.rank);
  }
  return part;
}

std::uint64_t Slabs::values_before(std::uint64_t number) const {
  std::size_t const whole = m_shape.extents[static_cast<std::size_t>(m_axis)];
  std::uint64_t const slice = with_extent(m_axis, 1).size();
  return (number / m_cuts * whole + number % m_cuts * m_extent) * slice;
}

}  // namespace kompakt
