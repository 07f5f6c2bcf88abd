#ifndef KOMPAKT_CUDA_DECODE_HPP
#define KOMPAKT_CUDA_DECODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstddef>
#include <cuda/batch_launch.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/decode_levels.hpp>
#include <cuda/decode_parts.hpp>
#include <cuda/launch.hpp>
#include <cuda/predictor/lorenzo.hpp>
#include <cuda/stage.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/tile_plan.hpp>
#include <span>

// Decoding in one kernel. A warp takes every n-th chunk and decodes its tiles one after the other,
// while the words of its next chunk (stage.hpp) and the index entry of the one after that come by
// asynchronous copies into shared memory: read when they were needed, index, head, record head,
// widths and planes were five memory latencies in a row. Warps never meet: four to a
// chunk did all the work on a chunk four times and spent a fifth of their time at its barrier.
// Every block reads the stream's header itself, so a call needs the host only at its end.
// Reads the stream once, writes the field once.

namespace kompakt::impl::cuda {

/// chunk_checksum() of a chunk that is not in the stage, piece by piece through shared memory.
__device__ __noinline__ inline std::uint32_t checksum_in_stream(std::int64_t chunk,
                                                                std::uint32_t const* in, int words,
                                                                std::uint32_t* piece,
                                                                int piece_words) {
  std::uint32_t const seed = chunk_seed(chunk);
  std::uint32_t sum = 0;
  for (int begin = 0; begin < words; begin += piece_words) {
    int const count = words - begin < piece_words ? words - begin : piece_words;
    copy_words(in + begin, count, piece);
    for (int i = warp::lane(); i < count; i += 32) {
      int const position = begin + i;
      if (position == 2) continue;  // the checksum itself
      sum += checksum_word(piece[i], static_cast<std::uint32_t>(position), seed);
    }
  }
  return warp::sum(sum);
}

/// A tile of the chunk in hand.
struct TileWork {
  TileBox box;
  int position, length;  ///< of its record in the chunk, words
  int size;              ///< values inside the field
  RecordForm form;
  Transfer transfer;
};

/// What the warps of a launch share out: chunks, and of the last ones halves or single tiles.
struct DecoderItems {
  std::int64_t const* chunks;  ///< as in DecodeArgs
  std::uint32_t first;         ///< the same
  std::uint32_t whole;  ///< items that are a chunk; each behind them is one of `1 << split` parts
  std::uint32_t count;
  int split;

  /// So many chunks for so many warps. The chunks of a round that is not full are split as far as
  /// there are warps for the parts. Further, the head and the checksum of a chunk, which every warp reads,
  /// cost more than warps without work (26 MB field, three quarters of a round: 1.07 TB/s; single tiles 0.94,
  /// runs of three tiles, which reach all warps, 0.93).
  template <class T>
  __device__ __forceinline__ static DecoderItems of(DecodeArgs<T> const& args,
                                                    std::uint32_t warps) {
    auto const count = static_cast<std::uint32_t>(args.count());
    std::uint32_t const last = count % warps;
    int const split = 4 * last <= warps ? 2 : (2 * last <= warps ? 1 : 0);
    std::uint32_t const whole = count - last;
    return {args.chunks, static_cast<std::uint32_t>(args.first), whole, whole + (last << split),
            split};
  }
  /// Of the chunk among those to decode.
  __device__ __forceinline__ std::uint32_t number(std::uint32_t item) const {
    return item < whole ? item : whole + ((item - whole) >> split);
  }
  __device__ __forceinline__ std::uint32_t chunk(std::uint32_t item) const {
    std::uint32_t const n = number(item);
    return chunks == nullptr ? first + n : static_cast<std::uint32_t>(chunks[n]);
  }
  __device__ __forceinline__ int first_tile(std::uint32_t item) const {
    std::uint32_t const part = (item - whole) & ((1u << split) - 1);
    return item < whole ? 0 : static_cast<int>(part) * (chunk_tiles >> split);
  }
  __device__ __forceinline__ int tiles(std::uint32_t item) const {
    return item < whole ? chunk_tiles : chunk_tiles >> split;
  }
  /// Whether who decodes it compares the checksum of its chunk.
  __device__ __forceinline__ static bool judges(std::uint32_t) { return true; }
  /// Where the values of a tile go, the t-th one of a chunk.
  template <class Shape, class T>
  __device__ __forceinline__ static TileBox target(DecodeArgs<T> const& args, std::uint32_t chunk,
                                                   std::uint32_t number, int t) {
    return args.target(
        TileGrid<Shape>(args.extents).box(static_cast<std::int64_t>(chunk) * chunk_tiles + t),
        number, t);
  }
};

/// The turns of a warp, each with an item: first, first + step, …
struct StridedTurns {
  DecoderItems const& items;
  std::uint32_t item, step;

