#ifndef KOMPAKT_CHECKPOINT_SAVING_HPP
#define KOMPAKT_CHECKPOINT_SAVING_HPP

#include <checkpoint/background.hpp>
#include <checkpoint/stream_buffers.hpp>
#include <checkpoint/values.hpp>
#include <kompakt/archive.hpp>
#include <memory>

namespace kompakt::impl {

/// An archive that a thread writes while its values are compressed. It has its name when finish() has returned.
class Saving {
 public:
  /// \throws Error io
  explicit Saving(std::filesystem::path const& path);

  /// Compresses values, whose streams are written behind one another.
  /// \param attributes_of  a value's in the archive
  /// \throws Error of compressing
  void add(CheckpointValues const& values, AnyCodec& codec, StreamBuffers& buffers,
           CheckpointOptions const& options,
           std::function<Attributes(CheckpointValue const&)> const& attributes_of);
  /// A value whose stream is there.
  void add(std::string const& name, Attributes const& attributes, std::vector<std::byte> stream);
  /// \param then  is called on the thread, when the file has its name
  void commit(std::function<void()> then);
  /// Waits until all is written.
  /// \throws Error io
  void finish() { m_background.finish(); }

 private:
  void add(CheckpointValue const& value, AnyCodec& codec, StreamBuffers& buffers,
           std::size_t frame_bytes, Attributes const& attributes);

  ArchiveWriter m_archive;
  Background m_background;  // whose tasks write to that
};

}  // namespace kompakt::impl

#endif
