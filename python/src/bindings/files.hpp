#ifndef KOMPAKT_PYTHON_FILES_HPP
#define KOMPAKT_PYTHON_FILES_HPP

#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the package asks of the program's readers of files, so that both understand names and attributes in one way.

namespace kompakt::python {

/// A path and the name of a variable, out of FILE:NAME.
std::pair<std::string, std::string> split_file_name(std::string const& word);

/// The format that the first bytes of a file say: "npy", "netcdf" (the classic one), "hdf5", "stream", "archive", or "raw".
/// \throws Error io
std::string format_of_file(std::string const& path);

/// A variable of a dataset. An attribute that is no text has none.
struct DatasetVariable {
  std::string name;
  std::vector<std::string> dimensions;
  std::vector<std::pair<std::string, std::optional<std::string>>> attributes;
};

/// Whether each of the variables says where, when or how other ones are.
/// \param coordinates  that attribute of the dataset itself
std::vector<bool> supporting(std::vector<DatasetVariable> const& variables,
                             std::string const& coordinates);

}  // namespace kompakt::python

#endif
