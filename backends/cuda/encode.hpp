#ifndef KOMPAKT_CUDA_ENCODE_HPP
#define KOMPAKT_CUDA_ENCODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/launch.hpp>
#include <cuda/ordered_scan.hpp>
#include <cuda/persistent.hpp>
#include <cuda/predictor/lorenzo.hpp>
#include <cuda/quantize_tile.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/encode.hpp>

// Encoding in one kernel. A block is four warps, a warp works on a tile, so a block works on a chunk.
// Blocks stay and take chunks by ticket; one block turns their sizes into places (ordered_scan.hpp).
// A worker's turn, with one barrier:
//
//   measure(c)   quantise, predict, plan; look whether the places of earlier chunks are known
//   barrier      the sizes of the block's records make the chunk's: published
//   load(c+1)    asynchronous copies into shared memory, while the rest and the next turn's start run
//   flush(…)     the images of chunks whose place is known, from shared memory
//   write(c)     the image of this one
//
// Images wait in a ring in shared memory, so nobody waits for a place unless the ring is full: with
// one image a block, the slowest block held up all others (docs/notebook.md).
// Reads the field once, writes the stream once.

namespace kompakt::impl::cuda {

/// Which of a lane's values lie inside the field.
template <class Shape>
__device__ __noinline__ std::uint32_t registers_inside(TileBox box) {
  std::uint32_t inside = 0;
  for (int i = 0; i < lane_values; ++i) {
    bool const in = field_index<Shape>(box, natural_place<Shape>(warp::lane(), i)) >= 0;
    inside |= static_cast<std::uint32_t>(in) << i;
  }
  return inside;
}

/// One tile from shared memory to a plan; the residuals stay in the lanes' registers.
template <class Shape, class Walk, class T>
__device__ __forceinline__ TilePlan<typename Walk::Coder, T> measure_tile(
    Quantizer<T> const& quantizer, WarpEncodeContext<Walk> const& context,
    TileGrid<Shape> const& grid, std::int64_t number, int size, SharedTile<unsigned_t<T>>& tile,
    ExceptionScratch& exceptions, unsigned_t<T>* residuals,
    typename WarpCoder<typename Walk::Coder>::Lane& lane, WideResiduals<unsigned_t<T>>& wide) {
  using U = unsigned_t<T>;
  using Coder = typename Walk::Coder;
  using Predictor = WarpPredictor<typename Walk::Predictor>;
  TilePlan<Coder, T> plan;
  int const me = warp::lane();
  std::uint32_t inside = ~0u;
  if (warp::any(size < tile_values)) [[unlikely]] {
    inside = registers_inside<Shape>(grid.box(number));
  }
  U const bias = quantize_row<Walk>(quantizer, inside, tile, exceptions, residuals, plan.tail);
  Predictor::template difference<Shape>(context.predictor, residuals, tile);
  if (Walk::bins == Bins::lossless && warp::any(quantizer.unused_bits != 0)) {
    int const unused = quantizer.unused_bits;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) residuals[i] = Quantizer<T>::fold(residuals[i], unused);
  }
  plan.base = warp::from_lane(residuals[0], 0) - bias;
  if (size == 0) plan.base = 0;  // beyond the last tile: nothing was loaded
  if (me == 0) residuals[0] = 0;
  if (warp::any(inside != ~0u)) [[unlikely]] {
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      if ((inside >> i & 1u) == 0) residuals[i] = 0;
    }
  }
  plan.coder = WarpCoder<Coder>::measure(context.coder, residuals, lane, wide);
  choose_form(plan, size);
  return plan;
}

/// Forms of a record and parts of it that are rare.
template <class Shape, class T>
__device__ __noinline__ void write_tail_of(T const* field, TileBox box, RecordTail tail,
                                           ExceptionScratch const& exceptions, std::uint32_t* out) {
  write_tail<Shape>(warp::Team(), field, box, tail, exceptions, out);
}
template <class Shape, class T>
__device__ __noinline__ void write_raw(T const* field, TileBox box, std::uint32_t* out) {
  team_for_values<Shape>(warp::Team(), box, [&](int place, std::int64_t index) {
    store_value(field[index], out + packed_place<Shape>(box, place) * value_words<T>);
  });
}