  __device__ __forceinline__ bool are_done() const { return item >= items.count; }
  /// The item of the turn that comes `n` later.
  __device__ __forceinline__ std::uint32_t behind(std::uint32_t n) const { return item + n * step; }
  __device__ __forceinline__ void go_on() { item += step; }
  /// Around the decoding of the item of a turn.
  __device__ __forceinline__ static void begin() {}
  __device__ __forceinline__ static void end() {}
};

/// Shared memory of a warp of the decoder. What the warp knows of its chunks lies here too: registers
/// decide how many warps a multiprocessor holds, and what spills goes as far as the second cache,
/// because shared memory leaves little of the first.
template <class T>
struct DecoderMemory {
  SharedTile<unsigned_t<T>> tile;
  Stage<T> stage;
  StagedChunk chunk[2];  // by the parity of the turn: the one in hand, the next
  struct {
    std::uint64_t start, end;
  } entry[2];  // their index entries, while they come
  TileWork work[chunk_tiles];
};

/// A warp's part in the decoder.
/// \tparam Items  what the warps share out: DecoderItems, or as these
template <class CodecTypes, class Shape, class T, class Items = DecoderItems>
class DecoderWalk {
  using U = unsigned_t<T>;
  using Coder = typename CodecTypes::Coder;
  using Predictor = WarpPredictor<typename CodecTypes::Predictor>;
  using Warp = WarpCoder<Coder>;

 public:
  __device__ __forceinline__ DecoderWalk(DecodeArgs<T> const& a, Items const& i,
                                         typename Warp::DecodeContext const& c,
                                         DecoderMemory<T>& memory)
      : args(a), items(i), context(c), shared(memory) {}

  /// Decodes the items of some turns. A turn may have an item that does not exist.
  /// \tparam Turns  StridedTurns, or as these
  template <class Turns>
  __device__ __forceinline__ void run(Turns turns) {
    if (turns.are_done()) return;
    fetch_entry(turns.item, 0);
    fetch_entry(turns.behind(1), 1);
    warp::wait_for_copies();
    warp::sync();
    locate(turns.item, 0);
    shared.stage.fetch(args.payload, shared.chunk[0], 0, shared.chunk[0].packs());
    int turn = 0;
#pragma unroll 1
    for (; !turns.are_done(); turns.go_on()) {
      int const next_turn = turn ^ 1;
      warp::wait_for_copies();
      warp::sync();
      locate(turns.behind(1), next_turn);
      fetch_entry(turns.behind(2), turn);
      // What does not lie over the chunk in hand comes now, the rest when that is done with.
      fetch_next(turn, false);
      turns.begin();
      if (shared.chunk[turn].words >= 0) {
        DecodeFault const fault = read_item(turns.item, shared.chunk[turn]);
        if (fault != DecodeFault::none) report(fault);
      }
      turns.end();
      warp::sync();
      fetch_next(turn, true);
      turn = next_turn;
    }
  }

 private:
  // Starts to fetch an index entry.
  __device__ __forceinline__ void fetch_entry(std::uint32_t item, int turn) {
    if (warp::lane() != 0 || item >= items.count) return;
    std::uint32_t const chunk = items.chunk(item);
    warp::copy_async<8>(&shared.entry[turn].start, args.index + chunk);
    warp::copy_async<8>(&shared.entry[turn].end, args.index + chunk + 1);
  }

