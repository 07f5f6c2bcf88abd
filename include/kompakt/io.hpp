#ifndef KOMPAKT_IO_HPP
#define KOMPAKT_IO_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

// For a program whose files may be larger than memory, that shows progress and cleans up when it is
// interrupted, as the command line does.

class Descriptor;
class PartialFile;

/// A file, pipe or device that is read piece by piece.
class InputFile {
 public:
  /// \param function  with which messages start
  /// \throws Error io if it cannot be opened
  InputFile(char const* function, std::filesystem::path const& path);
  static InputFile standard_input(char const* function);
  ~InputFile();
  InputFile(InputFile&&) noexcept;

  /// What messages call it.
  std::filesystem::path const& path() const { return m_path; }
  /// How many bytes there are to read in all; nothing for a pipe or a device.
  std::optional<std::uint64_t> bytes() const;
  /// The same of a file that can be read at any place.
  /// \param function  with which the message starts
  /// \throws Error io for any other
  std::uint64_t known_bytes(char const* function) const;
  /// Fills `destination` unless the file ends before. Returns the bytes read.
  /// \throws Error io
  std::size_t read(std::span<std::byte> destination);
  /// The next read starts there. Only where bytes() gives a number.
  void seek(std::uint64_t position);
  /// Fills `destination` from there on.
  /// \throws Error io if the file ends before
  void read_at(std::uint64_t position, std::span<std::byte> destination);
  /// From now on this is a part of the file alone: of so many bytes, from the first one on. Only where
  /// bytes() gives a number.
  void narrow(std::uint64_t begin, std::uint64_t bytes);

 private:
  InputFile(char const* function, std::filesystem::path const& path, int descriptor);

  char const* m_function;
  std::filesystem::path m_path;
  std::unique_ptr<Descriptor> m_file;
  std::uint64_t m_begin = 0;  // standard input may be a file of which something has been read
  std::optional<std::uint64_t> m_left;  // of a part: bytes that are still to be read
  std::uint64_t m_part_bytes = 0;
};

/// What write_file() does, piece by piece: unless commit() is reached, nothing of it is left. Pipes and
/// devices are written in place.
class OutputFile {
 public:
  /// \throws Error io
  OutputFile(std::filesystem::path const& path, Overwrite overwrite);
  static OutputFile standard_output();
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;

  void write(std::span<std::byte const> bytes);
  void commit();

 private:
  explicit OutputFile(int descriptor);

  std::filesystem::path m_path;
  Overwrite m_overwrite = Overwrite::no;
  std::unique_ptr<PartialFile> m_partial;  // one of these two
  std::unique_ptr<Descriptor> m_in_place;
};

/// read_region() of a file, or of a part of it.
std::vector<std::byte> read_region(InputFile& file, std::span<std::size_t const> begin,
                                   std::span<std::size_t const> end);

/// As read_raw_field() refuses a file that holds `found` bytes instead.
[[noreturn]] void throw_wrong_size(std::filesystem::path const& path, FieldShape const& shape,
                                   std::string const& found);

/// Removes the file that is being written at this moment, if any; one that is appended to gets its old length
/// back. Safe in a signal handler, after which the process ends.
void remove_partial_file() noexcept;
/// Bytes that this process has read and written so far by the functions and classes above.
std::uint64_t read_bytes() noexcept;
std::uint64_t written_bytes() noexcept;

}  // namespace impl

}  // namespace kompakt

#endif
