#ifndef KOMPAKT_ARCHIVE_STREAM_CHECKSUM_HPP
#define KOMPAKT_ARCHIVE_STREAM_CHECKSUM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kompakt::impl {

/// Checksum of a stream that comes in pieces.
class StreamChecksum {
 public:
  /// \param position  of the first word; the checksum of a stream is the sum of those of its parts
  explicit StreamChecksum(std::uint32_t position) : m_position(position) {}
  StreamChecksum() = default;

  void add(std::span<std::byte const> bytes);
  /// Bytes that others have seen, from a whole word on to the end of one.
  /// \param checksum  of them, at their place
  void add(std::uint64_t bytes, std::uint32_t checksum) {
    m_sum += checksum;
    m_position += static_cast<std::uint32_t>(bytes / m_started.size());
  }
  std::uint32_t value() const;

 private:
  std::uint32_t m_sum = 0;
  std::uint32_t m_position = 0;          // of the next word, modulo 2^32
  std::array<std::byte, 4> m_started{};  // a word of which not all bytes have come
  std::size_t m_started_bytes = 0;
};

}  // namespace kompakt::impl

#endif
