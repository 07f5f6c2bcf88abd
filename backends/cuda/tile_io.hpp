#ifndef KOMPAKT_CUDA_TILE_IO_HPP
#define KOMPAKT_CUDA_TILE_IO_HPP

#include <core/exceptions.hpp>
#include <core/tile.hpp>
#include <cuda/warp.hpp>

// A tile between global memory, shared memory and the registers of a warp. Global memory wants
// neighbouring lanes at neighbouring addresses, prediction wants a lane's 32 values in one thread;
// shared memory turns one into the other.

namespace kompakt::impl::cuda {

/// What a thread moves at once.
template <class T>
struct alignas(16) Pack {
  static constexpr int values = 16 / static_cast<int>(sizeof(T));
  T value[static_cast<std::size_t>(values)];
};

/// A tile in shared memory, a row of 32 values a lane. Packs of a row are permuted by a function of
/// the lane under which 8 threads that work together meet 8 different groups of banks, whether they
/// touch one column of 8 rows, one row, or (z, quad) against (y, quad) of a brick. Padded rows of 36
/// words serve the first two only, and take 12 % more.
template <class T>
struct SharedTile {
  static constexpr int row_packs = lane_values / Pack<T>::values;
  Pack<T> packs[static_cast<std::size_t>(tile_lanes * row_packs)];

  __device__ __forceinline__ Pack<T>& pack(int lane, int column) {
    int const turn = 2 * (lane & 3) + (lane >> 2 & 1);
    return packs[lane * row_packs + (column ^ turn)];
  }
  __device__ __forceinline__ T& value(int lane, int reg) {
    return pack(lane, reg / Pack<T>::values).value[reg % Pack<T>::values];
  }
  /// Four neighbours along x.
  __device__ __forceinline__ void load_quad(int lane, int quad, T* to) {
#pragma unroll
    for (int i = 0; i < 4; i += Pack<T>::values) {
      Pack<T> const p = pack(lane, (quad * 4 + i) / Pack<T>::values);
#pragma unroll
      for (int j = 0; j < Pack<T>::values; ++j) to[i + j] = p.value[j];
    }
  }
  __device__ __forceinline__ void store_quad(int lane, int quad, T const* from) {
#pragma unroll
    for (int i = 0; i < 4; i += Pack<T>::values) {
      Pack<T> p;
#pragma unroll
      for (int j = 0; j < Pack<T>::values; ++j) p.value[j] = from[i + j];
      pack(lane, (quad * 4 + i) / Pack<T>::values) = p;
    }
  }
  __device__ __forceinline__ void load_row(int lane, T* row) {
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) load_quad(lane, quad, row + 4 * quad);
  }
  __device__ __forceinline__ void store_row(int lane, T const* row) {
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) store_quad(lane, quad, row + 4 * quad);
  }
};

/// Whether whole tiles can be moved in packs: rows then start at multiples of 16 bytes.
template <class T>
__device__ __forceinline__ bool rows_are_aligned(T const* field, std::int64_t row_values) {
  return (reinterpret_cast<std::uintptr_t>(field) & 15) == 0 && row_values % Pack<T>::values == 0;
}

/// body(lane, column, pointer) for each pack of a tile inside the field, 32 at a time in the order of
/// the field: pack `column` of row `lane` starts at `pointer`.
template <class Shape, class T, class Body>
__device__ __forceinline__ void for_packs(T* field, TileBox const& box, Body const& body) {
  constexpr int values = Pack<T>::values;
  constexpr int packs_of_row = Shape::X / values;
  constexpr int rows_of_round = packs_of_row < 32 ? 32 / packs_of_row : 1;
  int const me = warp::lane();
  T* first = field + box.origin + me % packs_of_row * values;
  if constexpr (Shape::Y > 1) first += me / packs_of_row * box.row_pitch;
#pragma unroll
  for (int round = 0; round < SharedTile<std::remove_const_t<T>>::row_packs; ++round) {
    int const place = place_in_lanes<Shape>((round * 32 + me) * values);
    T* pointer = first;
    if constexpr (Shape::Y == 1) {
      pointer += round * 32 * values;
    } else {
      constexpr int Y = Shape::Y;
      int const row = round * rows_of_round;
      if (row % Y != 0) pointer += row % Y * box.row_pitch;
      if (row / Y != 0) pointer += row / Y * box.slab_pitch;
    }
    body(place / lane_values, place % lane_values / values, pointer);
  }
}

/// Starts loading a tile. Places outside the field become 0. After wait_for_copies() and a
/// warp::sync() it is there.
template <class Shape, class T>
__device__ __forceinline__ void load_tile(T const* field, TileBox const& box, bool aligned,
                                          SharedTile<T>& tile) {
  if (warp::any(aligned && box.size() == tile_values)) {
    for_packs<Shape>(field, box, [&](int lane, int column, T const* from) {
      warp::copy_async<16>(&tile.pack(lane, column), from);
    });
    return;
  }
#pragma unroll 1
  for (int natural = warp::lane(); natural < tile_values; natural += 32) {
    int const place = place_in_lanes<Shape>(natural);
    T& to = tile.value(place / lane_values, place % lane_values);
    std::int64_t const index = field_index<Shape>(box, natural);
    if (index < 0) {
      to = 0;
    } else {
      warp::copy_async<sizeof(T)>(&to, field + index);
    }
  }
}

/// Stores a tile from shared memory: the counterpart of load_tile(), complete on return.
template <class Shape, class T>
__device__ __forceinline__ void store_tile(SharedTile<T>& tile, TileBox const& box, bool aligned,
                                           T* field) {
  if (warp::any(aligned && box.size() == tile_values)) {
    for_packs<Shape>(field, box, [&](int lane, int column, T* to) {
      warp::store_once(reinterpret_cast<int4*>(to),
                       *reinterpret_cast<int4 const*>(&tile.pack(lane, column)));
    });
    return;
  }
#pragma unroll 1
  for (int natural = warp::lane(); natural < tile_values; natural += 32) {
    int const place = place_in_lanes<Shape>(natural);
    std::int64_t const index = field_index<Shape>(box, natural);
    if (index >= 0) field[index] = tile.value(place / lane_values, place % lane_values);
  }
}

}  // namespace kompakt::impl::cuda

#endif
