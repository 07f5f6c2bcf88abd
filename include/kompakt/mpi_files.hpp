#ifndef KOMPAKT_MPI_FILES_HPP
#define KOMPAKT_MPI_FILES_HPP

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <kompakt/any_codec.hpp>
#include <kompakt/archive.hpp>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>
#include <kompakt/files.hpp>
#include <kompakt/mpi_messages.hpp>
#include <kompakt/options.hpp>
#include <kompakt/sequence.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Fields of all ranks in one file, by MPI-IO. Every program writes the same files: docs/format.md.

namespace kompakt::mpi {

struct FileOptions {
  /// A field is written in frames of no more than so many bytes of values, 1 KiB to 1 GiB: runs of slices along its slowest
  /// index, whatever ranks have of it. A frame is compressed by one rank; the bytes of the file depend on this, not on
  /// the ranks.
  std::size_t frame_bytes = std::size_t{64} << 20;
  /// For MPI_File_open; must live as long as what is given them.
  MPI_Info hints = MPI_INFO_NULL;
};

/// Frames of a rank that follow one another in a field, in memory that is kept for others when they have been written.
class FrameBlock {
 public:
  /// Room for the next frame, in memory that nothing has been written to yet unless it has had a frame before.
  std::span<std::byte> room(std::size_t bytes);
  /// Adds the frame whose stream is at the beginning of the room.
  /// \param info  what its header says
  void add(StreamInfo const& info);
  /// Adds a copy of a frame.
  /// \param stream  of a part, see mark_part()
  void add(std::span<std::byte const> stream, StreamInfo const& info);
  /// So that it can be filled again.
  void clear() { m_frames.clear(); }

  std::vector<StreamInfo> const& frames() const { return m_frames; }
  /// A frame, with zeros behind it up to where the next one begins.
  std::span<std::byte const> bytes(std::size_t number) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Room {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t bytes = 0;
  };

  std::vector<StreamInfo> m_frames;
  std::vector<Room>
      m_rooms;  // of as many frames as there were at most, and perhaps of the next one
};

/// A file that all ranks write frames of fields into, each at its place. Only commit() makes it one of the name that was
/// given, or what was added a part of an archive: before that, and if it is not reached, nothing has happened. Rank 0 alone
/// opens it and writes what is not of a field, so a lock or a temporary name is its own.
/// All calls are collective, the destructor too; what fails on a rank throws the same on all, and the only thing left is to
/// destroy the file. An exception that only one rank throws between calls must end the program (MPI_Abort).
class SharedOutput {
 public:
  /// An archive.
  /// \param open   makes it, on rank 0
  /// \param hints  for MPI_File_open
  SharedOutput(MPI_Comm comm, std::function<kompakt::ArchiveWriter()> const& open,
               MPI_Info hints = MPI_INFO_NULL);
  /// A stream of its own, for one field; names and attributes count for nothing.
  SharedOutput(MPI_Comm comm, std::function<OutputFile()> const& open,
               MPI_Info hints = MPI_INFO_NULL);
  ~SharedOutput();
  SharedOutput(SharedOutput&&) noexcept;

  /// \param name, attributes  the arguments of rank 0 count
  void begin(std::string_view name, Attributes const& attributes);
  /// Adds frames in the order of ranks.
  /// \throws Error io as of a full disk; corrupt if they do not continue the field
  void add_frames(FrameBlock const& mine);
  /// \returns the frames
  /// \throws Error corrupt if frames are missing; io
  FrameSequence end();
  /// Waits until all is on the disk and gives the file its name. The last call.
  /// \throws Error io
  void commit();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// A field in an archive, or in a file of its own, that ranks read parts of.
class SharedInput {
 public:
  /// Collective: rank 0 alone reads index and headers, and tells the others.
  /// \param name  of the field in the archive; empty: the only field of an archive, or the field of another file
  /// \throws Error on every rank: io, bad_magic, corrupt as ArchiveReader and FrameReader; bad_argument if there is no such
  ///         field
  SharedInput(MPI_Comm comm, std::filesystem::path const& path, std::string_view name);
  ~SharedInput();
  SharedInput(SharedInput&&) noexcept;

  /// Header of the whole field, as of one stream.
  StreamInfo const& info() const;
  /// Reads a box of the field: only the chunks that it touches, of the frames that it touches. Not collective.
  /// \throws Error as AnyCodec::decompress() and read_region()
  void read(AnyCodec& codec, Box const& box, StridedData const& region, MemoryOf region_in);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Implementation of ArchiveWriter and FieldReader, with execution space and types known only at run time.
class SharedFields {
 public:
  SharedFields(AnyCodec codec, MPI_Comm comm, std::function<kompakt::ArchiveWriter()> const& open,
               FileOptions const& options);
  /// With a codec and communicators that are there already.
  SharedFields(Messages messages, MPI_Comm comm,
               std::function<kompakt::ArchiveWriter()> const& open, FileOptions const& options);