  // Where a chunk whose entry is there lies in the stream and will lie in the stage.
  __device__ __forceinline__ void locate(std::uint32_t item, int turn) {
    StagedChunk staged{0, -1, 0};
    if (item < items.count) {
      ChunkSpan span{};
      auto const entry = shared.entry[turn];
      DecodeFault const fault =
          span_of_chunk(args, entry.start, entry.end, TileGrid<Shape>(args.extents).chunks(),
                        items.chunk(item), span);
      if (fault == DecodeFault::none) {
        staged = Stage<T>::place(entry.start / word_bytes, span.words, turn != 0);
      } else {
        report(fault);
      }
    }
    if (warp::lane() == 0) shared.chunk[turn] = staged;
    warp::sync();
  }

  // Starts to fetch the part of the next chunk that lies over the one in hand, or the other part.
  __device__ __forceinline__ void fetch_next(int turn, bool over) {
    StagedChunk const next = shared.chunk[turn ^ 1];
    int const both = Stage<T>::overlap(shared.chunk[turn], next);
    if (over && both == 0) return;
    bool const in_front = turn == 0;  // the next one lies at the upper end
    int const border = in_front ? both : next.packs() - both;
    bool const lower = in_front == over;
    shared.stage.fetch(args.payload, next, lower ? 0 : border, lower ? border : next.packs());
  }

  __device__ __forceinline__ void report(DecodeFault fault) const {
    if (warp::lane() == 0) args.result->report(fault);
  }

  // Decodes an item of a chunk whose words, if they fit there, lie in the stage.
  __device__ __forceinline__ DecodeFault read_item(std::uint32_t item, StagedChunk const& now) {
    std::uint32_t const chunk = items.chunk(item);
    ChunkHead head;
    std::uint32_t sum = 0, expected_sum = 0;
    int const words = now.words;
    bool const in_stage = now.at >= 0;
    if (words > 0 && in_stage) {
      std::uint32_t const* const in = shared.stage.words + now.at;
      head = ChunkHead::of(in);
      if (args.checksum && items.judges(item)) {
        expected_sum = in[2];
        sum = chunk_checksum(warp::Team(), chunk, in, words);
      }
    } else if (words > 0) {
      std::uint32_t const* const in = args.payload + now.first_word;
      head = ChunkHead::of(in);
      if (args.checksum && items.judges(item)) {
        expected_sum = in[2];
        sum = checksum_in_stream(chunk, in, words, tile_words(), sizeof shared.tile / word_bytes);
      }
    }
    if (sum != expected_sum) return DecodeFault::checksum;
    if (!plan_tiles(chunk, items.number(item), words, head)) return DecodeFault::record;
    bool sound = true;
#pragma unroll 1
    for (int i = 0, first = items.first_tile(item); i < items.tiles(item) && sound; ++i) {
      sound = read_record(shared.work[first + i], now);
    }
    return sound ? DecodeFault::none : DecodeFault::record;
  }

  // Boxes and records of the chunk's tiles, a tile a lane; whether the lengths fit.
  __device__ __forceinline__ bool plan_tiles(std::uint32_t chunk, std::uint32_t number, int words,
                                             ChunkHead const& head) {
    int const lane = warp::lane(), t = lane % chunk_tiles;
    TileWork work;
    work.box = items.template target<Shape>(args, chunk, number, t);
    work.length = head.length(t);
    work.size = work.box.size();
    int const raw_words = work.size * value_words<T>;
    work.form = work.length == raw_words
                    ? RecordForm::raw
                    : (work.length == 0 ? RecordForm::empty : RecordForm::coded);
    work.transfer = transfer_of<U>(
        work.box,
        rows_are_aligned(args.field, Shape::Y > 1 ? work.box.row_pitch : Pack<U>::values));
    int end = work.length;
#pragma unroll
    for (int distance = 1; distance < chunk_tiles; distance *= 2) {
      int const below = warp::from_below(end, distance);
      if (t >= distance) end += below;
    }
    if (words > 0) end += chunk_head_words(args.checksum);
    work.position = end - work.length;
    if (lane < chunk_tiles) shared.work[lane] = work;
    warp::sync();
    bool const last_ends = t + 1 < chunk_tiles || end == words;
    bool const fits = last_ends && work.length <= raw_words;
    return !warp::any(!fits);
  }

