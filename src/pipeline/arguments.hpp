#ifndef KOMPAKT_PIPELINE_ARGUMENTS_HPP
#define KOMPAKT_PIPELINE_ARGUMENTS_HPP

#include <coder/huffman/make_book.hpp>
#include <container/expected.hpp>
#include <container/writer.hpp>
#include <core/exceptions.hpp>
#include <core/quantize.hpp>
#include <core/team.hpp>
#include <core/tile.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>

// What the operations of the walk take: trivially copyable structs of pointers into the memory of
// the execution space and plain numbers.

namespace kompakt::impl {

/// ordered() keys of the ends of the finite numbers, as unsigned numbers to reckon with: how far a value
/// lies above the one and below the other. What is not finite wraps around to a large distance.
template <class T>
struct FiniteKeys {
  using U = unsigned_t<T>;
  KOKKOS_FORCEINLINE_FUNCTION static U lowest() {
    return static_cast<U>(ordered(std::numeric_limits<T>::lowest()));
  }
  KOKKOS_FORCEINLINE_FUNCTION static U highest() {
    return static_cast<U>(ordered(std::numeric_limits<T>::max()));
  }
  KOKKOS_FORCEINLINE_FUNCTION static U above_lowest(T value) {
    return static_cast<U>(ordered(value)) - lowest();
  }
  KOKKOS_FORCEINLINE_FUNCTION static U below_highest(T value) {
    return highest() - static_cast<U>(ordered(value));
  }
  /// Whether the least distance of some values is that of a finite one.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_finite(U distance) {
    return distance <= highest() - lowest();
  }
  /// Whether a value counts in what is said of the values of a field.
  KOKKOS_FORCEINLINE_FUNCTION static bool counts(T value, Fill<T> const& fill) {
    // Not known, the fill value is a NaN.
    return is_finite(above_lowest(value)) &&
           Kokkos::bit_cast<U>(value) != Kokkos::bit_cast<U>(fill.value);
  }
  KOKKOS_FORCEINLINE_FUNCTION static T value_above_lowest(U distance) {
    return from_ordered<T>(static_cast<bin_t<T>>(lowest() + distance));
  }
  KOKKOS_FORCEINLINE_FUNCTION static T value_below_highest(U distance) {
    return from_ordered<T>(static_cast<bin_t<T>>(highest() - distance));
  }
};

/// One end of the values of a sample: the least of some keys, how often it occurs, and the least one above.
template <class T>
struct SampleEnd {
  using U = unsigned_t<T>;
  U end = ~U{0}, next = ~U{0};
  std::uint32_t count = 0;

  /// Of a value that is not below the end.
  KOKKOS_FORCEINLINE_FUNCTION void count_in(U key) {
    count += key == end ? 1 : 0;
    next = key != end && key < next ? key : next;
  }
  KOKKOS_INLINE_FUNCTION void join(SampleEnd const& other) {
    bool const below = other.end < end, same = other.end == end;
    U const above = same ? other.next : below ? end : other.end;
    next = Kokkos::min(above, below ? other.next : next);
    count = (below ? 0 : count) + (below || same ? other.count : 0);
    end = Kokkos::min(end, other.end);
  }
};

/// What a sample of a field tells of fill values: ends of the finite ones, as distances from those of
/// FiniteKeys, and the least bits of a NaN.
template <class T>
struct FillSample {
  SampleEnd<T> low, high, nan;
  std::uint32_t values = 0;

  KOKKOS_INLINE_FUNCTION void join(FillSample const& other) {
    low.join(other.low);
    high.join(other.high);
    nan.join(other.nan);
    values += other.values;
  }
};

/// How many bounds the whole field is measured with for a PSNR.
inline constexpr int psnr_candidates = 8;

/// The search for the bound of a PSNR (psnr_bound.hpp).
struct PsnrSearch {
  double lowest;                            ///< bound that is always enough
  int rung;                                 ///< of the ladder above it, that the sample took
  std::uint64_t sums[psnr_candidates + 1];  ///< of squares for each candidate; how many values
};

/// What the kernels of one call tell each other, in device memory; the host does not look before
/// the end.
template <class T>
struct EncodeState {
  Fill<T> fill;                             // where it is detected
  unsigned_t<T> from_lowest, from_highest;  // of FiniteKeys; the range of the finite values
  PsnrSearch psnr;
  Quantizer<T> quantizer;
  std::uint64_t sample_words[tile_kinds];  // cost of the sampled chunks for each tile kind
  std::uint64_t sample_values[tile_kinds];
  TileKind tile_kind;
  bool overflow;  // the stream does not fit
  std::uint64_t exceptions;
  std::size_t codebook_bytes;
  std::uint32_t codebook_checksum;
  std::uint64_t payload_bytes;
  std::uint64_t stream_bytes;

