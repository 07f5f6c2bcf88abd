#ifndef KOMPAKT_HDF5_ERRORS_HPP
#define KOMPAKT_HDF5_ERRORS_HPP

#include "abi.hpp"

namespace kompakt::hdf5 {

/// Puts the message of the exception that is being handled on the error stack of an HDF5. One that does not show its
/// functions only learns that something failed.
/// \param hdf5      of the caller, or nullptr
/// \param where     function of the filter that failed
void push_exception(Functions const* hdf5, char const* where) noexcept;

/// Calls body(): no exception leaves.
/// \returns what it returns, or `failure`
template <class T, class Body>
T guarded(Functions const* hdf5, char const* where, T failure, Body const& body) noexcept {
  try {
    return body();
  } catch (...) {
    push_exception(hdf5, where);
    return failure;
  }
}

}  // namespace kompakt::hdf5

#endif
