#ifndef KOMPAKT_FILES_HDF5_HPP
#define KOMPAKT_FILES_HDF5_HPP

#include "field_file.hpp"
#include <string>

namespace kompakt::files {

// Files of HDF5. Without the library both throw bad_argument.

std::unique_ptr<FieldFile> open_hdf5(std::string const& path);
/// \param path  for messages
std::unique_ptr<FieldWriter> write_hdf5(std::string const& path, OutputFile file);

}  // namespace kompakt::files

#endif
