#ifndef KOMPAKT_FILES_HDF5_LIBRARY_HPP
#define KOMPAKT_FILES_HDF5_LIBRARY_HPP

#include "boxes.hpp"
#include "library.hpp"
#include <algorithm>
#include <exception>
#include <hdf5.h>
#include <kompakt/error.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What all that reads and writes HDF5 shares. Callers hold lock_libraries().

namespace kompakt::files {

// Of versions 1 and 2 of the structures the newest that the library has, or the only one.
#if H5_VERSION_GE(1, 12, 0)
using VisitedObject = H5O_info2_t;
using ObjectInfo = H5O_info1_t;
using LinkInfo = H5L_info2_t;
#else
using VisitedObject = H5O_info_t;
using ObjectInfo = H5O_info_t;
using LinkInfo = H5L_info_t;
#endif

/// A value of a type of variable length, with a name: that of the library is of an unnamed structure, of which nvcc 13 takes
/// no vectors.
struct ValueList : hvl_t {};

/// Functions of libhdf5 under their names, and what its macros stand for.
class Hdf5 {
  Library m_library{KOMPAKT_HDF5_LIBRARY, "HDF5"};

 public:
#define KOMPAKT_FUNCTION(name) \
  decltype(::name)* const name = m_library.find<decltype(::name)>(#name)
  KOMPAKT_FUNCTION(H5open);
  KOMPAKT_FUNCTION(H5dont_atexit);
  KOMPAKT_FUNCTION(H5Eset_auto2);
  KOMPAKT_FUNCTION(H5Ewalk2);
  KOMPAKT_FUNCTION(H5free_memory);
  KOMPAKT_FUNCTION(H5Fopen);
  KOMPAKT_FUNCTION(H5Fcreate);
  KOMPAKT_FUNCTION(H5Fclose);
  KOMPAKT_FUNCTION(H5Fget_create_plist);
  KOMPAKT_FUNCTION(H5Gopen2);
  KOMPAKT_FUNCTION(H5Gcreate2);
  KOMPAKT_FUNCTION(H5Gclose);
  KOMPAKT_FUNCTION(H5Gget_info);
  KOMPAKT_FUNCTION(H5Gget_create_plist);
  KOMPAKT_FUNCTION(H5Dopen2);
  KOMPAKT_FUNCTION(H5Dcreate2);
  KOMPAKT_FUNCTION(H5Dclose);
  KOMPAKT_FUNCTION(H5Dget_type);
  KOMPAKT_FUNCTION(H5Dget_space);
  KOMPAKT_FUNCTION(H5Dget_create_plist);
  KOMPAKT_FUNCTION(H5Dget_storage_size);
  KOMPAKT_FUNCTION(H5Dread);
  KOMPAKT_FUNCTION(H5Dwrite);
  KOMPAKT_FUNCTION(H5Dvlen_reclaim);
  KOMPAKT_FUNCTION(H5Aiterate2);
  KOMPAKT_FUNCTION(H5Aexists);
  KOMPAKT_FUNCTION(H5Aopen);
  KOMPAKT_FUNCTION(H5Aopen_by_idx);
  KOMPAKT_FUNCTION(H5Acreate2);
  KOMPAKT_FUNCTION(H5Aclose);
  KOMPAKT_FUNCTION(H5Aget_name);
  KOMPAKT_FUNCTION(H5Aget_type);
  KOMPAKT_FUNCTION(H5Aget_space);
  KOMPAKT_FUNCTION(H5Aget_create_plist);
  KOMPAKT_FUNCTION(H5Aread);
  KOMPAKT_FUNCTION(H5Awrite);
  KOMPAKT_FUNCTION(H5Tget_class);
  KOMPAKT_FUNCTION(H5Tget_size);
  KOMPAKT_FUNCTION(H5Tget_precision);
  KOMPAKT_FUNCTION(H5Tget_sign);
  KOMPAKT_FUNCTION(H5Tget_super);
  KOMPAKT_FUNCTION(H5Tget_nmembers);
  KOMPAKT_FUNCTION(H5Tget_member_type);
  KOMPAKT_FUNCTION(H5Tget_member_offset);
  KOMPAKT_FUNCTION(H5Tdetect_class);
  KOMPAKT_FUNCTION(H5Tcommitted);
  KOMPAKT_FUNCTION(H5Tequal);
  KOMPAKT_FUNCTION(H5Tcopy);
  KOMPAKT_FUNCTION(H5Tcreate);
  KOMPAKT_FUNCTION(H5Tinsert);
  KOMPAKT_FUNCTION(H5Tvlen_create);
  KOMPAKT_FUNCTION(H5Tset_size);
  KOMPAKT_FUNCTION(H5Tset_cset);
  KOMPAKT_FUNCTION(H5Tset_strpad);
  KOMPAKT_FUNCTION(H5Tis_variable_str);
  KOMPAKT_FUNCTION(H5Tclose);
  KOMPAKT_FUNCTION(H5Screate);
  KOMPAKT_FUNCTION(H5Screate_simple);
  KOMPAKT_FUNCTION(H5Sclose);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_type);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_ndims);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_dims);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_npoints);
  KOMPAKT_FUNCTION(H5Sselect_hyperslab);
  KOMPAKT_FUNCTION(H5Pcreate);
  KOMPAKT_FUNCTION(H5Pclose);
  KOMPAKT_FUNCTION(H5Pset_create_intermediate_group);
  KOMPAKT_FUNCTION(H5Pset_char_encoding);
  KOMPAKT_FUNCTION(H5Pget_obj_track_times);
  KOMPAKT_FUNCTION(H5Pset_obj_track_times);
  KOMPAKT_FUNCTION(H5Pget_nfilters);
  KOMPAKT_FUNCTION(H5Pget_filter2);
  KOMPAKT_FUNCTION(H5Pset_copy_object);
  KOMPAKT_FUNCTION(H5Padd_merge_committed_dtype_path);
  KOMPAKT_FUNCTION(H5Pset_libver_bounds);
  KOMPAKT_FUNCTION(H5Pget_version);
  KOMPAKT_FUNCTION(H5Pget_userblock);
  KOMPAKT_FUNCTION(H5Pget_link_creation_order);
  KOMPAKT_FUNCTION(H5Pset_link_creation_order);
  KOMPAKT_FUNCTION(H5Pget_attr_creation_order);
  KOMPAKT_FUNCTION(H5Pset_attr_creation_order);
  KOMPAKT_FUNCTION(H5Pget_link_phase_change);
  KOMPAKT_FUNCTION(H5Pset_link_phase_change);
  KOMPAKT_FUNCTION(H5Pget_attr_phase_change);
  KOMPAKT_FUNCTION(H5Pset_attr_phase_change);
  KOMPAKT_FUNCTION(H5Pget_layout);
  KOMPAKT_FUNCTION(H5Pget_chunk);
  KOMPAKT_FUNCTION(H5Pset_chunk);
  KOMPAKT_FUNCTION(H5Pset_chunk_opts);
  KOMPAKT_FUNCTION(H5Pset_alloc_time);
  KOMPAKT_FUNCTION(H5Pget_external_count);
  KOMPAKT_FUNCTION(H5Premove_filter);
  KOMPAKT_FUNCTION(H5Pset_filter);
  KOMPAKT_FUNCTION(H5Pfill_value_defined);
  KOMPAKT_FUNCTION(H5Pget_fill_value);
  KOMPAKT_FUNCTION(H5Pset_fill_value);
  KOMPAKT_FUNCTION(H5Oopen);
  KOMPAKT_FUNCTION(H5Oclose);
  KOMPAKT_FUNCTION(H5Oget_info2);
  KOMPAKT_FUNCTION(H5Ocopy);
  KOMPAKT_FUNCTION(H5Oget_comment);
  KOMPAKT_FUNCTION(H5Oset_comment);
  KOMPAKT_FUNCTION(H5Lget_name_by_idx);
  KOMPAKT_FUNCTION(H5Lget_val);
  KOMPAKT_FUNCTION(H5Lexists);
  KOMPAKT_FUNCTION(H5Lcreate_hard);
  KOMPAKT_FUNCTION(H5Lcreate_soft);
  KOMPAKT_FUNCTION(H5Lcreate_external);
  KOMPAKT_FUNCTION(H5Lunpack_elink_val);
  KOMPAKT_FUNCTION(H5Ldelete);
  KOMPAKT_FUNCTION(H5Rcreate);
  KOMPAKT_FUNCTION(H5Rdereference2);
  KOMPAKT_FUNCTION(H5Rget_region);
  KOMPAKT_FUNCTION(H5Iget_name);
  KOMPAKT_FUNCTION(H5Zregister);
