#ifndef KOMPAKT_FILES_HDF5_HPP
#define KOMPAKT_FILES_HDF5_HPP

#include "field_file.hpp"
#include <string>

namespace kompakt::files {

// Files of HDF5. Without the library opening and writing throw bad_argument.

/// Whether a file is of HDF5, and the program was built with the library.
bool opens_as_hdf5(std::string const& path);
/// Whether a file of HDF5 has the marks of netCDF-4; false if the program was built without the library.
bool is_netcdf4(std::string const& path);

std::unique_ptr<FieldFile> open_hdf5(std::string const& path);
/// \param path  for messages
std::unique_ptr<FieldWriter> write_hdf5(std::string const& path, OutputFile file);

}  // namespace kompakt::files

#endif
