#include <cstring>
#include <packing/packed_chunks.hpp>

namespace kompakt::impl {

PackedChunks::PackedChunks(char const* function, Header const& header,
                           std::span<std::byte const> section, std::span<std::byte const> index)
    : m_packed{0}, m_begin{0} {
  PackingSection packing = read_packing_section(function, header, section);
  m_plain = unpacked_header(header, packing);
  for (std::size_t at = 0; at + sizeof(PackedEntry) <= index.size(); at += sizeof(PackedEntry)) {
    PackedEntry entry;
    std::memcpy(&entry, index.data() + at, sizeof(entry));
    m_packed.push_back(m_packed.back() + sizeof(std::uint16_t) * entry.halfwords);
    m_begin.push_back(m_begin.back() + sizeof(std::uint32_t) * entry.words);
  }
  require_packed_sizes(function, header, packing, m_packed.back() / 2, m_begin.back() / word_bytes);
  m_model = std::move(packing.model);
}

bool PackedChunks::unpack(std::uint64_t chunk, std::span<std::byte const> packed,
                          std::span<rans::Step const> steps, std::span<std::uint32_t> words) const {
  PackedChunk const in{reinterpret_cast<std::uint16_t const*>(packed.data()),
                       static_cast<int>(packed.size() / sizeof(std::uint16_t)),
                       static_cast<int>((m_begin[chunk + 1] - m_begin[chunk]) / word_bytes)};
  if (in.words == 0) return in.halfwords == 0;
  bool sound = in.has_lengths();
  int at = length_halfwords(in.words);
  for (int lane = 0; sound && lane < lane_count(in.words); at += in.length(lane++)) {
    sound =
        in.decode(lane, at, steps.data(), m_model.tables(), words.data() + lane * rans::lane_words);
  }
  return sound;
}

}  // namespace kompakt::impl
