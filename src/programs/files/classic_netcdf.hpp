#ifndef KOMPAKT_FILES_CLASSIC_NETCDF_HPP
#define KOMPAKT_FILES_CLASSIC_NETCDF_HPP

#include "field_file.hpp"
#include <cstdint>
#include <kompakt/files.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::files {

/// Where the values of a variable of a classic file lie, big-endian: a piece in each record, or all in one.
struct ClassicPlace {
  std::uint64_t begin = 0;         ///< of the first one
  std::uint64_t piece_bytes = 0;   ///< side by side
  std::uint64_t record_bytes = 0;  ///< from one piece to the next
};

/// Throws Error corrupt if a file of CDF-1, CDF-2 or CDF-5 is shorter than its header says, or the header is damaged.
/// \returns the places of its variables in their order; nothing for other files
std::optional<std::vector<ClassicPlace>> places_in_classic(InputFile& file,
                                                           std::string const& path);

/// A classic file whose values are read here: libnetcdf gives zeros for what it cannot read, as of a file that somebody cuts off.
/// \param described  the same file by libnetcdf
std::unique_ptr<FieldFile> read_classic(std::unique_ptr<FieldFile> described,
                                        std::vector<ClassicPlace> places);

}  // namespace kompakt::files

#endif
