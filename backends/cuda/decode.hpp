#ifndef KOMPAKT_CUDA_DECODE_HPP
#define KOMPAKT_CUDA_DECODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/coder/fixedlength.hpp>
#include <cuda/launch.hpp>
#include <cuda/lorenzo.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/decode.hpp>

// Decoding in one kernel. A block of four warps takes every n-th chunk, a warp decodes a tile. While a
// chunk is decoded, the words of the block's next one come by asynchronous copies into shared memory,
// and the index entry of the one after that into registers: read when they were needed, index, head,
// record head, widths and planes were five memory latencies one after the other. A chunk depends on
// nothing but its index entry, so no block waits for another.
// Reads the stream once, writes the field once.

namespace kompakt::impl::cuda {

/// Forms of a record and parts of it that are rare.
template <class Shape, class T>
__device__ __noinline__ void read_raw(T* field, TileBox box, std::uint32_t const* record) {
  team_for_values<Shape>(warp::Team(), box, [&](int place, std::int64_t index) {
    field[index] = load_value<T>(record + packed_place<Shape>(box, place) * value_words<T>);
  });
}
template <class Shape, class T>
__device__ __noinline__ bool read_exceptions(T* field, TileBox box, int count,
                                             std::uint32_t const* tail) {
  return !warp::any(!read_tail<Shape>(warp::Team(), tail, count, box, field));
}

template <class T>
__device__ __noinline__ void report_unsound(DecodeArgs<T> const& args, std::uint32_t chunk,
                                            std::uint32_t const* in, int words) {
  // Unsound records were not read to the end; the plain way tells damage from a bad encoder.
  bool const damaged = args.checksum && chunk_checksum(warp::Team(), chunk, in, words) != in[2];
  DecodeFault const fault = damaged ? DecodeFault::checksum : DecodeFault::record;
  if (warp::lane() == 0) args.result->report(fault);
}
__device__ __noinline__ inline void copy_words(std::uint32_t const* from, int count,
                                               std::uint32_t* to) {
  warp::sync();
  for (int i = warp::lane(); i < count; i += 32) to[i] = from[i];
  warp::sync();
}

/// A chunk that a block works on or soon will.
struct StagedChunk {
  std::uint64_t start, end;  // its index entry
  int words;                 // -1 if the entry is unsound
  int skew;                  // words in front of it in the stage; -1 if it is too long to lie there
};

/// Shared memory of a block of the decoder.
template <class T>
struct DecoderMemory {
  static constexpr int stage_words = tuning::stage_words<T>;
  SharedTile<unsigned_t<T>> tile[chunk_tiles];
  alignas(16) std::uint32_t stage[2][stage_words];  // of the chunk in hand and the next
  std::uint32_t checksum[2][chunk_tiles];
  StagedChunk chunk[4];  // the one before, the one in hand, the next, and the one after that
  int unsound[2];
};

/// A thread's part in the decoder. What all threads of the block know lies in shared memory, because
/// registers decide how many blocks an SM holds.
template <class Coder, class Shape, class T>
class DecoderWalk {
  using U = unsigned_t<T>;
  using Warp = WarpCoder<Coder>;
  using Memory = DecoderMemory<T>;

 public:
  __device__ __forceinline__ DecoderWalk(DecodeArgs<T> const& a, Memory& memory)
      : args(a), shared(memory), my_tile(warp::thread() / 32) {}

  __device__ __forceinline__ void run() {
    chunks = static_cast<std::uint32_t>(TileGrid<Shape>(args.extents).chunks());
    if (warp::thread() < 2) shared.unsound[warp::thread()] = 0;
    std::uint32_t chunk = blockIdx.x;
    fetch_entry(chunk, 0);
    fetch_entry(chunk + gridDim.x, 1);
    warp::wait_for_copies();
    __syncthreads();
    stage(chunk, 0);
    std::uint32_t turn = 0;
    for (; chunk < chunks; chunk += gridDim.x, ++turn) {
      warp::wait_for_copies();
      __syncthreads();
      // Every warp is through with the chunk before: its half of the stage is free, its sums there.
      if (my_tile == 0 && turn > 0) conclude(chunk - gridDim.x, turn - 1);
      if (chunk + gridDim.x < chunks) stage(chunk + gridDim.x, turn + 1);
      fetch_entry(chunk + 2 * gridDim.x, turn + 2);
      read(chunk, turn);
    }
    __syncthreads();
    if (my_tile == 0 && turn > 0) conclude(chunk - gridDim.x, turn - 1);
  }

