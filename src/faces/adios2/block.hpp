#ifndef KOMPAKT_ADIOS2_BLOCK_HPP
#define KOMPAKT_ADIOS2_BLOCK_HPP

#include <cstddef>
#include <cstdint>
#include <span>

// The bytes of a block: a header, and behind it a stream or the values themselves. An operator is told neither type nor
// extents of what it shall restore.

namespace kompakt::adios2 {

struct Block {
  enum class Content : std::uint8_t { values = 0, stream = 1 };
  Content content = Content::values;
  std::uint64_t value_bytes = 0;    ///< when it is restored
  std::uint64_t payload_bytes = 0;  ///< behind the header
  std::uint32_t checksum = 0;       ///< of values; a stream has its own
};

inline constexpr std::size_t header_bytes = 32;

/// Writes the header of a block.
void write_header(Block const& block, std::byte* out);

/// A block that was found, of which header and length have been checked.
struct FoundBlock {
  Block block{};
  std::span<std::byte const> payload;
};
/// \throws Error bad_magic, unsupported_version or corrupt
FoundBlock find_block(std::span<std::byte const> bytes);

/// Checksum of bytes, at any address.
std::uint32_t checksum_of(std::span<std::byte const> bytes);

}  // namespace kompakt::adios2

#endif
