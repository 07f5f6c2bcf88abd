#include "missing_library.hpp"
#include "netcdf.hpp"

namespace kompakt::files {

std::unique_ptr<FieldFile> open_netcdf(std::string const& path) {
  throw_not_built(path, "netCDF", "libnetcdf-dev");
}

std::unique_ptr<FieldWriter> write_netcdf(std::string const& path, OutputFile) {
  throw_not_built(path, "netCDF", "libnetcdf-dev");
}

}  // namespace kompakt::files
