#include "hdf5_copy.hpp"
#include "missing_library.hpp"

namespace kompakt::files {

FilterWords filter_words(Options const&) {
  throw_not_built("words", "HDF5 and its filter", "libhdf5-dev");
}

CopiedFile copy_with_filter(InputFile const& input, OutputFile const&, std::string const&,
                            std::vector<FilteredVariable> const&, std::uint64_t) {
  throw_not_built(path, "HDF5 and its filter", "libhdf5-dev");
}

void copy_bytes(InputFile const& input, OutputFile const&, std::string const&) {
  throw_not_built(path, "HDF5 and its filter", "libhdf5-dev");
}

}  // namespace kompakt::files
