#ifndef KOMPAKT_ARCHIVE_OUTPUT_HPP
#define KOMPAKT_ARCHIVE_OUTPUT_HPP

#include <archive/index.hpp>
#include <io/appended_file.hpp>
#include <io/partial_file.hpp>
#include <kompakt/files.hpp>
#include <memory>
#include <variant>

namespace kompakt::impl {

/// A file that lies beside its name until it is complete.
struct BesideFile {
  std::filesystem::path path;
  std::unique_ptr<PartialFile> partial;

  explicit BesideFile(std::filesystem::path const& target)
      : path(target), partial(std::make_unique<PartialFile>(target)) {}
  void write(std::span<std::byte const> bytes) { write_all(partial->file(), bytes, path); }
  void skip(std::uint64_t bytes) { skip_bytes(partial->file(), bytes, path); }
};

/// A new file that somebody else may make first.
struct ContestedFile : BesideFile {
  using BesideFile::BesideFile;
};

/// A file that takes the place of one to which nobody else appends.
struct ReplacingFile : BesideFile {
  AppendedFile old;

  explicit ReplacingFile(AppendedFile locked)
      : BesideFile(std::filesystem::canonical(locked.path())), old(std::move(locked)) {}
};

/// The end of an archive, where blocks and streams are added. Unless finish() is reached, a new file does not
/// appear, and an old one stays as it was.
class ArchiveOutput {
 public:
  explicit ArchiveOutput(OutputFile file);     ///< of a new archive
  explicit ArchiveOutput(ContestedFile file);  ///< of a new archive
  explicit ArchiveOutput(ReplacingFile file);  ///< of a new archive
  explicit ArchiveOutput(AppendedFile file);   ///< of an existing one

  std::uint64_t position() const { return m_position; }
  void write(std::span<std::byte const> bytes);
  /// Goes on behind bytes that others write.
  void skip(std::uint64_t bytes);
  /// Where others can write them; nothing for what has no places.
  std::optional<std::filesystem::path> file() const;
  /// Zeros up to where a block or a frame may begin, behind the bundle that was being filled.
  void align();
  /// Puts a small field into a bundle; says where it lies from now on, and gives the entry its stream.
  /// \returns whether it is small; else nothing has happened
  bool bundle(ArchiveEntry& entry, std::span<std::byte const> stream);
  /// Of an archive whose end may be broken: nothing of that goes on with what is written from now on.
  void close_broken_end();
  /// Behind the stream of a field, what says that it is one.
  void write_entry(ArchiveEntry const& entry);
  /// A field of another archive; says where it lies from now on.
  void copy(InputFile& file, ArchiveEntry& entry);
  /// Removals, index, trailer, and all that is before them on the disk. The trailer makes the index count, so of
  /// an existing file all else is on the disk before it.
  /// \param index     learns of the bundles that have been written
  /// \param removals  that are new
  /// \returns false if somebody else has made the file meanwhile
  bool finish(ArchiveIndex& index, std::vector<Removal> const& removals = {});

  /// The file that finish() could not give its name to, and its end.
  std::filesystem::path contested_path() const;
  void discard_contested();

 private:
  /// A block that has been written.
  struct WrittenBlock {
    BlockLocation place;
    std::vector<std::byte> bytes;
  };

  WrittenBlock write_block(BlockKind kind, std::span<std::byte const> body);
  void write_bundle();

  std::variant<OutputFile, ContestedFile, ReplacingFile, AppendedFile> m_file;
  std::uint64_t m_position = 0;
  std::vector<std::byte> m_members;  // of the bundle that begins here
  std::uint64_t m_member_count = 0;
  std::vector<WrittenBlock> m_bundles;
};

/// Calls use(piece) for all of a field's stream.
template <class Use>
void for_each_piece(InputFile& file, ArchiveEntry const& entry, Use const& use) {
  if (!entry.stream.empty()) return use(entry.stream);
  std::vector<std::byte> piece(std::min<std::uint64_t>(piece_bytes, entry.bytes));
  for (std::uint64_t at = 0; at < entry.bytes; at += piece.size()) {
    std::span<std::byte> const part =
        std::span(piece).first(std::min<std::uint64_t>(piece.size(), entry.bytes - at));
    file.read_at(entry.offset + at, part);
    use(part);
  }
}

}  // namespace kompakt::impl

#endif
