#include "kept_groups.hpp"
#include "notes.hpp"
#include <files/variable.hpp>
#include <optional>
#include <vector>

namespace kompakt::cli {

namespace {

/// The group and the key that an attribute of a field has in a file; none if it is one of the field itself.
std::optional<std::pair<std::string, std::string>> place_in_group(std::string const& field,
                                                                  std::string const& key) {
  auto const groups = files::variable_of(field, {}, {{key, ""}}).groups;
  if (groups.empty() || groups[0].attributes.empty()) return std::nullopt;
  return std::pair{groups[0].name, groups[0].attributes[0].key};
}

}  // namespace

KeptGroups::KeptGroups(ArchiveWriter const& archive) {
  for (ArchiveEntry const& entry : archive.entries()) {
    for (auto const& [key, text] : entry.attributes) {
      if (auto const place = place_in_group(entry.name, key)) m_texts.try_emplace(*place, text);
    }
  }
}

Attributes KeptGroups::without_others(Attributes const& attributes, std::string const& name) const {
  Attributes left;
  std::map<std::string, std::vector<std::string>> others;  // keys by group
  for (auto const& [key, text] : attributes) {
    auto const place = place_in_group(name, key);
    auto const found = place ? m_texts.find(*place) : m_texts.end();
    if (found == m_texts.end() || found->second == text) {
      left.emplace_back(key, text);
    } else {
      others[place->first].push_back(place->second);
    }
  }
  for (auto const& [group, keys] : others) {
    note("'" + name + "': attributes of " +
         (group.empty() ? "the file" : "the group '" + group + "'") +
         " stay as the archive has them, with other values: " + files::text_of_names(keys) +
         "; an archive of its own keeps both");
  }
  return left;
}

}  // namespace kompakt::cli
