#include "hdf5_handles.hpp"
#include "hdf5_module.hpp"
#include <algorithm>
#include <array>
#include <kompakt/error.hpp>
#include <string_view>

namespace kompakt::files {

std::unique_lock<std::mutex> lock_hdf5() {
  auto lock = lock_libraries();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // of this thread
  return lock;
}

LibraryError last_failure() {
  Collected<std::string> found;
  auto const take = [](unsigned number, H5E_error2_t const* error, void* to) -> herr_t {
    if (number != 0 || error->desc == nullptr) return 0;
    return static_cast<Collected<std::string>*>(to)->add(
        [&](std::string& text) { text = error->desc; });
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &found);
  std::string text = found.take();
  if (text.empty()) return {"unknown error"};
  // Of the system's errors it tells everything, up to the time of day.
  constexpr std::string_view of_system = "error message = '";
  std::size_t const begin = text.find(of_system);
  if (begin == std::string::npos) return {text};
  text.erase(0, begin + of_system.size());
  return {text.substr(0, text.find('\'')), true};
}

herr_t link_info(hid_t group, char const* name, LinkInfo* info) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Lget_info2(group, name, info, H5P_DEFAULT);
#else
  return H5Lget_info(group, name, info, H5P_DEFAULT);
#endif
}

herr_t object_info(hid_t file, char const* name, VisitedObject* info) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Oget_info_by_name3(file, name, info, H5O_INFO_BASIC, H5P_DEFAULT);
#else
  return H5Oget_info_by_name2(file, name, info, H5O_INFO_BASIC, H5P_DEFAULT);
#endif
}

namespace {

/// A type of 16 bits, which HDF5 before 1.14.4 has no name for. It lives as long as the process.
hid_t half_type(Dtype dtype, H5T_order_t order) {
  hid_t const type = H5Tcopy(H5T_IEEE_F32LE);
  std::size_t const mantissa = dtype == Dtype::f16 ? 10 : 7, exponent = 15 - mantissa;
  H5Tset_fields(type, 15, mantissa, exponent, 0, mantissa);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, (std::size_t{1} << (exponent - 1)) - 1);
  H5Tset_order(type, order);
  return type;
}
/// Under lock_hdf5().
hid_t half_of(Dtype dtype, H5T_order_t order) {
  static hid_t const types[2][2] = {
      {half_type(Dtype::f16, H5T_ORDER_LE), half_type(Dtype::f16, H5T_ORDER_BE)},
      {half_type(Dtype::bf16, H5T_ORDER_LE), half_type(Dtype::bf16, H5T_ORDER_BE)}};
  return types[dtype == Dtype::f16 ? 0 : 1][order == H5T_ORDER_LE ? 0 : 1];
}

/// Two parts, called r and i as in files of h5py. It lives as long as the process.
hid_t complex_type(hid_t part) {
  std::size_t const bytes = H5Tget_size(part);
  hid_t const type = H5Tcreate(H5T_COMPOUND, 2 * bytes);
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", bytes, part);
  return type;
}
/// Under lock_hdf5().
hid_t complex_of(Dtype dtype) {
  static hid_t const types[2] = {complex_type(H5T_NATIVE_FLOAT), complex_type(H5T_NATIVE_DOUBLE)};
  return types[dtype == Dtype::c64 ? 0 : 1];
}
bool has_part(hid_t type, unsigned number, std::string_view name, hid_t little, hid_t big) {
  char* const own = H5Tget_member_name(type, number);
  bool const is_named = own != nullptr && own == name;
  H5free_memory(own);
  Id const part(H5Tget_member_type(type, number), H5Tclose);
  return is_named && (H5Tequal(part.get(), little) > 0 || H5Tequal(part.get(), big) > 0);
}
/// Parts of any order of bytes; the library turns them.
std::optional<Dtype> complex_dtype_of(hid_t type) {
  auto const are_parts = [type](hid_t little, hid_t big) {
    return has_part(type, 0, "r", little, big) && has_part(type, 1, "i", little, big);
  };
  if (H5Tget_nmembers(type) != 2) return std::nullopt;
  if (are_parts(H5T_IEEE_F32LE, H5T_IEEE_F32BE)) return Dtype::c64;
  if (are_parts(H5T_IEEE_F64LE, H5T_IEEE_F64BE)) return Dtype::c128;
  return std::nullopt;
}

}  // namespace

