#ifndef KOMPAKT_CUDA_PLACE_CHUNKS_HPP
#define KOMPAKT_CUDA_PLACE_CHUNKS_HPP

#include <core/lattice.hpp>
#include <core/tile.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/ordered_scan.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/encode_args.hpp>

// What the encoder's turns publish, and the scanner's rules that make places of it.

namespace kompakt::impl::cuda {

/// Where the scanner puts what it knows.
struct StreamPlaces {
  std::uint64_t* index;
  std::uint32_t* payload;
  std::uint64_t capacity_words;  ///< of the payload
  bool checksum;

  template <class T>
  __device__ __forceinline__ static StreamPlaces of(EncodeArgs<T> const& args,
                                                    std::int64_t chunks) {
    StreamLayout const layout = args.layout(chunks);
    std::uint64_t const room = args.capacity > layout.payload ? args.capacity - layout.payload : 0;
    return {args.index(layout), args.payload(layout), room / word_bytes, args.asked.checksum};
  }
};

/// How the chunks of a grid are made of turns of chunk_tiles tiles.
template <class Grid>
struct Turns;

/// A turn is a chunk; its size has the head, which its worker writes.
template <class Shape>
struct Turns<TileGrid<Shape>> {
  static constexpr bool are_chunks = true;
  static constexpr int of_chunk = 1;
  static constexpr int per_thread = tuning::scan_words;
  StreamPlaces to;

  /// Words in front of a turn's first record.
  __device__ __forceinline__ static int head_words(bool checksum) {
    return chunk_head_words(checksum);
  }
  /// What a turn with such records publishes.
  __device__ __forceinline__ static std::uint64_t size_of(int const* /*record_words*/, int total) {
    return static_cast<std::uint64_t>(total);
  }
  __device__ __forceinline__ std::uint32_t words(std::uint64_t const* word, int& known) const {
    std::uint32_t words = 0;
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (i < known) words += static_cast<std::uint32_t>(word[i]);
    }
    return words;
  }
  __device__ __forceinline__ void place(OrderedScan const& scan, std::int64_t first,
                                        std::uint64_t const* word, int known,
                                        std::uint64_t place) const {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (i >= known) continue;
      scan.publish_place(first + i, place);
      to.index[first + i] = place * word_bytes;
      place += static_cast<std::uint32_t>(word[i]);
    }
  }
};

/// A turn is a part of a chunk. The lengths of its records are its size, so that the scanner, which sees those of a whole
/// chunk at once, writes the head.
template <class Shape>
struct Turns<LevelGrid<Shape>> {
  static constexpr bool are_chunks = false;
  static constexpr int of_chunk = sparse_chunk_tiles / chunk_tiles;
  static constexpr int per_thread = of_chunk;
  static constexpr int length_bits = OrderedScan::value_bits / chunk_tiles;
  static_assert(tile_values * 2 < 1 << length_bits);
  StreamPlaces to;

  __device__ __forceinline__ static int head_words(bool) { return 0; }
  __device__ __forceinline__ static std::uint64_t size_of(int const* record_words, int) {
    std::uint64_t lengths = 0;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) {
      lengths |= static_cast<std::uint64_t>(record_words[t]) << (t * length_bits);
    }
    return lengths;
  }
  __device__ __forceinline__ std::uint32_t words(std::uint64_t const* word, int& known) const {
    if (known < per_thread) {
      known = 0;
      return 0;
    }
    return sizes_of(word).chunk_words(to.checksum);
  }
  __device__ __forceinline__ void place(OrderedScan const& scan, std::int64_t first,
                                        std::uint64_t const* word, int known,
                                        std::uint64_t place) const {
    if (known < per_thread) return;
    std::int64_t const chunk = first / of_chunk;
    to.index[chunk] = place * word_bytes;
    Sizes const sizes = sizes_of(word);
    if (sizes.tiles > 0) {
      if (place + sizes.chunk_words(to.checksum) <= to.capacity_words) {
        write_head(chunk, word, sizes, to.payload + place);
      }
      place += static_cast<unsigned>(chunk_head_words(to.checksum));
    }
    // Who sees the place of a turn may add to the checksum that is there.
    __threadfence();
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      scan.publish_place(first + i, place);
      place += words_of(word[i]);
    }
  }

 private:
  struct Sizes {
    std::uint32_t records;  // words
    int tiles;              // that are not empty

    __device__ __forceinline__ std::uint32_t chunk_words(bool checksum) const {
      if (tiles == 0) return 0;
      return records +
             static_cast<unsigned>(chunk_head_words(checksum) + SparseChunkHead::end_words(tiles));
    }
  };
  __device__ __forceinline__ static std::uint32_t length(std::uint64_t word, int t) {
    return static_cast<std::uint32_t>(word >> (t * length_bits)) & ((1u << length_bits) - 1);
  }
  __device__ __forceinline__ static std::uint32_t words_of(std::uint64_t word) {
    std::uint32_t words = 0;
#pragma unroll
    for (int t = 0; t < chunk_tiles; ++t) words += length(word, t);
    return words;
  }
  __device__ __forceinline__ static Sizes sizes_of(std::uint64_t const* word) {
    Sizes sizes{0, 0};
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
#pragma unroll
      for (int t = 0; t < chunk_tiles; ++t) {
        std::uint32_t const words = length(word[i], t);
        sizes.records += words;
        sizes.tiles += words > 0 ? 1 : 0;
      }
    }
    return sizes;
  }
  // As SparseChunkHead does; the checksum of what it writes is that of the chunk so far.
  __device__ __forceinline__ void write_head(std::int64_t chunk, std::uint64_t const* word,
                                             Sizes const& sizes, std::uint32_t* out) const {
    ChecksumOfLane sum{chunk_seed(chunk)};
    int const end = chunk_head_words(to.checksum) + static_cast<int>(sizes.records);
    std::uint32_t tiles = 0, pair = 0;
    int number = 0;
    auto const store = [&](std::uint32_t value, int position) {
      out[position] = value;
      sum.add(value, position);
    };
    auto const store_pair = [&] { store(pair, number < 2 ? 1 : end + number / 2 - 1); };
#pragma unroll
    for (int t = 0; t < sparse_chunk_tiles; ++t) {
      std::uint32_t const words = length(word[t / chunk_tiles], t % chunk_tiles);
      if (words == 0) continue;
      tiles |= 1u << t;
      pair = number % 2 == 0 ? words : pair | words << 16;
      if (number % 2 != 0) store_pair();
      ++number;
    }
    if (number % 2 != 0) store_pair();
    store(tiles, 0);
    if (to.checksum) out[2] = sum.sum;
  }
};

}  // namespace kompakt::impl::cuda

#endif