#if H5_VERSION_GE(1, 12, 0)
  KOMPAKT_FUNCTION(H5Ovisit3);
  KOMPAKT_FUNCTION(H5Lget_info2);
#else
  KOMPAKT_FUNCTION(H5Ovisit2);
  KOMPAKT_FUNCTION(H5Lget_info);
#endif
#if H5_VERSION_GE(1, 10, 5)
  KOMPAKT_FUNCTION(H5Dget_num_chunks);
  KOMPAKT_FUNCTION(H5Dget_chunk_info);
#endif
#undef KOMPAKT_FUNCTION

  Hdf5();

  /// Calls `take` for all objects of a file.
  template <class Take>
  herr_t visit(hid_t file, Take const& take, void* to) const {
#if H5_VERSION_GE(1, 12, 0)
    return H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, take, to, H5O_INFO_BASIC);
#else
    return H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, take, to, H5O_INFO_BASIC);
#endif
  }
  herr_t link_info(hid_t group, char const* name, LinkInfo* info) const {
#if H5_VERSION_GE(1, 12, 0)
    return H5Lget_info2(group, name, info, H5P_DEFAULT);
#else
    return H5Lget_info(group, name, info, H5P_DEFAULT);
#endif
  }

  /// How many chunks of a dataset are in the file; none if the library cannot tell.
  std::optional<hsize_t> chunk_count([[maybe_unused]] hid_t dataset,
                                     [[maybe_unused]] hid_t space) const {
    std::optional<hsize_t> found;
#if H5_VERSION_GE(1, 10, 5)
    hsize_t count = 0;
    if (H5Dget_num_chunks(dataset, space, &count) >= 0) found = count;
#endif
    return found;
  }
  /// Where the chunk of this number begins.
  herr_t chunk_offset([[maybe_unused]] hid_t dataset, [[maybe_unused]] hid_t space,
                      [[maybe_unused]] hsize_t number, [[maybe_unused]] hsize_t* offset) const {
#if H5_VERSION_GE(1, 10, 5)
    return H5Dget_chunk_info(dataset, space, number, offset, nullptr, nullptr, nullptr);
#else
    return -1;
#endif
  }

  /// "H5T_NATIVE_FLOAT" and its like.
  hid_t constant(std::string const& name) const {
    return *static_cast<hid_t const*>(m_library.symbol((name + "_g").c_str()));
  }
};