 private:
  __device__ __forceinline__ StagedChunk& slot(std::uint32_t turn) {
    return shared.chunk[turn & 3];
  }
  __device__ __forceinline__ std::uint32_t* stage_of(std::uint32_t turn) {
    return shared.stage[turn & 1];
  }

  // Starts to fetch an index entry.
  __device__ __forceinline__ void fetch_entry(std::uint32_t chunk, std::uint32_t turn) {
    if (warp::thread() != 0 || chunk >= chunks) return;
    warp::copy_async<8>(&slot(turn).start, args.index + chunk);
    warp::copy_async<8>(&slot(turn).end, args.index + chunk + 1);
  }

  // Starts to copy a chunk, whose entry is there, in packs of 16 bytes from the one that it starts in;
  // what lies behind the last whole pack by words, because the stream may end there.
  __device__ __forceinline__ void stage(std::uint32_t chunk, std::uint32_t turn) {
    StagedChunk& staged = slot(turn);
    ChunkSpan span;
    DecodeFault const fault = span_of_chunk(args, staged.start, staged.end, chunks, chunk, span);
    int const skew = static_cast<int>(staged.start / word_bytes & 3);
    int const words = span.words + skew;
    bool const sound = fault == DecodeFault::none, fits = words <= Memory::stage_words;
    if (warp::thread() == 0) {
      staged.words = sound ? span.words : -1;
      staged.skew = fits ? skew : -1;
      if (!sound) report(fault);
    }
    if (!sound || !fits) return;
    std::uint32_t const* const from = span.in - skew;
    std::uint32_t* const to = stage_of(turn);
    int const whole = words & ~3;
#pragma unroll 1
    for (int i = 4 * warp::thread(); i < whole; i += 4 * tuning::block_threads) {
      warp::copy_async<16>(to + i, from + i);
    }
    int const last = whole + warp::thread();
    if (last < words) warp::copy_async<4>(to + last, from + last);
  }

  __device__ __forceinline__ void report(DecodeFault fault) const { args.result->report(fault); }
  __device__ __forceinline__ std::uint32_t const* in_stream(StagedChunk const& staged) const {
    return args.payload + staged.start / word_bytes;
  }

  // Compares the checksum of a decoded chunk; by one warp.
  __device__ __forceinline__ void conclude(std::uint32_t chunk, std::uint32_t turn) {
    StagedChunk const& staged = slot(turn);
    if (staged.words <= 0) return;
    int& unsound = shared.unsound[turn & 1];
    if (warp::any(unsound != 0)) [[unlikely]] {
      report_unsound(args, chunk, in_stream(staged), staged.words);
      warp::sync();
      if (warp::lane() == 0) unsound = 0;
    } else if (args.checksum && warp::lane() == 0) {
      std::uint32_t const* const head =
          staged.skew < 0 ? in_stream(staged) : stage_of(turn) + staged.skew;
      ChecksumOfLane total{chunk_seed(chunk)};
      total.add(head[0], 0);
      total.add(head[1], 1);
#pragma unroll
      for (int t = 0; t < chunk_tiles; ++t) total.sum += shared.checksum[turn & 1][t];
      if (total.sum != head[2]) report(DecodeFault::checksum);
    }
    warp::sync();
  }

  // Decodes the warp's tile of a chunk.
  __device__ __forceinline__ void read(std::uint32_t chunk, std::uint32_t turn) {
    StagedChunk const& staged = slot(turn);
    if (staged.words < 0) return;
    bool const empty = staged.words == 0, in_stage = staged.skew >= 0;
    // Of a chunk that was too long to be staged, head and record take the memory of the warp's tile.
    auto* const spare = reinterpret_cast<std::uint32_t*>(&shared.tile[my_tile]);
    std::uint32_t const* head = stage_of(turn) + staged.skew;
    if (warp::any(!in_stage)) [[unlikely]] {
      copy_words(in_stream(staged), 2, spare);
      head = spare;
    }
    int position = empty ? 0 : chunk_head_words(args.checksum);
    int length = 0, end = position;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) {
      int const words = empty ? 0 : record_length(head, t);
      if (t < my_tile) position += words;
      if (t == my_tile) length = words;
      end += words;
    }
    TileGrid<Shape> const grid(args.extents);
    TileBox const box = grid.box(static_cast<std::int64_t>(chunk) * chunk_tiles + my_tile);
    // Where lengths do not add up no record is where it should be.
    bool sound = end == staged.words && length <= box.size() * value_words<T>;
    ChecksumOfLane checksum{chunk_seed(chunk)};
    if (warp::any(sound)) {
      std::uint32_t const* record = stage_of(turn) + staged.skew + position;
      std::uint32_t const* kept = record;
      if (warp::any(!in_stage)) [[unlikely]] {
        kept = in_stream(staged) + position;
        copy_words(kept, length, spare);
        record = spare;
      }
      if (args.checksum) {
#pragma unroll 1
        for (int i = warp::lane(); i < length; i += 32) checksum.add(record[i], position + i);
      }
      sound = read_record(box, record, length, kept);
    }
    std::uint32_t const sum = warp::sum(checksum.sum);
    if (warp::lane() == 0) {
      shared.checksum[turn & 1][my_tile] = sum;
      if (!sound) shared.unsound[turn & 1] = 1;
    }
  }

