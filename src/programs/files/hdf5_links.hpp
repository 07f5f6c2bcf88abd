#ifndef KOMPAKT_FILES_HDF5_LINKS_HPP
#define KOMPAKT_FILES_HDF5_LINKS_HPP

#include "field_file.hpp"
#include "hdf5_handles.hpp"
#include <map>
#include <string>
#include <vector>

namespace kompakt::files {

/// The objects of a file, each under the first of its names.
struct ObjectNames {
  std::vector<std::string> datasets, groups, types;
  std::map<ObjectKey, std::string> by_key;
};

/// \returns nothing if the file cannot be walked through
std::optional<ObjectNames> objects_of(hid_t file);

/// Links of a file that are no name of objects_of(): soft and external ones, and hard ones to what has another name.
std::vector<FileLink> other_links_of(hid_t file, ObjectNames const& objects);

}  // namespace kompakt::files

#endif
