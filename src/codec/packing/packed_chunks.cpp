#include <cstring>
#include <packing/packed_chunks.hpp>

namespace kompakt::impl {

PackedChunks::PackedChunks(Header const& header, std::span<std::byte const> section,
                           std::span<std::byte const> index)
    : m_packed{0}, m_begin{0} {
  PackingSection packing = read_packing_section(header, section);
  m_plain = unpacked_header(header, packing);
  for (std::size_t at = 0; at + sizeof(PackedEntry) <= index.size(); at += sizeof(PackedEntry)) {
    PackedEntry entry;
    std::memcpy(&entry, index.data() + at, sizeof(entry));
    m_packed.push_back(m_packed.back() + sizeof(std::uint16_t) * entry.halfwords);
    m_begin.push_back(m_begin.back() + sizeof(std::uint32_t) * entry.words);
  }
  require_packed_sizes(header, packing, m_packed.back() / 2, m_begin.back() / word_bytes);
  m_model = std::move(packing.model);
}

PackedChunks PackedChunks::read(InputFile& file, std::uint64_t begin, Header const& header) {
  auto const bytes_of = [&](SectionId id) {
    std::vector<std::byte> bytes(header.sections[id].bytes);
    file.read_at(begin + header.sections[id].offset, bytes);
    return bytes;
  };
  return {header, bytes_of(SectionId::packing), bytes_of(SectionId::chunk_index)};
}

bool PackedChunks::is_unpacked(std::span<std::byte const> packed, std::span<rans::Step const> steps,
                               std::span<std::uint32_t> words) const {
  PackedChunk const chunk{reinterpret_cast<std::uint16_t const*>(packed.data()),
                          static_cast<int>(packed.size() / sizeof(std::uint16_t)),
                          static_cast<int>(words.size())};
  return chunk.unpack(0, 1, steps.data(), m_model.tables(), words.data());
}

}  // namespace kompakt::impl
