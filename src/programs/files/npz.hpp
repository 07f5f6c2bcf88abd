#ifndef KOMPAKT_FILES_NPZ_HPP
#define KOMPAKT_FILES_NPZ_HPP

#include "field_file.hpp"
#include <string>

namespace kompakt::files {

/// Arrays of NumPy in a zip file, as numpy.savez and numpy.savez_compressed write them: each member is a variable.
/// \throws Error corrupt; io
std::unique_ptr<FieldFile> open_npz(std::string const& path);

}  // namespace kompakt::files

#endif
