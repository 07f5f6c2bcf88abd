#ifndef KOMPAKT_FILES_NPY_HPP
#define KOMPAKT_FILES_NPY_HPP

#include "field_file.hpp"
#include <cstdint>
#include <string>
#include <string_view>

namespace kompakt::files {

// Arrays of NumPy, versions 1.0, 2.0 and 3.0 of the format.

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// What the header of an array says. A variable without a name; in the order that the file has.
/// \param text  of the header alone: a dictionary of Python
/// \param path  for messages
/// \throws Error corrupt; bad_argument for an array of values that are no little-endian numbers, or of no values
Variable parse_npy_header(std::string_view text, std::string const& path);

/// Everything in front of the values.
std::string npy_header(Variable const& variable);

std::unique_ptr<FieldFile> open_npy(std::string const& path);
std::unique_ptr<FieldWriter> write_npy(OutputFile file);

}  // namespace kompakt::files

#endif
