#include "field_file.hpp"
#include "hdf5.hpp"
#include "netcdf.hpp"
#include "npy.hpp"
#include "zip.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

namespace kompakt::files {

namespace {

namespace fs = std::filesystem;

struct Suffix {
  std::string_view text;
  Format format;
};
constexpr Suffix suffixes[] = {
    {".npy", Format::npy},    {".npz", Format::npz},    {".nc", Format::netcdf},
    {".nc4", Format::netcdf}, {".cdf", Format::netcdf}, {".h5", Format::hdf5},
    {".hdf5", Format::hdf5},  {".he5", Format::hdf5},
};

constexpr std::string_view hdf5_magic = "\x89HDF\r\n\x1a\n";

Format format_of_suffix(std::string const& path) {
  std::string suffix = fs::path(path).extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  auto const known = std::ranges::find(suffixes, std::string_view(suffix), &Suffix::text);
  return known == std::end(suffixes) ? Format::raw : known->format;
}

bool is_file(std::string const& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

FileName split_at(std::string const& word, std::size_t colon) {
  std::string variable = word.substr(colon + 1);
  variable.erase(0, std::min(variable.find_first_not_of('/'), variable.size()));
  return {word.substr(0, colon), variable};
}

// At the first colon behind a name that says a format.
std::optional<FileName> split_behind_suffix(std::string const& word) {
  for (std::size_t at = word.find(':'); at != std::string::npos; at = word.find(':', at + 1)) {
    FileName name = split_at(word, at);
    name.format = format_of_suffix(name.path);
    if (name.format != Format::raw) return name;
  }
  return std::nullopt;
}

bool has_hdf5_signature(InputFile& file, std::uint64_t bytes) {
  std::array<std::byte, hdf5_magic.size()> front{};
  // A block of the user's own may lie in front, of 512 bytes or a larger power of two.
  for (std::uint64_t at = 0; at + front.size() <= bytes && at <= std::uint64_t{1} << 20;
       at = at == 0 ? 512 : 2 * at) {
    file.read_at(at, front);
    if (std::equal(front.begin(), front.end(), std::as_bytes(std::span(hdf5_magic)).begin())) {
      return true;
    }
  }
  return false;
}

/// Formats that the program does not read, by their first bytes, and what to do with them.
struct OtherFormat {
  std::string_view magic, what, advice;
};
constexpr std::string_view unpack_first = "unpack it first";
constexpr OtherFormat other_formats[] = {
    {"\x1f\x8b", "a file packed by gzip", unpack_first},
    {"BZh", "a file packed by bzip2", unpack_first},
    {"\xfd\x37zXZ", "a file packed by xz", unpack_first},
    {"\x28\xb5\x2f\xfd", "a file packed by zstd", unpack_first},
    {zip_magic, "a zip file", "unpack it first, or name it .npz if it has arrays of NumPy"},
    {"\x0e\x03\x13\x01", "a file of HDF4", "convert it first, as h4toh5 or ncks does"},
    {"GRIB", "a file of GRIB", "convert it first, as cdo or grib_to_netcdf does"},
    {"SIMPLE  =", "a file of FITS", "save its arrays as .npy or in a file of HDF5 first"},
};

[[noreturn]] void refuse_format(std::string const& path) {
  InputFile file(path);
  std::string front(std::min<std::uint64_t>(file.known_bytes(), 16), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(front)));
  for (OtherFormat const& other : other_formats) {
    if (!front.starts_with(other.magic)) continue;
    throw Error(Status::bad_magic, "'" + path + "' is " + std::string(other.what), other.advice);
  }
  throw Error(Status::bad_magic,
              "'" + path + "' is no file of NumPy, netCDF or HDF5, or its beginning is damaged",
              "copy or write it again");
}

}  // namespace

FileName split_name(std::string const& word) {
  if (is_file(word)) return {word, ""};
  for (std::size_t at = word.rfind(':'); at != std::string::npos && at > 0;
       at = word.rfind(':', at - 1)) {
    if (is_file(word.substr(0, at))) return split_at(word, at);
  }
  return split_behind_suffix(word).value_or(FileName{word, ""});
}

Format format_of_bytes(std::string const& path, Format said) {
  InputFile file(path);
  std::uint64_t const bytes = file.known_bytes();
  std::string front(std::min<std::uint64_t>(bytes, npy_magic.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(front)));
  if (front == npy_magic) return Format::npy;
  bool const is_zip = front.starts_with(zip_magic) || front.starts_with(empty_zip_magic);
  if (is_zip && said == Format::npz) return Format::npz;
  if (front.starts_with("CDF\1") || front.starts_with("CDF\2") || front.starts_with("CDF\5")) {
    return Format::netcdf;
  }
  if (!has_hdf5_signature(file, bytes)) return Format::raw;
  if (said == Format::netcdf || said == Format::hdf5) return said;
  // Read as HDF5 it would lose what netCDF means: fill values, unused dimensions, records that nobody has written.
  return has_netcdf() && is_netcdf4(path) ? Format::netcdf : Format::hdf5;
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
  name.format = format_of_bytes(name.path, said);
  bool const must_say = said != Format::raw || !name.variable.empty();
  if (name.format != Format::raw || may_be_raw || !must_say) return name;
  refuse_format(name.path);
}

FileName output_name(std::string const& word) {
  if (auto const name = split_behind_suffix(word)) return *name;
  return {word, "", format_of_suffix(word)};
}

}  // namespace kompakt::files
