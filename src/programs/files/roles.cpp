#include "roles.hpp"
#include "calendar_units.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace kompakt::files {

namespace {

/// Attributes whose words are names of other variables; a word that ends with a colon says what the next one is.
constexpr std::array<std::string_view, 18> naming_keys{"coordinates",
                                                       "bounds",
                                                       "climatology",
                                                       "cell_measures",
                                                       "grid_mapping",
                                                       "formula_terms",
                                                       "ancillary_variables",
                                                       "geometry",
                                                       "node_coordinates",
                                                       "node_count",
                                                       "part_node_count",
                                                       "interior_ring",
                                                       "mesh",
                                                       "location_index_set",
                                                       "edge_coordinates",
                                                       "face_coordinates",
                                                       "volume_coordinates",
                                                       "coordinate_interpolation"};

/// Attributes that only a variable which describes others has.
constexpr std::array<std::string_view, 10> own_keys{
    "cf_role",     "formula_terms",     "_CoordinateAxisType", "compress",   "bounds",
    "climatology", "grid_mapping_name", "flag_values",         "flag_masks", "flag_meanings"};

/// In small letters, as case says nothing.
constexpr std::array<std::string_view, 14> units_of_places{
    "degrees_north", "degree_north", "degree_n",         "degrees_n",        "degreen",
    "degreesn",      "degrees_east", "degree_east",      "degree_e",         "degrees_e",
    "degreee",       "degreese",     "degrees latitude", "degrees longitude"};

/// Units of any angle, which say a place only of what is called latitude or longitude.
constexpr std::array<std::string_view, 6> units_of_angles{"degrees", "degree", "deg",
                                                          "radians", "radian", "rad"};

/// Names of latitudes and longitudes in models: of CF, WRF, NEMO, ICON and MPAS.
constexpr std::array<std::string_view, 28> names_of_angles{
    "lat",        "lon",     "lats",    "lons",    "latitude", "longitude", "latitudes",
    "longitudes", "nav_lat", "nav_lon", "clat",    "clon",     "xlat",      "xlong",
    "xlat_u",     "xlat_v",  "xlat_m",  "xlat_c",  "xlong_u",  "xlong_v",   "xlong_m",
    "xlong_c",    "latcell", "loncell", "latedge", "lonedge",  "latvertex", "lonvertex"};

/// Standard names of places, times, labels and counts, also as a modifier: "air_temperature number_of_observations".
constexpr std::array<std::string_view, 14> names_of_places{"latitude",
                                                           "longitude",
                                                           "time",
                                                           "grid_latitude",
                                                           "grid_longitude",
                                                           "projection_x_coordinate",
                                                           "forecast_period",
                                                           "projection_y_coordinate",
                                                           "forecast_reference_time",
                                                           "number_of_observations",
                                                           "realization",
                                                           "region",
                                                           "area_type",
                                                           "platform_id"};

/// Ends of standard names of flags, masks and types, whose numbers stand for something else.
constexpr std::array<std::string_view, 4> ends_of_labels{"_flag", "_binary_mask", "_type", "_lccs"};

/// What stands around the name of an axis in the names of its bounds, which many programs write without an attribute.
constexpr std::array<std::string_view, 7> ends_of_bounds{"_bnds",     "_bnd",   "_bounds", "_bound",
                                                         "_vertices", "_edges", "_corners"};
constexpr std::array<std::string_view, 3> begins_of_bounds{"bounds_", "bnds_", "vertices_"};

/// Other ends of such names, which say so only of an array with the two ends or the four corners of each value of a coordinate.
constexpr std::array<std::string_view, 18> vague_ends_of_bounds{
    "_b",     "_bds",    "_lim",   "_lims", "_limit", "_limits", "_edge", "_corner", "_vertex",
    "_verts", "_ranges", "_cells", "bnds",  "bnd",    "bounds",  "bound", "limits",  "edges"};

template <class List>
bool has(List const& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

/// The words of an attribute in small letters, one blank between two: Fortran pads texts with blanks, and C with zeros.
std::string words_of(Variable const& variable, std::string_view key) {
  VariableAttribute const* const attribute = variable.find(key);
  std::string text =
      in_small_letters(attribute == nullptr || attribute->type ? "" : attribute->text);
  std::ranges::replace(text, '\0', ' ');
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined.append(joined.empty() ? "" : " ").append(word);
  return joined;
}

/// Whether one of the words of a text is the name of an angle of places.
bool names_angle(std::string const& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "latitude" || word == "longitude") return true;
  }
  return false;
}

