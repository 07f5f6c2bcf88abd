#ifndef KOMPAKT_HDF5_ABI_HPP
#define KOMPAKT_HDF5_ABI_HPP

#include <cstddef>
#include <cstdint>

// What of HDF5's binary interface the filter uses, declared here: it has been the same from 1.10 on, and a plugin serves
// whichever version loads it. linked.cpp holds it against the headers.

namespace kompakt::hdf5 {

using Id = std::int64_t;          // hid_t
using Size = unsigned long long;  // hsize_t
using Result = int;               // herr_t, htri_t
inline constexpr Result failed = -1;

inline constexpr unsigned reverse_flag = 0x0100;  // H5Z_FLAG_REVERSE: the filter is to read
inline constexpr int max_dataset_rank = 32;       // H5S_MAX_RANK
inline constexpr int filter_plugin = 0;           // H5PL_TYPE_FILTER

enum class TypeClass : int {
  integer = 0,
  floating_point = 1,
  string = 3,
  compound = 6,
  enumeration = 8
};
inline constexpr int little_endian = 0, big_endian = 1;     // H5T_order_t
inline constexpr int is_signed = 1;                         // H5T_SGN_2
inline constexpr int fill_is_set = 2;                       // H5D_FILL_VALUE_USER_DEFINED
inline constexpr int message_major = 0, message_minor = 1;  // H5E_type_t

/// H5Z_class2_t.
struct FilterClass {
  int version;  ///< 1
  int id;
  unsigned has_encoder, has_decoder;
  char const* name;
  Result (*can_apply)(Id dcpl, Id type, Id space);
  Result (*set_local)(Id dcpl, Id type, Id space);
  std::size_t (*filter)(unsigned flags, std::size_t count, unsigned const* words, std::size_t bytes,
                        std::size_t* buffer_bytes, void** buffer);
};

// name, result, parameters
#define KOMPAKT_HDF5_FUNCTIONS(F)                                                             \
  F(H5Pget_chunk, int, (Id, int, Size*))                                                      \
  F(H5Pget_nfilters, int, (Id))                                                               \
  F(H5Pget_filter2, int,                                                                      \
    (Id, unsigned, unsigned*, std::size_t*, unsigned*, std::size_t, char*, unsigned*))        \
  F(H5Pmodify_filter, Result, (Id, int, unsigned, std::size_t, unsigned const*))              \
  F(H5Pfill_value_defined, Result, (Id, int*))                                                \
  F(H5Pget_fill_value, Result, (Id, Id, void*))                                               \
  F(H5Tget_class, int, (Id))                                                                  \
  F(H5Tget_size, std::size_t, (Id))                                                           \
  F(H5Tget_order, int, (Id))                                                                  \
  F(H5Tget_sign, int, (Id))                                                                   \
  F(H5Tget_precision, std::size_t, (Id))                                                      \
  F(H5Tget_fields, Result,                                                                    \
    (Id, std::size_t*, std::size_t*, std::size_t*, std::size_t*, std::size_t*))               \
  F(H5Tget_ebias, std::size_t, (Id))                                                          \
  F(H5Tget_nmembers, int, (Id))                                                               \
  F(H5Tget_member_offset, std::size_t, (Id, unsigned))                                        \
  F(H5Tget_member_type, Id, (Id, unsigned))                                                   \
  F(H5Tclose, Result, (Id))                                                                   \
  F(H5Iis_valid, Result, (Id))                                                                \
  F(H5Eregister_class, Id, (char const*, char const*, char const*))                           \
  F(H5Ecreate_msg, Id, (Id, int, char const*))                                                \
  F(H5Epush2, Result, (Id, char const*, char const*, unsigned, Id, Id, Id, char const*, ...)) \
  F(H5Ecreate_stack, Id, ())                                                                  \
  F(H5Eset_current_stack, Result, (Id))                                                       \
  F(H5allocate_memory, void*, (std::size_t, bool))                                            \
  F(H5free_memory, Result, (void*))

/// Functions of one libhdf5.
struct Functions {
#define KOMPAKT_HDF5_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  KOMPAKT_HDF5_FUNCTIONS(KOMPAKT_HDF5_MEMBER)
#undef KOMPAKT_HDF5_MEMBER
};

/// Those of the library that called: of the one that contains the address, or of the one that is linked.
/// \param caller  an address in its code
/// \returns nullptr if it does not show its functions to others
Functions const* functions_of(void const* caller) noexcept;

/// What the plugin gives to HDF5, and what the library registers.
extern FilterClass const filter_class;

}  // namespace kompakt::hdf5

#endif
