#ifndef KOMPAKT_IO_APPENDED_FILE_HPP
#define KOMPAKT_IO_APPENDED_FILE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <io/descriptor.hpp>
#include <kompakt/files.hpp>
#include <memory>
#include <span>

namespace kompakt::impl {

/// An existing file that is written behind its end. It gets its old length back at the end of the scope
/// unless commit() was reached. An advisory lock keeps others that append from it.
class AppendedFile {
 public:
  /// \param wait  for somebody else's lock
  /// \throws Error io if it cannot be opened for writing, or if it is still locked then
  AppendedFile(std::filesystem::path const& path, std::chrono::milliseconds wait = {});
  ~AppendedFile();
  AppendedFile(AppendedFile&&) noexcept = default;

  /// Its length when it was opened.
  std::uint64_t old_bytes() const { return m_old_bytes; }
  std::filesystem::path const& path() const { return m_path; }
  /// The same file, to be read.
  /// \throws Error io, also if another one has its name by now
  InputFile reader() const;
  void write(std::span<std::byte const> bytes);
  /// The next write goes so many bytes further behind.
  void skip(std::uint64_t bytes);
  /// Brings all bytes to the disk.
  /// \throws Error io, also if another program has removed, replaced, cut off or written to the file
  void sync();
  /// sync(), and what has been written stays.
  void commit();

 private:
  void require_untouched() const;
  void settle_skipped();

  std::filesystem::path m_path;        // as it was given, for messages
  std::filesystem::path m_place;       // the same wherever the process goes
  std::unique_ptr<Descriptor> m_file;  // none any more after commit()
  std::uint64_t m_old_bytes = 0;
  std::uint64_t m_bytes = 0;  // with what was added
  bool m_has_skipped = false;
  WritingProcess m_writer;
};

/// Whether someone holds the lock of a file at this moment.
bool is_locked(std::filesystem::path const& path) noexcept;
/// Waits until nobody does, for a file that is only read.
/// \throws Error io if it is still locked then
void await_unlocked(std::filesystem::path const& path, std::chrono::milliseconds wait);

/// The lock of a file that another one is about to take the place of, for as long as the result lives: nobody begins to
/// append to it meanwhile. Without a lock where there is no file, or none can be had.
/// \throws Error io if somebody else has it, saying who
std::unique_ptr<Descriptor> lock_replaced(std::filesystem::path const& path);

}  // namespace kompakt::impl

#endif