/// An image in the ring that waits for its place.
struct PendingChunk {
  std::uint32_t chunk;
  int start;                            // in the ring, words
  int words[chunk_tiles];               // of its records
  std::uint32_t checksum[chunk_tiles];  // of its records
  std::uint64_t place;                  // in the payload, words
};

/// Shared memory of a block of the encoder.
template <class Coder, class T>
struct EncoderMemory {
  static constexpr int ring_words = WarpCoder<Coder>::ring_words;
  static constexpr int max_pending = 8;
  SharedTile<unsigned_t<T>> tile[chunk_tiles];
  std::uint32_t ring[ring_words];
  ExceptionScratch exceptions[chunk_tiles];
  PendingChunk pending[max_pending];
  // By the parity of the turn, because the fastest warp may be a turn ahead of the slowest.
  int record_words[2][chunk_tiles];
  std::uint32_t ticket[2];
  int known_places[2];
  Quantizer<T> quantizer;
  typename WarpCoder<Coder>::EncodeTables tables;
};

/// A thread's part in the encoder.
template <class Walk, class Shape, class T>
class EncoderWalk {
  using U = unsigned_t<T>;
  using Coder = typename Walk::Coder;
  using Warp = WarpCoder<Coder>;
  using Memory = EncoderMemory<Coder, T>;

 public:
  __device__ __forceinline__ EncoderWalk(Call<T> const& c, Memory& memory, OrderedScan const& s)
      : call(c),
        args(c.args),
        shared(memory),
        scan(s),
        context(WarpEncodeContext<Walk>::of(c.args, memory.tables)),
        grid(args.extents),
        chunks(static_cast<std::uint32_t>(grid.chunks())),
        my_tile(warp::thread() / 32),
        aligned(rows_are_aligned(args.field, Shape::Y > 1 ? grid.n.x : Pack<T>::values)) {
    StreamLayout const layout = args.layout(grid.chunks());
    payload = args.payload(layout);
    capacity_words =
        args.capacity > layout.payload ? (args.capacity - layout.payload) / word_bytes : 0;
  }

  __device__ __forceinline__ void run() {
    if (warp::thread() == 0) {
      shared.ticket[0] = scan.take_ticket();
      shared.quantizer = call.quantizer();
    }
    __syncthreads();
    chunk = shared.ticket[0];
    if (chunk < chunks) load();
    while (chunk < chunks) turn();
    __syncthreads();
    while (flushed != pushed) {
      wait_for_oldest();
      flush_oldest();
    }
  }

