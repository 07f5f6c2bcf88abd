#ifndef KOMPAKT_CHECKPOINT_OPENED_HPP
#define KOMPAKT_CHECKPOINT_OPENED_HPP

#include <checkpoint/folder.hpp>
#include <checkpoint/manifest.hpp>
#include <checkpoint/values.hpp>
#include <functional>
#include <kompakt/archive.hpp>
#include <optional>

namespace kompakt::impl {

/// A checkpoint's archive that is about to be restored.
class OpenedCheckpoint {
 public:
  /// Reads manifest and index.
  /// \throws Error as ArchiveReader and manifest_of()
  explicit OpenedCheckpoint(std::filesystem::path const& path);

  Manifest const& manifest() const { return m_manifest; }
  ArchiveReader const& archive() const { return m_archive; }
  /// The checksums of the streams of all values that are wanted, if they are there.
  /// \throws Error corrupt
  void require_sound(CheckpointValues const& values) const;
  /// Whether the values are there and are of the types and extents of the Views.
  /// \throws Error bad_argument, type_mismatch
  void require_fit(CheckpointValues const& values) const;
  /// Decompresses a value of which this has all.
  /// \throws Error corrupt, device
  void restore(CheckpointValue const& value, AnyCodec& codec) const;

 private:
  std::filesystem::path m_path;
  InputFile m_file;  // all is read of this one, whatever has its name
  ArchiveReader m_archive;
  Manifest m_manifest;
};

/// 'PATH'
std::string in_quotes(std::filesystem::path const& path);
/// What a save has failed with.
Error not_saved(std::uint64_t step, Error const& error);
/// A checkpoint of another program is not restored.
/// \throws Error bad_argument
void require_schema(std::filesystem::path const& path, std::string const& found,
                    std::string const& wanted);
/// \throws Error bad_argument if the values are in files of ranks
void require_one_file(std::filesystem::path const& path, Manifest const& manifest);
/// \param found  of the value in the file
/// \throws Error type_mismatch
void require_same_shape(std::filesystem::path const& path, CheckpointValue const& value,
                        FieldShape const& found);

/// Tries checkpoints from the newest one on until one can be restored, and tells which ones were not sound.
/// \param step     of which; none: of any
/// \param attempt  restores from a file and returns its manifest
/// \throws Error bad_argument if there is none; corrupt, naming all, if none is sound; what attempt() throws of other kinds
RestoredCheckpoint restore_newest(CheckpointFolder& folder, std::optional<std::uint64_t> step,
                                  std::function<Manifest(CheckpointFile const&)> const& attempt);

}  // namespace kompakt::impl

#endif
