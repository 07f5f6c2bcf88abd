#include <algorithm>
#include <limits>
#include <numeric>
#include <pipeline/limits.hpp>
#include <pipeline/slab_plan.hpp>
#include <string>

namespace kompakt::impl {

namespace {

/// How tiles follow one another across planes: they are numbered along the last axis that they are cut along.
struct Layers {
  std::int64_t tile_rows;      ///< of that axis
  std::int64_t rows_of_plane;  ///< 0: planes do not have whole ones
  std::int64_t tiles;          ///< of a layer of tiles

  std::int64_t chunks_of(std::int64_t planes) const {
    return planes * rows_of_plane / tile_rows * tiles / chunk_tiles;
  }
  /// The least number of planes between two borders that are also borders of chunks.
  std::int64_t planes_between_borders(std::int64_t planes) const {
    if (rows_of_plane == 0) return planes;
    std::int64_t const of_tiles = tile_rows / std::gcd(rows_of_plane, tile_rows);
    std::int64_t const between = of_tiles * rows_of_plane / tile_rows * tiles;
    return of_tiles * (chunk_tiles / std::gcd(between, std::int64_t{chunk_tiles}));
  }
};

template <class Shape>
Layers layers_of(TileGrid<Shape> const& grid, std::int64_t planes) {
  auto const layers = [&](std::int64_t tile_rows, std::int64_t rows, std::int64_t tiles) {
    return Layers{tile_rows, rows % planes == 0 ? rows / planes : 0, tiles};
  };
  if constexpr (Shape::Z > 1) return layers(Shape::Z, grid.n.z, grid.tiles_x * grid.tiles_y);
  if constexpr (Shape::Y > 1) return layers(Shape::Y, grid.n.y, grid.tiles_x);
  return layers(Shape::X, grid.n.x, 1);
}

Layers layers_of(Header const& header, std::int64_t planes) {
  Layers layers{};
  with_tile_shape(header.tile_shape, [&]<class Shape>(Shape) {
    layers = layers_of(TileGrid<Shape>(header.extents()), planes);
  });
  return layers;
}

// The planes of a slab: so many bytes, two halos, a multiple of what lies between borders.
std::int64_t slab_planes(SlabPlan const& plan, Layers const& layers, std::size_t value_bytes,
                         SlabOptions const& options) {
  std::uint64_t const plane_bytes = static_cast<std::uint64_t>(plan.plane_values) * value_bytes,
                      bytes = plane_bytes * static_cast<std::uint64_t>(plan.planes);
  auto const by_bytes = static_cast<std::int64_t>(
      ceil_div(std::min<std::uint64_t>(options.slab_bytes, bytes), plane_bytes));
  std::int64_t const wanted = std::max({by_bytes, std::int64_t{2} * options.halo, std::int64_t{1}});
  std::int64_t const unit = layers.planes_between_borders(plan.planes);
  return std::min(ceil_div(wanted, unit) * unit, plan.planes);
}

void require_options(SlabOptions const& options) {
  if (options.halo >= 0 && options.halo <= (1 << 20)) return;
  throw Error(Status::bad_argument, "SlabReader",
              "a halo of " + std::to_string(options.halo) + " planes is not possible",
              "give 0 to 1048576");
}

void require_ring(SlabPlan const& plan) {
  std::int64_t const values = plan.ring_planes() * plan.plane_values;
  if (values <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(
      Status::bad_argument, "SlabReader",
      "three slabs of this stream would have " + std::to_string(values) + " values, more than 2^31",
      "give smaller SlabOptions::slab_bytes, or compress with the predictor tile");
}

}  // namespace

SlabPlan plan_slabs_of(Header const& header, FieldShape const& field, SlabOptions const& options) {
  FieldShape const& shape = header.shape;
  named("SlabReader", [&] { require_same_field("the stream holds ", shape, field); });
  if (shape.order != field.order) {
    throw Error(Status::type_mismatch, "SlabReader",
                "another index runs fastest in the stream than in the View",
                "take one in " +
                    std::string(shape.order == Order::last_fastest ? "LayoutRight" : "LayoutLeft"));
  }
  require_options(options);
  SlabPlan plan;
  if (shape.size() == 0) return plan;
  std::size_t const slowest =
      shape.order == Order::last_fastest ? 0 : static_cast<std::size_t>(shape.rank - 1);
  plan.planes = static_cast<std::int64_t>(shape.extents[slowest]);
  plan.plane_values = static_cast<std::int64_t>(shape.size()) / plan.planes;
  Layers const layers = layers_of(header, plan.planes);
  plan.slab_planes = slab_planes(plan, layers, size_of(shape.dtype), options);
  plan.slabs = ceil_div(plan.planes, plan.slab_planes);
  plan.slots = std::min(plan.slabs, slab_slots);
  plan.slab_chunks = plan.slabs == 1 ? header.chunks() : layers.chunks_of(plan.slab_planes);
  require_ring(plan);
  return plan;
}

}  // namespace kompakt::impl
