#include "roles.hpp"
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
constexpr std::array<std::string_view, 12> own_keys{
    "cf_role",    "axis",         "positive",    "formula_terms",     "_CoordinateAxisType",
    "compress",   "bounds",       "climatology", "grid_mapping_name", "flag_values",
    "flag_masks", "flag_meanings"};

/// In small letters, as case says nothing.
constexpr std::array<std::string_view, 12> units_of_places{
    "degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn",
    "degrees_east",  "degree_east",  "degree_e", "degrees_e", "degreee", "degreese"};

constexpr std::array<std::string_view, 9> names_of_places{"latitude",
                                                          "longitude",
                                                          "time",
                                                          "grid_latitude",
                                                          "grid_longitude",
                                                          "projection_x_coordinate",
                                                          "forecast_period",
                                                          "projection_y_coordinate",
                                                          "forecast_reference_time"};

template <class List>
bool has(List const& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The words of an attribute in small letters, one blank between two: Fortran pads texts with blanks, and C with zeros.
std::string words_of(Variable const& variable, std::string_view key) {
  VariableAttribute const* const attribute = variable.find(key);
  std::string text = attribute == nullptr || attribute->type ? "" : attribute->text;
  for (char& c : text) {
    c = c == '\0' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined.append(joined.empty() ? "" : " ").append(word);
  return joined;
}

bool describes_itself(Variable const& variable) {
  if (variable.is_scalar || variable.is_coordinate()) return true;
  for (VariableAttribute const& attribute : variable.attributes) {
    if (has(own_keys, attribute.key)) return true;
  }
  std::string const units = words_of(variable, "units");
  return has(units_of_places, units) || units.find(" since ") != std::string::npos ||
         has(names_of_places, words_of(variable, "standard_name"));
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

/// \param group  of the owner of the attribute with this text
/// \param owner  if it is a variable, which does not mark itself
void mark_named(Names const& names, std::string_view text, std::string_view group,
                Variable const* owner = nullptr) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (word.ends_with(':')) word.pop_back();
    Variable* const other = names.find(word, group);
    if (other != nullptr && other != owner) other->is_supporting = true;
  }
}

}  // namespace

void mark_supporting(std::vector<Variable>& variables, std::vector<Group> const& groups) {
  Names const names(variables);
  for (Variable& variable : variables) {
    if (describes_itself(variable)) variable.is_supporting = true;
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
