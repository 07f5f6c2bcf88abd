#include "abi.hpp"
#include "errors.hpp"
#include <algorithm>
#include <c/convert.hpp>
#include <cstddef>
#include <kompakt/h5z.h>
#include <type_traits>

// The filter as a library: the functions are those of the HDF5 that the application links.

namespace kompakt::hdf5 {

namespace {

// Since HDF5 1.14 hsize_t is another type of the same numbers.
static_assert(std::is_same_v<hid_t, Id> && std::is_unsigned_v<hsize_t>);
static_assert(sizeof(hsize_t) == sizeof(Size));
static_assert(sizeof(FilterClass) == sizeof(H5Z_class2_t));
static_assert(offsetof(FilterClass, name) == offsetof(H5Z_class2_t, name));
static_assert(offsetof(FilterClass, can_apply) == offsetof(H5Z_class2_t, can_apply));
static_assert(offsetof(FilterClass, filter) == offsetof(H5Z_class2_t, filter));
static_assert(reverse_flag == H5Z_FLAG_REVERSE && max_dataset_rank == H5S_MAX_RANK);
static_assert(static_cast<int>(TypeClass::floating_point) == H5T_FLOAT);
static_assert(static_cast<int>(TypeClass::string) == H5T_STRING);
static_assert(static_cast<int>(TypeClass::compound) == H5T_COMPOUND);
static_assert(static_cast<int>(TypeClass::enumeration) == H5T_ENUM);
static_assert(little_endian == H5T_ORDER_LE && big_endian == H5T_ORDER_BE &&
              is_signed == H5T_SGN_2);
static_assert(fill_is_set == H5D_FILL_VALUE_USER_DEFINED);
static_assert(message_major == H5E_MAJOR && message_minor == H5E_MINOR);

// Enumerations are integers in the declarations of abi.hpp.
Functions linked_functions() {
  Functions functions;
#define KOMPAKT_HDF5_TAKE(name, result, parameters) \
  functions.name = reinterpret_cast<decltype(functions.name)>(&::name);
  KOMPAKT_HDF5_FUNCTIONS(KOMPAKT_HDF5_TAKE)
#undef KOMPAKT_HDF5_TAKE
  return functions;
}

herr_t add_filter(hid_t dcpl, unsigned const* words, unsigned count = KOMPAKT_H5Z_WORDS) {
  if (H5Z_kompakt_initialize() < 0) return failed;
  return H5Pset_filter(dcpl, KOMPAKT_H5Z_FILTER_ID, H5Z_FLAG_MANDATORY, count, words);
}

herr_t add_filter_of_bound(hid_t dcpl, kompakt_bound bound) {
  unsigned words[KOMPAKT_H5Z_WORDS];
  kompakt_h5z_words_of_bound(bound, words);
  return add_filter(dcpl, words);
}

}  // namespace

Functions const* functions_of(void const*) noexcept {
  static Functions const functions = linked_functions();
  return &functions;
}

}  // namespace kompakt::hdf5

using namespace kompakt::hdf5;

herr_t H5Z_kompakt_initialize() { return H5Zregister(&filter_class); }

herr_t H5Z_kompakt_finalize() { return H5Zunregister(KOMPAKT_H5Z_FILTER_ID); }

herr_t H5Pset_kompakt(hid_t dcpl, kompakt_options const* options) {
  if (options == nullptr) return H5Pset_kompakt_relative_to_range(dcpl, 1e-3);
  return guarded(functions_of(nullptr), "H5Pset_kompakt", failed, [&] {
    kompakt_options const kept = kompakt::c::options_without_range(options);
    unsigned words[KOMPAKT_H5Z_MAX_WORDS];
    unsigned const count = kompakt_h5z_words(&kept, words);
    return add_filter(dcpl, words, count);
  });
}
herr_t H5Pset_kompakt_absolute(hid_t dcpl, double bound) {
  return add_filter_of_bound(dcpl, kompakt_absolute(bound));
}
herr_t H5Pset_kompakt_relative_to_range(hid_t dcpl, double value) {
  return add_filter_of_bound(dcpl, kompakt_relative_to_range(value));
}
herr_t H5Pset_kompakt_relative_to_value(hid_t dcpl, double value) {
  return add_filter_of_bound(dcpl, kompakt_relative_to_value(value));
}
herr_t H5Pset_kompakt_psnr(hid_t dcpl, double decibels) {
  return add_filter_of_bound(dcpl, kompakt_psnr(decibels));
}
herr_t H5Pset_kompakt_lossless(hid_t dcpl) { return add_filter_of_bound(dcpl, kompakt_lossless()); }

herr_t H5Pset_kompakt_extents(hid_t dcpl, unsigned z, unsigned y, unsigned x) {
  unsigned flags = 0, words[KOMPAKT_H5Z_MAX_WORDS] = {};
  std::size_t count = KOMPAKT_H5Z_MAX_WORDS;
  if (H5Pget_filter_by_id2(dcpl, KOMPAKT_H5Z_FILTER_ID, &flags, &count, words, 0, nullptr,
                           nullptr) < 0) {
    return failed;
  }
  kompakt_h5z_put_extents(z, y, x, words);
  return H5Pmodify_filter(dcpl, KOMPAKT_H5Z_FILTER_ID, flags,
                          std::max<std::size_t>(count, KOMPAKT_H5Z_WORDS), words);
}
