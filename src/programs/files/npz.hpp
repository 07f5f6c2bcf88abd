#ifndef KOMPAKT_FILES_NPZ_HPP
#define KOMPAKT_FILES_NPZ_HPP

#include "field_file.hpp"
#include <cstddef>
#include <kompakt/files.hpp>
#include <memory>
#include <span>

namespace kompakt::files {

/// Arrays of NumPy in a zip file, as numpy.savez and numpy.savez_compressed write them: each member is a variable.
/// \throws Error corrupt; io
std::unique_ptr<FieldFile> open_npz(InputFile file);

/// A pipe as a file whose parts can be read in any order: its bytes are copied into a temporary file, which has no name.
/// \param front  what has been read of it
/// \throws Error io
InputFile as_file(std::span<std::byte const> front, InputFile& pipe);

}  // namespace kompakt::files

#endif
