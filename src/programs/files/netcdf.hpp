#ifndef KOMPAKT_FILES_NETCDF_HPP
#define KOMPAKT_FILES_NETCDF_HPP

#include "field_file.hpp"
#include <string>

namespace kompakt::files {

// Files of netCDF: CDF-1, CDF-2, CDF-5 and netCDF-4. Without the library both throw bad_argument.

std::unique_ptr<FieldFile> open_netcdf(std::string const& path);
/// A file of netCDF-4.
/// \param path  for messages
std::unique_ptr<FieldWriter> write_netcdf(std::string const& path, OutputFile file);

}  // namespace kompakt::files

#endif
