#ifndef KOMPAKT_CUDA_ENCODE_HPP
#define KOMPAKT_CUDA_ENCODE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/encode_level_tile.hpp>
#include <cuda/encode_tile.hpp>
#include <cuda/launch.hpp>
#include <cuda/ordered_scan.hpp>
#include <cuda/persistent.hpp>
#include <cuda/place_chunks.hpp>
#include <pipeline/encode.hpp>
#include <type_traits>
#include <utility>

// Encoding in one kernel. A block is four warps, a warp works on a tile, so a block takes turns of four tiles: a chunk, or
// of a predictor with levels an eighth of one. Blocks stay and take turns by ticket; one block makes places of their sizes
// (ordered_scan.hpp, place_chunks.hpp). A worker's turn, with one barrier:
//
//   measure(t)   quantise, predict, plan; look whether the places of earlier turns are known
//   barrier      the sizes of the block's records are published
//   load(t+1)    asynchronous copies into shared memory, while the rest and the next turn's start run
//   flush(…)     the images of turns whose place is known, from shared memory
//   write(t)     the image of this one
//
// Images wait in a ring in shared memory, so nobody waits for a place unless the ring is full: with
// one image a block, the slowest block held up all others (docs/notebook.md).
// Reads the field once, writes the stream once.

namespace kompakt::impl::cuda {

/// An image in the ring that waits for its place.
struct PendingTurn {
  std::uint32_t turn;
  int start;                            // in the ring, words
  int words[chunk_tiles];               // of its records
  std::uint32_t checksum[chunk_tiles];  // of its records
  std::uint64_t place;                  // in the payload, words
};

/// Shared memory of a block of the encoder.
/// \tparam Tiles  a TileEncoder, of any shape
template <class Coder, class Tiles>
struct EncoderMemory {
  static constexpr int ring_words = Tiles::template ring_words<WarpCoder<Coder>>;
  static constexpr int max_pending = 8;
  typename Tiles::Memory tile[chunk_tiles];
  std::uint32_t ring[ring_words];
  ExceptionScratch exceptions[chunk_tiles];
  PendingTurn pending[max_pending];
  // By the parity of the turn, because the fastest warp may be a turn ahead of the slowest.
  int record_words[2][chunk_tiles];
  std::uint32_t ticket[2];
  int known_places[2];
  typename Tiles::Common common;
  StreamPlaces to;
  typename WarpCoder<Coder>::EncodeTables tables;
};
template <class CodecTypes, class T>
using encoder_memory_t =
    EncoderMemory<typename CodecTypes::Coder, TileEncoder<CodecTypes, Tile<TileShape::brick>, T>>;

/// Which turns a launch has: all, or those of a level.
struct EncoderTurns {
  std::uint32_t first, end;
  bool is_last;  ///< whether the call has no further launch
};

/// A thread's part in the encoder.
template <class CodecTypes, class Shape, class T, LevelKind kind = LevelKind::any>
class EncoderWalk {
  using U = unsigned_t<T>;
  using Coder = typename CodecTypes::Coder;
  using Warp = WarpCoder<Coder>;
  using Tiles = TileEncoder<CodecTypes, Shape, T, kind>;
  using Turn = Turns<typename Tiles::Grid>;
  using Memory = encoder_memory_t<CodecTypes, T>;

 public:
  __device__ __forceinline__ EncoderWalk(Call<T> const& c, EncoderTurns const& t, Memory& memory,
                                         OrderedScan const& s)
      : call(c),
        args(c.args),
        shared(memory),
        scan(s),
        context(WarpEncodeContext<CodecTypes>::of(c.args, memory.tables)),
        tiles(c.args, memory.common),
        to(memory.to),
        first(t.first),
        end(t.end),
        my_tile(warp::thread() / 32) {}

  /// \param levels  their table, if the predictor has such
  template <class... Levels>
  __device__ __forceinline__ void run(Levels const&... levels) {
    Tiles::prepare(call, shared.common, levels...);
    if (warp::thread() == 0) {
      shared.ticket[0] = first + scan.take_ticket();
      shared.to = StreamPlaces::of(args, Tiles::chunks(args));
    }
    __syncthreads();
    turn = shared.ticket[0];
    if constexpr (Tiles::places_ahead) {
      place(turn);
      __syncthreads();
    }
    if (turn < end) load();
    while (turn < end) take_turn();
    __syncthreads();
    while (flushed != pushed) {
      wait_for_oldest();
      flush_oldest();
    }
  }