hid_t native_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::c64:
    case Dtype::c128: return complex_of(dtype);
    case Dtype::f16:
    case Dtype::bf16: return half_of(dtype, H5T_ORDER_LE);
    case Dtype::f32: return H5T_NATIVE_FLOAT;
    case Dtype::f64: return H5T_NATIVE_DOUBLE;
    case Dtype::i8: return H5T_NATIVE_INT8;
    case Dtype::u8: return H5T_NATIVE_UINT8;
    case Dtype::i16: return H5T_NATIVE_INT16;
    case Dtype::u16: return H5T_NATIVE_UINT16;
    case Dtype::i32: return H5T_NATIVE_INT32;
    case Dtype::u32: return H5T_NATIVE_UINT32;
    case Dtype::i64: return H5T_NATIVE_INT64;
    default: return H5T_NATIVE_UINT64;
  }
}

std::optional<Dtype> dtype_of(hid_t type) {
  std::size_t const bytes = H5Tget_size(type);
  H5T_class_t const kind = H5Tget_class(type);
  if (kind == H5T_FLOAT) {
    for (hid_t const f32 : {H5T_IEEE_F32LE, H5T_IEEE_F32BE}) {
      if (H5Tequal(type, f32) > 0) return Dtype::f32;
    }
    for (hid_t const f64 : {H5T_IEEE_F64LE, H5T_IEEE_F64BE}) {
      if (H5Tequal(type, f64) > 0) return Dtype::f64;
    }
    for (Dtype const half : {Dtype::f16, Dtype::bf16}) {
      for (H5T_order_t const order : {H5T_ORDER_LE, H5T_ORDER_BE}) {
        if (H5Tequal(type, half_of(half, order)) > 0) return half;
      }
    }
  }
  if (kind == H5T_COMPOUND) return complex_dtype_of(type);
  if (kind != H5T_INTEGER || H5Tget_precision(type) != 8 * bytes) return std::nullopt;
  bool const has_sign = H5Tget_sign(type) == H5T_SGN_2;
  switch (bytes) {
    case 1: return has_sign ? Dtype::i8 : Dtype::u8;
    case 2: return has_sign ? Dtype::i16 : Dtype::u16;
    case 4: return has_sign ? Dtype::i32 : Dtype::u32;
    case 8: return has_sign ? Dtype::i64 : Dtype::u64;
    default: return std::nullopt;
  }
}

std::optional<Dtype> dtype_of_enumeration(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM) return std::nullopt;
  H5T_order_t const order = H5Tget_order(type);
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return std::nullopt;
  return dtype_of(Id(H5Tget_super(type), H5Tclose).get());
}

namespace {

constexpr std::array<char const*, 2> truths{"FALSE", "TRUE"};

}  // namespace

bool is_boolean(hid_t type) {
  if (dtype_of_enumeration(type) != Dtype::i8 || H5Tget_nmembers(type) != 2) return false;
  for (signed char number = 0; number < 2; ++number) {
    signed char found = -1;
    auto const at = static_cast<std::size_t>(number);
    if (H5Tenum_valueof(type, truths[at], &found) < 0 || found != number) return false;
  }
  return true;
}

hid_t boolean_type() {
  static hid_t const type = [] {
    hid_t const made = H5Tenum_create(H5T_STD_I8LE);
    for (signed char number = 0; number < 2; ++number) {
      H5Tenum_insert(made, truths[static_cast<std::size_t>(number)], &number);
    }
    return made;
  }();
  return type;
}

std::vector<std::byte> own_fill(hid_t properties, Dtype dtype) {
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  std::vector<std::byte> fill(size_of(dtype));
  if (H5Pfill_value_defined(properties, &defined) < 0 || defined != H5D_FILL_VALUE_USER_DEFINED ||
      H5Pget_fill_value(properties, native_of(dtype), fill.data()) < 0) {
    return {};
  }
  return fill;
}

std::vector<std::size_t> extents_of(hid_t space) {
  int const rank = std::max(H5Sget_simple_extent_ndims(space), 0);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t count_of(hid_t space) {
  return static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
}

Selection::Selection(hid_t dataset, ArrayBox const& box, bool is_scalar) {
  if (is_scalar) return;
  std::vector<hsize_t> const begin(box.begin.begin(), box.begin.end()),
      extent(box.extent.begin(), box.extent.end());
  hsize_t values = 1;
  for (hsize_t const along : extent) values *= along;
  file = Id(H5Dget_space(dataset), H5Sclose);
  memory = Id(H5Screate_simple(1, &values, nullptr), H5Sclose);
  H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr);
}

