#include "hdf5_missing.hpp"
#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace kompakt::files {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_path_bytes = 4096;

/// The first filter of a dataset that the library does not find, "'lzf' (32000)"; empty if it finds all.
std::string missing_filter(hid_t properties) {
  int const filters = H5Pget_nfilters(properties);
  for (int number = 0; number < filters; ++number) {
    std::size_t words = 0;
    std::array<char, 256> name{};
    H5Z_filter_t const filter =
        H5Pget_filter2(properties, static_cast<unsigned>(number), nullptr, &words, nullptr,
                       name.size() - 1, name.data(), nullptr);
    if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
    std::string const id = std::to_string(filter);
    return name[0] == '\0' ? id : "'" + std::string(name.data()) + "' (" + id + ")";
  }
  return "";
}

/// Whether the first value of a dataset can be read.
bool is_readable(hid_t dataset) {
  Id const space(H5Dget_space(dataset), H5Sclose);
  Id const type(H5Dget_type(dataset), H5Tclose);
  if (count_of(space.get()) == 0) return true;
  std::vector<hsize_t> const first(extents_of(space.get()).size(), 0);
  if (!first.empty()) H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, first.data());
  Id const memory(H5Screate(H5S_SCALAR), H5Sclose);
  std::vector<std::byte> value(H5Tget_size(type.get()));
  return H5Dread(dataset, type.get(), memory.get(), space.get(), H5P_DEFAULT, value.data()) >= 0;
}

std::string name_of_file(hid_t dataset) {
  ssize_t const bytes = H5Fget_name(dataset, nullptr, 0);
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)) + 1, '\0');
  H5Fget_name(dataset, name.data(), name.size());
  name.pop_back();
  return name;
}

/// Whether a file of HDF5 has this dataset.
bool has_dataset(fs::path const& path, std::string const& name) {
  Id const file(H5Fopen(path.c_str(), read_only, H5P_DEFAULT), H5Fclose);
  if (file.get() < 0) return false;
  Id const dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  return dataset.get() >= 0;
}

/// Whether a virtual dataset finds one of its sources, in the places where the library looks for it.
/// \param of  the file of the virtual dataset
bool is_source_there(fs::path const& of, std::string const& file, std::string const& dataset) {
  if (file == ".") return has_dataset(of, dataset);
  char const* const prefix = std::getenv("HDF5_VDS_PREFIX");
  fs::path const folder = of.parent_path(), name = fs::path(file).filename();
  fs::path const places[] = {prefix == nullptr ? fs::path(file) : fs::path(prefix) / file,
                             folder / file, fs::path(file), folder / name};
  for (fs::path const& place : places) {
    if (has_dataset(place, dataset)) return true;
  }
  return false;
}

/// The first source of a virtual dataset that is not there; empty if all are. Names that stand for several files, and may have
/// gaps, do not count.
std::string missing_source(hid_t dataset, hid_t properties) {
  fs::path const of = name_of_file(dataset);
  std::size_t count = 0;
  H5Pget_virtual_count(properties, &count);
  std::array<char, max_path_bytes> file{}, name{};
  for (std::size_t number = 0; number < count; ++number) {
    H5Pget_virtual_filename(properties, number, file.data(), file.size());
    H5Pget_virtual_dsetname(properties, number, name.data(), name.size());
    std::string const path = file.data(), source = name.data();
    bool const is_pattern = (path + source).find('%') != std::string::npos;
    if (is_pattern || is_source_there(of, path, source)) continue;
    return path + ":" + source;
  }
  return "";
}

std::string text_of_missing_file(std::string const& name) {
  return "its values lie in '" + name + "', which cannot be read; put that file back";
}

}  // namespace

std::optional<MissingPart> missing_part(hid_t dataset) {
  Id const properties(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL) {
    std::string const source = missing_source(dataset, properties.get());
    if (source.empty()) return std::nullopt;
    return MissingPart{Status::io, text_of_missing_file(source), true};
  }
  if (H5Pget_external_count(properties.get()) > 0 && !is_readable(dataset)) {
    std::array<char, max_path_bytes> name{};
    off_t offset = 0;
    hsize_t bytes = 0;
    H5Pget_external(properties.get(), 0, name.size() - 1, name.data(), &offset, &bytes);
    return MissingPart{Status::io, text_of_missing_file(name.data())};
  }
  std::string const filter =
      H5Dget_storage_size(dataset) == 0 ? "" : missing_filter(properties.get());
  if (filter.empty()) return std::nullopt;
  return MissingPart{Status::unsupported_version,
                     "it needs the filter " + filter +
                         ", which is not installed; set HDF5_PLUGIN_PATH to the folder of its "
                         "plugin"};
}

Error unreadable_values(hid_t dataset, std::string const& label) {
  Error const said = unreadable(label);
  auto const missing = missing_part(dataset);
  if (!missing) return said;
  return Error(missing->status, "'" + label + "' cannot be read as HDF5: " + missing->text);
}

}  // namespace kompakt::files
