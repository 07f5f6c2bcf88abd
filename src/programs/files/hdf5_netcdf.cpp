#include "hdf5_netcdf.hpp"
#include <algorithm>
#include <iterator>

namespace kompakt::files {

namespace {

constexpr std::string_view no_variable = "This is a netCDF dimension but not a netCDF variable";

/// What netCDF puts in front of a variable that has the name of a dimension, but is not its axis.
constexpr std::string_view hiding_prefix = "_nc4_non_coord_";

std::size_t begin_of_name(std::string_view path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

bool has_attribute(hid_t group, char const* object, char const* key) {
  return H5Aexists_by_name(group, object, key, H5P_DEFAULT) > 0;
}

bool has_type(hid_t object, char const* key, H5T_class_t wanted) {
  Id const attribute(H5Aopen(object, key, H5P_DEFAULT), H5Aclose);
  Id const type(H5Aget_type(attribute.get()), H5Tclose);
  return H5Tget_class(type.get()) == wanted;
}

bool has_text_for_each_index(hid_t dataset, char const* key) {
  auto const names = read_attribute(dataset, key);
  Id const space(H5Dget_space(dataset), H5Sclose);
  return names && !names->texts.empty() && names->texts.size() == extents_of(space.get()).size();
}

bool is_marked_dataset(hid_t group, char const* name) {
  if (has_attribute(group, name, "_Netcdf4Dimid")) return true;
  Id const dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose);
  return dataset.get() >= 0 && is_mere_dimension(dataset.get());
}

}  // namespace

bool is_mere_dimension(hid_t dataset) {
  auto const name = read_attribute(dataset, "NAME");
  return name && !name->texts.empty() && name->texts[0].starts_with(no_variable);
}

bool is_dimension_scale(hid_t dataset) {
  auto const kind = read_attribute(dataset, "CLASS");
  return kind && !kind->texts.empty() && kind->texts[0] == "DIMENSION_SCALE";
}

bool is_internal(hid_t object, char const* key) {
  bool const is_dataset = H5Iget_type(object) == H5I_DATASET;
  std::string_view const name(key);
  if (name == "CLASS" || name == "NAME") return is_dataset && is_dimension_scale(object);
  if (name == labels_key) return is_dataset && has_text_for_each_index(object, key);
  struct Kept {
    std::string_view key;
    H5T_class_t type;
    bool of_datasets;
  };
  constexpr Kept all[] = {
      {scales_key, H5T_VLEN, true},         {users_key, H5T_COMPOUND, true},
      {"_Netcdf4Dimid", H5T_INTEGER, true}, {"_Netcdf4Coordinates", H5T_INTEGER, true},
      {"_nc3_strict", H5T_INTEGER, false},  {"_NCProperties", H5T_STRING, false}};
  auto const found = std::ranges::find(all, name, &Kept::key);
  return found != std::end(all) && found->of_datasets == is_dataset &&
         has_type(object, key, found->type);
}

bool has_netcdf_marks(hid_t file) {
  for (char const* const key : {"_NCProperties", "_nc3_strict"}) {
    if (has_attribute(file, "/", key)) return true;
  }
  Collected<bool> found;
  auto const look = [](hid_t group, char const* name, VisitedObject const* info,
                       void* to) -> herr_t {
    return static_cast<decltype(found)*>(to)->add([&](bool& any) {
      any = any || (info->type == H5O_TYPE_DATASET && is_marked_dataset(group, name));
    });
  };
  visit(file, look, &found);
  return found.take();
}

std::string netcdf_name(std::string_view dataset) {
  std::string name(dataset);
  std::size_t const begin = begin_of_name(dataset);
  if (dataset.substr(begin).starts_with(hiding_prefix)) name.erase(begin, hiding_prefix.size());
  return name;
}

std::string variable_of_dataset(hid_t file, std::string const& dataset) {
  std::string name = netcdf_name(dataset);
  return dataset_of_variable(file, name) == dataset ? name : dataset;
}

std::string dataset_of_variable(hid_t file, std::string const& variable) {
  std::string hidden = variable;
  hidden.insert(begin_of_name(variable), hiding_prefix);
  if (H5Lexists(file, hidden.c_str(), H5P_DEFAULT) <= 0) return variable;
  if (H5Lexists(file, variable.c_str(), H5P_DEFAULT) <= 0) return hidden;
  Id const other(H5Dopen2(file, variable.c_str(), H5P_DEFAULT), H5Dclose);
  return other.get() >= 0 && is_mere_dimension(other.get()) ? hidden : variable;
}

}  // namespace kompakt::files
