#ifndef KOMPAKT_ARCHIVE_BLOCKS_HPP
#define KOMPAKT_ARCHIVE_BLOCKS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/archive.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Byte layout of an archive, version 1. docs/format.md is normative; the names are the same.

namespace kompakt::impl {

inline constexpr std::uint64_t archive_magic = 0x0a1a0a0d41504b89;  // 89 'K' 'P' 'A' 0d 0a 1a 0a
inline constexpr std::uint16_t archive_version = 1;
inline constexpr std::size_t block_alignment = 16;  // as that of frames
inline constexpr std::size_t block_header_bytes = 32;
inline constexpr std::size_t trailer_bytes = 48;  // header, place and length of the index

enum class BlockKind : std::uint16_t { start = 1, entry = 2, index = 3, trailer = 4 };

struct Block {
  std::uint16_t version;
  BlockKind kind;
  std::uint64_t offset;  ///< in the file
  std::uint64_t bytes;   ///< header included
};

/// A whole block, header included, that begins at `offset` of a file.
std::vector<std::byte> make_block(BlockKind kind, std::uint64_t offset,
                                  std::span<std::byte const> body);

/// Where and how long the index is.
std::vector<std::byte> trailer_body(Block const& index);

/// Where the index begins of which a trailer speaks, which ends where the trailer begins.
std::optional<std::uint64_t> index_offset(std::span<std::byte const> trailer, std::uint64_t end);

bool has_archive_magic(std::span<std::byte const> bytes);

/// The header of a block; nothing if there is none for this place.
/// \param start         bytes of the file from `offset` on, at least a header
/// \param bytes_of_file  in which the block must end
std::optional<Block> read_block_header(std::span<std::byte const> start, std::uint64_t offset,
                                       std::uint64_t bytes_of_file);

/// Whether the checksum of a block is right.
/// \param block  all of it
bool is_sound(std::span<std::byte const> block);

/// What an entry block says of its field; of an index block the same for each of its fields.
void append_record(std::vector<std::byte>& body, ArchiveEntry const& entry);
std::vector<std::byte> index_body(std::vector<ArchiveEntry> const& entries);

/// The entries of an entry or index block: names and attributes that can be used, streams that lie in front of
/// the block, one behind the other, and no name twice.
/// \param bytes  the block, which is sound
/// \throws Error corrupt, bad_argument
std::vector<ArchiveEntry> read_entries(Block const& block, std::span<std::byte const> bytes);

/// \throws Error bad_argument
void require_usable(char const* function, std::string_view name, Attributes const& attributes);

/// Checksum of a stream that comes in pieces.
class StreamChecksum {
 public:
  void add(std::span<std::byte const> bytes);
  std::uint32_t value() const;

 private:
  std::uint32_t m_sum = 0;
  std::uint32_t m_position = 0;          // of the next word, modulo 2^32
  std::array<std::byte, 4> m_started{};  // a word of which not all bytes have come
  std::size_t m_started_bytes = 0;
};

}  // namespace kompakt::impl

#endif
