#ifndef KOMPAKT_HDF5_DATASET_HPP
#define KOMPAKT_HDF5_DATASET_HPP

#include "abi.hpp"
#include "cd_values.hpp"
#include <string>

// What HDF5 says of a dataset that is to be created.

namespace kompakt::hdf5 {

/// Number and flags of the filter, and words that are complete.
struct DatasetFilter {
  unsigned flags = 0;
  Words words{};
};

/// Looks at everything but the dataset's fill value.
/// \param dcpl  with which the dataset is, or has been, created
/// \param type  of its values
/// \throws Error bad_argument for a type, chunk, pipeline of filters or words that cannot be done
DatasetFilter filter_of(Functions const& hdf5, Id dcpl, Id type);
/// The same with the fill value, if somebody has set one. Only before the dataset is created: of one that has been
/// opened HDF5 does not know the type of the fill value, and looks at it.
DatasetFilter filter_of_new(Functions const& hdf5, Id dcpl, Id type);

}  // namespace kompakt::hdf5

#endif
