#ifndef KOMPAKT_ARCHIVE_INDEX_HPP
#define KOMPAKT_ARCHIVE_INDEX_HPP

#include <archive/blocks.hpp>
#include <kompakt/files.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kompakt::impl {

/// A block of a file that is there and sound, with its bytes.
struct FoundBlock {
  Block head;
  std::vector<std::byte> bytes;
};

/// The block that begins at `offset`; nothing if there is none, or if its checksum does not match.
std::optional<FoundBlock> read_block(InputFile& file, std::uint64_t offset,
                                     std::uint64_t bytes_of_file);

/// The fields of an archive, and the chain of index blocks that lists them.
class ArchiveIndex {
 public:
  /// In the order of the file.
  std::vector<ArchiveEntry> const& fields() const { return m_fields; }
  ArchiveEntry const* find(std::string_view name) const;
  /// The newest block of the chain.
  BlockLocation newest() const { return m_chain.empty() ? BlockLocation{} : m_chain.back().place; }

  /// A field behind all others, of a name that is not taken.
  void add(ArchiveEntry field);
  /// A field that is there.
  Removal remove(std::string_view name);

  /// What an index block says, whose place it is, when that of all before it has been taken.
  /// \throws Error corrupt if it adds what is there or removes what is not
  void take(Listing listing, BlockLocation const& place);
  /// What the next index block has to say: all that has changed, and what short blocks at the end of the chain
  /// have said before, which it replaces.
  Listing next() const;

 private:
  struct Link {
    BlockLocation place;
    std::uint64_t records;
  };
  struct ListedRemoval {
    Removal removal;
    std::uint64_t listed_at;  ///< offset of the block that says so
  };

  std::size_t links_to_keep(std::uint64_t new_records) const;

  std::vector<ArchiveEntry> m_fields;
  std::unordered_map<std::string, std::uint64_t> m_offsets;  // of streams, by name
  std::vector<ListedRemoval> m_removals;                     // of all blocks, and new ones
  std::vector<Link> m_chain;                                 // oldest first
};

/// The index that a trailer speaks of.
/// \throws Error unsupported_version, corrupt
ArchiveIndex read_index(InputFile& file, FoundBlock const& trailer);

/// What ArchiveReader reads.
/// \throws Error bad_magic, unsupported_version, corrupt, io
ArchiveIndex read_archive(InputFile& file);

}  // namespace kompakt::impl

#endif
