#ifndef KOMPAKT_FILES_HPP
#define KOMPAKT_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <kompakt/field.hpp>
#include <kompakt/io.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Files piece by piece, for a program whose files may be larger than memory, that shows progress and cleans up
// when it is interrupted. Host only; one thread at a time uses a file. kompakt/io.hpp has whole files.

namespace kompakt {

/// Identity of a file: another one that gets its name has another, and so has this one once somebody has written to it.
struct FileIdentity {
  std::uint64_t device = 0;  ///< which each machine numbers for itself
  std::uint64_t number = 0;  ///< of the file on it
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since 1970

  friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

/// A file, pipe or device that is read piece by piece.
class InputFile {
 public:
  /// \throws Error io if it cannot be opened
  explicit InputFile(std::filesystem::path const& path);
  /// From where it is now: what has been read of it before does not count.
  /// \throws Error io if it is closed
  static InputFile standard_input();
  /// Bytes in host memory read like a file; they must live as long as this.
  static InputFile of_memory(std::span<std::byte const> bytes);
  /// Fills a span with the bytes from a position on, all of them, or throws.
  using ReadAt = std::function<void(std::uint64_t position, std::span<std::byte> destination)>;
  /// Bytes that a function fetches, such as an object in a store, read like a file. What `read_at` throws leaves the
  /// call that needed the bytes.
  /// \param bytes  how many there are
  /// \param name   what messages call it
  static InputFile of_calls(std::uint64_t bytes, ReadAt read_at,
                            std::filesystem::path const& name = "calls");
  /// A second reader of this file, at its first byte, independent of this one. It is the file that was
  /// opened, even if another one has its name now, or none. Not of a pipe or a device; standard input may be a file.
  /// \throws Error io for these
  InputFile again() const;
  ~InputFile();
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;

  /// Name in messages.
  std::filesystem::path const& path() const noexcept;
  /// Number of bytes to read in all; nothing for a pipe or a device.
  std::optional<std::uint64_t> bytes() const;
  /// Number of bytes to read in all, of a file that can be read at any place.
  /// \throws Error io for any other
  std::uint64_t known_bytes() const;
  /// The file that was opened, as it is now; nothing for a pipe, a device, memory and calls.
  std::optional<FileIdentity> identity() const;
  /// Refuses this file if another one was opened under its name before, or if it has been written to since.
  /// \param before  identity() of that opening
  /// \throws Error io
  void require_same(std::optional<FileIdentity> const& before) const;
  /// Fills `destination` unless the file ends before. Returns the bytes read.
  /// \throws Error io
  std::size_t read(std::span<std::byte> destination);
  /// The next read starts so many bytes behind the first one. Only where bytes() gives a number.
  /// \throws Error io
  void seek(std::uint64_t position);
  /// Fills `destination` from there on.
  /// \throws Error io, also if the file ends before
  void read_at(std::uint64_t position, std::span<std::byte> destination);
  /// From now on this is a part of the file alone: of so many bytes, from the first one on. Only where
  /// bytes() gives a number.
  /// \throws Error io
  void narrow(std::uint64_t begin, std::uint64_t bytes);

 private:
  struct State;
  explicit InputFile(std::unique_ptr<State> state);

  std::unique_ptr<State> m_state;
};

/// Writer that works like write_file(), piece by piece: without commit() nothing of it is left. Pipes and
/// devices are written in place. What processes that were killed have left of the same file more than a day ago is
/// removed.
class OutputFile {
 public:
  /// \throws Error io if it cannot be written, or if it exists and `overwrite` is `no`
  OutputFile(std::filesystem::path const& path, Overwrite overwrite);
  /// \throws Error io if it is closed
  static OutputFile standard_output();
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// Path of its bytes until commit(), for a library that writes files by their names and keeps
  /// the file that is there. Nothing for a pipe or a device.
  std::optional<std::filesystem::path> partial_path() const;
  /// Adds bytes at the end.
  /// \throws Error io
  void write(std::span<std::byte const> bytes);
  /// The next bytes go so many further behind; what is between is zero, or what others write there.
  /// \throws Error io for a pipe
  void skip(std::uint64_t bytes);
  /// Brings all bytes to the disk and gives the file its name. The last call to a file.
  /// \throws Error io, also if `overwrite` is `no` and the name has been taken meanwhile
  void commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);

