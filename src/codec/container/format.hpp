#ifndef KOMPAKT_CONTAINER_FORMAT_HPP
#define KOMPAKT_CONTAINER_FORMAT_HPP

#include <Kokkos_Macros.hpp>
#include <core/bits.hpp>
#include <core/lattice.hpp>
#include <core/tile.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <limits>

// Byte layout of a stream, format version 1. docs/format.md is normative; the names are the same.

namespace kompakt::impl {

inline constexpr std::uint64_t format_magic = 0x0a1a0a0d4b504b89;  // 89 'K' 'P' 'K' 0d 0a 1a 0a
inline constexpr std::uint16_t format_version = 1;

inline constexpr std::size_t header_bytes = 64;
inline constexpr std::size_t section_entry_bytes = 24;
inline constexpr std::size_t section_alignment = 16;  // device loads can be 16 bytes wide
inline constexpr std::size_t inspect_bytes = 1024;    // header, table and shape always lie in here
/// How many of a stream's bytes to look at for all that lies in front of the index.
KOKKOS_INLINE_FUNCTION constexpr std::size_t front_bytes(std::size_t stream_bytes) {
  return stream_bytes < inspect_bytes ? stream_bytes : inspect_bytes;
}

/// Byte positions of the header's members.
namespace at {
inline constexpr std::size_t magic = 0;         // u64
inline constexpr std::size_t version = 8;       // u16
inline constexpr std::size_t pipeline = 10;     // u8
inline constexpr std::size_t dtype = 11;        // u8
inline constexpr std::size_t mode = 12;         // u8
inline constexpr std::size_t variant = 13;      // u8
inline constexpr std::size_t tiling = 14;       // u8, shape of tiles and predictor
inline constexpr std::size_t sections = 15;     // u8
inline constexpr std::size_t features = 16;     // u32, bits a reader must know
inline constexpr std::size_t checksum = 20;     // u32, of header (this member 0) and table
inline constexpr std::size_t bytes = 24;        // u64, of the whole stream
inline constexpr std::size_t abs_bound = 32;    // f64
inline constexpr std::size_t bound_value = 40;  // f64
inline constexpr std::size_t exceptions = 48;   // u64
inline constexpr std::size_t constant = 56;     // u64, bits of the constant value
}  // namespace at

/// The header's `tiling`: the TileShape in the low bits, the PredictionMethod above them.
inline constexpr std::uint64_t tile_shape_mask = 0xf;
inline constexpr int predictor_shift = 4;

/// Bits of the header's `features`. A reader refuses a stream with a bit it does not know.
namespace feature {
inline constexpr std::uint32_t chunk_checksum = 1;  // every chunk's head has a checksum word
inline constexpr std::uint32_t constant = 2;        // bins reconstruct to the header's constant
inline constexpr std::uint32_t fill = 4;            // tiles may have masks of a fill value
inline constexpr std::uint32_t packed = 8;          // the bytes of chunks are coded once more
inline constexpr std::uint32_t limits = 16;         // values are moved to limits
inline constexpr int steps_shift = 5;               // three bits: ValueSteps::Kind, or
inline constexpr std::uint32_t width_of_bins = 6;   // in them
inline constexpr std::uint32_t steps = 7u << steps_shift;
inline constexpr std::uint32_t parts = 256;  // the slowest index tells parts of complex numbers
inline constexpr std::uint32_t known =
    chunk_checksum | constant | fill | packed | limits | steps | parts;
}  // namespace feature

/// Section ids. A reader skips ids it does not know: what cannot be skipped has a feature bit.
enum class SectionId : std::uint32_t {
  shape = 1,
  chunk_index = 2,
  payload = 3,
  coder = 4,  ///< what a coder's records refer to: of huffman its codebook
  fill = 5,
  predictor = 6,  ///< what tiles are predicted from beside themselves
  packing = 7,    ///< how the bytes of packed chunks are distributed
  limits = 8      ///< that no value leaves which lay between them
};
inline constexpr int section_count =
    3;  // and one more for each of coder, fill value, predictor, packing and limits
inline constexpr std::uint32_t max_sections = 8;  // ids 1 to this one

/// Bytes of the sections that not every stream has, multiples of section_alignment; 0: none.
struct ExtraBytes {
  std::size_t predictor = 0, coder = 0, packing = 0, limits = 0;
};
KOKKOS_INLINE_FUNCTION constexpr int sections_with(ExtraBytes extra, bool fill) {
  return section_count + (extra.predictor > 0 ? 1 : 0) + (extra.coder > 0 ? 1 : 0) +
         (fill ? 1 : 0) + (extra.packing > 0 ? 1 : 0) + (extra.limits > 0 ? 1 : 0);
}

/// The longest packing section: four tables of 256 entries.
inline constexpr std::size_t max_packing_bytes = 912;
/// Whether one call can take a field of so many chunks. A launch has no more teams than an int counts: one a chunk, or
/// one a tile of a predictor with levels.
constexpr bool fits_one_call(PredictionMethod method, std::int64_t chunks) {
  return chunks < std::numeric_limits<int>::max() / (has_levels(method) ? sparse_chunk_tiles : 1);
}

/// Bytes of the index: an offset a chunk and the payload's size; of a packed stream the lengths of chunks.
KOKKOS_INLINE_FUNCTION constexpr std::size_t index_section_bytes(std::int64_t chunks, bool packed) {
  auto const count = static_cast<std::size_t>(chunks);
  return packed ? 4 * count : 8 * (count + 1);
}

/// The fill section: the bits of the fill value (f32 in the low half).
inline constexpr std::size_t fill_section_bytes = 8;

/// The limits section: two doubles, each a value of the field's type or infinite.
inline constexpr std::size_t limits_section_bytes = 16;

/// The shape section: a head of rank, order and the reason of a choice, then for each index of the field
/// its extent, the origin of this stream's part, and the extent of the whole (0 if not yet known).
KOKKOS_INLINE_FUNCTION constexpr std::size_t shape_section_bytes(int rank) {
  return 8 + 24 * static_cast<std::size_t>(rank);
}

/// Order in which the indices of a field are coded: three of them are named, the others follow as in memory.
struct IndexOrder {
  std::int16_t lead =
      0;  ///< how many run faster in memory than the one that is coded as the fastest
  std::int8_t second = 0;  ///< how many of the others run faster than the one that is coded second
  std::int8_t third = 0;   ///< and of those that remain, faster than the third

