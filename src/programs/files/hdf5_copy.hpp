#ifndef KOMPAKT_FILES_HDF5_COPY_HPP
#define KOMPAKT_FILES_HDF5_COPY_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/files.hpp>
#include <kompakt/options.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::files {

/// What kompakt's filter is told: its number, and its cd_values.
struct FilterWords {
  unsigned id;
  std::vector<unsigned> words;
};
/// What the filter is told of these options.
/// \param padding  the fill value of the dataset, which HDF5 has in chunks beyond its ends. netCDF sets it to 9.97e36 unasked;
///                 not masked it would be an exception in each place (a chunk of 442 kB instead of 94)
/// \throws Error bad_argument for options that the filter cannot have; bad_argument without the filter
FilterWords filter_words(Options options, std::optional<double> padding = {});

/// A variable of a file of HDF5, and how a copy stores it: by kompakt's filter.
struct FilteredVariable {
  std::string name;
  std::vector<std::size_t> chunk;  ///< extents of a chunk, that of the slowest index first
  Options
      options;  ///< of each chunk; what the filter has no words for, such as a radius, is left to it
};

/// What became of a variable in a copy.
struct CopiedVariable {
  std::uint64_t stored_bytes = 0;  ///< of its chunks
  bool is_smaller = true;  ///< than in the file that is copied, headers and indices included
};
/// An object, or an attribute of one, that the library cannot read: a copy goes without it.
struct LeftOutPart {
  std::string name;  ///< of the object, as that of a variable
  bool is_attribute;
  std::string reason;
  Status status;
};
struct CopiedFile {
  std::vector<CopiedVariable> variables;  ///< in the order in which they were given
  bool has_more = false;  ///< values that lie in other files, beside the one that is copied
  std::vector<LeftOutPart> left_out{};
};

/// Copies a file of HDF5, which may be one of netCDF-4. The variables get the filter in place of what filters they have;
/// big-endian ones become little-endian. Everything else stays as it is and in its order: groups, links, types, attributes,
/// references, other datasets with their chunks and filters, also those that are not there, and a block of the user's own. What
/// the library cannot read beside these variables is left out, with all links to it.
/// The copy has no times of its objects, so that two copies have the same bytes. Needs Kokkos.
/// \param input         that HDF5 opens by its name
/// \param label         of the output, for messages
/// \param output        not committed yet
/// \param memory_bytes  for values; what is larger is copied box by box, of whole chunks
/// \throws Error corrupt for a file that cannot be read; io for one that cannot be written, or an
///         input whose name another file has got; bad_argument without the filter
CopiedFile copy_with_filter(InputFile const& input, OutputFile const& output,
                            std::string const& label,
                            std::vector<FilteredVariable> const& variables,
                            std::uint64_t memory_bytes);

/// Copies a file byte by byte.
/// \param output  not committed yet; what has been written to it is gone
/// \throws Error io
void copy_bytes(InputFile const& input, OutputFile const& output, std::string const& label);

}  // namespace kompakt::files

#endif
