#ifndef KOMPAKT_FILES_MISSING_LIBRARY_HPP
#define KOMPAKT_FILES_MISSING_LIBRARY_HPP

#include <kompakt/error.hpp>
#include <string>

namespace kompakt::files {

/// \param format   "netCDF"
/// \param package  that has what building needs
[[noreturn]] inline void throw_not_built(std::string const& path, std::string const& format,
                                         std::string const& package) {
  throw Error(Status::bad_argument, "'" + path + "': this program was built without " + format,
              std::string("install its library (on Debian ") + package + ") and build it again");
}

}  // namespace kompakt::files

#endif