 private:
  __device__ __forceinline__ void take_turn() {
    parity ^= 1;
    std::uint32_t ticket = 0;
    std::uint64_t word = 0;
    if (warp::thread() == 0) ticket = first + scan.take_ticket();
    if (my_tile == 0 && warp::lane() < static_cast<int>(visible - flushed)) {
      word = scan.look(slot(flushed + static_cast<std::uint32_t>(warp::lane())).turn);
    }
    int const size = next_size;
    U residuals[lane_values];
    typename Warp::Lane lane;
    WideResiduals<U> wide;
    warp::wait_for_copies();
    warp::sync();
    TilePlan<Coder, T> const plan =
        tiles.measure(context, tile_of(turn), size, shared.tile[my_tile],
                      shared.exceptions[my_tile], residuals, lane, wide);
    if (my_tile == 0) take_places(word);
    if (warp::lane() == 0) {
      shared.record_words[parity][my_tile] = plan.words;
      if (plan.tail.exceptions() > 0)
        OrderedScan::add_before_size(call.persistent().exceptions, plan.tail.exceptions());
    }
    if (warp::thread() == 0) shared.ticket[parity] = ticket;
    if constexpr (Tiles::places_ahead) place(warp::from_lane(ticket, 0));
    __syncthreads();

    std::uint32_t const now = turn;
    visible = pushed;
    turn = shared.ticket[parity];
    if (turn < end) load();
    int position = Turn::head_words(to.checksum), total = 0;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) {
      int const words = shared.record_words[parity][t];
      if (t < my_tile) position += words;
      total += words;
    }
    if (total > 0) total += Turn::head_words(to.checksum);
    if (warp::thread() == 0) {
      scan.publish_size(now, Turn::size_of(shared.record_words[parity], total));
    }
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
    if constexpr (Tiles::places_ahead) {
      next_size = tiles.load_placed(parity, shared.tile[my_tile]);
    } else {
      next_size = tiles.load(tile_of(turn), shared.tile[my_tile]);
    }
  }
  // Works out where the tiles of a turn lie, by one warp.
  __device__ __forceinline__ void place(std::uint32_t of_turn) {
    if (my_tile != 0 || of_turn >= end || warp::lane() >= chunk_tiles) return;
    tiles.place(static_cast<std::int64_t>(of_turn) * chunk_tiles | warp::lane(), parity,
                shared.tile[warp::lane()]);
  }
  __device__ __forceinline__ std::int64_t tile_of(std::uint32_t t) const {
    return static_cast<std::int64_t>(t) * chunk_tiles | my_tile;
  }

  __device__ __forceinline__ PendingTurn& slot(std::uint32_t n) {
    return shared.pending[n % Memory::max_pending];
  }

