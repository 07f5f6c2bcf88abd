#ifndef KOMPAKT_ARCHIVE_BLOCKS_HPP
#define KOMPAKT_ARCHIVE_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/archive.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Byte layout of an archive, version 1. docs/format.md is normative; the names are the same.

namespace kompakt::impl {

inline constexpr std::uint64_t archive_magic = 0x0a1a0a0d41504b89;  // 89 'K' 'P' 'A' 0d 0a 1a 0a
inline constexpr std::uint16_t archive_version = 1;
inline constexpr std::size_t block_alignment = 16;  // as that of frames
inline constexpr std::size_t block_header_bytes = 32;
inline constexpr std::size_t trailer_bytes = 48;  // header, place and length of the index

enum class BlockKind : std::uint16_t {
  start = 1,
  entry = 2,
  index = 3,
  trailer = 4,
  removal = 5,
  bundle = 6
};

struct Block {
  std::uint16_t version;
  BlockKind kind;
  std::uint64_t offset;  ///< in the file
  std::uint64_t bytes;   ///< header included
};

/// Where a block lies in the file. Of no bytes: there is none.
struct BlockLocation {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  std::uint64_t end() const { return offset + bytes; }
  bool is_none() const { return bytes == 0; }
};

/// The one of some blocks, in the order of the file, that a place lies in.
BlockLocation block_around(std::span<BlockLocation const> blocks, std::uint64_t place);

/// The field of this name whose stream begins at `offset` is no longer one of the archive.
struct Removal {
  std::string name;
  std::uint64_t offset = 0;

  friend bool operator==(Removal const&, Removal const&) = default;
};

/// What an index block says: what has changed since the index before it. Removals come first.
struct Listing {
  BlockLocation previous{};
  std::vector<Removal> removals;  ///< also of members of bundles that are listed
  std::vector<ArchiveEntry>
      fields;  ///< in the order of the file; records of bundles in place of their fields

  std::uint64_t records() const { return removals.size() + fields.size(); }
};

/// A whole block, header included, that begins at `offset` of a file.
std::vector<std::byte> make_block(BlockKind kind, std::uint64_t offset,
                                  std::span<std::byte const> body);

std::vector<std::byte> entry_body(ArchiveEntry const& entry);
std::vector<std::byte> removal_body(Removal const& removal);
std::vector<std::byte> index_body(Listing const& listing);
std::vector<std::byte> trailer_body(BlockLocation const& index);

/// Whether a record of an index stands for the fields of a bundle: it has no name.
bool is_bundle(ArchiveEntry const& record);
/// \param block  the bytes of the bundle, if the index repeats them
ArchiveEntry record_of(BlockLocation const& bundle, std::vector<std::byte> block = {});

bool has_archive_magic(std::span<std::byte const> bytes);
/// Whether a stream begins so.
bool has_stream_magic(std::span<std::byte const> bytes);

/// The header of a block; nothing if there is none for this place.
/// \param start          bytes of the file from `offset` on, at least a header
/// \param bytes_of_file  in which the block must end
std::optional<Block> read_block_header(std::span<std::byte const> start, std::uint64_t offset,
                                       std::uint64_t bytes_of_file);

/// Whether the checksum of a block is right.
/// \param block  all of it
bool is_sound(std::span<std::byte const> block);

// What is in a sound block of that kind, `bytes` of which are given. Names and attributes can be used, streams lie
// in front of the block; all throw Error corrupt.

ArchiveEntry read_entry(Block const& block, std::span<std::byte const> bytes);
Removal read_removal(Block const& block, std::span<std::byte const> bytes);
/// Streams and bundles lie behind the index before this one, one behind the other. What is removed lies in front of this one.
Listing read_listing(Block const& block, std::span<std::byte const> bytes);
/// The place of the index of which a trailer speaks, which ends where the trailer begins.
BlockLocation read_trailer(Block const& block, std::span<std::byte const> bytes);

}  // namespace kompakt::impl

#endif
