#ifndef KOMPAKT_IO_HPP
#define KOMPAKT_IO_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <span>
#include <vector>

namespace kompakt {

/// Reads a whole file.
/// \throws Error io, naming the path and the reason
std::vector<std::byte> read_file(std::filesystem::path const& path);

/// Reads a raw field: the values in memory order, little-endian, no header.
/// \throws Error io if it cannot be read; bad_argument if its size is not that of `shape`
std::vector<std::byte> read_raw_field(std::filesystem::path const& path, FieldShape const& shape);

/// Reads of a stream in a file what decompress_region() needs for a box: its front, its codebook, and the
/// chunks that the box touches with their entries of the index.
/// \param begin, end  as those of decompress_region()
/// \returns a stream for decompress_region() of this box or a part of it; its other chunks count as damaged
/// \throws Error io if the file cannot be read in parts; bad_magic, unsupported_version, corrupt;
///         bad_argument for a box that does not lie in the field
std::vector<std::byte> read_region(std::filesystem::path const& path,
                                   std::span<std::size_t const> begin,
                                   std::span<std::size_t const> end);

enum class Overwrite : bool { no = false, yes = true };

/// Writes a file beside `path` and renames it when it is complete and on the disk, so that neither
/// a full disk nor a kill leaves half a file under the real name.
/// \throws Error io if it cannot be written, or if it exists and `overwrite` is `no`; what was
///         there stays as it was
void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes,
                Overwrite overwrite);

namespace impl {

// For a program that shows progress and cleans up when it is interrupted, as the command line does.

/// A file that is read in parts.
class FileParts {
 public:
  /// \param function  with which messages start
  /// \throws Error io unless it is a file that can be read at any place
  FileParts(char const* function, std::filesystem::path const& path);
  ~FileParts();
  FileParts(FileParts const&) = delete;
  FileParts& operator=(FileParts const&) = delete;

  /// Of the file, when it was opened.
  std::uint64_t bytes() const { return m_bytes; }
  /// Reads from byte `offset` of the file on.
  /// \throws Error io also if the file ends before `to` is full
  void read(std::uint64_t offset, std::span<std::byte> to) const;

 private:
  char const* m_function;
  std::filesystem::path m_path;
  int m_file;
  std::uint64_t m_bytes = 0;
};

/// Removes the file that write_file() is writing at this moment, if any. Safe in a signal handler.
void remove_partial_file() noexcept;
/// Bytes that the functions above have moved since the program started.
std::uint64_t transferred_bytes() noexcept;

}  // namespace impl

}  // namespace kompakt

#endif
