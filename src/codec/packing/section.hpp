#ifndef KOMPAKT_PACKING_SECTION_HPP
#define KOMPAKT_PACKING_SECTION_HPP

#include <container/header.hpp>
#include <packing/model.hpp>

// What a packed stream says in front of its chunks: how long they are unpacked, and the model of their bytes.

namespace kompakt::impl {

/// The longest payload that is packed: half of the values. A longer one has little to gain, and who unpacks needs no more
/// memory than that.
/// \param coded  with the type as which values are coded
inline std::size_t max_packable_bytes(FieldShape const& coded) {
  return coded_bytes(coded) / 2 / word_bytes * word_bytes;
}

struct PackingSection {
  std::uint64_t payload_bytes;  ///< of the chunks as their coder wrote them
  ByteModel model;
};

/// A multiple of section_alignment bytes.
std::vector<std::byte> packing_section(std::uint64_t payload_bytes, ByteModel const& model);

/// Reads the section of a stream.
/// \throws Error corrupt, its message starting with the caller's name
PackingSection read_packing_section(Header const& header, std::span<std::byte const> bytes);

/// Throws Error corrupt unless the chunks of an index take as much as the header says, and are as much as the section.
void require_packed_sizes(Header const& header, PackingSection const& section,
                          std::uint64_t halfwords, std::uint64_t words);
[[noreturn]] void refuse_packed_chunk(std::int64_t chunk);

/// The header of the stream that unpacking makes: its sections lie where those of the packed one do, up to the index.
Header unpacked_header(Header const& packed, PackingSection const& section);

}  // namespace kompakt::impl

#endif
