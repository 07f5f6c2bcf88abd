#ifndef KOMPAKT_CUDA_DECODE_LEVELS_HPP
#define KOMPAKT_CUDA_DECODE_LEVELS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/decode_parts.hpp>
#include <cuda/launch.hpp>
#include <cuda/predictor/interpolation.hpp>
#include <cuda/predictor/lorenzo.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/level_steps.hpp>

// Decoding of one level in one kernel, as often as there are levels. A warp takes a part of a chunk: lanes read the
// lengths of all of its records at once, so that parts need not wait for each other; and decodes its tiles one after the
// other.

namespace kompakt::impl::cuda {

/// What a warp knows of the chunk in hand: each lane has a tile's record.
struct ChunkRecords {
  std::uint32_t const* words;
  int position, length;
};

/// A warp's part in the decoder of a level.
template <class Walk, class Shape, class T>
class LevelWalk {
  using U = unsigned_t<T>;
  using Coder = typename Walk::Coder;
  using Warp = WarpCoder<Coder>;
  using Cells = CellColumns<Shape>;
  using Steps = TileSteps<Interpolation, cuda_tag>;

 public:
  __device__ __forceinline__ LevelWalk(DecodeArgs<T> const& a, LevelParts const& p,
                                       LatticeScale<T> const& s,
                                       typename Warp::DecodeContext const& c, LevelTileMemory<T>& m)
      : args(a), parts(p), scale(s), context(c), memory(m), grid(a.extents) {}

  /// Decodes one of the `parts_of_chunk` parts of a chunk, the number-th to decode.
  __device__ __forceinline__ DecodeFault read_part(std::int64_t number, int part,
                                                   int parts_of_chunk) const {
    std::int64_t const chunk = args.chunk(number);
    ChunkSpan span;
    DecodeFault const fault = span_of_chunk(args, args.index[chunk], args.index[chunk + 1],
                                            grid.chunks(), chunk, span, sparse_chunk_tiles);
    if (fault != DecodeFault::none) return fault;
    ChunkRecords records{span.in, 0, 0};
    bool sound = span.words == 0 || find_records(span, records);
    int const tiles = sparse_chunk_tiles / parts_of_chunk;
    auto const place = grid.place_of(chunk);
    // The first part of a chunk answers for its checksum; damage is told from a checksum that fails.
    if (args.checksum && span.words > 0 && (part == 0 || !sound) &&
        chunk_checksum(warp::Team(), chunk, span.in, span.words) != span.in[2]) {
      return DecodeFault::checksum;
    }
#pragma unroll 1
    for (int t = part * tiles; t < (part + 1) * tiles && sound; ++t) {
      LevelTile const tile = args.target(grid.tile(place, t), number, t);
      if (warp::lane() == 0) memory.place = tile;
      warp::sync();
      int const length = warp::from_lane(records.length, t);
      if (warp::any(is_wanted(tile))) {
        sound = read_record(records.words + warp::from_lane(records.position, t), length);
      }
      warp::sync();
    }
    return sound ? DecodeFault::none : DecodeFault::record;
  }

 private:
  __device__ __forceinline__ bool is_wanted(LevelTile const& tile) const {
    return parts.of[tile.level].meets(tile);
  }

  // The lengths of all records, a tile a lane, and where they lie; whether they make the chunk.
  __device__ __forceinline__ bool find_records(ChunkSpan const& span, ChunkRecords& records) const {
    std::uint32_t const tiles = span.in[0], first_two = span.in[1];
    int const count = popcount(tiles), lane = warp::lane();
    int const end = span.words - SparseChunkHead::end_words(count);
    int const head = chunk_head_words(args.checksum);
    if (warp::any(end < head)) return false;
    bool const has_record = (tiles >> lane & 1u) != 0;
    int const number = rank_in_mask(tiles, lane);
    std::uint32_t two = first_two;
    if (has_record && number >= 2) two = span.in[end + number / 2 - 1];
    int const length = has_record ? static_cast<int>(two >> (number % 2 * 16) & 0xffffu) : 0;
    // The last of an odd number has nothing behind it.
    bool const is_last = has_record && number + 1 == count;
    bool sound = !has_record || length != 0;
    if (is_last && number % 2 == 0) sound &= two >> 16 == 0;
    if (count == 0) sound &= first_two == 0;
    int const records_end = warp::prefix_sum(length);
    records.length = length;
    records.position = head + records_end - length;
    sound &= head + warp::from_lane(records_end, 31) == end;
    return !warp::any(!sound);
  }