  // Decodes a record of any form in shared memory; whether it was sound, the same on all lanes.
  // `kept` is the record where it stays while the tile is put together.
  __device__ __forceinline__ bool read_record(TileBox const& box, std::uint32_t const* record,
                                              int length, std::uint32_t const* kept) {
    if (length == box.size() * value_words<T>) {
      read_raw<Shape>(args.field, box, record);
      return true;
    }
    U bins[lane_values];
    int exceptions = 0;
    if (warp::any(length > 0)) {
      if (!read_bins(box, record, length, exceptions, bins)) return false;
    } else {
#pragma unroll
      for (int i = 0; i < lane_values; ++i) bins[i] = 0;
    }
    store(box, bins);
    if (!warp::any(exceptions > 0)) return true;
    warp::sync();
    return read_exceptions<Shape>(args.field, box, exceptions,
                                  kept + length - tail_words<T>(exceptions));
  }

  // A coded record up to its tail.
  __device__ __forceinline__ bool read_bins(TileBox const& box, std::uint32_t const* record,
                                            int length, int& exceptions, U* bins) {
    RecordHead const head{record[0]};
    int coder_words;
    if (!check_head<T>(head, record, length, box, exceptions, coder_words)) return false;
    U const base = read_base<U>(head, record);
    if (!Warp::read(head.coder_bits(), record + head.words(), coder_words, bins)) return false;
    if (warp::lane() == 0) bins[0] += base;
    warp::sync();
    integrate<Shape>(bins, shared.tile[my_tile]);
    return true;
  }

  // Reconstructs the tile from bins as integrate() leaves them.
  __device__ __forceinline__ void store(TileBox const& box, U* bins) {
    T const step = args.quantizer.step;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      bins[i] = Kokkos::bit_cast<U>(static_cast<T>(static_cast<bin_t<T>>(bins[i])) * step);
    }
    if (args.quantizer.constant) [[unlikely]] {
#pragma unroll
      for (int i = 0; i < lane_values; ++i) {
        bins[i] = Kokkos::bit_cast<U>(args.quantizer.constant_value);
      }
    }
    U* const field = reinterpret_cast<U*>(args.field);
    bool const aligned = rows_are_aligned(field, Shape::Y > 1 ? box.row_pitch : Pack<U>::values);
    if constexpr (sizeof(T) == 4 && Shape::Y > 1) {
      if (aligned && box.size() == tile_values) {
        store_rows<Shape>(bins, box, field);
        return;
      }
    }
    int const lane = warp::lane();
    SharedTile<U>& tile = shared.tile[my_tile];
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) {
      tile.store_quad(row_after_integrate<Shape>(lane, quad),
                      quad_after_integrate<Shape>(lane, quad), bins + 4 * quad);
    }
    warp::sync();
    store_tile<Shape>(tile, box, aligned, field);
  }

  DecodeArgs<T> const& args;
  Memory& shared;
  int my_tile;
  std::uint32_t chunks = 0;
};

/// The decoder's kernel.
template <class Coder, class Shape, class T>
struct Decoder {
  using Shared = DecoderMemory<T>;
  DecodeArgs<T> args;

  __device__ __forceinline__ void operator()(Shared& shared) const {
    DecoderWalk<Coder, Shape, T>(args, shared).run();
  }
};

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class Coder, class T>
void decode(cuda_tag, Kokkos::Cuda const& exec, DecodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decode[cuda]");
  with_tile_shape(args.tile_kind, [&](auto shape) {
    cuda::launch_resident<cuda::tuning::decode_blocks<T>>(
        exec, "kompakt::decode::chunks", chunk_count(args.tile_kind, args.extents),
        cuda::Decoder<Coder, decltype(shape), T>{args});
  });
}

}  // namespace kompakt::impl

#endif
