#ifndef KOMPAKT_HDF5_DATASET_HPP
#define KOMPAKT_HDF5_DATASET_HPP

#include "abi.hpp"
#include "words.hpp"
#include <string>

// What HDF5 says of a dataset that is to be created.

namespace kompakt::hdf5 {

/// Number and flags of the filter, and words that are complete.
struct DatasetFilter {
  unsigned flags = 0;
  Words words{};
};

/// \param dcpl  with which the dataset is created
/// \param type  of its values
/// \throws Error bad_argument for a type, chunk, pipeline of filters or words that cannot be done
DatasetFilter filter_of(Functions const& hdf5, Id dcpl, Id type);

}  // namespace kompakt::hdf5

#endif
