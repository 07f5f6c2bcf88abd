#ifndef KOMPAKT_FILES_NETCDF_MODULE_HPP
#define KOMPAKT_FILES_NETCDF_MODULE_HPP

#include "netcdf.hpp"
#include <string>

namespace kompakt::files {

/// Functions of the module. They do what those of the program with the same names promise.
struct NetcdfModule {
  std::unique_ptr<FieldFile> (*open)(InputFile input);
  decltype(write_netcdf)* write;
};

}  // namespace kompakt::files

/// \returns the functions, once the library is ready for calls; the caller holds lock_libraries()
extern "C" kompakt::files::NetcdfModule const* kompakt_netcdf_module();

#endif