  // Decodes a record; whether it was sound, the same on all lanes.
  __device__ __forceinline__ bool read_record(TileWork const& work, StagedChunk const& now) {
    static_assert(offsetof(DecoderMemory<T>, stage) == sizeof shared.tile);
    int record = static_cast<int>(sizeof shared.tile) / word_bytes + now.at + work.position;
    if (warp::any(now.at < 0)) [[unlikely]] {
      // The record takes the memory of the tile, which is free until the bins are known.
      copy_words(args.payload + now.first_word + work.position, work.length, tile_words());
      record = 0;
    }
    return read_record(tile_words() + record, work, now);
  }

  // Reads a record that is in shared memory.
  __device__ __forceinline__ bool read_record(std::uint32_t const* record, TileWork const& work,
                                              StagedChunk const& now) {
    int const length = work.length;
    if (warp::any(work.form != RecordForm::coded)) {
      if (work.form == RecordForm::raw) {
        read_raw<Shape>(args.field, work.box, record);
      } else {
        fill(work, args.quantizer.reconstruct(0));
      }
      return true;
    }
    RecordHead const head{record[0]};
    RecordTail tail;
    int coder_words;
    if (!check_head<T>(head, record, length, work.size, args.quantizer, tail, coder_words)) {
      return false;
    }
    if (warp::any(tail.is_one_value())) [[unlikely]] {
      MaskedValues<T> const masked = args.quantizer.masked();
      fill(work, tail.signs() != 0 ? masked.marked : masked.plain);
      return true;
    }
    std::uint32_t negative = 0;
    if (warp::any(tail.signs() != 0)) {
      // Now, because the record may lie where the tile is put together.
      if (!read_signs(tail, record + length - tail.words<T>(), negative)) return false;
    }
    U bins[lane_values], sum;
    if (!read_residuals<Warp>(context, head, record, coder_words, bins, sum)) return false;
    Predictor::template integrate<Shape>(CodecTypes::Predictor::context(args), bins, sum,
                                         shared.tile);
    if (warp::any(args.quantizer.bins == Bins::constant)) {
      fill(work, args.quantizer.constant_value);
    } else {
      reconstruct(bins, negative);
      store(work, bins);
    }
    if (!warp::any(tail.overwrites())) return true;
    warp::sync();
    // From where the record stays while the tile is put together.
    int const at = work.position + length - tail.words<T>();
    return overwrite_values_of<Shape>(
        args.field, work.box, tail, args.quantizer.masked(),
        now.at >= 0 ? shared.stage.words + now.at + at : args.payload + now.first_word + at);
  }

  // The tile's memory as words; the stage follows.
  __device__ __forceinline__ std::uint32_t* tile_words() {
    return reinterpret_cast<std::uint32_t*>(&shared);
  }
  __device__ __forceinline__ U* field() const { return reinterpret_cast<U*>(args.field); }

  // A tile of one value: its bins are all zero, the field is constant, or it is all fill.
  __device__ __forceinline__ void fill(TileWork const& work, T value) const {
    fill_tile<Shape>(Kokkos::bit_cast<U>(value), work.box, work.transfer, field());
  }

