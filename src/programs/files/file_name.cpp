#include "field_file.hpp"
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

}  // namespace

bool is_file(std::string const& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

Format format_of_suffix(std::string const& path) {
  std::string suffix = fs::path(path).extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  auto const known = std::ranges::find(suffixes, std::string_view(suffix), &Suffix::text);
  return known == std::end(suffixes) ? Format::raw : known->format;
}

namespace {

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
  return said == Format::netcdf ? Format::netcdf : Format::hdf5;
}

FileName output_name(std::string const& word) {
  if (auto const name = split_behind_suffix(word)) return *name;
  return {word, "", format_of_suffix(word)};
}

}  // namespace kompakt::files
