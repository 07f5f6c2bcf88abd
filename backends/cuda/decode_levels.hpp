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
// lengths of all of its records at once, so that parts need not wait for each other. It decodes its tiles one after the
// other; window and record of the next one come by asynchronous copies as soon as those of the one in hand are in
// registers.

namespace kompakt::impl::cuda {

/// What one of `threads` threads adds to the checksum of a chunk; its loads do not wait for each other.
__device__ __forceinline__ std::uint32_t checksum_part(std::int64_t chunk,
                                                       std::uint32_t const* words, int count,
                                                       int thread, int threads) {
  ChecksumOfLane sum{chunk_seed(chunk)};
#pragma unroll 8
  for (int i = thread; i < count; i += threads) {
    if (i != 2) sum.add(words[i], i);
  }
  return sum.sum;
}
/// Whether the checksum of a chunk is not that of its words; by a warp.
__device__ __noinline__ inline bool is_damaged(std::int64_t chunk, std::uint32_t const* words,
                                               int count) {
  return warp::sum(checksum_part(chunk, words, count, warp::lane(), 32)) != words[2];
}

/// The checksums of all chunks, or of those that are listed, a chunk a block: before anything is decoded, because chunks
/// are decoded in parts.
template <class T>
struct ChecksumJudge {
  struct Shared {
    std::uint32_t sum[chunk_tiles];  // of each warp
  };
  DecodeArgs<T> args;
  std::int64_t chunks;  ///< of the stream

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    std::int64_t const chunk = args.chunk(group.block);
    ChunkSpan span;
    DecodeFault fault = span_of_chunk(args, args.index[chunk], args.index[chunk + 1], chunks, chunk,
                                      span, sparse_chunk_tiles);
    if (fault == DecodeFault::none && span.words == 0) return;
    if (fault == DecodeFault::none) {
      std::uint32_t const mine = warp::sum(
          checksum_part(chunk, span.in, span.words, warp::thread(), tuning::block_threads));
      if (warp::lane() == 0) shared.sum[warp::thread() / 32] = mine;
      __syncthreads();
      std::uint32_t sum = 0;
#pragma unroll
      for (std::uint32_t const of_warp : shared.sum) sum += of_warp;
      if (sum == span.in[2]) return;
      fault = DecodeFault::checksum;
    }
    if (warp::thread() == 0) args.result->report(fault);
  }
};

/// A chunk in hand, by lane: a tile's record.
struct ChunkRecords {
  std::uint32_t const* words;
  int position = 0, length = 0;
};

/// A tile of the part in hand.
struct DecodedTile {
  LevelTile place;
  int raw_words;
  bool is_wanted;
  bool is_inside;  ///< its window in its level
  bool is_whole;   ///< all of it goes where it goes, in pairs
};

/// Working memory of a warp of the decoder of a level.
template <class T>
struct DecodedLevelPart {
  static constexpr int max_tiles = 8;
  static constexpr int record_words = tuning::level_record_words;
  alignas(16) std::uint32_t window[warp_window_words];
  SharedTile<unsigned_t<T>> tile;  ///< residuals, or a record that is too long for what follows
  alignas(16) std::uint32_t record[record_words];
  DecodedTile tiles[max_tiles];  ///< of the part

  __device__ __forceinline__ SharedTile<std::uint32_t>& residuals() {
    return *reinterpret_cast<SharedTile<std::uint32_t>*>(&tile);
  }
};

/// The raw record of a tile of a level above 0.
template <class Shape, class T>
__device__ __noinline__ void read_raw_points(LevelPart part, std::uint32_t const* record,
                                             LevelTile tile) {
  TileSteps<Interpolation, cuda_tag>::read_raw_points<Shape, T>(warp::Team(), part, record, tile);
}

/// Stores what the residuals of a tile bring back, as convert(value of the lattice).
template <class V, class Shape, class Target, class Convert>
__device__ __forceinline__ void store_points(InterpolatedColumn<Shape> const& known, int level,
                                             SharedTile<std::uint32_t>& residuals,
                                             Target const& target, Convert const& convert) {
  V points[lane_values];
  auto const residual = CellColumns<Shape>::residual_of(residuals);
  reconstruct_column(
      known, level, [&](int number) { return residual(number); },
      [&](int number, std::uint32_t value) {
        points[number] = convert(value);
        if (number % 2 != 0) target.store(number, points);
      });
}
/// The same of a tile of the field whose lattice stands for magnitudes, apart so that it takes no registers of the
/// others.
template <class Shape, class T>
__device__ __noinline__ void store_magnitudes(LatticeScale<T> const& scale,
                                              InterpolatedColumn<Shape> const known,
                                              SharedTile<std::uint32_t>& residuals,
                                              LevelTile const& tile, bool is_whole, T* field) {
  with_target_in_field<Shape>(field, tile, is_whole, [&](auto const& target) {
    store_points<T>(known, 0, residuals, target, [&](std::uint32_t value) {
      return scale.reconstruct(std::true_type{}, value);
    });
  });
}

