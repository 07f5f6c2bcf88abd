#ifndef KOMPAKT_ARCHIVE_INDEX_HPP
#define KOMPAKT_ARCHIVE_INDEX_HPP

#include <archive/blocks.hpp>
#include <kompakt/files.hpp>

namespace kompakt::impl {

/// A block of a file that is there and sound, with its bytes.
struct FoundBlock {
  Block head;
  std::vector<std::byte> bytes;
};

/// The block that begins at `offset`; nothing if there is none, or if its checksum does not match.
std::optional<FoundBlock> read_block(InputFile& file, std::uint64_t offset,
                                     std::uint64_t bytes_of_file);

/// The entries of the index that a trailer speaks of.
/// \throws Error corrupt
std::vector<ArchiveEntry> read_index(InputFile& file, FoundBlock const& trailer);

/// What ArchiveReader reads.
/// \throws Error bad_magic, unsupported_version, corrupt, io
std::vector<ArchiveEntry> read_archive(char const* function, InputFile& file);

/// \throws Error io if somebody appends to the file at this moment
void require_unlocked(char const* function, std::filesystem::path const& path);

}  // namespace kompakt::impl

#endif
