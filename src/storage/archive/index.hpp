#ifndef KOMPAKT_ARCHIVE_INDEX_HPP
#define KOMPAKT_ARCHIVE_INDEX_HPP

#include <archive/blocks.hpp>
#include <functional>
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

/// The block of which these are all bytes, if it is the one that is named, and sound.
std::optional<FoundBlock> named_block(std::vector<std::byte> bytes, BlockLocation const& place,
                                      BlockKind kind);

/// A sound bundle of small fields. Its bytes are there if indices repeat them, so that nobody reads them elsewhere.
struct ListedBundle {
  BlockLocation place;
  std::vector<std::byte> repeated{};
};

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
  /// The bundle of small fields that are there; behind all others, before next().
  void add(ListedBundle bundle);
  /// The same of a block that has just been written or read: indices repeat it where it lies far from the one before.
  void add_bundle(BlockLocation const& place, std::span<std::byte const> block);
  /// A field that is there.
  Removal remove(std::string_view name);
  /// A member of a bundle that is no field.
  void leave_out(Removal member);

  /// Reads the fields of a bundle; nothing if it is damaged, and is to be passed over.
  using BundleSource = std::function<std::optional<std::vector<ArchiveEntry>>(ListedBundle const&)>;
  /// What an index block says, whose place it is, when all that was said before has been taken.
  /// \param fields_of  called for the bundles that the block lists
  /// \throws Error corrupt if it adds what is there or removes what is not; what `fields_of` throws
  void take(Listing listing, BlockLocation const& place, BundleSource const& fields_of = {});
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

  using RemovalsByOffset = std::unordered_map<std::uint64_t, Removal>;

  std::size_t links_to_keep(std::uint64_t new_records) const;
  void take_bundle(ListedBundle bundle, BundleSource const& fields_of, RemovalsByOffset& removals,
                   std::uint64_t listed_at);
  void take_removals(std::vector<Removal> removals, RemovalsByOffset& of_members,
                     std::uint64_t listed_at);
  void add_new(ArchiveEntry field);
  Listing since(std::uint64_t begin) const;

  std::vector<ArchiveEntry> m_fields;
  std::unordered_map<std::string, std::uint64_t> m_offsets;  // of streams, by name
  std::vector<ListedRemoval> m_removals;                     // of all blocks, and new ones
  std::vector<BlockLocation> m_bundles;                      // in the order of the file
  std::unordered_map<std::uint64_t, std::vector<std::byte>>
      m_repeated;                     // blocks of some, by offset
  std::vector<BlockLocation> m_lost;  // bundles that were passed over
  std::vector<Link> m_chain;          // oldest first
};

/// Index blocks with their places, the newest first.
using IndexChain = std::vector<std::pair<Listing, BlockLocation>>;
/// The chain of indices that a trailer speaks of.
/// \throws Error unsupported_version, corrupt
IndexChain read_chain(InputFile& file, FoundBlock const& trailer);
/// What a chain says.
/// \param lost  becomes the places of bundles that are damaged, whose fields are left out; without it they are corrupt
/// \throws Error unsupported_version, corrupt
ArchiveIndex read_index(InputFile& file, IndexChain chain,
                        std::vector<BlockLocation>* lost = nullptr);

/// What ArchiveReader reads.
/// \throws Error bad_magic, unsupported_version, corrupt, io
ArchiveIndex read_archive(InputFile& file);

}  // namespace kompakt::impl

#endif