/// A warp's part in the decoder of a level.
template <class CodecTypes, class Shape, class T>
class LevelWalk {
  using U = unsigned_t<T>;
  using Coder = typename CodecTypes::Coder;
  using Warp = WarpCoder<Coder>;
  using Cells = CellColumns<Shape>;

 public:
  __device__ __forceinline__ LevelWalk(DecodeArgs<T> const& a, LevelOfField const& l,
                                       std::int64_t all, LatticeScale<T> const& s,
                                       typename Warp::DecodeContext const& c,
                                       DecodedLevelPart<T>& m)
      : args(a), level(l), chunks(all), scale(s), context(c), memory(m) {}

  /// Decodes one of the `parts_of_chunk` parts of a chunk, the number-th to decode.
  __device__ __forceinline__ DecodeFault read_part(std::int64_t number, int part,
                                                   int parts_of_chunk) {
    std::int64_t const chunk = args.chunk(number);
    ChunkSpan span;
    DecodeFault const fault = span_of_chunk(args, args.index[chunk], args.index[chunk + 1], chunks,
                                            chunk, span, sparse_chunk_tiles);
    if (fault != DecodeFault::none) return fault;
    records = ChunkRecords{span.in, 0, 0};
    bool sound = span.words == 0 || find_records(span);
    first = part * (sparse_chunk_tiles / parts_of_chunk);
    end = first + sparse_chunk_tiles / parts_of_chunk;
    int const mine = first + warp::lane();
    if (mine < end) {
      memory.tiles[warp::lane()] =
          decoded(args.target(level.tile<Shape>(chunk, mine), number, mine));
    }
    warp::sync();
    if (sound) fetch(first);
#pragma unroll 1
    for (int t = first; t < end && sound; ++t) {
      warp::wait_for_copies();
      warp::sync();
      sound = read_tile(t);
      warp::sync();
    }
    // Where the checksum fails that has been told.
    bool const is_told = !sound && args.checksum && is_damaged(chunk, span.in, span.words);
    return sound || is_told ? DecodeFault::none : DecodeFault::record;
  }

 private:
  static constexpr int coarsest = LevelGrid<Shape>::levels;

  __device__ __forceinline__ DecodedTile decoded(LevelTile const& tile) const {
    DecodedTile result{tile, tile.size() * value_words<T>, args.wants(tile),
                       InterpolationAxes<Shape>::lie_inside(tile), false};
    if (level.level > 0) {
      result.is_whole = is_in_part<Shape>(level.part, tile);
    } else {
      result.is_whole =
          tile.size() == tile_values &&
          has_aligned_pairs<Shape>(args.field + tile.origin, tile.row_pitch, tile.slab_pitch);
    }
    return result;
  }
  __device__ __forceinline__ DecodedTile const& tile_of(int t) const {
    return memory.tiles[t - first];
  }
  __device__ __forceinline__ int length_of(int t) const {
    return warp::from_lane(records.length, t);
  }
  __device__ __forceinline__ std::uint32_t const* record_of(int t) const {
    return records.words + warp::from_lane(records.position, t);
  }

  // Starts to fetch what a tile of the part needs, if there is such a tile.
  __device__ __forceinline__ void fetch(int t) {
    if (t >= end) return;
    DecodedTile const& tile = tile_of(t);
    int const length = length_of(t);
    if (!warp::any(tile.is_wanted && length < tile.raw_words)) return;
    if (level.level < coarsest) {
      load_window<Shape>(level.above, tile.place, tile.is_inside, memory.window);
    }
    if (length <= memory.record_words) copy_record(t, length, memory.record);
  }
  __device__ __forceinline__ void copy_record(int t, int length, std::uint32_t* to) const {
    std::uint32_t const* const from = record_of(t);
    for (int i = warp::lane(); i < length; i += 32) warp::copy_async<4>(to + i, from + i);
  }

