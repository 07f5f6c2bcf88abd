#ifndef KOMPAKT_PACKING_PACKED_CHUNKS_HPP
#define KOMPAKT_PACKING_PACKED_CHUNKS_HPP

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
  PackedChunks(char const* function, Header const& header, std::span<std::byte const> section,
               std::span<std::byte const> index);

  /// The header of the stream that they make.
  Header const& plain() const { return m_plain; }
  /// Where a chunk begins in the payload, in bytes; also for the chunk behind the last one.
  std::uint64_t packed_begin(std::uint64_t chunk) const { return m_packed[chunk]; }
  /// The same for the payload of the stream that they make: its index.
  std::uint64_t plain_begin(std::uint64_t chunk) const { return m_begin[chunk]; }
  /// What unpack() looks up: up to 32 KiB, made anew.
  std::vector<rans::Step> steps() const { return m_model.steps(); }
  /// Unpacks a chunk.
  /// \param packed  its bytes, aligned to 2
  /// \param words   room for what it is
  /// \returns whether it is sound
  bool unpack(std::uint64_t chunk, std::span<std::byte const> packed,
              std::span<rans::Step const> steps, std::span<std::uint32_t> words) const;

 private:
  Header m_plain;
  ByteModel m_model;
  std::vector<std::uint64_t> m_packed, m_begin;
};

}  // namespace kompakt::impl

#endif
