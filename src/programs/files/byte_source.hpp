#ifndef KOMPAKT_FILES_BYTE_SOURCE_HPP
#define KOMPAKT_FILES_BYTE_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/files.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kompakt::files {

/// Bytes that are read from the first one on, of a file, a pipe or a part of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Whether they can be read a second time; those of a pipe cannot.
  virtual bool can_rewind() const { return true; }
  /// The next bytes are the first ones again.
  virtual void rewind() = 0;
  /// Fills `to` unless the bytes end before.
  /// \returns the bytes read
  /// \throws Error io; corrupt for bytes that cannot be restored
  virtual std::size_t read(std::span<std::byte> to) = 0;
};

/// The bytes of a file from where it is.
std::unique_ptr<ByteSource> read_bytes(InputFile file);

/// Bytes that have been read of a pipe, and those behind them.
std::unique_ptr<ByteSource> read_behind(std::vector<std::byte> front, InputFile pipe);

/// The bytes of which a file has the deflated form, without a header.
/// \param label  for messages
/// \throws Error bad_argument without zlib
std::unique_ptr<ByteSource> read_inflated(InputFile file, std::string label);

/// Whether this program has zlib.
bool has_inflate() noexcept;

/// The bytes of another source, whose number and CRC-32 must be these.
/// \param label  for messages
std::unique_ptr<ByteSource> checked(std::unique_ptr<ByteSource> source, std::uint64_t bytes,
                                    std::uint32_t crc, std::string label);

}  // namespace kompakt::files

#endif