  /// As it must be before kernels add to it.
  KOKKOS_INLINE_FUNCTION void clear() {
    *this = EncodeState{};
    from_lowest = from_highest = ~unsigned_t<T>{0};
  }
};

/// Whether a bound makes a quantizer by itself, without the values of the field.
KOKKOS_FORCEINLINE_FUNCTION bool is_known(ErrorBound const& bound) { return !bound.needs_range(); }
/// That quantizer.
template <class T>
KOKKOS_INLINE_FUNCTION Quantizer<T> known_quantizer(ErrorBound const& bound, Dtype dtype,
                                                    Fill<T> fill = {}) {
  switch (bound.mode) {
    case ErrorBound::Mode::pwr: return Quantizer<T>::with_relative_bound(bound.value, fill);
    case ErrorBound::Mode::lossless:
      return Quantizer<T>::without_loss(is_integer(dtype), size_of(dtype), fill);
    default: return Quantizer<T>::with_bound(bound.value, fill);
  }
}

/// What the host reads at the end of a call, the only thing: in memory that both sides reach.
struct EncodeResult {
  std::uint64_t header[header_bytes / 8];  ///< of the stream, unless it did not fit
  std::uint64_t fill_bits;                 ///< of the fill value, if the header speaks of one
  std::uint64_t stream_bytes;              ///< that it has or needs
};

template <class T>
struct EncodeArgs {
  T const* field;
  Extents3 extents;  ///< folded, none is 0
  FieldShape shape;
  ErrorBound stated_bound;  ///< as the user gave it, for the record
  ErrorBound bound;         ///< is_known(), where it can be before the kernels run
  double range;             ///< that is given; 0: that of the field
  bool detects_fill;        ///< whether the fill value is sought in the field
  Fill<T> given_fill;       ///< otherwise
  /// Reason::bits(), for the record.
  std::uint64_t reason_bits;
  Pipeline pipeline;
  Variant variant;
  int radius;
  bool checksum;
  std::uint32_t candidates;  ///< bit per TileKind that may be chosen
  EncodeState<T>* state;
  FillSample<T>* fill_runs;  ///< scratch of sample_runs entries, if a fill value is sought
  EncodeResult* result;
  huffman::EncodeMemory book;  ///< of the pipeline huffman
  std::uint32_t* chunk_words;  ///< scratch, one a chunk of the kind that has most
  std::byte* kept;             ///< what a backend keeps between calls; zero at first
  std::size_t kept_bytes;      ///< as many as the backend asked for, or more
  std::byte* stream;           ///< 16-byte aligned
  std::size_t capacity;        ///< bytes of stream

