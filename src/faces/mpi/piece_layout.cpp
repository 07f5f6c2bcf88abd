#include "piece_layout.hpp"

#include <algorithm>

namespace kompakt::mpi {

namespace {

// Whole tiles of a predictor, where there is room for some.
std::size_t whole_tiles(std::size_t rows) {
  for (std::size_t const tile : {std::size_t{32}, std::size_t{8}}) {
    if (rows > tile) return rows / tile * tile;
  }
  return rows;
}

}  // namespace

PieceLayout::PieceLayout(FieldShape const& shape, std::size_t piece_bytes) : m_shape(shape) {
  if (shape.size() == 0) return;
  std::size_t row_bytes = shape.bytes() / shape.extents[slow_index(shape, 0)];
  m_count = 1;
  while (row_bytes > piece_bytes && m_axis + 1 < shape.rank) {
    m_count *= shape.extents[slow_index(shape, m_axis)];
    ++m_axis;
    row_bytes /= shape.extents[slow_index(shape, m_axis)];
  }
  std::size_t const rows = shape.extents[slow_index(shape, m_axis)];
  m_rows = std::clamp<std::size_t>(piece_bytes / row_bytes, 1, rows);
  if (m_rows < rows) m_rows = whole_tiles(m_rows);
  m_count *= (rows + m_rows - 1) / m_rows;
}

std::array<std::size_t, max_rank> PieceLayout::origin(std::size_t piece) const {
  std::array<std::size_t, max_rank> origin{};
  for (int axis = m_axis; axis >= 0; --axis) {
    std::size_t const index = slow_index(m_shape, axis);
    std::size_t const step = axis == m_axis ? m_rows : 1;
    std::size_t const steps = (m_shape.extents[index] + step - 1) / step;
    origin[index] = piece % steps * step;
    piece /= steps;
  }
  return origin;
}

FieldShape PieceLayout::shape(std::size_t piece) const {
  auto const begin = origin(piece);
  FieldShape part = m_shape;
  for (int axis = 0; axis < m_axis; ++axis) part.extents[slow_index(m_shape, axis)] = 1;
  std::size_t const index = slow_index(m_shape, m_axis);
  part.extents[index] = std::min(m_rows, m_shape.extents[index] - begin[index]);
  return part;
}

FieldShape PieceLayout::largest() const { return m_count > 0 ? shape(0) : m_shape; }

std::int64_t PieceLayout::first(Strides const& strides, std::size_t piece) const {
  auto const begin = origin(piece);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m_shape.rank); ++i) {
    at += static_cast<std::int64_t>(begin[i]) * strides[i];
  }
  return at;
}

}  // namespace kompakt::mpi
