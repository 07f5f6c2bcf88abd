#include "files.hpp"
#include <algorithm>
#include <files/field_file.hpp>
#include <files/roles.hpp>
#include <kompakt/stream.hpp>

namespace kompakt::python {

namespace {

/// Whether bytes begin as a stream does, sound or not.
bool begins_stream(std::span<std::byte const> front) {
  try {
    inspect_next(front);
    return true;
  } catch (Error const& error) {
    return error.status() != Status::bad_magic;
  }
}

}  // namespace

std::pair<std::string, std::string> split_file_name(std::string const& word) {
  files::FileName name = files::split_name(word);
  return {std::move(name.path), std::move(name.variable)};
}

std::string format_of_file(std::string const& path) {
  switch (files::format_of_bytes(path, files::Format::raw)) {
    case files::Format::npy: return "npy";
    case files::Format::npz: return "npz";
    case files::Format::netcdf: return "netcdf";
    case files::Format::hdf5: return "hdf5";
    case files::Format::raw: break;
  }
  if (is_archive(path)) return "archive";
  InputFile file(path);
  std::vector<std::byte> front(std::min<std::uint64_t>(file.known_bytes(), 1024));
  file.read_at(0, front);
  return begins_stream(front) ? "stream" : "raw";
}

std::vector<bool> supporting(std::vector<DatasetVariable> const& variables,
                             std::string const& coordinates) {
  std::vector<files::Variable> all;
  for (DatasetVariable const& given : variables) {
    files::Variable variable{.name = given.name};
    variable.is_scalar = given.dimensions.empty();
    variable.dimensions = given.dimensions;
    for (auto const& [key, text] : given.attributes) {
      variable.attributes.push_back({key, text.value_or("")});
      if (!text) variable.attributes.back().type = Dtype::f64;
    }
    all.push_back(std::move(variable));
  }
  files::mark_supporting(all,
                         {files::Group{.name = "", .attributes = {{"coordinates", coordinates}}}});
  std::vector<bool> marks;
  for (files::Variable const& variable : all) marks.push_back(variable.is_supporting);
  return marks;
}

}  // namespace kompakt::python
