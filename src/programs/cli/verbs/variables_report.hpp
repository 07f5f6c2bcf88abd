#ifndef KOMPAKT_CLI_VARIABLES_REPORT_HPP
#define KOMPAKT_CLI_VARIABLES_REPORT_HPP

#include <files/field_file.hpp>

namespace kompakt::cli {

/// Lists the variables of a file of NumPy, netCDF or HDF5: types, extents, chunks, what is declared to be no value, and what
/// `compress` does with each. Returns the exit code.
int print_variables(files::FileName const& name, bool as_json);

}  // namespace kompakt::cli

#endif
