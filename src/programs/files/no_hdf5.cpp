#include "hdf5.hpp"
#include "missing_library.hpp"

namespace kompakt::files {

std::unique_ptr<FieldFile> open_hdf5(std::string const& path) {
  throw_not_built(path, "HDF5", "libhdf5-dev");
}

std::unique_ptr<FieldWriter> write_hdf5(std::string const& path, OutputFile) {
  throw_not_built(path, "HDF5", "libhdf5-dev");
}

}  // namespace kompakt::files
