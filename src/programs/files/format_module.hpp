#ifndef KOMPAKT_FILES_FORMAT_MODULE_HPP
#define KOMPAKT_FILES_FORMAT_MODULE_HPP

#include "library.hpp"
#include "missing_library.hpp"
#include <string>

// All calls of the library of a format are in a module that is linked to it. The program loads the module for the first file
// of the format. What the module uses of kompakt is the program's own: module_exports.list names it.

namespace kompakt::files {

/// What finds a module and its library.
struct ModuleName {
  char const* file;      ///< "kompakt_hdf5.so"; empty: the program was built without it
  char const* function;  ///< "kompakt_hdf5_module": returns the table of its functions
  char const* format;    ///< "HDF5", for messages
  char const* package;   ///< Debian's, with the headers, for messages

  constexpr bool is_built() const { return *file != '\0'; }
};

/// The functions of a module, which is loaded by the first call.
/// \tparam Functions  the structure of them; each module has its own
/// \param path  of the file that needs it
/// \throws Error bad_argument without the module or its library
template <class Functions>
Functions const& functions_of(ModuleName const& name, std::string const& path) {
  if (!name.is_built()) throw_not_built(path, name.format, name.package);
  auto const lock = lock_libraries();
  static Library const library(name.file, name.format);
  static Functions const& functions = *library.find<Functions const*()>(name.function)();
  return functions;
}

}  // namespace kompakt::files

#endif
