#include "hdf5_library.hpp"
#include <array>
#include <kompakt/error.hpp>
#include <string_view>

namespace kompakt::files {

namespace {

struct TypeName {
  Dtype dtype;
  char const* native;
};
constexpr TypeName types[] = {
    {Dtype::f32, "H5T_NATIVE_FLOAT"}, {Dtype::f64, "H5T_NATIVE_DOUBLE"},
    {Dtype::i8, "H5T_NATIVE_INT8"},   {Dtype::u8, "H5T_NATIVE_UINT8"},
    {Dtype::i16, "H5T_NATIVE_INT16"}, {Dtype::u16, "H5T_NATIVE_UINT16"},
    {Dtype::i32, "H5T_NATIVE_INT32"}, {Dtype::u32, "H5T_NATIVE_UINT32"},
    {Dtype::i64, "H5T_NATIVE_INT64"}, {Dtype::u64, "H5T_NATIVE_UINT64"},
};

}  // namespace

Hdf5::Hdf5() {
  H5dont_atexit();  // a file that could not be closed is not tried again, with messages, at the end
  H5open();
  if (hdf5_filter() != nullptr) H5Zregister(hdf5_filter());
}

Hdf5 const& hdf5() {
  static Hdf5 const functions;
  functions.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return functions;
}

LibraryError last_failure() {
  Collected<std::string> found;
  auto const take = [](unsigned number, H5E_error2_t const* error, void* to) -> herr_t {
    if (number != 0 || error->desc == nullptr) return 0;
    return static_cast<Collected<std::string>*>(to)->add(
        [&](std::string& text) { text = error->desc; });
  };
  hdf5().H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &found);
  std::string text = found.take();
  if (text.empty()) return {"unknown error"};
  // Of the system's errors it tells everything, up to the time of day.
  constexpr std::string_view of_system = "error message = '";
  std::size_t const begin = text.find(of_system);
  if (begin == std::string::npos) return {text};
  text.erase(0, begin + of_system.size());
  return {text.substr(0, text.find('\'')), true};
}

hid_t native_of(Dtype dtype) {
  return hdf5().constant(std::ranges::find(types, dtype, &TypeName::dtype)->native);
}

std::optional<Dtype> dtype_of(hid_t type) {
  Hdf5 const& h5 = hdf5();
  std::size_t const bytes = h5.H5Tget_size(type);
  H5T_class_t const kind = h5.H5Tget_class(type);
  if (kind == H5T_FLOAT) {
    for (auto const& [dtype, name] :
         {std::pair(Dtype::f32, "H5T_IEEE_F32"), std::pair(Dtype::f64, "H5T_IEEE_F64")}) {
      for (char const* const order : {"LE", "BE"}) {
        if (h5.H5Tequal(type, h5.constant(std::string(name) + order)) > 0) return dtype;
      }
    }
  }
  if (kind != H5T_INTEGER || h5.H5Tget_precision(type) != 8 * bytes) return std::nullopt;
  bool const has_sign = h5.H5Tget_sign(type) == H5T_SGN_2;
  switch (bytes) {
    case 1: return has_sign ? Dtype::i8 : Dtype::u8;
    case 2: return has_sign ? Dtype::i16 : Dtype::u16;
    case 4: return has_sign ? Dtype::i32 : Dtype::u32;
    case 8: return has_sign ? Dtype::i64 : Dtype::u64;
    default: return std::nullopt;
  }
}

std::vector<std::size_t> extents_of(hid_t space) {
  Hdf5 const& h5 = hdf5();
  int const rank = std::max(h5.H5Sget_simple_extent_ndims(space), 0);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  h5.H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t count_of(hid_t space) {
  return static_cast<std::size_t>(
      std::max<hssize_t>(hdf5().H5Sget_simple_extent_npoints(space), 0));
}

Selection::Selection(hid_t dataset, ArrayBox const& box, bool is_scalar) {
  if (is_scalar) return;
  Hdf5 const& h5 = hdf5();
  std::vector<hsize_t> const begin(box.begin.begin(), box.begin.end()),
      extent(box.extent.begin(), box.extent.end());
  hsize_t values = 1;
  for (hsize_t const along : extent) values *= along;
  file = Id(h5.H5Dget_space(dataset), h5.H5Sclose);
  memory = Id(h5.H5Screate_simple(1, &values, nullptr), h5.H5Sclose);
  h5.H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr);
}

namespace {

/// What messages of the library mean, by what they have in them.
struct Cause {
  std::string_view words;
  Status status;
  std::string_view advice;
};
constexpr std::array<Cause, 9> causes{{
    {"unable to lock", Status::io, "another program writes it; wait until it has ended"},
    {"temporarily unavailable", Status::io, "another program writes it; wait until it has ended"},
    {"required filter", Status::unsupported_version,
     "a filter that it needs is not installed; set HDF5_PLUGIN_PATH to the folder of its plugin"},
    {"plugin", Status::unsupported_version,
     "a filter that it needs is not installed; set HDF5_PLUGIN_PATH to the folder of its plugin"},
    {"can't open directory", Status::unsupported_version,
     "a filter that it needs is not installed; set HDF5_PLUGIN_PATH to the folder of its plugin"},
    {"version number", Status::unsupported_version,
     "a newer HDF5 has written it; copy it with the h5repack of that version and --high=v110"},
    {"version of superblock", Status::unsupported_version,
     "a newer HDF5 has written it; copy it with the h5repack of that version and --high=v110"},
    {"external", Status::io, "its values lie in another file, which is missing"},
    {"No such file", Status::io, "its values lie in another file, which is missing"},
}};

}  // namespace

Error unreadable(std::string const& label, std::string const& advice) {
  std::string const text = last_error();
  Cause found{"", Status::corrupt, "it may be cut off or damaged"};
  for (Cause const& cause : causes) {
    if (text.find(cause.words) == std::string::npos) continue;
    found = cause;
    break;
  }
  return Error(found.status, ("'" + label + "' cannot be read as HDF5: " + text + "; ")
                                 .append(found.advice)
                                 .append(advice));
}

}  // namespace kompakt::files