  // Notes the places of the oldest turns, as far as they are known; by one warp, a turn a lane.
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
      PendingTurn& oldest = slot(flushed);
      std::uint64_t word;
      do {
        word = scan.look(oldest.turn);
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
    PendingTurn const& oldest = slot(flushed++);
    int words = 0;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) words += oldest.words[t];
    int const head_words = Turn::head_words(to.checksum);
    std::uint64_t const place = oldest.place;
    if (place + static_cast<std::uint64_t>(words + head_words) > to.capacity_words) return;
    std::uint32_t* const out = to.payload + place;
    [[maybe_unused]] std::uint64_t start_of_chunk = 0;
    if constexpr (Turn::are_chunks) {
      if (warp::thread() == 0) store_head(oldest, out);
    } else {  // early, because it is on its way while the image is stored
      start_of_chunk = warp::load_shared_word(to.index + oldest.turn / Turn::of_chunk);
    }
    std::uint32_t const* const image = shared.ring + oldest.start;
    std::uint32_t* const records = out + head_words;
    std::uint32_t* address = records + warp::thread();
#pragma unroll 1
    for (int i = warp::thread(); i < words; i += tuning::block_threads) {
      warp::store_once(address, image[i]);
      address += tuning::block_threads;
    }
    if constexpr (!Turn::are_chunks) {
      if (to.checksum) add_checksum(oldest, start_of_chunk / word_bytes, image, words);
    }
  }

  // Of a chunk that is a turn.
  __device__ __forceinline__ void store_head(PendingTurn const& p, std::uint32_t* out) const {
    ChunkHead head;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) head.set_length(t, p.words[t]);
    head.store(out);
    if (!to.checksum) return;
    ChecksumOfLane sum{chunk_seed(p.turn)};
    sum.add(head.word[0], 0);
    sum.add(head.word[1], 1);
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) sum.sum += p.checksum[t];
    out[2] = sum.sum;
  }
  // Adds the words of a turn to the checksum of the chunk that it is a part of, where the scanner has begun it.
  // start: of the chunk in the payload, words
  __device__ __forceinline__ void add_checksum(PendingTurn const& p, std::uint64_t start,
                                               std::uint32_t const* image, int words) const {
    std::uint32_t const chunk = p.turn / Turn::of_chunk;
    auto const position = static_cast<int>(p.place - start);
    ChecksumOfLane sum{chunk_seed(chunk)};
#pragma unroll 1
    for (int i = warp::thread(); i < words; i += tuning::block_threads) {
      sum.add(image[i], position + i);
    }
    std::uint32_t const of_warp = warp::sum(sum.sum);
    if (warp::lane() == 0) atomicAdd(to.payload + start + 2, of_warp);
  }

  // Writes the record of the warp's tile into the ring.
  __device__ __forceinline__ void write(std::uint32_t now, int start, int position, int total,
                                        TilePlan<Coder, T> const& plan,
                                        typename Warp::Lane const& lane,
                                        WideResiduals<U> const& wide, U const* residuals) {
    std::uint32_t* const image = shared.ring + start + position - Turn::head_words(to.checksum);
    if (warp::any(plan.form == RecordForm::coded)) {
      if (warp::lane() == 0) write_head(plan.head, plan.base, plan.tail, image);
      std::uint32_t* const words = image + plan.head.words();
      Warp::write(plan.coder, lane, wide, residuals, words);
      if (warp::any(plan.tail.any())) {
        tiles.write_tail(tile_of(now), plan.tail, shared.exceptions[my_tile],
                         words + plan.coder.words());
      }
    } else if (plan.form == RecordForm::raw) {
      tiles.write_raw(tile_of(now), image);
    }
    std::uint32_t sum = 0;
    if (Turn::are_chunks && to.checksum) {
      warp::sync();
      ChecksumOfLane of_lane{chunk_seed(now)};
#pragma unroll 1
      for (int i = warp::lane(); i < plan.words; i += 32) of_lane.add(image[i], position + i);
      sum = warp::sum(of_lane.sum);
    }
    PendingTurn& p = slot(pushed++);
    ring_end = start + total;
    if (warp::lane() == 0) {
      p.checksum[my_tile] = sum;
      p.words[my_tile] = plan.words;
      p.start = start;
      p.turn = now;
    }
  }

  Call<T> const& call;
  EncodeArgs<T> const& args;
  Memory& shared;
  OrderedScan const& scan;
  WarpEncodeContext<CodecTypes> context;
  Tiles tiles;
  StreamPlaces const& to;
  std::uint32_t first, end;  // turns
  int my_tile;
  int parity = 0;
  std::uint32_t turn = 0;
  int next_size = 0;  // values of the tile that is being loaded
  // Numbers of images written, of those whose slot every warp can read, and of those flushed.
  std::uint32_t pushed = 0, visible = 0, flushed = 0;
  int ring_end = 0;
};

/// Turns the sizes of turns into places and the index, and finishes the stream: the scanner is the one that knows last,
/// and the workers need not be through.
template <class Grid, class T>
__device__ __forceinline__ void place_chunks(Call<T> const& call, EncoderTurns const& turns,
                                             OrderedScan const& scan, OrderedScan::Memory& memory) {
  EncodeArgs<T> const& args = call.args;
  Persistent& persistent = call.persistent();
  std::int64_t const chunks = Grid(args.extents).chunks();
  Turns<Grid> const rule{StreamPlaces::of(args, chunks)};
  std::uint64_t const before = Turns<Grid>::are_chunks ? 0 : persistent.words;
  std::uint64_t const words = scan.run(memory, turns.first, turns.end, before, rule);
  if (warp::thread() != 0) return;
  if constexpr (!Turns<Grid>::are_chunks) persistent.words = turns.is_last ? 0 : words;
  if (!turns.is_last) return;
  args.close_index(args.layout(chunks), chunks, words);
  EncodeState<T>& state = *args.state;
  state.quantizer = call.quantizer();
  state.found.tile_shape = call.tile_shape();
  state.found.exceptions = take(persistent.exceptions);
  finish_stream(args);
}

/// In place of a shape: a device chooses it, and its host does not know which.
struct AnyShape {};

/// The encoder's kernel.
/// \tparam Shape  of all tiles, or AnyShape
template <class CodecTypes, class T, class Shape = AnyShape>
struct Encoder {
  union Shared {
    encoder_memory_t<CodecTypes, T> worker;
    OrderedScan::Memory scanner;
  };
  Call<T> call;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Persistent& persistent = call.persistent();
    OrderedScan const scan(persistent.scan, persistent.words_of_turns());
    bool const is_scanner = scan.take_role(shared.scanner);
    auto const run = [&]<class Known>(Known) {
      using Grid = TileGrid<Known>;
      EncoderTurns const turns{0, static_cast<std::uint32_t>(Grid(call.args.extents).chunks()),
                               true};
      if (is_scanner) {
        place_chunks<Grid>(call, turns, scan, shared.scanner);
      } else {
        EncoderWalk<CodecTypes, Known, T>(call, turns, shared.worker, scan).run();
      }
    };
    if constexpr (std::is_same_v<Shape, AnyShape>) {
      with_tile_shape(call.tile_shape(), run);
    } else {
      run(Shape{});
    }
    scan.leave(group.blocks, Persistent::room(call.args.persistent_bytes));
  }
};

