#ifndef KOMPAKT_ARCHIVE_HPP
#define KOMPAKT_ARCHIVE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <kompakt/error.hpp>
#include <kompakt/files.hpp>
#include <kompakt/io.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// One file with many named fields, each a stream (or a sequence of frames) with attributes. docs/format.md,
// "Archives". Host only.

namespace kompakt {

/// Attributes of a field: keys, each at most once, and their texts, in the given order.
/// Keys are 1 to 255 bytes of UTF-8, values up to 65535, without control characters; values may have tabs and ends of
/// lines (U+0009, U+000A, U+000D). At most 1024.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// A field of an archive.
struct ArchiveEntry {
  std::string name;  ///< unique in the archive; 1 to 255 bytes of UTF-8 without control characters
  Attributes attributes;
  std::uint64_t offset = 0;    ///< where its stream begins in the file; a multiple of 16
  std::uint64_t bytes = 0;     ///< of the stream
  std::uint32_t checksum = 0;  ///< of the stream
  /// Stream of a field of a few values. The file has a shorter form of it, at `offset`, a multiple of 8. Empty for other fields.
  std::vector<std::byte> stream{};
  std::uint64_t small_bytes = 0;  ///< of that shorter form; 0 for other fields

  /// Bytes of its stream in the file; of a field of a few values name and attributes are counted, too.
  std::uint64_t bytes_in_file() const { return stream.empty() ? bytes : small_bytes; }

  friend bool operator==(ArchiveEntry const&, ArchiveEntry const&) = default;
};

/// Whether a file looks like an archive, be it intact or not, from its first and last bytes. False for what
/// cannot be read out of order, such as a pipe.
/// \throws Error io if the file cannot be opened
bool is_archive(std::filesystem::path const& path);
/// Whether a file that is open looks like an archive. It is read from its first byte on, and stays where it is.
bool is_archive(InputFile const& file);
/// Whether an archive begins with these bytes, as of a pipe.
bool is_archive(std::span<std::byte const> start) noexcept;

/// Share of a frame in the checksum of the stream that it is one of (ArchiveEntry::checksum): that is the sum of all
/// these, zeros between frames included, modulo 2^32.
/// \param position  of the frame in the stream, a multiple of 4, as its bytes are
std::uint32_t checksum_of_frame(std::span<std::byte const> frame, std::uint64_t position) noexcept;

/// Reads an archive as it was when it was opened, whatever others do: appended fields are not seen, removed ones are still
/// there, and if compact_archive() gives its name to another file, the one that was opened is read on. Fields of a file that
/// somebody overwrites in its place are refused. Safe on untrusted files.
class ArchiveReader {
 public:
  /// Reads the index. While somebody appends that is the one from before; it is looked for from the end on.
  /// \throws Error io if the file cannot be read; bad_magic if it is not an archive; unsupported_version;
  ///         corrupt if its index is missing or damaged, see repair_archive()
  explicit ArchiveReader(std::filesystem::path const& path);
  /// An archive that lies anywhere, such as InputFile::of_calls() of an object in a store.
  /// \throws Error as above; what the calls throw
  explicit ArchiveReader(InputFile file);
  ~ArchiveReader();
  ArchiveReader(ArchiveReader&&) noexcept;

  /// All fields that have not been removed, in the order in which they were appended.
  std::vector<ArchiveEntry> const& entries() const;
  /// \throws Error bad_argument if there is no such field, naming those that there are
  ArchiveEntry const& entry(std::string_view name) const;
  /// The stream of a field as a file, for FrameReader and read_region().
  /// \throws Error bad_argument as entry(); corrupt if the file was written anew since it was opened; io
  InputFile open(std::string_view name) const;
  /// The stream of a field; several frames, if it was compressed part by part.
  /// \throws Error bad_argument as entry(); corrupt if it was altered, or as open(); io
  std::vector<std::byte> read(std::string_view name);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Writes an archive, or appends fields to one. Only commit() makes them a part of it: before that, and if it
/// is not reached, the file stays as it was, or does not exist. A process that dies while it appends can leave
/// an archive without its index; repair_archive() finds the fields that had reached the file. Fields of a few values wait for
/// each other: the last 8 KiB of them reach it with the next larger field, or by commit().
/// A call out of turn throws bad_argument and says which one is needed: begin(), append(), remove() or commit() before
/// end(), add_frame(), end() or give_up() before begin(), any of them after commit(). After an error of writing all throw io.
class ArchiveWriter {
 public:
  /// A new archive, which gets its name when it is committed. The path may name a pipe.
  /// \throws Error io as write_file()
  ArchiveWriter(std::filesystem::path const& path, Overwrite overwrite);
  /// A new archive on standard output.
  static ArchiveWriter standard_output();
  /// Behind the fields of an archive. An advisory lock (flock) is held until the end.
  /// \param wait  for the lock of another writer
  /// \throws Error as ArchiveReader; io also if another writer has the lock for longer
  static ArchiveWriter append_to(std::filesystem::path const& path,
                                 std::chrono::milliseconds wait = {});
  /// append_to(), or a new archive if there is no file. If somebody else makes one before it is committed, commit()
  /// appends to that, and throws what append_to() and begin() do.
  static ArchiveWriter append_to_or_create(std::filesystem::path const& path,
                                           std::chrono::milliseconds wait = {});
  ~ArchiveWriter();
  ArchiveWriter(ArchiveWriter&&) noexcept;

