#include <algorithm>
#include <pipeline/limits.hpp>
#include <pipeline/region.hpp>
#include <pipeline/strided_box.hpp>
#include <string>

namespace kompakt::impl {

namespace {

/// Consecutive numbers.
struct Interval {
  std::int64_t first, last;
};

// Adds numbers behind those that are there; what is there already is left out.
void append(std::vector<Interval>& intervals, Interval next) {
  if (!intervals.empty()) {
    Interval& before = intervals.back();
    if (next.last <= before.last) return;
    if (next.first <= before.last + 1) {
      before.last = next.last;
      return;
    }
  }
  intervals.push_back(next);
}

/// The numbers i / step for all i of a box in the axes [from, to) taken together, fastest first.
std::vector<Interval> touched_along(StridedBox const& box, int from, int to, std::int64_t step) {
  // Axes that the box has whole belong to the runs of consecutive i.
  std::int64_t inner = 1;
  while (from + 1 < to && box.begin[from] == 0 && box.end[from] == box.extent[from]) {
    inner *= box.extent[from++];
  }
  std::vector<Interval> touched;
  if (from >= to) return {{0, 0}};
  std::int64_t index[max_rank];
  std::copy_n(box.begin, max_rank, index);
  for (;;) {
    std::int64_t start = 0;
    for (int axis = to - 1; axis > from; --axis)
      start = (start + index[axis]) * box.extent[axis - 1];
    append(touched, {(start + box.begin[from]) * inner / step,
                     ((start + box.end[from]) * inner - 1) / step});
    int axis = from + 1;
    while (axis < to && ++index[axis] == box.end[axis]) {
      index[axis] = box.begin[axis];
      ++axis;
    }
    if (axis >= to) return touched;
  }
}

/// A box of the field is one of tiles in each group of axes that is folded to one.
template <class Shape>
std::vector<Interval> touched_by(TileGrid<Shape> const& grid, StridedBox const& box) {
  constexpr bool folds_y = Shape::Y == 1, folds_z = Shape::Z == 1;
  int const end_of_x = folds_y ? box.rank : std::min(1, box.rank);
  int const end_of_y = folds_z ? box.rank : std::min(2, box.rank);
  auto const x = touched_along(box, 0, end_of_x, Shape::X);
  auto const y = touched_along(box, end_of_x, end_of_y, Shape::Y);
  auto const z = touched_along(box, end_of_y, box.rank, Shape::Z);
  std::vector<Interval> chunks;
  for (Interval const slabs : z) {
    for (std::int64_t slab = slabs.first; slab <= slabs.last; ++slab) {
      for (Interval const rows : y) {
        for (std::int64_t row = rows.first; row <= rows.last; ++row) {
          std::int64_t const before = (slab * grid.tiles_y + row) * grid.tiles_x;
          for (Interval const tiles : x) {
            append(chunks,
                   {(before + tiles.first) / chunk_tiles, (before + tiles.last) / chunk_tiles});
          }
        }
      }
    }
  }
  return chunks;
}

}  // namespace

void require_region(char const* function, FieldShape const& shape, Box const& region) {
  bool inside = region.rank == shape.rank;
  for (std::size_t i = 0; inside && i < static_cast<std::size_t>(shape.rank); ++i) {
    inside = region.begin[i] <= region.end[i] && region.end[i] <= shape.extents[i];
  }
  if (inside) return;
  throw Error(Status::bad_argument, std::string(function) + ": there is no region from " +
                                        to_string(region) + " in a field of " + describe(shape) +
                                        "; give begin <= end <= extent for each index");
}

void require_region_view(FieldShape const& stream, Box const& region, FieldShape const& field) {
  require_same_field("decompress_region: the region holds ", region.shape_in(stream), field);
}

std::vector<std::int64_t> touched_chunks(Header const& header, Box const& region) {
  StridedBox const box(header.shape, {}, region.begin.data(), region.end.data());
  std::vector<Interval> intervals;
  with_tile_shape(header.tile_shape, [&](auto shape) {
    intervals = touched_by(TileGrid<decltype(shape)>(header.extents()), box);
  });
  std::vector<std::int64_t> chunks;
  for (Interval const& interval : intervals) {
    for (std::int64_t c = interval.first; c <= interval.last; ++c) chunks.push_back(c);
  }
  return chunks;
}

}  // namespace kompakt::impl