/// Whether a shape that the host knows has a kernel of its own. One for all shapes spills 100 to 560 bytes of double, and takes 0.99 to 1.26
/// times as long. Bricks of float by bitshuffle lost 5 % by it (docs/notebook.md).
template <class CodecTypes, class T>
inline constexpr bool has_kernel_of_shape = sizeof(T) == 8 && CodecTypes::bins == Bins::linear;

/// body(shape) for the shape that an encoder's kernel shall be of.
template <class CodecTypes, class T, class Body>
void with_shape_of_kernel(EncodeArgs<T> const& args, Body const& body) {
  if constexpr (has_kernel_of_shape<CodecTypes, T>) {
    if (!args.has_choice_of_shapes()) {
      [&]<int... shape>(std::integer_sequence<int, shape...>) {
        ((args.may_have(shape) ? body(Tile<static_cast<TileShape>(shape)>{}) : void()), ...);
      }
      (std::make_integer_sequence<int, tile_shapes>{});
      return;
    }
  }
  body(AnyShape{});
}

/// That of levels. A kernel for each shape, so that its registers are those that it takes.
template <class CodecTypes, class Shape, class T, LevelKind kind>
struct LevelEncoder {
  union Shared {
    encoder_memory_t<CodecTypes, T> worker;
    OrderedScan::Memory scanner;
  };
  Call<T> call;
  LevelTable<Shape> levels;
  EncoderTurns turns;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    Persistent& persistent = call.persistent();
    OrderedScan const scan(persistent.scan, persistent.words_of_turns());
    if (scan.take_role(shared.scanner)) {
      place_chunks<LevelGrid<Shape>>(call, turns, scan, shared.scanner);
    } else {
      EncoderWalk<CodecTypes, Shape, T, kind>(call, turns, shared.worker, scan).run(levels);
    }
    scan.leave(group.blocks, Persistent::room(call.args.persistent_bytes));
  }
};

/// Encodes all levels. The lattices above level 1 are built first, which takes less time than launches of an encoder
/// for each of these small levels (512^3: 0.91 ms against 0.89).
template <class CodecTypes, class T>
void encode_levels(Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  build_levels_down_to(2, exec, args);
  with_tile_shape(level_shape(args.extents), [&](auto shape) {
    using Shape = decltype(shape);
    LevelGrid<Shape> const grid(args.extents);
    constexpr int of_chunk = Turns<LevelGrid<Shape>>::of_chunk;
    auto const of_field = static_cast<std::uint32_t>(grid.first_chunk(0) * of_chunk);
    auto const end = static_cast<std::uint32_t>(grid.chunks() * of_chunk);
    auto const encode = [&]<LevelKind kind>(std::integral_constant<LevelKind, kind>,
                                            EncoderTurns const& turns) {
      launch_resident<tuning::level_encode_blocks<T>>(
          exec, "kompakt::encode::chunks", std::int64_t{turns.end - turns.first} + 1,
          LevelEncoder<CodecTypes, Shape, T, kind>{Call<T>(args), LevelTable<Shape>::make(args),
                                                   turns});
    };
    encode(std::integral_constant<LevelKind, LevelKind::above>{}, {0, of_field, false});
    encode(std::integral_constant<LevelKind, LevelKind::field>{}, {of_field, end, true});
  });
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class CodecTypes, class T>
void encode(cuda_tag, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::encode[cuda]");
  cuda::with_encoder<CodecTypes>(args.bound.mode, [&]<class Chosen>(Chosen) {
    if constexpr (CodecTypes::Predictor::has_levels) {
      cuda::encode_levels<Chosen>(exec, args);
    } else {
      cuda::with_shape_of_kernel<Chosen>(args, [&]<class Shape>(Shape) {
        cuda::launch_resident<cuda::WarpCoder<typename CodecTypes::Coder>::encode_blocks>(
            exec, "kompakt::encode::chunks", args.max_turns() + 1,
            cuda::Encoder<Chosen, T, Shape>{cuda::Call<T>(args)});
      });
    }
  });
}

}  // namespace kompakt::impl

#endif
