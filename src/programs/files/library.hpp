#ifndef KOMPAKT_FILES_LIBRARY_HPP
#define KOMPAKT_FILES_LIBRARY_HPP

#include <kompakt/files.hpp>
#include <mutex>
#include <string>

namespace kompakt::files {

// netCDF, HDF5 and zlib are loaded when the first of their files is met. netCDF and HDF5 bring 40 libraries with them, which
// would cost every call 14 ms and 9 MB. A machine without them can still do all else.

/// A shared library, from now to the end of the process.
class Library {
 public:
  /// \param path     where it was when the program was built; elsewhere it is looked for by its name
  /// \param format   "HDF5", for messages
  /// \throws Error bad_argument if it cannot be loaded
  Library(std::string const& path, std::string const& format);
  /// \throws Error bad_argument if there is no such symbol
  void* symbol(char const* name) const;

  template <class Function>
  Function* find(char const* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* m_handle;
  std::string m_format;
};

/// Where a library that writes by name writes an output.
/// \param path    for messages
/// \throws Error io for a pipe or a device
std::string path_for_library(OutputFile const& output, std::string const& path,
                             std::string const& format);

/// kompakt's filter, as H5Zregister() takes it: files that have it are read without a plugin. Null if this program has none.
void const* hdf5_filter() noexcept;

/// To be held around calls of these libraries: neither is made for several threads, and one stands on the other.
std::unique_lock<std::mutex> lock_libraries();

}  // namespace kompakt::files

#endif
