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
  ErrorBound bound{};
  bool checksum = true;
  TileKind tile_kind = TileKind::chain;
  double abs_bound = 0;
  bool constant = false;
  std::uint64_t constant_bits = 0;
  std::uint64_t exceptions = 0;
  std::int64_t chunks = 0;
  std::size_t payload_bytes = 0;
};

/// Stores `bytes` low bytes of `value`, little-endian.
KOKKOS_INLINE_FUNCTION void put(std::byte* out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

namespace detail {

KOKKOS_INLINE_FUNCTION void put_section(std::byte* entry, SectionId id, std::uint32_t checksum,
                                        std::size_t offset, std::size_t bytes) {
  put(entry, static_cast<std::uint32_t>(id), 4);
  put(entry + 4, checksum, 4);
  put(entry + 8, offset, 8);
  put(entry + 16, bytes, 8);
}

KOKKOS_INLINE_FUNCTION void put_shape(std::byte* out, FieldShape const& shape) {
  put(out, static_cast<std::uint64_t>(shape.rank), 1);
  put(out + 1, static_cast<std::uint64_t>(shape.order), 1);
  put(out + 2, 0, 6);
  for (int i = 0; i < shape.rank; ++i) {
    std::byte* const axis = out + 8 + 24 * i;
    put(axis, shape.extents[static_cast<std::size_t>(i)], 8);
    put(axis + 8, 0, 8);  // origin: this stream is the whole field
    put(axis + 16, shape.extents[static_cast<std::size_t>(i)], 8);
  }
}

}  // namespace detail

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

/// Writes everything in front of the chunk index: header, section table, shape; by one thread,
/// member by member, padding zero.
/// \param out  StreamLayout::index bytes
KOKKOS_INLINE_FUNCTION void write_front(HeaderFields const& h, std::byte* out) {
  StreamLayout const layout(h.shape.rank, h.chunks);
  for (std::size_t i = 0; i < layout.index; ++i) out[i] = std::byte{0};
  put(out + at::magic, format_magic, 8);
  put(out + at::version, format_version, 2);
  put(out + at::pipeline, static_cast<std::uint64_t>(h.pipeline), 1);
  put(out + at::dtype, static_cast<std::uint64_t>(h.shape.dtype), 1);
  put(out + at::mode, static_cast<std::uint64_t>(h.bound.mode), 1);
  put(out + at::variant, static_cast<std::uint64_t>(h.variant), 1);
  put(out + at::tile_kind, static_cast<std::uint64_t>(h.tile_kind), 1);
  put(out + at::sections, section_count, 1);
  put(out + at::features,
      (h.checksum ? feature::chunk_checksum : 0) | (h.constant ? feature::constant : 0), 4);
  put(out + at::bytes, layout.payload + h.payload_bytes, 8);
  put(out + at::abs_bound, Kokkos::bit_cast<std::uint64_t>(h.abs_bound), 8);
  put(out + at::bound_value, Kokkos::bit_cast<std::uint64_t>(h.bound.value), 8);
  put(out + at::exceptions, h.exceptions, 8);
  put(out + at::constant, h.constant_bits, 8);

  detail::put_shape(out + layout.shape, h.shape);
  std::size_t const shape_bytes = shape_section_bytes(h.shape.rank);
  std::byte* const table = out + header_bytes;
  detail::put_section(
      table, SectionId::shape,
      checksum_bytes(out + layout.shape, shape_bytes, static_cast<std::uint32_t>(SectionId::shape)),
      layout.shape, shape_bytes);
  // The chunks' checksums cover index and payload: each is seeded with the chunk's number, so a
  // chunk that the index misplaces does not pass.
  detail::put_section(table + section_entry_bytes, SectionId::chunk_index, 0, layout.index,
                      layout.index_bytes);
  detail::put_section(table + 2 * section_entry_bytes, SectionId::payload, 0, layout.payload,
                      h.payload_bytes);
  put(out + at::checksum,
      checksum_bytes(out, header_bytes + section_count * section_entry_bytes, 0), 4);
}

}  // namespace kompakt::impl

#endif
