#ifndef KOMPAKT_FILES_NPY_HPP
#define KOMPAKT_FILES_NPY_HPP

#include "byte_source.hpp"
#include "field_file.hpp"
#include <cstdint>
#include <string>
#include <string_view>

namespace kompakt::files {

// Arrays of NumPy, versions 1.0, 2.0 and 3.0 of the format.

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// What the header of an array says.
struct NpyArray {
  Variable variable{};         ///< without a name; in the order that the file has
  std::string label{};         ///< of the file, for messages
  bool is_big_endian = false;  ///< each value
  std::uint64_t begin = 0;     ///< bytes in front of the values

  /// \throws Error corrupt if a file of so many bytes has not all values, or more than them
  void require_bytes(std::uint64_t bytes, std::string const& path) const;
};

/// \param text  of the header alone: a dictionary of Python
/// \param path  for messages
/// \throws Error corrupt; bad_argument for an array of values that are no numbers, or of no values
NpyArray parse_npy_header(std::string_view text, std::string const& path);

/// Reads what is in front of the values.
/// \throws Error as parse_npy_header(); bad_magic for what is no array; unsupported_version
NpyArray read_npy_front(ByteSource& source, std::string const& path);

/// Reads values behind read_npy_front(), as numbers of this machine.
std::unique_ptr<FieldReader> read_npy(std::unique_ptr<ByteSource> source, NpyArray array);

/// Everything in front of the values.
std::string npy_header(Variable const& variable);

std::unique_ptr<FieldFile> open_npy(std::string const& path);
std::unique_ptr<FieldWriter> write_npy(OutputFile file);

}  // namespace kompakt::files

#endif
