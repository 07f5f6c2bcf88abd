#ifndef KOMPAKT_FILES_HDF5_MISSING_HPP
#define KOMPAKT_FILES_HDF5_MISSING_HPP

#include "hdf5_handles.hpp"
#include <optional>
#include <string>

namespace kompakt::files {

/// Something that reading a dataset needs and that is not here, while its file is sound.
struct MissingPart {
  Status status;
  std::string text;  ///< what is missing, and what to do
  /// Whether the library reads fill values in place of the missing ones, without an error.
  bool is_silent = false;
};

/// Looks for a filter without a plugin, and for the files with values that lie outside of this one.
/// \returns nothing if no such part is missing
std::optional<MissingPart> missing_part(hid_t dataset);

/// The Error of values that the library could not read: the missing part, if there is one.
/// \param label  of the variable, for messages
Error unreadable_values(hid_t dataset, std::string const& label);

}  // namespace kompakt::files

#endif
