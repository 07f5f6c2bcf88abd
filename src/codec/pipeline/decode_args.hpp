#ifndef KOMPAKT_PIPELINE_DECODE_ARGS_HPP
#define KOMPAKT_PIPELINE_DECODE_ARGS_HPP

#include <container/header.hpp>
#include <core/lattice.hpp>
#include <core/quantize.hpp>
#include <core/tile.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <pipeline/encode_args.hpp>

// What the kernels of a decompression take.

namespace kompakt::impl {

/// What can be wrong behind a checked header; the largest found is reported.
enum class DecodeFault : std::uint32_t {
  none = 0,
  index = 1,
  checksum = 2,
  record = 3,
  section = 4  ///< of the coder or the predictor
};
inline constexpr int decode_faults = 5;

/// What the host reads at the end of a call, in memory that both sides reach: a word for each fault,
/// set by whoever finds it, so that no two need to agree.
struct DecodeResult {
  std::uint32_t found[decode_faults];
  std::uint32_t decoded;  ///< by a speculative call: whether the stream was as it hoped
  alignas(8) std::byte front[inspect_bytes];  ///< of a speculative call: how the stream begins

  KOKKOS_FORCEINLINE_FUNCTION void report(DecodeFault fault) {
    *const_cast<std::uint32_t volatile*>(&found[static_cast<int>(fault)]) = 1;
  }
  void clear() {
    for (std::uint32_t& word : found) word = 0;
    decoded = 0;
  }
  DecodeFault worst() const {
    for (int fault = decode_faults - 1; fault > 0; --fault) {
      if (found[fault] != 0) return static_cast<DecodeFault>(fault);
    }
    return DecodeFault::none;
  }
};

/// A section of coder or predictor in memory of the execution space.
struct SectionBytes {
  std::byte const* data = nullptr;
  std::size_t bytes = 0;
  std::uint32_t checksum = 0;  ///< that it must have
  std::uint64_t head = 0;      ///< of a coder's section: its first bytes
};

template <class T>
struct DecodeArgs {
  using Value = T;
  T* field;
  void* narrow;  ///< in place of it, where a host's kernels write integers as they lie
  Dtype stored;  ///< of the integers there
  Dtype dtype;   ///< as which values are coded
  Extents3 extents;
  PredictionMethod method;
  TileShape tile_shape;
  LevelParts levels;  ///< if the predictor has levels: what is wanted of each
  Quantizer<T> quantizer;
  bool checksum;
  std::uint64_t const* index;  ///< chunks + 1 byte offsets into payload
  std::uint32_t const* payload;
  std::uint64_t payload_bytes;
  DecodeResult* result;
  SectionBytes coder_section, predictor_section;
  std::byte*
      coder_scratch;  ///< what the coder makes of its section, or of tiles that it takes ahead
  std::size_t coder_scratch_bytes;
  std::int64_t first;          ///< of the chunks to decode, if they are not listed
  std::int64_t run;            ///< how many from there on, of level 0; 0: all
  std::int64_t const* chunks;  ///< none: all; else those to decode, packed: the i-th into the i-th
                               ///< places of field that all tiles of a chunk have
  std::int64_t listed;         ///< how many there are, of level 0
  std::int64_t listed_above[max_levels + 1];  ///< of each level above, if the predictor has such

  /// How many chunks to decode.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t count() const {
    if (chunks != nullptr) return listed;
    return run > 0 ? run : chunk_count(method, tile_shape, extents) - first;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t chunk(std::int64_t number) const {
    return chunks == nullptr ? first + number : chunks[number];
  }
  /// Where the values of a tile go, the t-th one of the chunk with this number: to its box, or packed.
  KOKKOS_FORCEINLINE_FUNCTION TileBox target(TileBox const& box, std::int64_t number, int t) const {
    return chunks == nullptr ? box : box.packed((number * chunk_tiles + t) * tile_values);
  }
  KOKKOS_FORCEINLINE_FUNCTION LevelTile target(LevelTile tile, std::int64_t number, int t) const {
    if (chunks != nullptr && tile.level == 0) {
      static_cast<TileBox&>(tile) = tile.packed((number * sparse_chunk_tiles + t) * tile_values);
    }
    return tile;
  }
  /// Whether a tile is to be decoded.
  KOKKOS_FORCEINLINE_FUNCTION bool wants(TileBox const&) const { return true; }
  KOKKOS_FORCEINLINE_FUNCTION bool wants(LevelTile const& tile) const {
    return levels.of[tile.level].meets(tile);
  }
};

/// A value from its bits, of float in the low half.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T value_of_bits(std::uint64_t bits) {
  return Kokkos::bit_cast<T>(static_cast<unsigned_t<T>>(bits));
}