  StreamInfo write(std::string_view name, Attributes const& attributes, FieldSource const& part,
                   FramePart const& place, Options const& options);
  void commit() { m_output.commit(); }

 private:
  FileOptions m_options;
  Messages m_messages;
  SharedOutput m_output;
  FrameBlock m_block;
};
void read_part(SharedInput& input, Messages& messages, Box const& box, FieldTarget const& part);

/// Writes fields whose parts the ranks have into one archive, which any program reads.
///
/// Each rank has a box of a field, of whatever extents; together the boxes are the field. The library cuts the field into frames
/// (FileOptions), brings values to the rank that compresses the frame where that does not have them all, and writes streams
/// behind one another. Boxes that are runs of slices along the slowest index, in the order of the ranks, move at most a
/// frame for each rank. Options must be the same on all ranks; a bound relative to the range refers to the range of the whole
/// field. A fill value that such a bound looks for belongs to the whole field, too, see Messenger::agreed().
///
/// Calls are collective, and so is the destructor. What fails on a rank throws the same on all, with its number, and leaves
/// no file under the real name; an archive that was appended to has its old fields.
template <SupportedSpace Exec>
class ArchiveWriter {
 public:
  /// A new archive, which gets its name when it is committed.
  /// \param exec  instance on which fields are compressed
  /// \throws Error io as kompakt::ArchiveWriter; bad_argument for options that cannot be used
  ArchiveWriter(Exec const& exec, MPI_Comm comm, std::filesystem::path const& path,
                Overwrite overwrite, FileOptions const& options = {})
      : ArchiveWriter(
            exec, comm, [&] { return kompakt::ArchiveWriter(path, overwrite); }, options) {}
  /// Behind the fields of an archive, with a lock of it until the end.
  /// \param wait  for the lock of another writer
  /// \throws Error as kompakt::ArchiveWriter::append_to()
  static ArchiveWriter append_to(Exec const& exec, MPI_Comm comm, std::filesystem::path const& path,
                                 std::chrono::milliseconds wait = {},
                                 FileOptions const& options = {}) {
    return ArchiveWriter(
        exec, comm, [&] { return kompakt::ArchiveWriter::append_to(path, wait); }, options);
  }

  /// Adds a field.
  /// \param name, attributes  the arguments of rank 0 count
  /// \param part     what this rank has of it, as compress() takes it; may be of no values
  /// \param place    where that lies: origin of its first value, and extents of the field
  /// \param options  as of compress()
  /// \returns what the frames make together
  /// \throws Error bad_argument for parts that do not make the field, options that differ or cannot be used, a name that is
  ///         taken; io; device
  /// \note waits for exec. Takes memory for all streams of this rank, addresses for as much as its part, and memory for two
  ///       frames where values are moved
  template <FieldLike F>
  StreamInfo write(std::string_view name, Attributes const& attributes, F const& part,
                   FramePart const& place, Options const& options) {
    return m_fields.write(name, attributes, impl::whole_source_of<Exec>(part), place, options);
  }

  /// Writes the index and waits until all is on the disk. The last call.
  /// \throws Error io
  void commit() { m_fields.commit(); }

 private:
  ArchiveWriter(Exec const& exec, MPI_Comm comm,
                std::function<kompakt::ArchiveWriter()> const& open, FileOptions const& options)
      : m_fields(AnyCodec(exec), comm, open, options) {}

  SharedFields m_fields;
};

/// Reads parts of a field in a file, on any number of ranks. Any program may have written it.
template <SupportedSpace Exec>
class FieldReader {
 public:
  /// Collective.
  /// \param name  of the field in the archive; empty: the only field of an archive, or the field of another file
  /// \throws Error as SharedInput
  FieldReader(Exec const& exec, MPI_Comm comm, std::filesystem::path const& path,
              std::string_view name)
      : m_messages(AnyCodec(exec), comm, MessageOptions()), m_input(comm, path, name) {}

  /// Type, extents and order of the field among others.
  StreamInfo const& info() const { return m_input.info(); }
  /// Reads a box. Collective; each rank has its own, which may be empty, and boxes may overlap.
  /// \param part  of the field's type and the extents of the box
  /// \throws Error on every rank, with the number of the one: bad_argument for a box that does not lie in the field,
  ///         type_mismatch, corrupt, io, device
  template <FieldLike F>
  void read(F const& part, Box const& box) {
    read_part(m_input, m_messages, box, impl::whole_target_of<Exec>(part));
  }

 private:
  Messages m_messages;
  SharedInput m_input;
};

}  // namespace kompakt::mpi

#endif
