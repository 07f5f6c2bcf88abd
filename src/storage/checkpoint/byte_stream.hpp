#ifndef KOMPAKT_CHECKPOINT_BYTE_STREAM_HPP
#define KOMPAKT_CHECKPOINT_BYTE_STREAM_HPP

#include <archive/stream_checksum.hpp>
#include <checkpoint/manifest.hpp>
#include <checkpoint/values.hpp>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

// Checkpoints and fields in streams of C++. docs/format.md, "Checkpoints".

namespace kompakt::impl {

/// Writes bytes, numbers and texts, and their checksum.
class ByteWriter {
 public:
  explicit ByteWriter(std::ostream& out) : m_out(out) {}

  /// \throws Error io
  void bytes(std::span<std::byte const> bytes);
  void number(std::uint64_t number);
  void text(std::string_view text);
  std::uint32_t checksum() const { return m_checksum.value(); }

 private:
  std::ostream& m_out;
  StreamChecksum m_checksum;
};

/// Reads what a ByteWriter has written.
class ByteReader {
 public:
  explicit ByteReader(std::istream& in) : m_in(in) {}

  /// Replaces `bytes`, in memory that grows with what comes: `count` may be a lie.
  /// \throws Error io if the stream fails or ends before
  void bytes(std::uint64_t count, std::vector<std::byte>& bytes);
  std::uint64_t number();
  /// \throws Error corrupt also if it has more bytes
  std::string text(std::uint64_t max_bytes);
  std::uint32_t checksum() const { return m_checksum.value(); }

 private:
  void fill(std::span<std::byte> bytes);

  std::istream& m_in;
  StreamChecksum m_checksum;
};

/// \throws Error io, and as compressing does
void write_values(std::ostream& out, CheckpointValues const& values, AnyCodec& codec,
                  std::size_t frame_bytes, Manifest const& manifest);
/// Writes to the Views when all has been read and is sound.
/// \throws Error io, bad_magic, corrupt, bad_argument, type_mismatch
Manifest read_values(std::istream& in, CheckpointValues const& values, AnyCodec& codec,
                     std::string const& schema);

}  // namespace kompakt::impl

#endif
