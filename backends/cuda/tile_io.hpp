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
  /// Loads a row for a rare branch that meets one that computed it. A pack must lie in neighbouring registers, so that
  /// at the meeting the computed row was moved into them (f64: 54 instructions of 1480 a tile).
  __device__ __forceinline__ void load_row_by_values(int lane, T* row) {
#pragma unroll
    for (int i = 0; i < lane_values; ++i) row[i] = *const_cast<T const volatile*>(&value(lane, i));
  }
  __device__ __forceinline__ void store_row(int lane, T const* row) {
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) store_quad(lane, quad, row + 4 * quad);
  }
};

/// Whether tiles of a field can be moved in packs: rows then start at multiples of 16 bytes.
template <class T>
__device__ __forceinline__ bool rows_are_aligned(T const* field, std::int64_t row_values) {
  return (reinterpret_cast<std::uintptr_t>(field) & 15) == 0 && row_values % Pack<T>::values == 0;
}

/// How a tile is moved between global memory and a warp.
enum class Transfer {
  by_values,   ///< rows are not aligned, or do not end with a pack
  packs,       ///< some packs lie outside the field
  whole_packs  ///< the tile lies inside the field
};
template <class T>
__device__ __forceinline__ Transfer transfer_of(TileBox const& box, bool aligned) {
  if (!aligned || box.nx % Pack<T>::values != 0) return Transfer::by_values;
  return box.size() == tile_values ? Transfer::whole_packs : Transfer::packs;
}

/// body(slot, pointer, inside) for each pack of a tile, 32 at a time in the order of the field: the
/// pack at `pointer`, if it lies inside the field, is `slot` of the tile in shared memory.
/// me: the lane. whole: whether all of them lie inside
template <class Shape, bool whole, class T, class Body>
__device__ __forceinline__ void for_packs(int me, T* field, TileBox const& box, Body const& body) {
  using Tile = SharedTile<std::remove_const_t<T>>;
  constexpr int values = Pack<T>::values, Y = Shape::Y;
  constexpr int packs_of_row = Shape::X / values;
  constexpr int rows_of_round = packs_of_row < 32 ? 32 / packs_of_row : 1;
  int const my_slot = Tile::slot(place_in_lanes<Shape>(me * values));
  int const my_x = me % packs_of_row * values, my_row = me / packs_of_row;
  T* first = field + box.origin + my_x;
  if constexpr (Y > 1) first += my_row * box.row_pitch;
#pragma unroll
  for (int round = 0; round < Tile::row_packs; ++round) {
    // The bits that my slot cannot have are added, so that they end up in the instruction.
    int const slot = Tile::slot(place_in_lanes<Shape>(round * 32 * values));
    constexpr int mine = Tile::slot(place_in_lanes<Shape>(31 * values)) | (Tile::row_packs - 1);
    int const row = Y > 1 ? round * rows_of_round : 0;
    int const x = Y > 1 ? 0 : round * 32 * values;
    T* pointer = first + x;
    if constexpr (Y > 1) {
      if (row % Y != 0) pointer += row % Y * box.row_pitch;
      if (row / Y != 0) pointer += row / Y * box.slab_pitch;
    }
    bool const inside =
        whole || (my_x + x < box.nx && (row + my_row) % Y < box.ny && (row + my_row) / Y < box.nz);
    body((my_slot ^ (slot & mine)) + (slot & ~mine), pointer, inside);
  }
}

/// load_tile() of one that is not whole.
template <class Shape, class T>
__device__ __noinline__ void load_clipped(T const* field, TileBox box, Transfer transfer,
                                          SharedTile<T>& tile) {
  if (transfer == Transfer::packs) {
    for_packs<Shape, false>(warp::lane(), field, box, [&](int slot, T const* from, bool inside) {
      if (inside) {
        warp::copy_async<16>(&tile.packs[slot], from);
      } else {
        tile.packs[slot] = Pack<T>{};
      }
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

/// Starts loading a tile. Places outside the field become 0. After wait_for_copies() and a
/// warp::sync() it is there.
/// \tparam anew  works_anew()
template <class Shape, bool anew = false, class T>
__device__ __forceinline__ void load_tile(T const* field, TileBox const& box, bool aligned,
                                          SharedTile<T>& tile) {
  Transfer const transfer = transfer_of<T>(box, aligned);
  if (warp::any(transfer == Transfer::whole_packs)) {
    for_packs<Shape, true>(
        warp::lane_for_loop<anew>(), field, box,
        [&](int slot, T const* from, bool) { warp::copy_async<16>(&tile.packs[slot], from); });
    return;
  }
  load_clipped<Shape>(field, box, transfer, tile);
}

/// store_tile() of one that is not whole.
template <class Shape, class T>
__device__ __noinline__ void store_clipped(SharedTile<T>& tile, TileBox box, Transfer transfer,
                                           T* field) {
  if (transfer == Transfer::packs) {
    for_packs<Shape, false>(warp::lane(), field, box, [&](int slot, T* to, bool inside) {
      if (inside) *reinterpret_cast<Pack<T>*>(to) = tile.packs[slot];
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

/// Stores a tile from shared memory: the counterpart of load_tile(), complete on return.
template <class Shape, class T>
__device__ __forceinline__ void store_tile(SharedTile<T>& tile, TileBox const& box,
                                           Transfer transfer, T* field) {
  if (warp::any(transfer == Transfer::whole_packs)) {
    for_packs<Shape, true>(warp::fresh_lane(), field, box, [&](int slot, T* to, bool) {
      warp::store_once(reinterpret_cast<int4*>(to),
                       *reinterpret_cast<int4 const*>(&tile.packs[slot]));
    });
    return;
  }
  store_clipped<Shape>(tile, box, transfer, field);
}

/// Stores one value to all places of a tile inside the field.
template <class Shape, class T>
__device__ __noinline__ void fill_tile(T value, TileBox box, Transfer transfer, T* field) {
  if (transfer == Transfer::by_values) {
    team_for_values<Shape>(warp::Team(), box,
                           [&](int, std::int64_t index) { field[index] = value; });
    return;
  }
  Pack<T> pack;
#pragma unroll
  for (int i = 0; i < Pack<T>::values; ++i) pack.value[i] = value;
  for_packs<Shape, false>(warp::lane(), field, box, [&](int, T* to, bool inside) {
    if (inside) warp::store_once(reinterpret_cast<int4*>(to), Kokkos::bit_cast<int4>(pack));
  });
}

}  // namespace kompakt::impl::cuda

#endif