/// Latitudes and longitudes in units of any angle, or without units if they are called so.
bool is_angle_of_places(Variable const& variable, std::string const& units) {
  std::string_view const path = variable.name;
  std::string const name = in_small_letters(path.substr(path.rfind('/') + 1));
  bool const is_called_so = has(names_of_angles, name);
  if (units.empty()) return is_called_so;
  return has(units_of_angles, units) &&
         (is_called_so || names_angle(words_of(variable, "long_name")));
}

/// An attribute that a coordinate has, but some data, too: fluxes are positive upwards or downwards, and some programs give fields all
/// their axes in one word.
bool is_of_axis(Variable const& variable) {
  std::size_t const indices = variable.dimensions.empty()
                                  ? static_cast<std::size_t>(variable.shape.rank)
                                  : variable.dimensions.size();
  if (indices == 1 && variable.find("positive") != nullptr) return true;
  std::string const axis = words_of(variable, "axis");
  return axis.size() == 1 && std::string_view("xyzt").find(axis[0]) != std::string_view::npos;
}

/// Whether a standard name, or its modifier, is one of places, flags and others.
bool has_name_of_places(std::string const& standard_name) {
  std::istringstream words(standard_name);
  for (std::string word; words >> word;) {
    if (has(names_of_places, word)) return true;
    if (std::ranges::any_of(ends_of_labels, [&](auto end) { return word.ends_with(end); })) {
      return true;
    }
  }
  return false;
}

bool describes_itself(Variable const& variable) {
  if (variable.is_scalar || variable.is_coordinate() || is_of_axis(variable)) return true;
  for (VariableAttribute const& attribute : variable.attributes) {
    if (has(own_keys, attribute.key)) return true;
  }
  std::string const units = words_of(variable, "units");
  return has(units_of_places, units) || are_units_of_dates(units) ||
         is_angle_of_places(variable, units) ||
         has_name_of_places(words_of(variable, "standard_name"));
}

/// Variables by the names that attributes of others have for them.
class Names {
 public:
  explicit Names(std::vector<Variable>& variables) {
    for (Variable& variable : variables) m_variables.emplace(variable.name, &variable);
  }

  /// The variable that a word in an attribute means: in the group of that attribute's variable, one around it, or any other.
  Variable* find(std::string_view word, std::string_view group) const {
    if (word.starts_with('/')) return at(std::string(word.substr(1)));
    while (word.starts_with("../")) {
      group = group_of(group);
      word.remove_prefix(3);
    }
    for (;; group = group_of(group)) {
      std::string const path = (group.empty() ? "" : std::string(group) + "/").append(word);
      if (Variable* const found = at(path)) return found;
      if (group.empty()) break;
    }
    std::string const end = std::string("/").append(word);
    for (auto const& [name, variable] : m_variables) {
      if (name.ends_with(end)) return variable;
    }
    return nullptr;
  }

 private:
  Variable* at(std::string const& name) const {
    auto const found = m_variables.find(name);
    return found == m_variables.end() ? nullptr : found->second;
  }

  std::map<std::string, Variable*> m_variables;
};

std::string_view name_in_group(Variable const& variable) {
  std::string_view const path = variable.name;
  return path.substr(path.rfind('/') + 1);
}