/// The library, silent: what goes wrong is in messages of the program's own. It has kompakt's filter, if this program has.
Hdf5 const& hdf5();

// H5F_ACC_RDONLY and H5F_ACC_TRUNC, which as macros call functions of a library that is linked.
inline constexpr unsigned read_only = 0, replacing = 2;

// Attributes of dimension scales, as HDF5's library of a higher level writes them.
inline constexpr char const* labels_key = "DIMENSION_LABELS";  ///< names of the indices
inline constexpr char const* scales_key =
    "DIMENSION_LIST";  ///< references to the scale of each index
inline constexpr char const* users_key =
    "REFERENCE_LIST";  ///< of a scale: who has it, and for which index

/// What went wrong in a call.
struct LibraryError {
  std::string text;
  bool is_of_system = false;  ///< such as a full disk
};

/// What the library says went wrong, at the bottom of its calls.
LibraryError last_failure();
inline std::string last_error() { return last_failure().text; }

/// The Error of a file, or a variable of one, that the library could not read: what it says, and what to do about it.
/// \param advice  what the caller has to add, "; …"
Error unreadable(std::string const& label, std::string const& advice = "");

/// What a callback of C collects. No exception may pass through C: it stops the calls, and leaves with the result.
template <class T>
class Collected {
 public:
  /// work(what has been collected so far), in a callback.
  /// \returns what stops C if it has thrown
  template <class Work>
  herr_t add(Work const& work) noexcept {
    try {
      work(m_value);
      return 0;
    } catch (...) {
      m_error = std::current_exception();
      return -1;
    }
  }
  T take() {
    if (m_error) std::rethrow_exception(m_error);
    return std::move(m_value);
  }

 private:
  T m_value{};
  std::exception_ptr m_error;
};

/// Something of the library's that is closed at the end of the scope.
class Id {
 public:
  Id() = default;
  Id(hid_t id, herr_t (*closes)(hid_t)) : m_id(id), m_close(closes) {}
  ~Id() {
    if (m_id >= 0) m_close(m_id);
  }
  Id(Id&& other) noexcept : m_id(std::exchange(other.m_id, -1)), m_close(other.m_close) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(m_id, other.m_id);
    std::swap(m_close, other.m_close);
    return *this;
  }

  hid_t get() const { return m_id; }
  /// Returns false if that failed.
  bool close() { return m_close(std::exchange(m_id, -1)) >= 0; }

 private:
  hid_t m_id = -1;
  herr_t (*m_close)(hid_t) = nullptr;
};

/// The type of values in memory.
hid_t native_of(Dtype dtype);
/// What a type of a file is in memory, whatever the order of its bytes, which the library turns.
std::optional<Dtype> dtype_of(hid_t type);

/// That of the slowest index first; none of a scalar.
std::vector<std::size_t> extents_of(hid_t space);
/// Values of an attribute or a dataset.
std::size_t count_of(hid_t space);

/// A box of a dataset, and memory of as many values in a row.
struct Selection {
  Id file, memory;  ///< none of a scalar

  Selection(hid_t dataset, ArrayBox const& box, bool is_scalar);
  hid_t in_file() const { return file.get() < 0 ? H5S_ALL : file.get(); }
  hid_t in_memory() const { return memory.get() < 0 ? H5S_ALL : memory.get(); }
};

}  // namespace kompakt::files

#endif