  // The lengths of all records, a tile a lane, and where they lie; whether they make the chunk.
  __device__ __forceinline__ bool find_records(ChunkSpan const& span) {
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

  // Decodes a tile whose window and record are there; whether it was sound, the same on all lanes.
  __device__ __forceinline__ bool read_tile(int t) {
    DecodedTile const& tile = tile_of(t);
    int const length = length_of(t);
    if (!warp::any(tile.is_wanted)) {
      fetch(t + 1);
      return true;
    }
    if (warp::any(length > tile.raw_words)) return false;
    if (warp::any(length == tile.raw_words)) {
      fetch(t + 1);
      read_raw(tile.place, record_of(t));
      return true;
    }
    RecordTail tail;
    U row[lane_values], sum = 0;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) row[i] = 0;
    if (warp::any(length > 0) && !read_coded(t, length, row, sum, tail)) return false;
    if (warp::any(tail.is_one_value())) {
      fetch(t + 1);
      MaskedValues<T> const masked = args.quantizer.masked();
      fill(tile.place, tail.signs() != 0 ? masked.marked : masked.plain);
      return true;
    }
    if (level.level == coarsest) {
      fetch(t + 1);
      store_coarsest(tile.place, row, sum);
      return true;
    }
    reconstruct(t, row);
    if (!warp::any(tail.any())) return true;
    warp::sync();
    std::uint32_t const* const words = record_of(t) + length - tail.words<T>();
    if (warp::any(tail.signs() != 0)) [[unlikely]] {
      return read_tail_of<Shape>(args.field, tile.place, tail, args.quantizer.masked(), words);
    }
    return overwrite_values_of<Shape>(args.field, tile.place, tail, args.quantizer.masked(), words);
  }

  __device__ __forceinline__ void read_raw(LevelTile const& tile,
                                           std::uint32_t const* record) const {
    if (level.level == 0) return cuda::read_raw<Shape>(args.field, tile, record);
    read_raw_points<Shape, T>(level.part, record, tile);
  }

  // The residuals of a coded record, base included, in the lane's row, and their sum.
  __device__ __forceinline__ bool read_coded(int t, int length, U* row, U& sum, RecordTail& tail) {
    LevelTile const& tile = tile_of(t).place;
    std::uint32_t const* words = memory.record;
    if (warp::any(length > memory.record_words)) [[unlikely]] {
      auto* const of_tile = reinterpret_cast<std::uint32_t*>(&memory.tile);
      copy_words(record_of(t), length, of_tile);
      words = of_tile;
    }
    RecordHead const head{words[0]};
    int coder_words;
    bool const fits =
        check_head<T>(head, words, length, tile.size(), args.quantizer, tail, coder_words) &&
        !(level.level > 0 && tail.any());
    if (warp::any(!fits)) return false;
    if (warp::any(tail.is_one_value())) return true;
    return read_residuals<Warp>(context, head, words, coder_words, row, sum);
  }

  // From the residuals of the lane's row to the values of a tile.
  __device__ __forceinline__ void reconstruct(int t, U const* row) {
    DecodedTile const& tile = tile_of(t);
    std::uint32_t narrow[lane_values];
#pragma unroll
    for (int i = 0; i < lane_values; ++i) narrow[i] = static_cast<std::uint32_t>(row[i]);
    memory.residuals().store_row(warp::lane(), narrow);
    auto const known = interpolate_window<Shape>(tile.place, tile.is_inside, memory.window);
    fetch(t + 1);
    if (level.level > 0) {
      with_target_in_part<Shape>(level.part, tile.place, tile.is_whole, [&](auto const& target) {
        store_points<std::uint32_t>(known, target, [](std::uint32_t value) { return value; });
      });
    } else if (warp::any(args.quantizer.bins == Bins::constant)) {
      fill(tile.place, args.quantizer.constant_value);
    } else if (warp::any(scale.has_magnitudes())) [[unlikely]] {
      store_magnitudes<Shape>(scale, known, memory.residuals(), tile.place, tile.is_whole,
                              args.field);
    } else {
      T const step = scale.lattice.step;
      with_target_in_field<Shape>(args.field, tile.place, tile.is_whole, [&](auto const& target) {
        store_points<T>(known, target, [&](std::uint32_t value) {
          return static_cast<T>(static_cast<std::int32_t>(value)) * step;
        });
      });
    }
  }

  template <class V, class Target, class Convert>
  __device__ __forceinline__ void store_points(InterpolatedColumn<Shape> const& known,
                                               Target const& target, Convert const& convert) const {
    cuda::store_points<V>(known, level.level, memory.residuals(), target, convert);
  }

