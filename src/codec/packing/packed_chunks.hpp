#ifndef KOMPAKT_PACKING_PACKED_CHUNKS_HPP
#define KOMPAKT_PACKING_PACKED_CHUNKS_HPP

#include <kompakt/files.hpp>
#include <optional>
#include <packing/packed_chunk.hpp>
#include <packing/section.hpp>
#include <span>
#include <vector>

namespace kompakt::impl {

/// The chunks of a packed stream for a host that reads some of them, such as from a file.
class PackedChunks {
 public:
  /// \param header   of the packed stream
  /// \param section  the bytes of its packing section
  /// \param index    those of its index
  /// \throws Error corrupt, its message starting with the caller's name
  PackedChunks(Header const& header, std::span<std::byte const> section,
               std::span<std::byte const> index);
  /// Of a stream that begins at a place of a file; reads what it takes.
  static PackedChunks read(InputFile& file, std::uint64_t begin, Header const& header);

  /// The header of the stream that they make.
  Header const& plain() const { return m_plain; }
  /// Where a chunk begins in the payload, in bytes; also for the chunk behind the last one.
  std::uint64_t packed_begin(std::uint64_t chunk) const { return m_packed[chunk]; }
  /// The same for the payload of the stream that they make: its index.
  std::uint64_t plain_begin(std::uint64_t chunk) const { return m_begin[chunk]; }
  /// What unpack() looks up: up to 32 KiB, made anew.
  std::vector<rans::Step> steps() const { return m_model.steps(); }
  /// Unpacks the chunks first, …, last - 1, one after the other.
  /// \param packed  their bytes, aligned to 2
  /// \param take    take(chunk, words): what a chunk is; without a value: it is damaged
  template <class Take>
  void unpack(std::uint64_t first, std::uint64_t last, std::span<std::byte const> packed,
              std::span<rans::Step const> steps, Take const& take) const {
    std::vector<std::uint32_t> words;
    for (std::uint64_t chunk = first; chunk < last; ++chunk) {
      std::uint64_t const at = m_packed[chunk] - m_packed[first];
      words.resize((m_begin[chunk + 1] - m_begin[chunk]) / word_bytes);
      auto const bytes = packed.subspan(at, m_packed[chunk + 1] - m_packed[chunk]);
      if (is_unpacked(bytes, steps, words)) {
        take(chunk, std::optional(std::as_bytes(std::span(words))));
      } else {
        take(chunk, std::optional<std::span<std::byte const>>());
      }
    }
  }

 private:
  bool is_unpacked(std::span<std::byte const> packed, std::span<rans::Step const> steps,
                   std::span<std::uint32_t> words) const;

  Header m_plain;
  ByteModel m_model;
  std::vector<std::uint64_t> m_packed, m_begin;
};

}  // namespace kompakt::impl

#endif