 private:
  __device__ __forceinline__ void turn() {
    parity ^= 1;
    std::uint32_t ticket = 0;
    std::uint64_t word = 0;
    if (warp::thread() == 0) ticket = scan.take_ticket();
    if (my_tile == 0 && warp::lane() < static_cast<int>(visible - flushed)) {
      word = scan.look(slot(flushed + static_cast<std::uint32_t>(warp::lane())).chunk);
    }
    int const size = next_size;
    U residuals[lane_values];
    typename Warp::Lane lane;
    WideResiduals<U> wide;
    warp::wait_for_copies();
    warp::sync();
    TilePlan<Coder, T> const plan = measure_tile<Shape, Walk>(
        shared.quantizer, context, grid, tile_of(chunk), size, shared.tile[my_tile],
        shared.exceptions[my_tile], residuals, lane, wide);
    if (my_tile == 0) take_places(word);
    if (warp::lane() == 0) {
      shared.record_words[parity][my_tile] = plan.words;
      if (plan.tail.exceptions() > 0)
        OrderedScan::add_before_size(call.persistent().exceptions, plan.tail.exceptions());
    }
    if (warp::thread() == 0) shared.ticket[parity] = ticket;
    __syncthreads();

    std::uint32_t const now = chunk;
    visible = pushed;
    chunk = shared.ticket[parity];
    if (chunk < chunks) load();
    int position = chunk_head_words(args.asked.checksum), total = 0;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) {
      int const words = shared.record_words[parity][t];
      if (t < my_tile) position += words;
      total += words;
    }
    total = chunk_words(total, args.asked.checksum);
    if (warp::thread() == 0) scan.publish_size(now, static_cast<std::uint32_t>(total));
    int known = shared.known_places[parity];
    if (total == 0) return flush(known);
    int start = room_for(total);
    while (start < 0) {
      if (known > 0) {
        --known;
      } else {
        wait_for_oldest();
      }
      flush_oldest();
      __syncthreads();
      start = room_for(total);
    }
    flush(known);
    write(now, start, position, total, plan, lane, wide, residuals);
  }

  __device__ __forceinline__ void load() {
    TileBox const box = grid.box(tile_of(chunk));
    next_size = box.size();
    if (next_size == 0) return;
    load_tile<Shape>(reinterpret_cast<U const*>(args.field), box, aligned, shared.tile[my_tile]);
  }
  __device__ __forceinline__ std::int64_t tile_of(std::uint32_t c) const {
    return static_cast<std::int64_t>(c) * chunk_tiles | my_tile;
  }

  __device__ __forceinline__ PendingChunk& slot(std::uint32_t n) {
    return shared.pending[n % Memory::max_pending];
  }

  // Notes the places of the oldest chunks, as far as they are known; by one warp, a chunk a lane.
  __device__ __forceinline__ void take_places(std::uint64_t word) {
    std::uint32_t const unknown = warp::votes(!scan.is_place(word));
    int const known = lowest_bit(unknown);  // of 32 lanes 24 never have one
    if (warp::lane() < known) {
      slot(flushed + static_cast<std::uint32_t>(warp::lane())).place = OrderedScan::value_of(word);
    }
    if (warp::lane() == 0) shared.known_places[parity] = known;
  }

  // Between two barriers, by the block.
  __device__ __forceinline__ void wait_for_oldest() {
    if (my_tile == 0) {
      PendingChunk& oldest = slot(flushed);
      std::uint64_t word;
      do {
        word = scan.look(oldest.chunk);
      } while (!scan.is_place(word));
      if (warp::lane() == 0) oldest.place = OrderedScan::value_of(word);
    }
    __syncthreads();
  }

  // Where in the ring an image of so many words can lie, -1 if nowhere yet.
  __device__ __forceinline__ int room_for(int words) {
    if (flushed == pushed) {
      ring_end = 0;
      return 0;
    }
    if (pushed - flushed == Memory::max_pending) return -1;
    int const begin = slot(flushed).start;
    if (ring_end > begin) {
      if (ring_end + words <= Memory::ring_words) return ring_end;
      return words < begin ? 0 : -1;
    }
    return ring_end + words < begin ? ring_end : -1;
  }

  __device__ __forceinline__ void flush(int count) {
    for (; count > 0; --count) flush_oldest();
  }

  // Copies the oldest image to its place; by the block.
  __device__ __forceinline__ void flush_oldest() {
    PendingChunk const& oldest = slot(flushed++);
    int words = 0;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) words += oldest.words[t];
    int const head_words = chunk_head_words(args.asked.checksum);
    std::uint64_t const place = oldest.place;
    if (place + static_cast<std::uint64_t>(words + head_words) > capacity_words) return;
    std::uint32_t* const out = payload + place;
    if (warp::thread() == 0) store_head(oldest, out);
    std::uint32_t const* const image = shared.ring + oldest.start;
    std::uint32_t* const records = out + head_words;
    std::uint32_t* to = records + warp::thread();