  std::unique_ptr<State> m_state;
};

/// A raw field that is read part by part, as read_raw_field() reads all of it: the file must hold as many
/// values as the field has.
class RawFieldReader {
 public:
  /// \param file   at its first byte
  /// \throws Error bad_argument for a file of another size or a shape that no field has
  RawFieldReader(InputFile file, FieldShape const& shape);

  /// Whether it can be read a second time; a pipe cannot.
  bool can_rewind() const { return m_file.bytes().has_value(); }
  /// The next part is the first one again.
  /// \throws Error io
  void rewind();
  /// Reads the next values.
  /// \param values  their bytes, all filled
  /// \throws Error bad_argument if the file ends before; io
  void read(std::span<std::byte> values);
  /// Checks behind the last value that there is nothing more, as of a pipe only its end tells.
  /// \throws Error bad_argument if there is; io
  void require_end();

 private:
  FieldShape m_shape;
  InputFile m_file;
  std::uint64_t m_position = 0;
};

/// read_region() of a file that holds one stream, or of the part of one that narrow() has left.
/// \throws Error as read_region() of a file
std::vector<std::byte> read_region(InputFile& file, Box const& box);
/// read_region() of a stream that lies in a file, such as a frame of a sequence.
/// \param begin, bytes  where it begins, and how long it is
/// \throws Error as read_region() of a file
std::vector<std::byte> read_region(InputFile& file, std::uint64_t begin, std::uint64_t bytes,
                                   Box const& box);

/// Bytes of a stream that are wanted, and where they go.
struct WantedBytes {
  std::uint64_t position = 0;  ///< of the first one in the stream
  std::span<std::byte> to;     ///< filled completely
};

/// read_region() of a stream whose bytes come from elsewhere, such as an object store: says which are wanted, in two
/// rounds. The pieces of a round may be fetched side by side.
///
///     RegionReader reader(front, bytes, box);
///     for (; !reader.wanted().empty(); reader.next()) fetch(reader.wanted());
///     std::vector<std::byte> const stream = reader.take();
class RegionReader {
 public:
  /// \param front  the first 1 KiB of the stream, or all of it
  /// \param bytes  of the whole stream
  /// \throws Error as read_region(), but io
  RegionReader(std::span<std::byte const> front, std::uint64_t bytes, Box const& box);
  ~RegionReader();
  RegionReader(RegionReader&&) noexcept;
  RegionReader& operator=(RegionReader&&) noexcept;

  /// Spans to fill, by any threads and in any order, before next(); empty: all is there.
  std::span<WantedBytes const> wanted() const;
  /// \throws Error corrupt
  void next();
  /// Stream as from read_region(). The last call to a reader.
  /// \throws Error bad_argument while bytes are wanted
  std::vector<std::byte> take();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Bytes that this process has read from files and pipes through the library so far. Any thread may ask.
std::uint64_t bytes_read() noexcept;
/// Bytes that this process has written to files and pipes through the library so far. Any thread may ask.
std::uint64_t bytes_written() noexcept;

/// Observer of files that are being written, for a program that undoes them if it ends in the middle, as by a signal. The
/// threads that write make these calls.
class FileWatcher {
 public:
  /// A new file is about to appear under a temporary name.
  virtual void create_begins(char const* /*name*/) noexcept {}
  /// The file has its own name or is gone; in a forked process, it is the parent's.
  virtual void create_ends(char const* /*name*/) noexcept {}
  /// A file of so many bytes is about to grow.
  virtual void append_begins(int /*fd*/, std::uint64_t /*bytes*/) noexcept {}
  /// The file is complete or has its old length, and is about to be closed. A change is under way.
  virtual void append_ends(int /*fd*/) noexcept {}
  /// This thread is about to change a file that grows. The call must not return while another thread undoes that. Changes of a
  /// thread do not nest.
  virtual void change_begins(int /*fd*/) noexcept {}
  /// The change of this thread is over.
  virtual void change_ends() noexcept {}

 protected:
  ~FileWatcher() = default;
};

/// Tells this watcher, and no other, of each file from now on; it may hear the end of a file whose beginning it has not heard. It must
/// live as long as files are written.
void watch_files(FileWatcher& watcher) noexcept;

}  // namespace kompakt

#endif
