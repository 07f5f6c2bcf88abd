#include "netcdf_module.hpp"
#include "classic_netcdf.hpp"
#include "format_module.hpp"
#include <utility>

namespace kompakt::files {

namespace {

constexpr ModuleName netcdf_module{KOMPAKT_NETCDF_MODULE, "kompakt_netcdf_module", "netCDF",
                                   "libnetcdf-dev"};

NetcdfModule const& netcdf_for(std::string const& path) {
  return functions_of<NetcdfModule>(netcdf_module, path);
}

}  // namespace

bool has_netcdf() { return netcdf_module.is_built(); }

std::unique_ptr<FieldFile> open_netcdf(std::string const& path) {
  InputFile input(path);  // what cannot be opened says so before netCDF does
  auto places = places_in_classic(input, path);
  auto file = netcdf_for(path).open(std::move(input));
  return places ? read_classic(std::move(file), *std::move(places)) : std::move(file);
}

std::unique_ptr<FieldWriter> write_netcdf(std::string const& path, OutputFile file) {
  return netcdf_for(path).write(path, std::move(file));
}

}  // namespace kompakt::files
