#ifndef KOMPAKT_CONTAINER_WRITER_HPP
#define KOMPAKT_CONTAINER_WRITER_HPP

#include <Kokkos_BitManipulation.hpp>
#include <container/format.hpp>
#include <core/checksum.hpp>
#include <kompakt/options.hpp>

namespace kompakt::impl {

/// What the header of a stream holds. Assembled on the device that encodes, because there the
/// bound, the tile kind and the sizes become known.
struct HeaderFields {
  Pipeline pipeline = Pipeline::fixedlength;
  Variant variant = Variant::automatic;
  FieldShape shape{};
  std::uint64_t reason_bits = 0;  ///< Reason::bits() of a choice
  ErrorBound bound{};
  bool checksum = true;
  TileKind tile_kind = TileKind::chain;
  double abs_bound = 0;
  bool constant = false;
  std::uint64_t constant_bits = 0;
  bool has_fill = false;
  std::uint64_t fill_bits = 0;
  std::uint64_t exceptions = 0;
  std::int64_t chunks = 0;
  std::size_t payload_bytes = 0;
  std::size_t codebook_bytes = 0;  ///< a multiple of section_alignment; 0: no such section
  std::uint32_t codebook_checksum = 0;
};

/// Stores `bytes` low bytes of `value`, little-endian.
KOKKOS_INLINE_FUNCTION void put(std::byte* out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

/// Checksum of `bytes` (a multiple of 4) bytes at a 4-byte aligned address.
KOKKOS_INLINE_FUNCTION std::uint32_t checksum_bytes(std::byte const* bytes, std::size_t size,
                                                    std::uint32_t seed) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < size / 4; ++i) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      word |= static_cast<std::uint32_t>(bytes[4 * i + b]) << (8 * b);
    }
    sum += checksum_word(word, static_cast<std::uint32_t>(i), seed);
  }
  return sum;
}

namespace detail {

inline constexpr std::size_t most_table_words =
    (header_bytes + most_sections * section_entry_bytes) / 8;

/// Header and section table as the 64-bit words that they lie in: with constant positions a device
/// keeps them in registers.
struct FrontWords {
  std::uint64_t word[most_table_words] = {};

  KOKKOS_FORCEINLINE_FUNCTION void put(std::size_t at, std::uint64_t value) {
    word[at / 8] |= value << (at % 8 * 8);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_section(int number, SectionId id, std::uint32_t checksum,
                                               std::size_t offset, std::size_t bytes) {
    std::size_t const entry = header_bytes + static_cast<std::size_t>(number) * section_entry_bytes;
    put(entry, static_cast<std::uint64_t>(id));
    put(entry + 4, checksum);
    put(entry + 8, offset);
    put(entry + 16, bytes);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t checksum(std::size_t words) const {
    std::uint32_t sum = 0;
    KOMPAKT_UNROLL
    for (std::uint32_t i = 0; i < most_table_words; ++i) {
      if (i < words) sum += checksum_of_pair(word[i], i, 0);
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t checksum_of_pair(std::uint64_t word,
                                                                    std::uint32_t number,
                                                                    std::uint32_t seed) {
    return checksum_word(static_cast<std::uint32_t>(word), 2 * number, seed) +
           checksum_word(static_cast<std::uint32_t>(word >> 32), 2 * number + 1, seed);
  }
};

/// Writes the shape section; returns its checksum.
KOKKOS_INLINE_FUNCTION std::uint32_t write_shape(FieldShape const& shape, std::uint64_t reason_bits,
                                                 std::uint64_t* out) {
  constexpr auto seed = static_cast<std::uint32_t>(SectionId::shape);
  out[0] = shape_head(shape) | reason_bits << shape_head_bits;
  std::uint32_t sum = FrontWords::checksum_of_pair(out[0], 0, seed);
  for (int i = 0; i < 3 * shape.rank; ++i) {
    // Extent, origin, extent of the whole: this stream is the whole field.
    std::uint64_t const word = i % 3 == 1 ? 0 : shape.extents[static_cast<std::size_t>(i / 3)];
    out[1 + i] = word;
    sum += FrontWords::checksum_of_pair(word, static_cast<std::uint32_t>(1 + i), seed);
  }
  return sum;
}

}  // namespace detail

/// Writes everything in front of the chunk index but the codebook: header, section table, shape; by one
/// thread, member by member, padding zero.
/// \param out  StreamLayout::index bytes, aligned to 8
KOKKOS_INLINE_FUNCTION void write_front(HeaderFields const& h, std::byte* out) {
  StreamLayout const layout(h.shape.rank, h.chunks, h.codebook_bytes, h.has_fill);
  auto* const words = reinterpret_cast<std::uint64_t*>(out);
  std::size_t const table_words = layout.table_end / 8;
  for (std::size_t at = table_words; at < layout.shape / 8; ++at) words[at] = 0;
  std::uint32_t const shape_checksum =
      detail::write_shape(h.shape, h.reason_bits, words + layout.shape / 8);
  std::size_t const shape_bytes = shape_section_bytes(h.shape.rank);
  for (std::size_t at = (layout.shape + shape_bytes) / 8; at < layout.codebook / 8; ++at)
    words[at] = 0;
  if (h.has_fill) words[layout.fill / 8] = h.fill_bits;

  detail::FrontWords front;
  front.put(at::magic, format_magic);
  front.put(at::version, format_version);
  front.put(at::pipeline, static_cast<std::uint64_t>(h.pipeline));
  front.put(at::dtype, static_cast<std::uint64_t>(h.shape.dtype));
  front.put(at::mode, static_cast<std::uint64_t>(h.bound.mode));
  front.put(at::variant, static_cast<std::uint64_t>(h.variant));
  front.put(at::tile_kind, static_cast<std::uint64_t>(h.tile_kind));
  front.put(at::sections,
            static_cast<std::uint64_t>(sections_with(h.codebook_bytes > 0, h.has_fill)));
  front.put(at::features, (h.checksum ? feature::chunk_checksum : 0) |
                              (h.constant ? feature::constant : 0) |
                              (h.has_fill ? feature::fill : 0));
  front.put(at::bytes, layout.payload + h.payload_bytes);
  front.put(at::abs_bound, Kokkos::bit_cast<std::uint64_t>(h.abs_bound));
  front.put(at::bound_value, Kokkos::bit_cast<std::uint64_t>(h.bound.value));
  front.put(at::exceptions, h.exceptions);
  front.put(at::constant, h.constant_bits);
  front.put_section(0, SectionId::shape, shape_checksum, layout.shape, shape_bytes);
  // The chunks' checksums cover index and payload: each is seeded with the chunk's number, so a
  // chunk that the index misplaces does not pass.
  front.put_section(1, SectionId::chunk_index, 0, layout.index, layout.index_bytes);
  front.put_section(2, SectionId::payload, 0, layout.payload, h.payload_bytes);
  if (h.codebook_bytes > 0) {
    front.put_section(3, SectionId::codebook, h.codebook_checksum, layout.codebook,
                      h.codebook_bytes);
  }
  if (h.has_fill) {
    constexpr auto seed = static_cast<std::uint32_t>(SectionId::fill);
    front.put_section(sections_with(h.codebook_bytes > 0, false), SectionId::fill,
                      detail::FrontWords::checksum_of_pair(h.fill_bits, 0, seed), layout.fill,
                      fill_section_bytes);
  }
  front.put(at::checksum, front.checksum(table_words));
  KOMPAKT_UNROLL
  for (std::size_t i = 0; i < detail::most_table_words; ++i) {
    if (i < table_words) words[i] = front.word[i];
  }
}

}  // namespace kompakt::impl

#endif
