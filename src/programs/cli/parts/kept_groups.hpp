#ifndef KOMPAKT_CLI_KEPT_GROUPS_HPP
#define KOMPAKT_CLI_KEPT_GROUPS_HPP

#include <kompakt/archive.hpp>
#include <map>
#include <string>
#include <utility>

namespace kompakt::cli {

/// The attributes that the groups of an archive have before fields are added. A file that is restored has one value of each, so
/// that another one would take its place.
class KeptGroups {
 public:
  explicit KeptGroups(ArchiveWriter const& archive);

  /// Leaves out attributes of groups of which the archive has other values, with a note for each group.
  /// \param name  of the field that is added
  Attributes without_others(Attributes const& attributes, std::string const& name) const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> m_texts;  // by group and key
};

}  // namespace kompakt::cli

#endif
