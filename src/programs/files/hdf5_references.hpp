#ifndef KOMPAKT_FILES_HDF5_REFERENCES_HPP
#define KOMPAKT_FILES_HDF5_REFERENCES_HPP

#include "hdf5_handles.hpp"
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace kompakt::files {

/// An object in a copy: its address, which is what references are, and the path that it has at the moment.
struct CopiedObject {
  haddr_t address = HADDR_UNDEF;
  std::string path;
};

/// Whether values of a type lie elsewhere in the file, as texts and lists of any length do, or say where something lies.
bool point_elsewhere(hid_t type);

/// Turns references to objects and regions of one file into those of its copy.
class References {
 public:
  /// \param find  the copy of the object at an address; null if it has none
  References(hid_t from, hid_t to, std::function<CopiedObject const*(haddr_t)> find)
      : m_from(from), m_to(to), m_find(std::move(find)) {}

  /// Whether values of a type have references in them.
  static bool are_in(hid_t type) { return H5Tdetect_class(type, H5T_REFERENCE) > 0; }
  /// Turns those of values in memory, as HDF5 has read them. Those to nothing stay so, as do those to objects without a copy.
  void turn(hid_t type, std::span<std::byte> values) const;

 private:
  void turn_structures(hid_t type, std::span<std::byte> values) const;
  void turn_lists(hid_t type, std::span<std::byte> values) const;
  void turn_one(hid_t type, std::byte* value) const;
  hobj_ref_t object(hobj_ref_t reference) const;
  void turn_region(hdset_reg_ref_t& reference) const;

  hid_t m_from, m_to;
  std::function<CopiedObject const*(haddr_t)> m_find;
};

}  // namespace kompakt::files

#endif