/// The types of streams that a device may decode before a host has seen their headers.
inline bool is_decoded_speculatively(Dtype dtype) { return dtype <= Dtype::u64; }
/// size_of() a type; on a device, which looks at headers of no other streams, of these types only. There each length is a constant to
/// the compiler: where it is computed, or for more types, decoders of huffman and of f64 are 8 to 25 % slower.
struct BytesForDecoder {
  KOKKOS_FORCEINLINE_FUNCTION std::size_t operator()(Dtype dtype) const {
    KOKKOS_IF_ON_HOST((return size_of(dtype);))
    KOKKOS_IF_ON_DEVICE((switch (dtype) {
      case Dtype::i8:
      case Dtype::u8: return 1;
      case Dtype::i16:
      case Dtype::u16: return 2;
      case Dtype::f32:
      case Dtype::i32:
      case Dtype::u32: return 4;
      default: return 8;
    }))
  }
};

/// How a stream is decoded whose header is known.
template <class T>
KOKKOS_INLINE_FUNCTION DecodeArgs<T> decode_args(Header const& header, std::byte const* stream,
                                                 T* field, DecodeResult* result) {
  DecodeArgs<T> args{};
  args.field = field;
  args.dtype = header.shape.dtype;
  args.extents = header.extents();
  args.method = header.method;
  args.tile_shape = header.tile_shape;
  Fill<T> fill;
  if (header.has_fill) fill = {true, value_of_bits<T>(header.fill_bits)};
  args.quantizer = header.constant
                       ? Quantizer<T>::with_constant(value_of_bits<T>(header.constant_bits), fill)
                       : given_quantizer<T>(header.resolved(), header.shape.dtype, fill,
                                            header.steps, BytesForDecoder{});
  if (header.has_width()) args.quantizer.take_width(value_of_bits<T>(header.constant_bits));
  if (header.has_reference()) {
    args.quantizer.constant_value = value_of_bits<T>(header.constant_bits);
  }
  args.checksum = header.checksum;
  if (has_levels(header.method)) {
    args.first = level_counts(args.extents).first_chunk;
  }
  auto const section = [&](SectionId id) { return stream + header.sections[id].offset; };
  args.index = reinterpret_cast<std::uint64_t const*>(section(SectionId::chunk_index));
  args.payload = reinterpret_cast<std::uint32_t const*>(section(SectionId::payload));
  args.payload_bytes = header.payload_bytes;
  args.coder_section = {section(SectionId::coder), header.extra.coder, header.coder_checksum,
                        header.coder_head};
  args.predictor_section = {section(SectionId::predictor), header.extra.predictor,
                            header.predictor_checksum};
  args.result = result;
  return args;
}

/// Memory that the threads of a block share while they read a header: how the stream begins, and what that says.
struct FrontMemory {
  std::uint64_t words[inspect_bytes / 8];
  Header header;
};

/// A stream to decode before the host has seen its header, in the hope that it is one that this library wrote for a
/// field of this shape.
template <class T>
struct SpeculativeArgs {
  std::byte const* stream;
  std::size_t memory_bytes;  ///< of the stream, or of memory that begins with one
  bool exact;                ///< which of both
  FieldShape shape;
  Pipeline pipeline;        ///< of the coder whose kernels are launched
  std::uint32_t variants;   ///< bit per Variant that it codes
  PredictionMethod method;  ///< of the predictor
  T* field;
  DecodeResult* result;                ///< cleared before the first launch
  std::byte* coder_scratch = nullptr;  ///< for radii up to the default
  std::int64_t only_chunk = -1;        ///< or the one to decode, as if it were listed

  /// Brings the front to shared memory, by `threads` threads of which the calling one is the `thread`-th: all loads at
  /// once, where one thread would wait for each.
  KOKKOS_INLINE_FUNCTION void fetch_front(int thread, int threads, FrontMemory& front) const {
    auto const* const words = reinterpret_cast<std::uint64_t const*>(stream);
    auto const count = static_cast<int>(front_bytes(memory_bytes) / 8);
    for (int i = thread; i < count; i += threads) front.words[i] = words[i];
  }
  /// Reads the header of a front that has been fetched, by one thread; whether the hope holds so far.
  KOKKOS_INLINE_FUNCTION bool read(FrontMemory& front) const {
    if (memory_bytes < StreamLayout(shape.rank, 0).payload) return false;
    Header& header = front.header;
    parse_header(reinterpret_cast<std::byte const*>(front.words), front_bytes(memory_bytes) / 8 * 8,
                 header);
    auto const variant = static_cast<std::uint32_t>(header.variant);
    bool const is_coded_so = header.pipeline == pipeline && header.method == method &&
                             variant < 32 && (variants >> variant & 1u) != 0;
    // Values are moved to limits in another kernel, which nobody has launched.
    return is_coded_so && header.extra.limits == 0 && header.steps.kind == ValueSteps::Kind::none &&
           is_as_written(header, shape, memory_bytes, exact);
  }
};

}  // namespace kompakt::impl

#endif
