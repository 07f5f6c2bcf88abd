#include "field_file.hpp"
#include "hdf5.hpp"
#include "netcdf.hpp"
#include "zip.hpp"
#include <algorithm>
#include <span>
#include <string_view>

// What a file is that the program is to read.

namespace kompakt::files {

namespace {

constexpr std::string_view archive_front = "\x89KPA\r\n\x1a\n", stream_front = "\x89KPK\r\n\x1a\n";

/// Formats that no field is read from, by their first bytes, and what to do with them.
struct OtherFormat {
  std::string_view magic, what, advice;
};
constexpr std::string_view unpack_first = "unpack it first",
                           restore_first =
                               "give the original, or restore it first with 'kompakt decompress'";
constexpr OtherFormat other_formats[] = {
    {archive_front, "an archive of kompakt, which is compressed already", restore_first},
    {stream_front, "a stream of kompakt, which is compressed already", restore_first},
    {"\x1f\x8b", "a file packed by gzip", unpack_first},
    {"BZh", "a file packed by bzip2", unpack_first},
    {"\xfd\x37zXZ", "a file packed by xz", unpack_first},
    {"\x28\xb5\x2f\xfd", "a file packed by zstd", unpack_first},
    {zip_magic, "a zip file", "unpack it first, or name it .npz if it has arrays of NumPy"},
    {"\x0e\x03\x13\x01", "a file of HDF4", "convert it first, as h4toh5 or ncks does"},
    {"GRIB", "a file of GRIB", "convert it first, as cdo or grib_to_netcdf does"},
    {"SIMPLE  =", "a file of FITS", "save its arrays as .npy or in a file of HDF5 first"},
};

std::string front_of(std::string const& path) {
  InputFile file(path);
  std::string front(std::min<std::uint64_t>(file.known_bytes(), front_bytes), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(front)));
  return front;
}

[[noreturn]] void refuse_format(std::string const& path) {
  require_no_other_format(path);
  throw Error(Status::bad_magic,
              "'" + path + "' is no file of NumPy, netCDF or HDF5, or its beginning is damaged",
              "copy or write it again");
}

// Read as HDF5 a file of netCDF-4 would lose what netCDF means: fill values, unused dimensions, records that nobody has written.
Format format_of_input(std::string const& path, Format said) {
  Format const format = format_of_bytes(path, said);
  bool const may_be_netcdf = format == Format::hdf5 && said != Format::hdf5;
  return may_be_netcdf && has_netcdf() && is_netcdf4(path) ? Format::netcdf : format;
}

}  // namespace

bool is_compressed(std::string const& path) {
  if (!is_file(path)) return false;
  std::string const front = front_of(path);
  return front.starts_with(archive_front) || front.starts_with(stream_front);
}

void require_no_other_format(std::string const& label, std::string_view front) {
  for (OtherFormat const& other : other_formats) {
    if (!front.starts_with(other.magic)) continue;
    throw Error(Status::bad_magic, label + " is " + std::string(other.what), other.advice);
  }
}

void require_no_other_format(std::string const& path) {
  if (is_file(path)) require_no_other_format("'" + path + "'", front_of(path));
}

FileName input_name(std::string const& word, bool described) {
  if (word == "-") return {word, ""};
  FileName name = split_name(word);
  Format const said = format_of_suffix(name.path);
  bool const may_be_raw = described && name.variable.empty();
  if (!is_file(name.path)) {
    if (!may_be_raw) name.format = said;
    return name;
  }
  if (may_be_raw && said == Format::raw) return name;
  name.format = format_of_input(name.path, said);
  bool const must_say = said != Format::raw || !name.variable.empty();
  if (name.format != Format::raw || may_be_raw || !must_say) return name;
  refuse_format(name.path);
}

}  // namespace kompakt::files