  // Bins, as integrate() leaves them, to the bits of values.
  // negative: the signs of the lane's row.
  __device__ __forceinline__ void reconstruct(U* bins, std::uint32_t negative) const {
    if (warp::any(args.quantizer.bins == Bins::relative)) {
      reconstruct_relative(bins, negative);
      return;
    }
    if (may_be_lossless<Coder> && warp::any(args.quantizer.bins == Bins::lossless)) {
      OrderedKeys<T> const keys = args.quantizer.keys;
#pragma unroll
      for (int i = 0; i < lane_values; ++i) {
        bins[i] = Kokkos::bit_cast<U>(keys.value(static_cast<bin_t<T>>(bins[i])));
      }
      return;
    }
    T const step = args.quantizer.step;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      bins[i] = Kokkos::bit_cast<U>(static_cast<T>(static_cast<bin_t<T>>(bins[i])) * step);
    }
  }
  __device__ __forceinline__ void reconstruct_relative(U* bins, std::uint32_t negative) const {
    LogScale<T> const scale = args.quantizer.scale;
    int const lane = warp::fresh_lane();
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) {
      std::uint32_t const signs =
          warp::from_lane(negative, Predictor::template row_after_integrate<Shape>(lane, quad)) >>
          4 * Predictor::template quad_after_integrate<Shape>(lane, quad);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        U& bin = bins[4 * quad + i];
        bin = scale.reconstruct(static_cast<bin_t<T>>(bin)) | static_cast<U>(signs >> i & 1u)
                                                                  << (sizeof(T) * 8 - 1);
      }
    }
  }

  // Stores the tile from values in the places where integrate() leaves bins.
  __device__ __forceinline__ void store(TileWork const& work, U const* values) {
    if constexpr (sizeof(T) == 4 && Shape::Y > 1) {
      if (warp::any(work.transfer == Transfer::whole_packs)) {
        Predictor::template store_rows<Shape>(values, work.box, field());
        return;
      }
    }
    int const lane = warp::fresh_lane();
#pragma unroll
    for (int quad = 0; quad < lane_values / 4; ++quad) {
      shared.tile.store_quad(Predictor::template row_after_integrate<Shape>(lane, quad),
                             Predictor::template quad_after_integrate<Shape>(lane, quad),
                             values + 4 * quad);
    }
    warp::sync();
    store_tile<Shape>(shared.tile, work.box, work.transfer, field());
    warp::sync();
  }

  DecodeArgs<T> const& args;
  Items const& items;
  typename Warp::DecodeContext context;
  DecoderMemory<T>& shared;
};

/// The decoder's kernel: for a stream whose header the host knows, or a speculative call.
template <class CodecTypes, class T>
struct Decoder {
  using Coder = typename CodecTypes::Coder;
  struct Shared {
    // In front of the warps' memory, because what reads backwards may come up to 64 bytes before a record.
    typename WarpCoder<Coder>::DecodeTables tables;
    DecoderMemory<T> warp[chunk_tiles];
    DecodeArgs<T> args;
    DecoderItems items;
    std::int64_t only_chunk;
    bool known;
  };
  DecodeArgs<T> args{};  // without a field: not known
  SpeculativeArgs<T> hoped{};

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    std::uint32_t const warps = group.blocks * chunk_tiles;
    if (args.field == nullptr) {
      hoped.fetch_front(warp::thread(), tuning::block_threads, front_of(shared));
      __syncthreads();
      if (group.block == 0) give_front(front_of(shared));
    }
    if (warp::thread() == 0) {
      shared.args = args;
      shared.known = args.field != nullptr || read_header(shared, group);
      if (shared.known) shared.items = DecoderItems::of(shared.args, warps);
    }
    __syncthreads();
    if (!shared.known) return;
    // Neighbouring items go to different multiprocessors, so that the last round is spread over all.
    std::uint32_t const my_warp = warp::thread() / 32;
    auto const context = WarpCoder<Coder>::decode_context(shared.args, shared.tables);
    with_tile_shape(shared.args.tile_shape, [&](auto shape) {
      DecoderWalk<CodecTypes, decltype(shape), T>(shared.args, shared.items, context,
                                                  shared.warp[my_warp])
          .run(StridedTurns{shared.items, my_warp * group.blocks + group.block, warps});
    });
  }

 private:
  __device__ __forceinline__ bool read_header(Shared& shared, Group group) const {
    Header const& header = front_of(shared).header;
    if (!hoped.read(front_of(shared)) || !WarpCoder<Coder>::is_ready(hoped)) return false;
    DecodeArgs<T>& to = shared.args;
    to = decode_args(header, hoped.stream, hoped.field, hoped.result);
    if (hoped.only_chunk >= 0) {
      if (hoped.only_chunk >= to.count()) return false;
      shared.only_chunk = hoped.only_chunk;
      to.chunks = &shared.only_chunk;
      to.listed = 1;
    }
    to.coder_scratch = hoped.coder_scratch;
    if (group.block == 0) hoped.result->decoded = 1;
    return true;
  }
  // In the warps' memory, which is free until they begin.
  __device__ __forceinline__ static FrontMemory& front_of(Shared& shared) {
    static_assert(sizeof(FrontMemory) <= sizeof shared.warp);
    return *reinterpret_cast<FrontMemory*>(shared.warp);
  }
  // For the host, which has the last word on it.
  __device__ __forceinline__ void give_front(FrontMemory const& front) const {
    auto const bytes = static_cast<int>(front_bytes(hoped.memory_bytes));
    auto* const to = reinterpret_cast<std::uint64_t*>(hoped.result->front);
    for (int i = warp::thread(); i < bytes / 8; i += tuning::block_threads) to[i] = front.words[i];
    int const rest = bytes / 8 * 8 + warp::thread();
    if (rest < bytes) hoped.result->front[rest] = hoped.stream[rest];
  }
};

