#ifndef KOMPAKT_MPI_CHECKPOINT_PARTS_HPP
#define KOMPAKT_MPI_CHECKPOINT_PARTS_HPP

#include <checkpoint/folder.hpp>
#include <checkpoint/manifest.hpp>
#include <checkpoint/values.hpp>
#include <kompakt/any_codec.hpp>
#include <map>
#include <vector>

#include "communicator.hpp"

// Checkpoints of one file for each rank: what the files say of the parts in them, and how others read those.

namespace kompakt::mpi {

/// What a rank had of a value when it was saved.
struct SavedPart {
  std::uint64_t rank = 0,
                value = 0;  ///< whose file, and the how manieth of the values that are registered
  FieldShape shape{};
  FramePart place{};
};

/// Attributes of a part in its file.
Attributes attributes_of_part(impl::CheckpointValue const& value);

/// The parts of a checkpoint, whose files have been seen to be sound; each rank looks at some files. Collective.
/// \param whole  what the checkpoint says of itself
/// \throws Error on every rank: corrupt if a file is missing or altered, or parts are; type_mismatch, bad_argument
std::vector<SavedPart> find_parts(Communicator const& comm, impl::CheckpointFolder const& folder,
                                  CheckpointFile const& file, impl::Manifest const& whole,
                                  impl::CheckpointValues const& values);

/// Reads what this rank has of all values. Not collective.
/// \throws Error corrupt, io, device
void read_parts(impl::CheckpointFolder const& folder, CheckpointFile const& file,
                std::vector<SavedPart> const& parts, impl::CheckpointValues const& values,
                AnyCodec& codec);

}  // namespace kompakt::mpi

#endif
