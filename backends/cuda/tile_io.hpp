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

  /// Where the pack of a place in lanes lies. Linear over exclusive or: the packs of places that have
  /// no bit in common lie at the exclusive or of where each of them lies.
  __device__ __forceinline__ static constexpr int slot(int place) {
    return slot(place / lane_values, place % lane_values / Pack<T>::values);
  }
  __device__ __forceinline__ static constexpr int slot(int lane, int column) {
    int const turn = 2 * (lane & 3) | (lane >> 2 & 1);
    return lane * row_packs | (column ^ turn);
  }
  __device__ __forceinline__ Pack<T>& pack(int lane, int column) {
    return packs[slot(lane, column)];
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

/// body(slot, pointer) for each pack of a tile inside the field, 32 at a time in the order of the
/// field: the pack at `pointer` lies in `slot` of the tile in shared memory. me: the lane.
template <class Shape, class T, class Body>
__device__ __forceinline__ void for_packs(int me, T* field, TileBox const& box, Body const& body) {
  using Tile = SharedTile<std::remove_const_t<T>>;
  constexpr int values = Pack<T>::values;
  constexpr int packs_of_row = Shape::X / values;
  constexpr int rows_of_round = packs_of_row < 32 ? 32 / packs_of_row : 1;
  int const my_slot = Tile::slot(place_in_lanes<Shape>(me * values));
  T* first = field + box.origin + me % packs_of_row * values;
  if constexpr (Shape::Y > 1) first += me / packs_of_row * box.row_pitch;
#pragma unroll
  for (int round = 0; round < Tile::row_packs; ++round) {
    // The bits that my slot cannot have are added, so that they end up in the instruction.
    int const slot = Tile::slot(place_in_lanes<Shape>(round * 32 * values));
    constexpr int mine = Tile::slot(place_in_lanes<Shape>(31 * values)) | (Tile::row_packs - 1);
    T* pointer = first;
    if constexpr (Shape::Y == 1) {
      pointer += round * 32 * values;
    } else {
      constexpr int Y = Shape::Y;
      int const row = round * rows_of_round;
      if (row % Y != 0) pointer += row % Y * box.row_pitch;
      if (row / Y != 0) pointer += row / Y * box.slab_pitch;
    }
    body((my_slot ^ (slot & mine)) + (slot & ~mine), pointer);
  }
}

/// Starts loading a tile. Places outside the field become 0. After wait_for_copies() and a
/// warp::sync() it is there.
template <class Shape, class T>
__device__ __forceinline__ void load_tile(T const* field, TileBox const& box, bool aligned,
                                          SharedTile<T>& tile) {
  if (warp::any(aligned && box.size() == tile_values)) {
    for_packs<Shape>(warp::lane(), field, box, [&](int slot, T const* from) {
      warp::copy_async<16>(&tile.packs[slot], from);
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
/// in_packs: whether the tile can be moved in packs
template <class Shape, class T>
__device__ __forceinline__ void store_tile(SharedTile<T>& tile, TileBox const& box, bool in_packs,
                                           T* field) {
  if (warp::any(in_packs)) {
    for_packs<Shape>(warp::fresh_lane(), field, box, [&](int slot, T* to) {
      warp::store_once(reinterpret_cast<int4*>(to),
                       *reinterpret_cast<int4 const*>(&tile.packs[slot]));
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

/// Stores one value to all places of a tile inside the field.
template <class Shape, class T>
__device__ __noinline__ void fill_tile(T value, TileBox box, bool in_packs, T* field) {
  if (warp::any(in_packs)) {
    Pack<T> pack;
#pragma unroll
    for (int i = 0; i < Pack<T>::values; ++i) pack.value[i] = value;
    for_packs<Shape>(warp::lane(), field, box, [&](int, T* to) {
      warp::store_once(reinterpret_cast<int4*>(to), Kokkos::bit_cast<int4>(pack));
    });
    return;
  }
  team_for_values<Shape>(warp::Team(), box, [&](int, std::int64_t index) { field[index] = value; });
}

}  // namespace kompakt::impl::cuda

#endif