/// That of a speculative call alone, which is smaller.
template <class CodecTypes, class T>
struct SpeculativeDecoder {
  using Shared = typename Decoder<CodecTypes, T>::Shared;
  SpeculativeArgs<T> hoped;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Decoder<CodecTypes, T>{.hoped = hoped}(shared, group);
  }
};

/// Chunks of the stream that a call hopes for, at most.
template <class T>
std::int64_t max_chunks(SpeculativeArgs<T> const& args) {
  std::int64_t most = 1;
  for (int shape = 0; shape < tile_shapes && args.only_chunk < 0; ++shape) {
    most = Kokkos::max(most, chunk_count(static_cast<TileShape>(shape), fold_shape(args.shape)));
  }
  return most;
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class CodecTypes, class T>
void decode(cuda_tag, Kokkos::Cuda const& exec, DecodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decode[cuda]");
  if constexpr (CodecTypes::Predictor::has_levels) {
    cuda::decode_level<CodecTypes>(exec, "kompakt::decode::chunks", args, 0, args.count());
  } else {
    cuda::launch_resident<cuda::WarpCoder<typename CodecTypes::Coder>::decode_blocks>(
        exec, "kompakt::decode::chunks", args.count(), cuda::Decoder<CodecTypes, T>{.args = args});
  }
}

/// Leaves in *args.result whether the stream was as hoped, how it begins and what was wrong.
template <class CodecTypes, class T>
void decode_speculative(cuda_tag, Kokkos::Cuda const& exec, SpeculativeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decode[cuda]");
  cuda::launch_resident<cuda::WarpCoder<typename CodecTypes::Coder>::decode_blocks>(
      exec, "kompakt::decode::chunks", cuda::max_chunks(args),
      cuda::Decoder<CodecTypes, T>{.hoped = args});
}

/// The same for several streams in one launch.
template <class CodecTypes, class T>
void decode_batch(cuda_tag, Kokkos::Cuda const& exec, std::span<SpeculativeArgs<T> const> calls,
                  BatchMemory& memory) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decode_batch[cuda]");
  constexpr int blocks = cuda::WarpCoder<typename CodecTypes::Coder>::decode_blocks;
  std::int64_t all = 0;
  for (SpeculativeArgs<T> const& args : calls) all += cuda::max_chunks(args);
  cuda::Batch<blocks, cuda::SpeculativeDecoder<CodecTypes, T>> decoders(memory, calls.size());
  for (SpeculativeArgs<T> const& args : calls) {
    decoders.add({args}, cuda::blocks_of_call(exec, blocks, cuda::max_chunks(args), all));
  }
  decoders.launch(exec, "kompakt::decode::chunks");
}

}  // namespace kompakt::impl

#endif