#pragma unroll 1
    for (int i = warp::thread(); i < words; i += tuning::block_threads) {
      warp::store_once(to, image[i]);
      to += tuning::block_threads;
    }
  }

  __device__ __forceinline__ void store_head(PendingChunk const& p, std::uint32_t* out) const {
    ChunkHead head;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) head.set_length(t, p.words[t]);
    head.store(out);
    if (!args.asked.checksum) return;
    ChecksumOfLane sum{chunk_seed(p.chunk)};
    sum.add(head.word[0], 0);
    sum.add(head.word[1], 1);
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) sum.sum += p.checksum[t];
    out[2] = sum.sum;
  }

  // Writes the record of the warp's tile into the ring.
  __device__ __forceinline__ void write(std::uint32_t now, int start, int position, int total,
                                        TilePlan<Coder, T> const& plan,
                                        typename Warp::Lane const& lane,
                                        WideResiduals<U> const& wide, U const* residuals) {
    std::uint32_t* const image =
        shared.ring + start + position - chunk_head_words(args.asked.checksum);
    if (warp::any(plan.form == RecordForm::coded)) {
      if (warp::lane() == 0) write_head(plan.head, plan.base, plan.tail, image);
      std::uint32_t* const words = image + plan.head.words();
      Warp::write(plan.coder, lane, wide, residuals, words);
      if (warp::any(plan.tail.any())) {
        write_tail_of<Shape>(args.field, grid.box(tile_of(now)), plan.tail,
                             shared.exceptions[my_tile], words + plan.coder.words());
      }
    } else if (plan.form == RecordForm::raw) {
      write_raw<Shape>(args.field, grid.box(tile_of(now)), image);
    }
    std::uint32_t sum = 0;
    if (args.asked.checksum) {
      warp::sync();
      ChecksumOfLane of_lane{chunk_seed(now)};
#pragma unroll 1
      for (int i = warp::lane(); i < plan.words; i += 32) of_lane.add(image[i], position + i);
      sum = warp::sum(of_lane.sum);
    }
    PendingChunk& p = slot(pushed++);
    ring_end = start + total;
    if (warp::lane() == 0) {
      p.checksum[my_tile] = sum;
      p.words[my_tile] = plan.words;
      p.start = start;
      p.chunk = now;
    }
  }

  Call<T> const& call;
  EncodeArgs<T> const& args;
  Memory& shared;
  OrderedScan const& scan;
  WarpEncodeContext<Walk> context;
  TileGrid<Shape> grid;
  std::uint32_t* payload;
  std::uint64_t capacity_words;
  std::uint32_t chunks;
  int my_tile;
  bool aligned;
  int parity = 0;
  std::uint32_t chunk = 0;
  int next_size = 0;  // values of the tile that is being loaded
  // Numbers of images written, of those whose slot every warp can read, and of those flushed.
  std::uint32_t pushed = 0, visible = 0, flushed = 0;
  int ring_end = 0;
};

/// The encoder's kernel.
template <class Walk, class T>
struct Encoder {
  union Shared {
    EncoderMemory<typename Walk::Coder, T> worker;
    OrderedScan::Memory scanner;
  };
  Call<T> call;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Persistent& persistent = call.persistent();
    OrderedScan const scan(persistent.scan, persistent.words());
    if (scan.take_role(shared.scanner)) {
      place_chunks(scan, shared.scanner);
    } else {
      with_tile_shape(call.tile_shape(), [&](auto shape) {
        EncoderWalk<Walk, decltype(shape), T>(call, shared.worker, scan).run();
      });
    }
    scan.leave(group.blocks, Persistent::room(call.args.persistent_bytes));
  }

 private:
  // Turns the sizes of all chunks into the index, and finishes the stream: the scanner is the one
  // that knows last, and the workers need not be through.
  __device__ __forceinline__ void place_chunks(OrderedScan const& scan,
                                               OrderedScan::Memory& memory) const {
    EncodeArgs<T> const& args = call.args;
    TileShape const shape = call.tile_shape();
    std::int64_t const chunks = chunk_count(shape, args.extents);
    StreamLayout const layout = args.layout(chunks);
    std::uint64_t* const index = args.index(layout);
    std::uint64_t const words = scan.run(memory, chunks, [&](std::int64_t c, std::uint64_t place) {
      index[c] = place * word_bytes;
    });
    if (warp::thread() != 0) return;
    args.close_index(layout, chunks, words);
    EncodeState<T>& state = *args.state;
    state.quantizer = call.quantizer();
    state.found.tile_shape = shape;
    state.found.exceptions = take(call.persistent().exceptions);
    finish_stream(args);
  }
};

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class Walk, class T>
void encode(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode[cuda]");
  cuda::with_encoder<Walk>(args.bound.mode, [&]<class Chosen>(Chosen) {
    cuda::launch_resident<cuda::WarpCoder<typename Walk::Coder>::encode_blocks>(
        exec, "kompakt::encode::chunks", args.max_chunks() + 1,
        cuda::Encoder<Chosen, T>{cuda::Call<T>(args)});
  });
}

}  // namespace kompakt::impl

#endif
