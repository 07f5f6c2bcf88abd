#ifndef KOMPAKT_CORE_LANES_HPP
#define KOMPAKT_CORE_LANES_HPP

#include <core/tile.hpp>
#include <core/types.hpp>

// The 32 values of a lane, between a tile in natural order and the registers of a thread.

namespace kompakt::impl {

namespace detail {

// body(place, register), place in natural order.
template <class Shape, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_lane(int lane, Body const& body) {
  int const first = Shape::lane_offset(lane);
  KOMPAKT_UNROLL
  for (int quad = 0; quad < lane_values / 4; ++quad) {
    KOMPAKT_UNROLL
    for (int i = 0; i < 4; ++i) body(first + quad * Shape::quad_stride + i, quad * 4 + i);
  }
}

}  // namespace detail

/// to[i] = f(value i of the lane)
template <class Shape, class U, class V, class F>
KOKKOS_FORCEINLINE_FUNCTION void load_lane(U const* tile, int lane, V* to, F const& f) {
  detail::for_lane<Shape>(lane, [=](int place, int i) { to[i] = f(tile[place]); });
}

/// value i of the lane = f(from[i])
template <class Shape, class U, class V, class F>
KOKKOS_FORCEINLINE_FUNCTION void store_lane(V const* from, int lane, U* tile, F const& f) {
  detail::for_lane<Shape>(lane, [=](int place, int i) { tile[place] = f(from[i]); });
}

}  // namespace kompakt::impl

#endif
