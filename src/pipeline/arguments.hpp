#ifndef KOMPAKT_PIPELINE_ARGUMENTS_HPP
#define KOMPAKT_PIPELINE_ARGUMENTS_HPP

#include <container/writer.hpp>
#include <core/exceptions.hpp>
#include <core/quantize.hpp>
#include <core/tile.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>

// What the operations of the walk take: trivially copyable structs of pointers into the memory of
// the execution space and plain numbers.

namespace kompakt::impl {

/// ordered() keys of the ends of the finite numbers, as unsigned numbers to reckon with.
template <class T>
struct FiniteKeys {
  using U = unsigned_t<T>;
  KOKKOS_FORCEINLINE_FUNCTION static U lowest() {
    return static_cast<U>(ordered(std::numeric_limits<T>::lowest()));
  }
  KOKKOS_FORCEINLINE_FUNCTION static U highest() {
    return static_cast<U>(ordered(std::numeric_limits<T>::max()));
  }
};

/// What the kernels of one call tell each other, in device memory; the host does not look before
/// the end.
template <class T>
struct EncodeState {
  unsigned_t<T> from_lowest, from_highest;  // of FiniteKeys; the range of the finite values
  Quantizer<T> quantizer;
  std::uint64_t sample_words[tile_kinds];  // cost of the sampled chunks for each tile kind
  std::uint64_t sample_values[tile_kinds];
  TileKind tile_kind;
  bool overflow;  // the stream does not fit
  std::uint64_t exceptions;
  std::uint64_t payload_bytes;
  std::uint64_t stream_bytes;  // the one thing the host reads
};

template <class T>
struct EncodeArgs {
  T const* field;
  Extents3 extents;  ///< folded, none is 0
  FieldShape shape;
  ErrorBound bound;
  Variant variant;
  bool checksum;
  std::uint32_t candidates;  ///< bit per TileKind that may be chosen
  EncodeState<T>* state;
  std::uint32_t* chunk_words;  ///< scratch, one a chunk of the kind that has most
  std::byte* kept;             ///< what backends keep between calls; zero at first
  std::int64_t kept_chunks;    ///< for how many chunks it has room
  std::byte* stream;           ///< 16-byte aligned
  std::size_t capacity;        ///< bytes of stream

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* index(StreamLayout const& layout) const {
    return reinterpret_cast<std::uint64_t*>(stream + layout.index);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* payload(StreamLayout const& layout) const {
    return reinterpret_cast<std::uint32_t*>(stream + layout.payload);
  }

  /// Chunks of the kind that has most.
  std::int64_t max_chunks() const {
    std::int64_t most = 0;
    for (int kind = 0; kind < tile_kinds; ++kind) {
      if ((candidates >> kind & 1u) == 0) continue;
      std::int64_t const n = chunk_count(static_cast<TileKind>(kind), extents);
      most = n > most ? n : most;
    }
    return most;
  }
};

/// What can be wrong behind a checked header; the largest found is reported.
enum class DecodeFault : std::uint32_t { none = 0, index = 1, checksum = 2, record = 3 };

struct DecodeState {
  std::uint32_t fault;
};

template <class T>
struct DecodeArgs {
  T* field;
  Extents3 extents;
  TileKind tile_kind;
  Quantizer<T> quantizer;
  bool checksum;
  std::uint64_t const* index;  ///< chunks + 1 byte offsets into payload
  std::uint32_t const* payload;
  std::uint64_t payload_bytes;
  DecodeState* state;
};

/// Team scratch of encode and decode: one tile.
template <class Coder, class T>
struct TileBuffer {
  unsigned_t<T> bins[tile_values];  // natural order; residuals after prediction
  unsigned_t<T> halo[tile_lanes];
  ExceptionScratch exceptions;
  typename Coder::Scratch coder;
};

}  // namespace kompakt::impl

#endif
