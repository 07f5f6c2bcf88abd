#include <algorithm>
#include <pipeline/index_order.hpp>
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

/// The numbers that a box has along each group of axes that is folded to one.
struct TouchedAxes {
  std::vector<Interval> x, y, z;
};

/// Those of cells of so many values.
template <class Shape>
TouchedAxes touched_axes(StridedBox const& box, Extents3 cell) {
  constexpr bool folds_y = Shape::Y == 1, folds_z = Shape::Z == 1;
  int const end_of_x = folds_y ? box.rank : std::min(1, box.rank);
  int const end_of_y = folds_z ? box.rank : std::min(2, box.rank);
  return {touched_along(box, 0, end_of_x, cell.x), touched_along(box, end_of_x, end_of_y, cell.y),
          touched_along(box, end_of_y, box.rank, cell.z)};
}

/// The numbers / group of cells that lie in the product of such, of a grid of so many along x and y; all of them
/// `first` higher.
std::vector<Interval> touched_by(TouchedAxes const& axes, std::int64_t along_x,
                                 std::int64_t along_y, std::int64_t group, std::int64_t first) {
  std::vector<Interval> chunks;
  for (Interval const slabs : axes.z) {
    for (std::int64_t slab = slabs.first; slab <= slabs.last; ++slab) {
      for (Interval const rows : axes.y) {
        for (std::int64_t row = rows.first; row <= rows.last; ++row) {
          std::int64_t const before = (slab * along_y + row) * along_x;
          for (Interval const cells : axes.x) {
            append(chunks,
                   {first + (before + cells.first) / group, first + (before + cells.last) / group});
          }
        }
      }
    }
  }
  return chunks;
}

// An interval of a level that tiles of `tile` values which meet [first, last] need of the level above, of extent n.
Interval needed_above(Interval wanted, int tile, std::int64_t n) {
  std::int64_t const first = wanted.first / tile * tile / 2 - 1;
  std::int64_t const last = (wanted.last / tile + 1) * tile / 2 + 1;
  return {std::max<std::int64_t>(first, 0), std::min(last, n - 1)};
}

LevelPart part_of(Interval x, Interval y, Interval z) {
  return {nullptr,
          {x.first, y.first, z.first},
          {x.last - x.first + 1, y.last - y.first + 1, z.last - z.first + 1}};
}

// Notes what a box takes of each level, and the chunks that have it.
template <class Shape, class Append>
void touch_levels(LevelGrid<Shape> const& grid, StridedBox const& box, RegionChunks& touched,
                  Append const& append_all) {
  using Grid = LevelGrid<Shape>;
  TouchedAxes const values = touched_axes<Shape>(box, {1, 1, 1});
  auto const hull = [](std::vector<Interval> const& of) {
    return Interval{of.front().first, of.back().last};
  };
  std::vector<std::vector<Interval>> chunks{
      touched_by(touched_axes<Shape>(box, {Grid::chunk_x, Grid::chunk_y, Grid::chunk_z}),
                 grid.chunks_along(0).x, grid.chunks_along(0).y, 1, grid.first_chunk(0))};
  Interval x = hull(values.x), y = hull(values.y), z = hull(values.z);
  touched.parts.of[0] = part_of(x, y, z);
  for (int level = 1; level <= Grid::levels; ++level) {
    Extents3 const n = grid.extents(level);
    x = needed_above(x, Shape::X, n.x);
    x.first -= x.first % LevelPart::pack;
    if (Shape::Y > 1) y = needed_above(y, Shape::Y, n.y);
    if (Shape::Z > 1) z = needed_above(z, Shape::Z, n.z);
    touched.parts.of[level] = part_of(x, y, z);
    auto const in_chunks = [](Interval of, int chunk) {
      return std::vector<Interval>{{of.first / chunk, of.last / chunk}};
    };
    chunks.push_back(touched_by(
        {in_chunks(x, Grid::chunk_x), in_chunks(y, Grid::chunk_y), in_chunks(z, Grid::chunk_z)},
        grid.chunks_along(level).x, grid.chunks_along(level).y, 1, grid.first_chunk(level)));
  }
  for (int level = Grid::levels; level >= 0; --level) {
    std::size_t const before = touched.numbers.size();
    append_all(chunks[static_cast<std::size_t>(level)]);
    if (level > 0) {
      touched.above[level] = static_cast<std::int64_t>(touched.numbers.size() - before);
    }
  }
}

}  // namespace

void require_region(FieldShape const& shape, Box const& region) {
  bool inside = region.rank == shape.rank;
  for (std::size_t i = 0; inside && i < static_cast<std::size_t>(shape.rank); ++i) {
    inside = region.begin[i] <= region.end[i] && region.end[i] <= shape.extents[i];
  }
  if (inside) return;
  throw Error(Status::bad_argument,
              std::string("there is no region from ") + to_string(region) + " in a field of " +
                  describe(shape),
              "give begin <= end <= extent for each index");
}

Box box_of_values(Header const& header, Box box) {
  if (!header.has_parts || box.rank + 1 != header.shape.rank) return box;
  ++box.rank;
  box.begin = with_part(header.shape, box.begin, std::size_t{0});
  box.end = with_part(header.shape, box.end, std::size_t{2});
  return box;
}

void require_region_view(FieldShape const& stream, Box const& region, FieldShape const& field) {
  require_same_field("the region holds ", region.shape_in(stream), field);
}

std::size_t RegionChunks::count_above() const {
  std::int64_t count = 0;
  for (std::int64_t const of_level : above) count += of_level;
  return static_cast<std::size_t>(count);
}

RegionChunks touched_chunks(Header const& header, Box const& region) {
  Box const coded = coded_box(header.shape, header.coded, region);
  StridedBox const box(coded_shape(header.shape, header.coded), {}, coded.begin.data(),
                       coded.end.data());
  RegionChunks touched{};
  auto const append_all = [&](std::vector<Interval> const& intervals) {
    for (Interval const& interval : intervals) {
      for (std::int64_t c = interval.first; c <= interval.last; ++c) touched.numbers.push_back(c);
    }
  };
  with_tile_shape(header.tile_shape, [&](auto shape) {
    using Shape = decltype(shape);
    if (has_levels(header.method)) {
      touched.tiles_of_chunk = sparse_chunk_tiles;
      touch_levels(LevelGrid<Shape>(header.extents()), box, touched, append_all);
    } else {
      touched.tiles_of_chunk = chunk_tiles;
      TileGrid<Shape> const grid(header.extents());
      append_all(touched_by(touched_axes<Shape>(box, {Shape::X, Shape::Y, Shape::Z}), grid.tiles_x,
                            grid.tiles_y, chunk_tiles, 0));
    }
  });
  return touched;
}

}  // namespace kompakt::impl