  KOKKOS_INLINE_FUNCTION constexpr bool is_natural() const {
    return lead == 0 && second == 0 && third == 0;
  }
  /// Brings numbers of the indices, those of the fastest in memory first, into this order; `max_rank` of them.
  template <class Number>
  KOKKOS_INLINE_FUNCTION constexpr void arrange(Number* numbers) const {
    bring(numbers, lead, 0);
    bring(numbers, second + 1, 1);
    bring(numbers, third + 2, 2);
  }
  friend bool operator==(IndexOrder const&, IndexOrder const&) = default;

 private:
  template <class Number>
  KOKKOS_INLINE_FUNCTION static constexpr void bring(Number* numbers, int from, int to) {
    Number const moved = numbers[from];
    for (int i = from; i > to; --i) numbers[i] = numbers[i - 1];
    numbers[to] = moved;
  }
};

/// Where the head of the shape section has its parts.
namespace shape_head_at {
inline constexpr int third = 4, order = 8, second = 9, lead = 12, reason = 16;
}

/// The shape section's head, but for the reason of a choice, which lies above it.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t shape_head(FieldShape const& shape,
                                                          IndexOrder const& coded) {
  return static_cast<std::uint64_t>(shape.rank) |
         static_cast<std::uint64_t>(coded.third) << shape_head_at::third |
         static_cast<std::uint64_t>(shape.order) << shape_head_at::order |
         static_cast<std::uint64_t>(coded.second) << shape_head_at::second |
         static_cast<std::uint64_t>(coded.lead) << shape_head_at::lead;
}

/// Words in front of a non-empty chunk's records: four 16-bit record lengths, checksum if asked.
KOKKOS_INLINE_FUNCTION constexpr int chunk_head_words(bool checksum) { return checksum ? 3 : 2; }
/// With those of its head that a chunk of more tiles has behind its records: two lengths a word.
KOKKOS_INLINE_FUNCTION constexpr int max_chunk_head_words(int tiles, bool checksum) {
  return chunk_head_words(checksum) + (tiles > chunk_tiles ? (tiles - 1) / 2 : 0);
}

