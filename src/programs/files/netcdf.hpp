#ifndef KOMPAKT_FILES_NETCDF_HPP
#define KOMPAKT_FILES_NETCDF_HPP

#include "field_file.hpp"
#include <string>

namespace kompakt::files {

// Files of netCDF: CDF-1, CDF-2, CDF-5 and netCDF-4. Without the library opening and writing throw bad_argument.

/// Whether the program was built with the library.
bool has_netcdf();

std::unique_ptr<FieldFile> open_netcdf(std::string const& path);
/// A file of netCDF-4.
/// \param path  for messages
std::unique_ptr<FieldWriter> write_netcdf(std::string const& path, OutputFile file);

}  // namespace kompakt::files

#endif
