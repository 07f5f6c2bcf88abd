#ifndef KOMPAKT_CUDA_PREDICTOR_LORENZO_HPP
#define KOMPAKT_CUDA_PREDICTOR_LORENZO_HPP

#include <core/tile.hpp>
#include <cuda/predictor/warp_predictor.hpp>
#include <cuda/tile_io.hpp>
#include <cuda/warp.hpp>
#include <predictor/lorenzo.hpp>

// predictor/lorenzo.hpp for a tile in the registers of a warp, 32 values a lane. Along the axis inside a
// lane differences and sums need no neighbour; elsewhere shuffles bring it, and one axis of a brick
// goes through shared memory on the way back.

namespace kompakt::impl::cuda {

namespace detail {

// Differences along x inside quads and between neighbouring lanes; `first` has no neighbour.
template <class U>
__device__ __forceinline__ void difference_quads(U* v, bool first) {
#pragma unroll
  for (int quad = 0; quad < lane_values; quad += 4) {
    U const below = warp::from_below(v[quad + 3], 1);
    v[quad + 3] -= v[quad + 2];
    v[quad + 2] -= v[quad + 1];
    v[quad + 1] -= v[quad];
    v[quad] -= first ? U{0} : below;
  }
}

// Sums along x inside quads and over `width` neighbouring lanes.
template <int width, class U>
__device__ __forceinline__ void integrate_quads(U* v, int column) {
#pragma unroll
  for (int quad = 0; quad < lane_values; quad += 4) {
    v[quad + 1] += v[quad];
    v[quad + 2] += v[quad + 1];
    v[quad + 3] += v[quad + 2];
    U sum = v[quad + 3];
#pragma unroll
    for (int distance = 1; distance < width; distance *= 2) {
      U const below = warp::from_below(sum, distance);
      if (column >= distance) sum += below;
    }
    U const before = sum - v[quad + 3];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[quad + i] += before;
  }
}

// Differences and sums between the quads of a lane, which are neighbours along y.
template <class U>
__device__ __forceinline__ void difference_rows(U* v) {
#pragma unroll
  for (int reg = lane_values - 1; reg >= 4; --reg) v[reg] -= v[reg - 4];
}
template <class U>
__device__ __forceinline__ void integrate_rows(U* v) {
#pragma unroll
  for (int reg = 4; reg < lane_values; ++reg) v[reg] += v[reg - 4];
}

}  // namespace detail

template <>
struct WarpPredictor<Lorenzo> {
  using Context = Lorenzo::Context;

  /// bins -> residuals, in lanes. The tile's first place keeps its bin. `shared` is working memory.
  template <class Shape, bool anew = false, class U>
  __device__ __forceinline__ static void difference(Context, U* v, SharedTile<U>& shared) {
    int const lane = warp::lane_for_loop<anew>();
    if constexpr (Shape::shape == TileShape::chain) {
      U const below = warp::from_below(v[lane_values - 1], 1);
#pragma unroll
      for (int reg = lane_values - 1; reg >= 1; --reg) v[reg] -= v[reg - 1];
      v[0] -= lane == 0 ? U{0} : below;
    } else if constexpr (Shape::shape == TileShape::square) {
      U above[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) above[i] = warp::from_below(v[lane_values - 4 + i], 8);
      detail::difference_rows(v);
#pragma unroll
      for (int i = 0; i < 4; ++i) v[i] -= lane < 8 ? U{0} : above[i];
      detail::difference_quads(v, lane % 8 == 0);
    } else {
      // All 32 values have a neighbour along z in another lane: through shared memory that is 16
      // instructions, by shuffles 64.
      warp::sync();
      shared.store_row(lane, v);
      warp::sync();
      if (lane >= 4) {
#pragma unroll
        for (int quad = 0; quad < lane_values / 4; ++quad) {
          U below[4];
          shared.load_quad(lane - 4, quad, below);
#pragma unroll
          for (int i = 0; i < 4; ++i) v[4 * quad + i] -= below[i];
        }
      }
      warp::sync();
      detail::difference_rows(v);
      detail::difference_quads(v, lane % 4 == 0);
    }
  }

  /// After integrate() a brick lies otherwise: thread = (y, quad of x), with a quad for each z, because
  /// there the sums along z are local. Row and quad, in the tile's order, of a thread's quad:
  template <class Shape>
  __device__ __forceinline__ static int row_after_integrate(int lane, int quad) {
    return Shape::shape == TileShape::brick ? quad * 4 + lane % 4 : lane;
  }
  template <class Shape>
  __device__ __forceinline__ static int quad_after_integrate(int lane, int quad) {
    return Shape::shape == TileShape::brick ? lane / 4 : quad;
  }

  /// residuals, whose sum in the lane is `sum`, -> bins; `shared` is working memory.
  template <class Shape, class U>
  __device__ __forceinline__ static void integrate(Context, U* v, U sum, SharedTile<U>& shared) {
    int const lane = warp::lane();
    if constexpr (Shape::shape == TileShape::chain) {
      v[0] += warp::prefix_sum(sum) - sum;
#pragma unroll
      for (int reg = 1; reg < lane_values; ++reg) v[reg] += v[reg - 1];
    } else if constexpr (Shape::shape == TileShape::square) {
      detail::integrate_quads<8>(v, lane % 8);
      detail::integrate_rows(v);
      U above[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        U const total = v[lane_values - 4 + i];
        U up_to = total;
#pragma unroll
        for (int distance = 8; distance < 32; distance *= 2) {
          U const below = warp::from_below(up_to, distance);
          if (lane >= distance) up_to += below;
        }
        above[i] = up_to - total;
      }
#pragma unroll
      for (int reg = 0; reg < lane_values; ++reg) v[reg] += above[reg % 4];
    } else {
      detail::integrate_quads<4>(v, lane % 4);
      detail::integrate_rows(v);
      shared.store_row(lane, v);
      warp::sync();
#pragma unroll
      for (int quad = 0; quad < lane_values / 4; ++quad) {
        shared.load_quad(row_after_integrate<Shape>(lane, quad),
                         quad_after_integrate<Shape>(lane, quad), v + 4 * quad);
      }
      warp::sync();
      detail::integrate_rows(v);
    }
  }

  /// Stores a square or brick that lies inside an aligned field, from values as integrate() leaves
  /// bins: without a way through shared memory, for packs of one quad.
  template <class Shape>
  __device__ __forceinline__ static void store_rows(std::uint32_t const* v, TileBox const& box,
                                                    std::uint32_t* field) {
    constexpr bool brick = Shape::shape == TileShape::brick;
    constexpr int quads_of_row = Shape::X / 4;
    int const x = warp::lane() % quads_of_row * 4, y = warp::lane() / quads_of_row;
    std::uint32_t* to = field + box.origin + (brick ? y : 8 * y) * box.row_pitch + x;
    std::int64_t const step = brick ? box.slab_pitch : box.row_pitch;
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) {
      warp::store_once(reinterpret_cast<uint4*>(to + quad * step),
                       make_uint4(v[4 * quad], v[4 * quad + 1], v[4 * quad + 2], v[4 * quad + 3]));
    }
  }
};

}  // namespace kompakt::impl::cuda

#endif