  /// The fields so far.
  std::vector<ArchiveEntry> const& entries() const;

  /// Adds a field.
  /// \param stream  of it, in host memory: what compress() writes, or a sequence of frames
  /// \throws Error bad_argument if the name is taken, or the name or an attribute cannot be used; as inspect()
  ///         if the bytes are not a stream, corrupt if it is not complete; io
  void append(std::string_view name, Attributes const& attributes,
              std::span<std::byte const> stream);

  /// Appends a field frame by frame, for one that is larger than memory. An end() that throws gives the field up.
  void begin(std::string_view name, Attributes const& attributes);
  void add_frame(std::span<std::byte const> frame);
  void end();
  /// Gives up the field that was begun. Its bytes stay in the file, unused, until it is compacted.
  void give_up();

  // Frames that others write into the file, such as other ranks of MPI.

  /// Path of the bytes until commit().
  /// \throws Error bad_argument if others cannot write there, as into a pipe or standard output; io if the archive that is
  ///         appended to has lost its name to another file
  std::filesystem::path file() const;
  /// Offset in file() of the next frame of the field.
  /// \throws Error bad_argument before begin()
  std::uint64_t frame_offset() const;
  /// add_frame() of one that somebody else writes at frame_offset(), before the next frame or end().
  /// \param frame     what its header says
  /// \param checksum  of the frame, at its place in the stream
  void add_written_frame(StreamInfo const& frame, std::uint32_t checksum);

  /// Takes a field out; its name is free for another one, which then replaces it. Its bytes stay in the file until
  /// compact_archive().
  /// \throws Error bad_argument if there is no such field
  void remove(std::string_view name);

  /// Writes the index and waits until all is on the disk. The last call to a writer.
  /// \throws Error io
  void commit();

 private:
  struct State;
  explicit ArchiveWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> m_state;
};

/// Names of fields for a message, the first 20 at most: "its fields are 'a', 'b'", "it has none".
std::string text_of_names(std::vector<ArchiveEntry> const& entries);

/// Result of repair_archive().
struct ArchiveRepair {
  bool was_intact = false;         ///< the index is there, and lists all fields
  std::vector<ArchiveEntry> kept;  ///< the fields of the repaired archive
  std::vector<std::string>
      damaged;  ///< names of kept ones with damaged streams, and what is wrong with them
  std::vector<std::string> dropped;  ///< names of others and what is wrong with them
  std::uint64_t unused_bytes =
      0;  ///< behind the last kept field: of an append that was not finished
};

struct RepairOptions {
  bool drop_damaged = false;         ///< fields whose streams verify_fields() finds damaged
  std::chrono::milliseconds wait{};  ///< for the lock of another writer
  int threads = 0;                   ///< as the argument of verify_fields()
};

/// Finds the fields of an archive without trusting that its index is there: reads all of the file and looks
/// for the blocks that describe fields. Keeps every field whose frames are complete, and that has not been removed.
/// \param to  where the repaired archive is written, with the kept fields alone. Without it a new index is
///            appended to the file, unless it is intact and nothing is dropped; nothing of it is overwritten or cut off
/// \throws Error io, also if a writer has the lock; bad_magic if there is no sign of an archive
ArchiveRepair repair_archive(std::filesystem::path const& path,
                             std::optional<std::filesystem::path> const& to = std::nullopt,
                             Overwrite overwrite = Overwrite::no,
                             RepairOptions const& options = {});

/// Writes an archive anew, with the fields that have not been removed alone and one index.
/// \param to  where it is written; without it the new archive takes the place of the old one when it is complete
/// \param wait  for the lock of another writer
/// \returns the bytes that it had
/// \throws Error as ArchiveReader; io also as write_file() and if another writer has the lock
std::uint64_t compact_archive(std::filesystem::path const& path,
                              std::optional<std::filesystem::path> const& to = std::nullopt,
                              Overwrite overwrite = Overwrite::no,
                              std::chrono::milliseconds wait = {});

}  // namespace kompakt

#endif
