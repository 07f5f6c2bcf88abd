#ifndef KOMPAKT_ARCHIVE_OUTPUT_HPP
#define KOMPAKT_ARCHIVE_OUTPUT_HPP

#include <archive/blocks.hpp>
#include <io/appended_file.hpp>
#include <kompakt/files.hpp>
#include <variant>

namespace kompakt::impl {

/// The end of an archive, where blocks and streams are added. Unless finish() is reached, a new file does not
/// appear, and an old one stays as it was.
class ArchiveOutput {
 public:
  explicit ArchiveOutput(OutputFile file);    ///< of a new archive
  explicit ArchiveOutput(AppendedFile file);  ///< of an existing one, whose end may be broken

  std::uint64_t position() const { return m_position; }
  void write(std::span<std::byte const> bytes);
  /// Zeros up to where a block or a frame may begin.
  void align();
  /// Behind the stream of a field, what says that it is one.
  void write_entry(ArchiveEntry const& entry);
  /// Index, trailer, and all that is before them on the disk. The trailer makes the index count, so of an
  /// existing file all else is on the disk before it.
  void finish(std::vector<ArchiveEntry> const& entries);

 private:
  Block write_block(BlockKind kind, std::span<std::byte const> body);

  std::variant<OutputFile, AppendedFile> m_file;
  std::uint64_t m_position = 0;
};

}  // namespace kompakt::impl

#endif
