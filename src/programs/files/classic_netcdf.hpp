#ifndef KOMPAKT_FILES_CLASSIC_NETCDF_HPP
#define KOMPAKT_FILES_CLASSIC_NETCDF_HPP

#include <cstdint>
#include <kompakt/files.hpp>
#include <string>

namespace kompakt::files {

/// Throws Error corrupt if a file of CDF-1, CDF-2 or CDF-5 is shorter than its header says, or the header is damaged:
/// libnetcdf gives zeros for values behind the end of a file. Other files pass.
void require_whole_classic(InputFile& file, std::string const& path);

}  // namespace kompakt::files

#endif
