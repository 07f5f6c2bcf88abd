#ifndef KOMPAKT_FILES_HDF5_NETCDF_HPP
#define KOMPAKT_FILES_HDF5_NETCDF_HPP

#include "hdf5_handles.hpp"
#include <string>
#include <string_view>

// How netCDF-4 keeps its variables and dimensions in HDF5. Callers hold lock_hdf5().

namespace kompakt::files {

/// Whether a dataset stands for a dimension of netCDF that no variable has the name of.
bool is_mere_dimension(hid_t dataset);

/// Whether a dataset says that it is a scale of an index of others.
bool is_dimension_scale(hid_t dataset);

/// Whether an attribute is one in which HDF5's library of a higher level or netCDF-4 keeps dimensions, and not one of a user's that has
/// the same name.
bool is_internal(hid_t object, char const* key);

/// Whether netCDF has written a file, or a program that keeps its rules.
bool has_netcdf_marks(hid_t file);

/// The path of a variable without what netCDF puts in front of names.
std::string netcdf_name(std::string_view dataset);
/// The same, unless the file has another dataset of this name.
std::string variable_of_dataset(hid_t file, std::string const& dataset);
/// The reverse: where the values of a variable are.
std::string dataset_of_variable(hid_t file, std::string const& variable);

}  // namespace kompakt::files

#endif