/// Whether a variable is called as the bounds of another one of the file, or of one of its dimensions: "time_bnds".
bool is_called_bounds(Names const& names, Variable const& variable) {
  std::string_view const group = group_of(variable.name);
  std::string_view const own = name_in_group(variable);
  std::string const small = in_small_letters(own);
  auto const is_axis = [&](std::string_view name) {
    std::string const small_name = in_small_letters(name);
    return !name.empty() && (name == "climatology" || names.find(name, group) != nullptr ||
                             names.find(small_name, group) != nullptr ||
                             std::ranges::count(variable.dimensions, name) > 0 ||
                             std::ranges::count(variable.dimensions, small_name) > 0);
  };
  return std::ranges::any_of(ends_of_bounds,
                             [&](std::string_view end) {
                               return small.ends_with(end) &&
                                      is_axis(own.substr(0, own.size() - end.size()));
                             }) ||
         std::ranges::any_of(begins_of_bounds, [&](std::string_view begin) {
           return small.starts_with(begin) && is_axis(own.substr(begin.size()));
         });
}

/// Whether a variable has two or four numbers for each one of another.
bool has_ends_of(Variable const& variable, Variable const& other) {
  if (!variable.refusal.empty() || !other.refusal.empty()) return false;  // the rank may be any
  std::vector<std::size_t> extents = slowest_first(variable.shape, variable.shape.extents);
  std::size_t const ends = extents.back();
  extents.pop_back();  // of a single index none is left
  return (ends == 2 || ends == 4) && extents == slowest_first(other.shape, other.shape.extents);
}

/// Whether a variable has the shape and the name of bounds of a coordinate of the file, as "lat_b" and "timebnds".
bool is_like_bounds(Names const& names, Variable const& variable) {
  std::string_view const group = group_of(variable.name);
  std::string_view const own = name_in_group(variable);
  std::string const small = in_small_letters(own);
  return std::ranges::any_of(vague_ends_of_bounds, [&](std::string_view end) {
    if (!small.ends_with(end) || small.size() == end.size()) return false;
    std::string_view const axis = own.substr(0, own.size() - end.size());
    Variable const* other = names.find(axis, group);
    if (other == nullptr) other = names.find(in_small_letters(axis), group);
    return other != nullptr && describes_itself(*other) && has_ends_of(variable, *other);
  });
}

/// \param group  of the owner of the attribute with this text
/// \param owner  if it is a variable, which does not mark itself
void mark_named(Names const& names, std::string_view text, std::string_view group,
                Variable const* owner = nullptr) {
  auto const mark = [&](std::string_view word) {
    if (word.ends_with(':')) word.remove_suffix(1);
    Variable* const other = word.empty() ? nullptr : names.find(word, group);
    if (other != nullptr && other != owner) other->is_supporting = true;
    return other != nullptr;
  };
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (mark(word)) continue;
    // Some programs write lists with commas and brackets.
    constexpr std::string_view separators = ",;()[]";
    for (std::size_t begin = 0; begin < word.size();) {
      std::size_t const end = std::min(word.find_first_of(separators, begin), word.size());
      mark(std::string_view(word).substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

}  // namespace

void mark_supporting(std::vector<Variable>& variables, std::vector<Group> const& groups) {
  Names const names(variables);
  for (Variable& variable : variables) {
    if (describes_itself(variable) || is_called_bounds(names, variable) ||
        is_like_bounds(names, variable)) {
      variable.is_supporting = true;
    }
    bool const is_mesh = variable.find("cf_role") != nullptr;
    for (VariableAttribute const& attribute : variable.attributes) {
      if (attribute.type) continue;
      bool const names_others = has(naming_keys, attribute.key) ||
                                (is_mesh && (attribute.key.ends_with("_connectivity") ||
                                             attribute.key.ends_with("_coordinates")));
      if (names_others) mark_named(names, attribute.text, group_of(variable.name), &variable);
    }
  }
  for (Group const& group : groups) {
    for (VariableAttribute const& attribute : group.attributes) {
      bool const names_others = attribute.key == "coordinates" && !attribute.type;
      if (names_others) mark_named(names, attribute.text, group.name);
    }
  }
}

}  // namespace kompakt::files
