#ifndef KOMPAKT_ARCHIVE_FINDINGS_HPP
#define KOMPAKT_ARCHIVE_FINDINGS_HPP

#include <archive/index.hpp>
#include <map>
#include <set>

namespace kompakt::impl {

/// A sound bundle, and where its members are.
struct FoundBundle {
  FoundBlock block;
  std::vector<Removal> members;

  BlockLocation place() const { return {block.head.offset, block.head.bytes}; }
};

/// What the sound blocks of a file say, wherever they are.
struct Findings {
  std::uint64_t end = 0;  ///< of the last block; 0: there is none
  /// What the newest trailer confirms whose chain of indices can be read, and where it ends.
  ArchiveIndex confirmed;
  std::uint64_t confirmed_end = 0;
  /// By any entry block or index behind that, at their places.
  std::map<std::uint64_t, ArchiveEntry> described;
  /// Bundles by their places, and those that an index lists, but that are damaged.
  std::map<std::uint64_t, FoundBundle> bundles;
  std::set<std::uint64_t> lost_bundles;
  /// Places of streams that a removal names: one that its trailer confirms, or any other.
  std::set<std::uint64_t> removed, to_be_removed;
};

/// Looks for blocks at every place where one may begin. They know their place, so that none is found inside of a
/// stream that holds an archive.
/// \throws Error io; unsupported_version if small fields need a newer library
Findings find_blocks(InputFile& file);

}  // namespace kompakt::impl

#endif
