#include "errors.hpp"
#include <exception>
#include <kompakt/version.hpp>
#include <map>
#include <mutex>

namespace kompakt::hdf5 {

namespace {

/// What HDF5 prints around a message.
struct ErrorClass {
  Id name = -1, major = -1, minor = -1;
};

// Made once for each HDF5, and again if it has been closed in between. A class of our own needs none of HDF5's variables,
// which a program that is linked to it may have copied elsewhere.
ErrorClass const& class_in(Functions const& hdf5) {
  static std::mutex mutex;
  static std::map<Functions const*, ErrorClass> classes;
  std::lock_guard const lock(mutex);
  ErrorClass& found = classes[&hdf5];
  if (found.name < 0 || hdf5.H5Iis_valid(found.name) <= 0) {
    found.name = hdf5.H5Eregister_class("kompakt", "kompakt", KOMPAKT_VERSION_STRING);
    found.major = hdf5.H5Ecreate_msg(found.name, message_major, "Data filters");
    found.minor = hdf5.H5Ecreate_msg(found.name, message_minor, "Filter kompakt failed");
  }
  return found;
}

// By a stack of its own that takes the place of this thread's: newer HDF5s let that one rest while a filter reads, and
// whatever wakes it up, or lets it rest again, clears it.
void push(Functions const* hdf5, char const* where, char const* message) {
  if (hdf5 == nullptr) return;
  ErrorClass const& with = class_in(*hdf5);
  Id const stack = hdf5->H5Ecreate_stack();
  hdf5->H5Epush2(stack, "kompakt", where, 0, with.name, with.major, with.minor, "%s", message);
  hdf5->H5Eset_current_stack(stack);  // closes it, too
}

}  // namespace

void push_exception(Functions const* hdf5, char const* where) noexcept {
  try {
    try {
      throw;
    } catch (std::exception const& error) {
      push(hdf5, where, error.what());
    } catch (...) {
      push(hdf5, where, "failed, and does not say why");
    }
  } catch (...) {  // no memory for the classes: HDF5 still learns that something failed
  }
}

}  // namespace kompakt::hdf5