  // From the residuals of the lane's row to the lattice of the coarsest level.
  __device__ __forceinline__ void store_coarsest(LevelTile const& tile, U* row, U sum) const {
    using Predictor = WarpPredictor<Lorenzo>;
    Predictor::template integrate<Shape>({}, row, sum, memory.tile);
    LevelPart const& part = level.part;
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
  __device__ __forceinline__ void fill(LevelTile const& tile, T value) const {
    fill_tile<Shape>(Kokkos::bit_cast<U>(value), tile, Transfer::by_values,
                     reinterpret_cast<U*>(args.field));
  }

  DecodeArgs<T> const& args;
  LevelOfField const& level;
  std::int64_t chunks;  // of the stream
  LatticeScale<T> const& scale;
  typename Warp::DecodeContext context;
  DecodedLevelPart<T>& memory;
  ChunkRecords records{};
  int first = 0, end = 0;  // tiles of the part
};

/// The decoder of some chunks of a level.
template <class CodecTypes, class Shape, class T>
struct LevelDecoder {
  using Coder = typename CodecTypes::Coder;
  struct Shared {
    // In front of the warps' memory, because what reads backwards may come up to 64 bytes before a record.
    typename WarpCoder<Coder>::DecodeTables tables;
    DecodedLevelPart<T> warp[chunk_tiles];
    LatticeScale<T> scale;
  };
  DecodeArgs<T> args;
  LevelOfField level;
  std::int64_t chunks;  ///< of the stream
  std::uint32_t items;  ///< parts of chunks
  int parts_of_chunk;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    if (warp::thread() == 0) shared.scale = LatticeScale<T>::of(args.quantizer);
    __syncthreads();
    std::uint32_t const warps = group.blocks * chunk_tiles, mine = warp::thread() / 32;
    LevelWalk<CodecTypes, Shape, T> walk(args, level, chunks, shared.scale,
                                         WarpCoder<Coder>::decode_context(args, shared.tables),
                                         shared.warp[mine]);
    // Neighbouring items go to different multiprocessors, so that the last round is spread over all.
    auto const parts = static_cast<std::uint32_t>(parts_of_chunk);
    for (std::uint32_t item = mine * group.blocks + group.block; item < items; item += warps) {
      DecodeFault const fault =
          walk.read_part(item / parts, static_cast<int>(item % parts), parts_of_chunk);
      if (fault != DecodeFault::none && warp::lane() == 0) args.result->report(fault);
    }
  }
};

/// Decodes so many chunks of a level.
template <class CodecTypes, class T>
void decode_level(Kokkos::Cuda const& exec, char const* label, DecodeArgs<T> const& args, int level,
                  std::int64_t chunks) {
  constexpr int blocks = tuning::level_decode_blocks<T>;
  std::int64_t const warps = resident_blocks(exec, blocks) * chunk_tiles;
  int parts = sparse_chunk_tiles / DecodedLevelPart<T>::max_tiles;
  while (parts < sparse_chunk_tiles && chunks * parts < warps) parts *= 2;
  with_tile_shape(args.tile_shape, [&](auto shape) {
    using Shape = decltype(shape);
    LevelGrid<Shape> const grid(args.extents);
    launch_resident<blocks>(exec, label, ceil_div<std::int64_t>(chunks * parts, chunk_tiles),
                            LevelDecoder<CodecTypes, Shape, T>{
                                args, LevelOfField::of(grid, level, args.levels), grid.chunks(),
                                static_cast<std::uint32_t>(chunks * parts), parts});
  });
}

/// Judges the checksums of all chunks that a decompression takes.
template <class T>
void judge_checksums(Kokkos::Cuda const& exec, DecodeArgs<T> args) {
  if (!args.checksum) return;
  std::int64_t const chunks = chunk_count(args.method, args.tile_shape, args.extents);
  std::int64_t count = chunks;
  args.first = 0;
  if (args.chunks != nullptr) {
    count = args.listed;
    for (std::int64_t const of_level : args.listed_above) count += of_level;
  }
  launch<tuning::checksum_blocks>(exec, "kompakt::read_levels::checksums", count,
                                  ChecksumJudge<T>{args, chunks});
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class CodecTypes, class T>
void read_levels(cuda_tag, Kokkos::Cuda const& exec, DecodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::read_levels[cuda]");
  cuda::judge_checksums(exec, args);
  for_listed_levels(args, [&](DecodeArgs<T> const& of_level, int level, std::int64_t chunks) {
    cuda::decode_level<CodecTypes>(exec, "kompakt::read_levels::chunks", of_level, level, chunks);
  });
}

}  // namespace kompakt::impl

#endif