  // Decodes the record of memory.place of any form; whether it was sound, the same on all lanes.
  __device__ __forceinline__ bool read_record(std::uint32_t const* record, int length) const {
    LevelTile const& tile = memory.place;
    int const size = tile.size(), raw_words = size * value_words<T>;
    if (warp::any(length > raw_words)) return false;
    if (warp::any(length == raw_words)) {
      if (tile.level > 0) {
        Steps::template read_raw<Shape>(warp::Team(), Interpolation::Context{parts}, record, tile,
                                        args.field);
      } else {
        cuda::read_raw<Shape>(args.field, tile, record);
      }
      return true;
    }
    bool const is_coarsest = tile.level == LevelGrid<Shape>::levels;
    if (!warp::any(is_coarsest)) {
      load_window<Shape>(parts.of[tile.level + 1], tile, memory.window);
    }
    RecordTail tail;
    U row[lane_values];
#pragma unroll
    for (int i = 0; i < lane_values; ++i) row[i] = 0;
    U sum = 0;
    if (warp::any(length > 0)) {
      if (!read_coded(record, length, size, row, sum, tail)) return false;
      MaskedValues<T> const masked = args.quantizer.masked();
      if (warp::any(tail.is_one_value())) {
        fill(tail.signs() != 0 ? masked.marked : masked.plain);
        return true;
      }
    } else {
      warp::wait_for_copies();
      warp::sync();
    }
    if (warp::any(is_coarsest)) {
      store_coarsest(row, sum);
      return true;
    }
    reconstruct(row, length > 0);
    if (!warp::any(tail.overwrites())) return true;
    warp::sync();
    return overwrite_values_of<Shape>(args.field, tile, tail, args.quantizer.masked(),
                                      record + length - tail.words<T>());
  }

  // The residuals of a coded record, base included, in the lane's row, and their sum.
  __device__ __forceinline__ bool read_coded(std::uint32_t const* record, int length, int size,
                                             U* row, U& sum, RecordTail& tail) const {
    // The record takes the memory of the tile, which is free until the residuals are known.
    auto* const words = reinterpret_cast<std::uint32_t*>(&memory.tile);
    copy_words(record, length, words);
    RecordHead const head{words[0]};
    int coder_words;
    bool const fits = check_head<T>(head, words, length, size, args.quantizer, tail, coder_words) &&
                      !(memory.place.level > 0 && tail.any());
    if (warp::any(!fits)) return false;
    if (warp::any(tail.is_one_value())) return true;
    U const base = read_base<U>(head, words);
    if (!Warp::read(context, head.coder_bits(), words + head.words(), coder_words, row, sum)) {
      return false;
    }
    if (warp::lane() == 0) {
      row[0] += base;
      sum += base;
    }
    warp::sync();
    return true;
  }

  // From the residuals of the lane's row, if there are some, to the values of memory.place.
  __device__ __forceinline__ void reconstruct(U const* row, bool has_residuals) const {
    LevelTile const& tile = memory.place;
    auto& residuals = memory.residuals();
    has_residuals = warp::any(has_residuals);
    if (has_residuals) {
      std::uint32_t narrow[lane_values];
#pragma unroll
      for (int i = 0; i < lane_values; ++i) narrow[i] = static_cast<std::uint32_t>(row[i]);
      residuals.store_row(warp::lane(), narrow);
    }
    if constexpr (Cells::axes > 1) interpolate_rows<Shape>(memory.window);
    std::uint32_t bins[lane_values];
#pragma unroll
    for (int i = 0; i < lane_values; ++i) bins[i] = 0;
    if (has_residuals) {
      warp::sync();
      Cells::for_residuals(residuals,
                           [&](int number, std::uint32_t const& place) { bins[number] = place; });
    }
    std::uint32_t points[lane_values];
    reconstruct_column<Shape>(
        memory.window, tile.level, [&](int number) { return bins[number]; },
        [&](int number, std::uint32_t value) { points[number] = value; });
    if (tile.level > 0) return store_points<Shape>(points, tile, parts.of[tile.level]);
    if (warp::any(args.quantizer.bins == Bins::constant)) {
      return fill(args.quantizer.constant_value);
    }
    store_values(points);
  }

  __device__ __forceinline__ void store_values(std::uint32_t const* points) const {
    LevelTile const& tile = memory.place;
    T const step = scale.lattice.step;
    T values[lane_values];
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      values[i] = static_cast<T>(static_cast<std::int32_t>(points[i])) * step;
    }
    if (!warp::any(has_whole_pairs<Shape>(args.field, tile))) {
      std::uint32_t const outside = tile.size() < tile_values ? Cells::outside(tile) : 0;
      Cells::for_pairs(args.field + tile.origin, 1, tile.row_pitch, tile.slab_pitch,
                       [&](int pair, T* to) {
#pragma unroll
                         for (int i = 0; i < 2; ++i) {
                           if ((outside >> (2 * pair + i) & 1u) == 0) to[i] = values[2 * pair + i];
                         }
                       });
      return;
    }
    using Two = std::conditional_t<sizeof(T) == 4, float2, double2>;
    Cells::for_pairs(
        args.field + tile.origin, 1, tile.row_pitch, tile.slab_pitch, [&](int pair, T* to) {
          warp::store_once(reinterpret_cast<Two*>(to), Two{values[2 * pair], values[2 * pair + 1]});
        });
  }