  /// Once it has been detected, if it shall be.
  KOKKOS_FORCEINLINE_FUNCTION Fill<T> fill() const {
    return detects_fill ? state->fill : given_fill;
  }
  /// Once there is a book, if there shall be one.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t codebook_bytes() const {
    return pipeline == Pipeline::huffman ? state->codebook_bytes : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION StreamLayout layout(std::int64_t chunks) const {
    return {shape.rank, chunks, codebook_bytes(), fill().known};
  }
  /// With the longest codebook, and a fill value if there can be one.
  StreamLayout longest_layout(std::int64_t chunks) const {
    return {shape.rank, chunks,
            pipeline == Pipeline::huffman ? huffman::most_codebook_bytes(radius) : 0,
            detects_fill || given_fill.known};
  }
  /// Where the codebook goes, before its length is known.
  KOKKOS_FORCEINLINE_FUNCTION std::byte* codebook() const {
    return stream + StreamLayout(shape.rank, 0, 1, fill().known).codebook;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* index(StreamLayout const& layout) const {
    return reinterpret_cast<std::uint64_t*>(stream + layout.index);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* payload(StreamLayout const& layout) const {
    return reinterpret_cast<std::uint32_t*>(stream + layout.payload);
  }

  /// Writes the last entry of the index, which is the payload's size, and notes the sizes in the state;
  /// by one thread. words: of the payload.
  KOKKOS_INLINE_FUNCTION void close_index(StreamLayout const& layout, std::int64_t chunks,
                                          std::uint64_t words) const {
    index(layout)[chunks] = words * word_bytes;
    // Padding up to the payload is none or one entry.
    if (layout.index + layout.index_bytes < layout.payload) index(layout)[chunks + 1] = 0;
    state->payload_bytes = words * word_bytes;
    state->stream_bytes = layout.payload + state->payload_bytes;
    state->overflow = state->stream_bytes > capacity;
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
enum class DecodeFault : std::uint32_t {
  none = 0,
  index = 1,
  checksum = 2,
  record = 3,
  codebook = 4
};
inline constexpr int decode_faults = 5;

/// What the host reads at the end of a call, in memory that both sides reach: a word for each fault,
/// set by whoever finds it, so that no two need to agree.
struct DecodeResult {
  std::uint32_t found[decode_faults];
  std::uint32_t as_expected;       ///< of decode_expected(): whether it decoded
  std::byte front[inspect_bytes];  ///< of decode_expected(): how the stream begins

  KOKKOS_FORCEINLINE_FUNCTION void report(DecodeFault fault) {
    *const_cast<std::uint32_t volatile*>(&found[static_cast<int>(fault)]) = 1;
  }
  void clear() {
    for (std::uint32_t& word : found) word = 0;
    as_expected = 0;
  }
  DecodeFault worst() const {
    for (int fault = decode_faults - 1; fault > 0; --fault) {
      if (found[fault] != 0) return static_cast<DecodeFault>(fault);
    }
    return DecodeFault::none;
  }
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
  DecodeResult* result;
  std::byte const* codebook;        ///< section of the stream
  std::uint32_t codebook_checksum;  ///< that it must have
  huffman::DecodeBook* book;        ///< scratch, of the pipeline huffman
  int radius;                       ///< of it
  std::int64_t const* chunks;  ///< none: all; else those to decode, packed: the i-th into the i-th
                               ///< chunk_tiles * tile_values of field
  std::int64_t listed;         ///< how many there are

  /// How many chunks to decode.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t count() const {
    return chunks == nullptr ? chunk_count(tile_kind, extents) : listed;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t chunk(std::int64_t number) const {
    return chunks == nullptr ? number : chunks[number];
  }
  /// Where the values of a tile go, the t-th one of the chunk with this number: to its box, or packed.
  KOKKOS_FORCEINLINE_FUNCTION TileBox target(TileBox box, std::int64_t number, int t) const {
    if (chunks == nullptr) return box;
    box.origin = (number * chunk_tiles + t) * tile_values;
    box.row_pitch = box.nx;
    box.slab_pitch = static_cast<std::int64_t>(box.nx) * box.ny;
    return box;
  }
};

/// A value from its bits, of float in the low half.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T value_of_bits(std::uint64_t bits) {
  return Kokkos::bit_cast<T>(static_cast<unsigned_t<T>>(bits));
}

/// How a stream is decoded whose front is known.
template <class T>
KOKKOS_INLINE_FUNCTION DecodeArgs<T> decode_args(StreamFront const& front, std::byte const* stream,
                                                 Extents3 extents, T* field, DecodeResult* result) {
  DecodeArgs<T> args{};
  args.field = field;
  args.extents = extents;
  args.tile_kind = front.tile_kind;
  Fill<T> fill;
  if (front.has_fill) fill = {true, value_of_bits<T>(front.fill_bits)};
  args.quantizer = front.constant
                       ? Quantizer<T>::with_constant(value_of_bits<T>(front.constant_bits), fill)
                       : known_quantizer<T>(front.bound, front.dtype, fill);
  args.checksum = front.checksum;
  args.index = reinterpret_cast<std::uint64_t const*>(stream + front.index);
  args.payload = reinterpret_cast<std::uint32_t const*>(stream + front.payload);
  args.payload_bytes = front.payload_bytes;
  args.codebook = stream + front.codebook;
  args.codebook_checksum = front.codebook_checksum;
  args.result = result;
  return args;
}

/// A stream to decode before the host has seen its header, in the hope that it is one that this
/// library wrote for a field of this shape.
template <class T>
struct ExpectedArgs {
  std::byte const* stream;
  std::size_t memory_bytes;  ///< of the stream, or of memory that begins with one
  bool exact;                ///< which of both
  FieldShape shape;
  T* field;
  DecodeResult* result;  ///< cleared before the first launch
  huffman::DecodeBook* book =
      nullptr;                   ///< scratch for radii up to the default, of the pipeline huffman
  std::int64_t only_chunk = -1;  ///< or the one to decode, as if it were listed
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
