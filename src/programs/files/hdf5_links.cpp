#include "hdf5_links.hpp"
#include <set>
#include <string_view>
#include <utility>

namespace kompakt::files {

namespace {

/// "/" for the root, whose name is "." when objects are visited.
std::string path_of(std::string const& name) { return name == "." ? "/" : name; }

/// What a link has that is not hard: the path that it leads to.
std::string target_of(hid_t file, std::string const& name, LinkInfo const& info) {
  std::vector<char> value(info.u.val_size + 1, '\0');
  if (H5Lget_val(file, name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0) return "?";
  if (info.type == H5L_TYPE_SOFT) return value.data();
  char const *of = nullptr, *object = nullptr;
  bool const is_external =
      info.type == H5L_TYPE_EXTERNAL &&
      H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &of, &object) >= 0;
  return is_external ? std::string(of) + ":" + object : "a link of a kind of its own";
}

}  // namespace

std::optional<ObjectNames> objects_of(hid_t file) {
  Collected<ObjectNames> found;
  auto const add = [](hid_t, char const* name, VisitedObject const* info, void* to) -> herr_t {
    return static_cast<decltype(found)*>(to)->add([&](ObjectNames& names) {
      if (info->type == H5O_TYPE_DATASET) names.datasets.emplace_back(name);
      if (info->type == H5O_TYPE_GROUP) names.groups.emplace_back(name);
      if (info->type == H5O_TYPE_NAMED_DATATYPE) names.types.emplace_back(name);
      names.by_key.emplace(key_of(*info), path_of(name));
    });
  };
  bool const is_whole = visit(file, add, &found) >= 0;
  ObjectNames names = found.take();
  if (!is_whole) return std::nullopt;
  return names;
}

std::vector<FileLink> other_links_of(hid_t file, ObjectNames const& objects) {
  using Named = std::vector<std::pair<std::string, LinkInfo>>;
  Collected<Named> found;
  auto const add = [](hid_t, char const* name, LinkInfo const* info, void* to) -> herr_t {
    return static_cast<decltype(found)*>(to)->add(
        [&](Named& links) { links.emplace_back(name, *info); });
  };
  visit_links(file, add, &found);
  VisitedObject root{};
  object_info(file, ".", &root);
  std::set<std::string_view> first_names;
  for (auto const& [key, name] : objects.by_key) first_names.insert(name);
  std::vector<FileLink> others;
  for (auto const& [name, info] : found.take()) {
    if (info.type == H5L_TYPE_HARD && first_names.contains(name)) continue;
    VisitedObject object{};
    bool const is_here = info.type != H5L_TYPE_EXTERNAL &&
                         object_info(file, name.c_str(), &object) >= 0 &&
                         object.fileno == root.fileno;
    auto const own = objects.by_key.find(key_of(object));
    bool const is_own = is_here && own != objects.by_key.end();
    if (info.type == H5L_TYPE_HARD && !is_own) continue;  // damaged
    FileLink link{name, "", is_own ? own->second : ""};
    link.target = info.type == H5L_TYPE_HARD ? link.object : target_of(file, name, info);
    others.push_back(std::move(link));
  }
  return others;
}

}  // namespace kompakt::files
