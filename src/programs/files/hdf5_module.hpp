#ifndef KOMPAKT_FILES_HDF5_MODULE_HPP
#define KOMPAKT_FILES_HDF5_MODULE_HPP

#include "hdf5.hpp"
#include "hdf5_copy.hpp"
#include <string>

namespace kompakt::files {

// Functions of the module, which do what those of the program with the same names promise.
namespace linked {
std::unique_ptr<FieldFile> open_hdf5(InputFile input);
decltype(files::is_netcdf4) is_netcdf4;
decltype(files::write_hdf5) write_hdf5;
decltype(files::copy_with_filter) copy_with_filter;
}  // namespace linked

/// Where they are.
struct Hdf5Module {
  decltype(linked::open_hdf5)* open;
  decltype(linked::is_netcdf4)* is_netcdf4;
  decltype(linked::write_hdf5)* write;
  decltype(linked::copy_with_filter)* copy;
};

// What the module takes from the program for its copies.

/// Writes the first bytes of a file over those of another one.
/// \param label  of the other one, for messages
/// \throws Error io
void copy_front(InputFile const& input, std::string const& target, std::uint64_t bytes,
                std::string const& label);
/// \throws Error io
[[noreturn]] void refuse_writing(std::string const& label, std::string const& reason);

}  // namespace kompakt::files

/// \returns the functions, once HDF5 is ready for calls; the caller holds lock_libraries()
extern "C" kompakt::files::Hdf5Module const* kompakt_hdf5_module();

#endif