namespace {

/// What messages of the library mean, by what they have in them.
struct Cause {
  std::string_view words;
  Status status;
  std::string_view advice;
};
constexpr std::string_view wait_for_writer = "another program writes it; wait until it has ended";
constexpr std::string_view copy_with_newer =
    "a newer HDF5 has written it, or it is damaged; copy it with the h5repack of a newer version, "
    "--high=v110";
constexpr std::array<Cause, 7> causes{{
    {"unable to lock", Status::io, wait_for_writer},
    {"temporarily unavailable", Status::io, wait_for_writer},
    {"already open for", Status::io,
     "a program writes it, or ended before it closed it; if none does, 'h5clear -s' makes a copy "
     "of it readable"},
    {"version number", Status::unsupported_version, copy_with_newer},
    {"version of superblock", Status::unsupported_version, copy_with_newer},
    {"driver should be used", Status::bad_argument,
     "it is one of several files that belong together; copy them into one with the h5repack of a "
     "newer version"},
    {"unknown datatype class", Status::unsupported_version, copy_with_newer},
}};

struct FoundCause {
  std::string text;
  Cause cause;
};
FoundCause last_cause() {
  std::string const text = last_error();
  for (Cause const& cause : causes) {
    if (text.find(cause.words) != std::string::npos) return {text, cause};
  }
  return {text, {"", Status::corrupt, "it may be cut off or damaged"}};
}

}  // namespace

Error last_error_as(std::string const& what) {
  auto const [text, cause] = last_cause();
  return Error(cause.status, what + ": " + text, cause.advice);
}

Error unreadable(std::string const& label) {
  return last_error_as("'" + label + "' cannot be read as HDF5");
}

namespace {

/// A text without what fills its room. One that ends at a null byte may have anything behind it; of others null bytes are letters.
std::string without_filling(std::string const& text, bool ends_at_null) {
  if (ends_at_null) return text.substr(0, text.find('\0'));
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

/// The texts of an attribute; none if it has others than texts.
std::optional<std::vector<std::string>> texts_of(hid_t attribute, hid_t type, std::size_t count) {
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  std::vector<std::string> texts;
  if (count == 0) return texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    if (H5Aread(attribute, type, pointers.data()) < 0) return std::nullopt;
    for (char* const text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
      H5free_memory(text);
    }
    return texts;
  }
  bool const ends_at_null = H5Tget_strpad(type) == H5T_STR_NULLTERM;
  std::size_t const bytes = H5Tget_size(type);
  std::string all(count * bytes, '\0');
  if (H5Aread(attribute, type, all.data()) < 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(without_filling(all.substr(i * bytes, bytes), ends_at_null));
  }
  return texts;
}

}  // namespace

std::optional<AttributeValue> read_attribute(hid_t object, char const* key) {
  Id const attribute(H5Aopen(object, key, H5P_DEFAULT), H5Aclose);
  if (attribute.get() < 0) return std::nullopt;
  Id const type(H5Aget_type(attribute.get()), H5Tclose);
  Id const space(H5Aget_space(attribute.get()), H5Sclose);
  hssize_t const points = H5Sget_simple_extent_npoints(space.get());
  auto const count = static_cast<std::size_t>(std::max<hssize_t>(points, 0));
  AttributeValue value{extents_of(space.get()), H5Sget_simple_extent_type(space.get()) == H5S_NULL,
                       H5Tis_variable_str(type.get()) > 0};
  if (auto texts = texts_of(attribute.get(), type.get(), count)) {
    value.texts = std::move(*texts);
    return value;
  }
  value.type = dtype_of(type.get());
  if (!value.type) {
    value.type = dtype_of_enumeration(type.get());
    value.is_enumeration = true;
    value.is_boolean = is_boolean(type.get());
  }
  if (!value.type) return std::nullopt;
  std::vector<std::byte> numbers(count * size_of(*value.type));
  if (count > 0 && H5Aread(attribute.get(), native_of(*value.type), numbers.data()) < 0) {
    return std::nullopt;
  }
  value.numbers = text_of_numbers(*value.type, numbers);
  return value;
}

}  // namespace kompakt::files

// All that the program asks of this module.
extern "C" kompakt::files::Hdf5Module const* kompakt_hdf5_module() {
  using namespace kompakt::files;
  static constexpr Hdf5Module functions{linked::open_hdf5, linked::is_netcdf4, linked::write_hdf5,
                                        linked::copy_with_filter};
  H5dont_atexit();  // a file that could not be closed is not tried again, with messages, at the end
  H5open();
  if (hdf5_filter() != nullptr) H5Zregister(hdf5_filter());
  return &functions;
}
