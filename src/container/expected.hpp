#ifndef KOMPAKT_CONTAINER_EXPECTED_HPP
#define KOMPAKT_CONTAINER_EXPECTED_HPP

#include <container/format.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>

namespace kompakt::impl {

/// What a decoder must know of a stream beside the shape of its field.
struct StreamFront {
  Pipeline pipeline = Pipeline::fixedlength;
  Variant variant = Variant::automatic;
  Dtype dtype = Dtype::f32;
  TileKind tile_kind = TileKind::chain;
  bool checksum = false, constant = false;
  std::uint64_t constant_bits = 0;
  bool has_fill = false;
  std::uint64_t fill_bits = 0;
  ErrorBound bound{};                  ///< resolved: absolute, relative to each value, lossless
  std::size_t index = 0, payload = 0;  ///< byte offsets
  std::size_t payload_bytes = 0;
  std::size_t codebook = 0, codebook_bytes = 0;  ///< offset; 0 bytes: there is none
  std::uint32_t codebook_checksum = 0;
  std::uint64_t codebook_head = 0;  ///< its first bytes
};

/// Reads the front of a stream that is expected to hold a field of this shape with its sections where
/// write_front() puts them, so that a device can start to decode before the host has seen the header.
/// By one thread. Checks only what keeps a decoder inside the stream and decides whether it may write
/// to the field; whoever relies on the outcome lets read_header() judge the same bytes.
/// \param memory_bytes  length of the stream, or of memory that begins with it
/// \param exact         which of both
/// \returns false for a front that is not as expected, sound or not
KOKKOS_INLINE_FUNCTION bool read_expected_front(std::byte const* stream, std::size_t memory_bytes,
                                                bool exact, FieldShape const& shape,
                                                StreamFront& front) {
  if (memory_bytes < StreamLayout(shape.rank, 0).payload) return false;
  auto const* const words = reinterpret_cast<std::uint64_t const*>(stream);
  auto const byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(words[at / 8] >> (at % 8 * 8) & 0xff);
  };
  std::size_t const stream_bytes = words[at::bytes / 8];
  auto const kind = byte(at::tile_kind), sections = byte(at::sections);
  auto const features = static_cast<std::uint32_t>(words[at::features / 8]);
  bool const has_codebook = byte(at::pipeline) == static_cast<std::uint32_t>(Pipeline::huffman);
  bool const has_fill = (features & feature::fill) != 0;
  if (words[at::magic / 8] != format_magic || (words[at::version / 8] & 0xffff) != format_version ||
      byte(at::dtype) != static_cast<std::uint32_t>(shape.dtype) || kind >= tile_kinds ||
      sections != static_cast<std::uint32_t>(sections_with(has_codebook, has_fill)) ||
      (features & ~feature::known) != 0 || stream_bytes > memory_bytes ||
      (exact && stream_bytes != memory_bytes)) {
    return false;
  }
  front.pipeline = static_cast<Pipeline>(byte(at::pipeline));
  front.variant = static_cast<Variant>(byte(at::variant));
  front.dtype = shape.dtype;
  front.tile_kind = static_cast<TileKind>(kind);
  front.checksum = (features & feature::chunk_checksum) != 0;
  front.constant = (features & feature::constant) != 0;
  front.constant_bits = words[at::constant / 8];
  // Relative to each value but below 0 or above 1, of a damaged stream, is as good as any.
  front.bound = resolved_bound(static_cast<ErrorBound::Mode>(byte(at::mode)),
                               Kokkos::bit_cast<double>(words[at::abs_bound / 8]));

  auto const entry = [&](int section) {
    return words + (header_bytes + static_cast<std::size_t>(section) * section_entry_bytes) / 8;
  };
  if (has_codebook) front.codebook_bytes = entry(section_count)[2];
  if (front.codebook_bytes > stream_bytes || front.codebook_bytes % section_alignment != 0 ||
      (front.codebook_bytes > 0) != has_codebook) {
    return false;
  }
  StreamLayout const layout(shape.rank, chunk_count(front.tile_kind, fold_shape(shape)),
                            front.codebook_bytes, has_fill);
  if (stream_bytes < layout.payload) return false;
  front.index = layout.index;
  front.payload = layout.payload;
  front.payload_bytes = stream_bytes - layout.payload;
  bool fits = true;
  auto const lies = [&](int number, SectionId id, std::size_t offset, std::size_t bytes) {
    std::uint64_t const* const e = entry(number);
    fits &= static_cast<std::uint32_t>(e[0]) == static_cast<std::uint32_t>(id) && e[1] == offset &&
            e[2] == bytes;
  };
  lies(0, SectionId::shape, layout.shape, shape_section_bytes(shape.rank));
  lies(1, SectionId::chunk_index, layout.index, layout.index_bytes);
  lies(2, SectionId::payload, layout.payload, front.payload_bytes);
  if (has_codebook) lies(3, SectionId::codebook, layout.codebook, front.codebook_bytes);
  if (has_fill) {
    lies(sections_with(has_codebook, false), SectionId::fill, layout.fill, fill_section_bytes);
    front.has_fill = true;
    front.fill_bits = words[layout.fill / 8];
  }
  if (has_codebook) {
    front.codebook = layout.codebook;
    front.codebook_checksum = static_cast<std::uint32_t>(entry(section_count)[0] >> 32);
    front.codebook_head = words[layout.codebook / 8];
  }
  std::uint64_t const* const section = words + layout.shape / 8;
  constexpr std::uint64_t head_mask = (std::uint64_t{1} << shape_head_bits) - 1;
  fits &= (section[0] & head_mask) == shape_head(shape);
  for (int i = 0; i < shape.rank; ++i) {
    fits &= section[1 + 3 * i] == shape.extents[static_cast<std::size_t>(i)];
  }
  return fits;
}

}  // namespace kompakt::impl

#endif
