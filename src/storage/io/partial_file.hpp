#ifndef KOMPAKT_IO_PARTIAL_FILE_HPP
#define KOMPAKT_IO_PARTIAL_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <io/descriptor.hpp>
#include <kompakt/files.hpp>
#include <kompakt/io.hpp>
#include <span>
#include <string>
#include <sys/types.h>

namespace kompakt::impl {

/// Watcher that watch_files() has set, or one that does nothing.
FileWatcher& watcher() noexcept;

/// The same path from any folder; as it is if the folder of the process is gone.
std::filesystem::path absolute_path(std::filesystem::path const& path);

/// Writes all of `bytes`, however many calls it takes.
/// \param path  only named in messages
/// \throws Error io
void write_all(Descriptor const& file, std::span<std::byte const> bytes,
               std::filesystem::path const& path);

/// The next bytes are written so many further behind.
/// \param path  only named in messages
/// \throws Error io if the file has no places
void skip_bytes(Descriptor const& file, std::uint64_t bytes, std::filesystem::path const& path);

/// A file under a temporary name beside its target. It disappears at the end of its scope unless
/// commit() gave it the target's name.
class PartialFile {
 public:
  /// \throws Error io if it cannot be created
  explicit PartialFile(std::filesystem::path const& target);
  ~PartialFile();
  PartialFile(PartialFile const&) = delete;
  PartialFile& operator=(PartialFile const&) = delete;

  /// \throws Error io in a process that was forked since
  Descriptor const& file() const {
    m_writer.require_here(m_target);
    return m_file;
  }
  /// Brings the bytes to the disk and gives the file its name, and the owner and rights of a file that had it.
  /// \throws Error io; with Overwrite::no also if the name has been taken meanwhile, else if somebody appends to that file
  void commit(Overwrite overwrite);
  /// The same for who has the lock of that file.
  void commit_locked(Overwrite overwrite = Overwrite::yes);
  /// commit() without overwriting; false, and the file keeps its temporary name, if the other is taken.
  /// \throws Error io
  bool commit_unless_taken();
  /// Where the bytes are until then.
  std::filesystem::path path() const { return m_name; }

 private:
  void sync();
  /// Returns 0 or the error number.
  int rename(Overwrite overwrite);
  [[noreturn]] void refuse_name(int error) const;

  std::filesystem::path m_target;  ///< as it was given, for messages
  std::filesystem::path m_place;   ///< the same wherever the process goes
  std::string m_name;
  Descriptor m_file;  // after the name, which opening it fills
  bool m_committed = false;
  WritingProcess m_writer;
};

}  // namespace kompakt::impl

#endif
