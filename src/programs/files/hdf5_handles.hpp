#ifndef KOMPAKT_FILES_HDF5_HANDLES_HPP
#define KOMPAKT_FILES_HDF5_HANDLES_HPP

#include "boxes.hpp"
#include "library.hpp"
#include <array>
#include <cstdint>
#include <exception>
#include <hdf5.h>
#include <kompakt/error.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What all that reads and writes HDF5 shares. Callers hold lock_hdf5().

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

/// To be held around calls of the library, which is silent: what goes wrong is in messages of the program's own.
std::unique_lock<std::mutex> lock_hdf5();

/// Calls `take` for all objects of a file.
template <class Take>
herr_t visit(hid_t file, Take const& take, void* to) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, take, to, H5O_INFO_BASIC);
#else
  return H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, take, to, H5O_INFO_BASIC);
#endif
}

/// Calls `take` for all links of a file but those in groups that it has come to already.
template <class Take>
herr_t visit_links(hid_t file, Take const& take, void* to) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, take, to);
#else
  return H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take, to);
#endif
}

herr_t link_info(hid_t group, char const* name, LinkInfo* info);
herr_t object_info(hid_t file, char const* name, VisitedObject* info);

/// What tells objects of a file apart.
#if H5_VERSION_GE(1, 12, 0)
using ObjectKey = std::array<std::uint8_t, sizeof(H5O_token_t)>;
inline ObjectKey key_of(VisitedObject const& info) { return std::to_array(info.token.__data); }
#else
using ObjectKey = haddr_t;
inline ObjectKey key_of(VisitedObject const& info) { return info.addr; }
#endif

// H5F_ACC_RDONLY and H5F_ACC_TRUNC. As macros they end the program where another patch of the library is installed.
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

/// The Error "what: …", with what the library says went wrong, and what to do about it.
Error last_error_as(std::string const& what);
/// The Error of a file, or a variable of one, that the library could not read.
Error unreadable(std::string const& label);

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
/// The type of the numbers of an enumeration, of which booleans are one; none for other types, and for numbers without an order of
/// bytes.
std::optional<Dtype> dtype_of_enumeration(hid_t type);

/// Whether a type is what h5py writes for Booleans: an enumeration of 8 bits of FALSE and TRUE, 0 and 1.
bool is_boolean(hid_t type);
/// Such a type. It lives as long as the process.
hid_t boolean_type();

/// The fill value that somebody has set for a dataset, as a value of a type; empty if nobody has.
std::vector<std::byte> own_fill(hid_t properties, Dtype dtype);

/// An attribute of numbers or texts; an enumeration is its numbers.
struct AttributeValue {
  std::vector<std::size_t> extents{};  ///< slowest first; none of a scalar
  bool is_null = false;                ///< it has a type, but no value
  bool is_string = false;              ///< its texts are of any length
  std::vector<std::string> texts{};
  std::string numbers{};
  std::optional<Dtype> type{};
  bool is_enumeration = false;
  bool is_boolean = false;
};
/// None if there is no such attribute, or it has anything else.
std::optional<AttributeValue> read_attribute(hid_t object, char const* key);

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