KOKKOS_INLINE_FUNCTION constexpr std::size_t align_section(std::size_t offset) {
  return ceil_div(offset, section_alignment) * section_alignment;
}

/// Where the sections of a stream lie; everything but the payload's size is known from the shape.
struct StreamLayout {
  std::size_t table_end;
  std::size_t shape, fill, limits, predictor, coder, packing, index, payload;  ///< byte offsets
  std::size_t index_bytes;

  KOKKOS_INLINE_FUNCTION constexpr StreamLayout(int rank, std::int64_t chunks,
                                                ExtraBytes extra = {}, bool has_fill = false)
      : table_end(header_bytes +
                  static_cast<std::size_t>(sections_with(extra, has_fill)) * section_entry_bytes),
        shape(align_section(table_end)),
        fill(align_section(shape + shape_section_bytes(rank))),
        limits(align_section(fill + (has_fill ? fill_section_bytes : 0))),
        predictor(limits + extra.limits),
        coder(predictor + extra.predictor),
        packing(coder + extra.coder),
        index(packing + extra.packing),
        payload(align_section(index + index_section_bytes(chunks, extra.packing > 0))),
        index_bytes(index_section_bytes(chunks, extra.packing > 0)) {}
};

/// Bytes of a value as tiles have it: integers of 8 and 16 bits are words.
constexpr std::size_t coded_bytes(Dtype dtype) {
  std::size_t const bytes = size_of(dtype);
  return bytes < word_bytes ? word_bytes : bytes;
}

/// Bytes of a field's values as kernels take them.
constexpr std::size_t coded_bytes(FieldShape const& shape) {
  return shape.size() * coded_bytes(shape.dtype);
}

/// Bytes of all records at most: every tile is raw; integers narrower than that have as many planes as bits
/// behind what a record begins with.
constexpr std::size_t max_record_bytes(FieldShape const& shape, std::int64_t chunks) {
  constexpr std::size_t max_front_bytes = 64;
  std::size_t const raw = coded_bytes(shape);
  if (raw == shape.bytes()) return raw;
  std::size_t const tiles = static_cast<std::size_t>(chunks * chunk_tiles),
                    tile_bytes = tile_values * size_of(shape.dtype) + max_front_bytes;
  return tiles > raw / tile_bytes ? raw : tiles * tile_bytes;  // no product that does not fit
}

/// Bytes of the largest stream with this layout: no chunk is empty.
/// \param head_words  of a chunk's head, at most
constexpr std::size_t worst_case_bytes(StreamLayout const& layout, std::int64_t chunks,
                                       std::size_t record_bytes, int head_words) {
  std::size_t const head_bytes = static_cast<std::size_t>(head_words) * word_bytes;
  return layout.payload + static_cast<std::size_t>(chunks) * head_bytes + record_bytes;
}

/// Drops extents of 1 and folds the slowest axes together until three are left, fastest first.
/// \param extents_fastest_first  rank of them
KOKKOS_INLINE_FUNCTION constexpr Extents3 fold_extents(std::size_t const* extents_fastest_first,
                                                       int rank) {
  std::int64_t folded[3] = {1, 1, 1};
  int axis = 0;
  for (int i = 0; i < rank; ++i) {
    auto const n = static_cast<std::int64_t>(extents_fastest_first[i]);
    if (n == 1) continue;
    int const to = axis < 2 ? axis : 2;
    folded[to] *= n;
    ++axis;
  }
  return {folded[0], folded[1], folded[2]};
}

/// Which entry of the extents an index has that `faster` others run faster than, and the other way round.
KOKKOS_INLINE_FUNCTION constexpr int entry_of(FieldShape const& shape, int faster) {
  return shape.order == Order::last_fastest ? shape.rank - 1 - faster : faster;
}

/// The folded extents of a field, x fastest.
/// \param coded  the order in which its indices are coded
KOKKOS_INLINE_FUNCTION constexpr Extents3 fold_shape(FieldShape const& shape,
                                                     IndexOrder const& coded = {}) {
  std::size_t extents[max_rank + 2] = {};
  for (int i = 0; i < shape.rank; ++i) {
    extents[i] = shape.extents[static_cast<std::size_t>(entry_of(shape, i))];
  }
  if (!coded.is_natural()) coded.arrange(extents);
  return fold_extents(extents, shape.rank);
}

}  // namespace kompakt::impl

#endif