  // From the residuals of the lane's row to the lattice of the coarsest level.
  __device__ __forceinline__ void store_coarsest(U* row, U sum) const {
    LevelTile const& tile = memory.place;
    using Predictor = WarpPredictor<Lorenzo>;
    Predictor::template integrate<Shape>({}, row, sum, memory.tile);
    LevelPart const& part = parts.of[tile.level];
    constexpr auto steps = static_cast<std::uint32_t>(bin_steps(LevelGrid<Shape>::levels));
    int const lane = warp::lane();
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      int const place = natural_place<Shape>(
          Predictor::template row_after_integrate<Shape>(lane, i / 4),
          4 * Predictor::template quad_after_integrate<Shape>(lane, i / 4) + i % 4);
      int const x = place % Shape::X, y = place / Shape::X % Shape::Y,
                z = place / (Shape::X * Shape::Y);
      std::int64_t const at_x = tile.at.x + x, at_y = tile.at.y + y, at_z = tile.at.z + z;
      if (x < tile.nx && y < tile.ny && z < tile.nz && part.has(at_x, at_y, at_z)) {
        part.values[part.index(at_x, at_y, at_z)] = static_cast<std::uint32_t>(row[i]) * steps;
      }
    }
  }

  // A tile of one value.
  __device__ __forceinline__ void fill(T value) const {
    fill_tile<Shape>(Kokkos::bit_cast<U>(value), memory.place, Transfer::by_values,
                     reinterpret_cast<U*>(args.field));
  }

  DecodeArgs<T> const& args;
  LevelParts const& parts;
  LatticeScale<T> const& scale;
  typename Warp::DecodeContext context;
  LevelTileMemory<T>& memory;
  LevelGrid<Shape> grid;
};

/// The decoder of some chunks of a level.
template <class Walk, class T>
struct LevelDecoder {
  using Coder = typename Walk::Coder;
  struct Shared {
    // In front of the warps' memory, because what reads backwards may come up to 64 bytes before a record.
    typename WarpCoder<Coder>::DecodeTables tables;
    LevelTileMemory<T> warp[chunk_tiles];
    DecodeArgs<T> args;
    LatticeScale<T> scale;
  };
  DecodeArgs<T> args;
  std::uint32_t items;  ///< parts of chunks
  int parts_of_chunk;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    if (warp::thread() == 0) {
      shared.args = args;
      shared.scale = LatticeScale<T>::of(args.quantizer);
    }
    __syncthreads();
    std::uint32_t const warps = group.blocks * chunk_tiles, mine = warp::thread() / 32;
    auto const context = WarpCoder<Coder>::decode_context(shared.args, shared.tables);
    with_tile_shape(shared.args.tile_shape, [&](auto shape) {
      LevelWalk<Walk, decltype(shape), T> const walk(shared.args, shared.args.levels, shared.scale,
                                                     context, shared.warp[mine]);
      // Neighbouring items go to different multiprocessors, so that the last round is spread over all.
      for (std::uint32_t item = mine * group.blocks + group.block; item < items; item += warps) {
        auto const parts = static_cast<std::uint32_t>(parts_of_chunk);
        DecodeFault const fault =
            walk.read_part(item / parts, static_cast<int>(item % parts), parts_of_chunk);
        if (fault != DecodeFault::none && warp::lane() == 0) shared.args.result->report(fault);
      }
    });
  }
};

/// Decodes so many chunks of a level.
template <class Walk, class T>
void decode_level(Kokkos::Cuda const& exec, char const* label, DecodeArgs<T> const& args,
                  std::int64_t chunks) {
  constexpr int blocks = WarpCoder<typename Walk::Coder>::decode_blocks;
  std::int64_t const warps = resident_blocks(exec, blocks) * chunk_tiles;
  int parts = 4;
  while (parts < sparse_chunk_tiles && chunks * parts < 2 * warps) parts *= 2;
  launch_resident<blocks>(
      exec, label, ceil_div<std::int64_t>(chunks * parts, chunk_tiles),
      LevelDecoder<Walk, T>{args, static_cast<std::uint32_t>(chunks * parts), parts});
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class Walk, class T>
void read_levels(cuda_tag, Kokkos::Cuda const& exec, DecodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::read_levels[cuda]");
  for_listed_levels(args, [&](DecodeArgs<T> const& of_level, std::int64_t chunks) {
    cuda::decode_level<Walk>(exec, "kompakt::read_levels::chunks", of_level, chunks);
  });
}

}  // namespace kompakt::impl

#endif
