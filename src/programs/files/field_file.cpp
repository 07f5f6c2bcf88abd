#include "field_file.hpp"
#include "hdf5.hpp"
#include "netcdf.hpp"
#include "npy.hpp"
#include "npz.hpp"
#include "raw.hpp"
#include "roles.hpp"
#include <algorithm>

namespace kompakt::files {

namespace {

std::string text_of_all(std::vector<Variable> const& variables) {
  std::vector<std::string> names;
  for (Variable const& variable : variables) names.push_back(variable.name);
  return "it has " + text_of_names(names);
}

[[noreturn]] void refuse(FileName const& name, std::string const& reason,
                         std::string_view advice = {}) {
  throw Error(Status::bad_argument, "'" + name.path + "'" + reason, advice);
}

using Fields = std::vector<Variable const*>;

Variable const& only_field(FieldFile const& file, FileName const& name) {
  Fields fields, no_axes;  // what describes a field is rarely what is meant
  std::vector<Variable> const& variables = file.variables();
  std::vector<Variable> marked = variables;
  mark_supporting(marked, file.groups());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].refusal.empty() || is_integer(variables[i].shape.dtype)) continue;
    fields.push_back(&variables[i]);
    if (!marked[i].is_supporting) no_axes.push_back(&variables[i]);
  }
  if (fields.size() == 1) return *fields.front();
  if (no_axes.size() == 1) return *no_axes.front();
  refuse(name,
         " has " + std::to_string(no_axes.size()) +
             " variables of floating-point numbers beside its axes",
         "say which, as " + name.path + ":NAME; " + text_of_all(variables));
}

/// HDF5 has the reason why netCDF cannot read a file of HDF5, or reads it: netCDF takes no link that leads nowhere.
std::unique_ptr<FieldFile> open_netcdf_or_hdf5(std::string const& path) {
  try {
    return open_netcdf(path);
  } catch (Error const& error) {
    if (error.status() != Status::corrupt || !opens_as_hdf5(path)) throw;
  }
  return open_hdf5(path);
}

std::unique_ptr<FieldFile> open_by_format(FileName const& name) {
  switch (name.format) {
    case Format::npy: return open_npy(name.path);
    case Format::npz: return open_npz(InputFile(name.path));
    case Format::netcdf: return open_netcdf_or_hdf5(name.path);
    default: return open_hdf5(name.path);
  }
}

/// What a name with links of a file in it leads to; itself if there are none.
std::string behind_links(std::string name, std::vector<FileLink> const& links) {
  constexpr int max_links = 40;  // they may go round in circles
  for (int count = 0; count < max_links; ++count) {
    auto const link = std::ranges::find_if(links, [&](FileLink const& one) {
      return !one.object.empty() && (name == one.name || name.starts_with(one.name + "/"));
    });
    if (link == links.end()) break;
    name = (link->object == "/" ? "" : link->object) + name.substr(link->name.size());
    name.erase(0, std::min(name.find_first_not_of('/'), name.size()));
  }
  return name;
}

/// "2 links of 'run.h5' are left out: 'a', 'b'"
/// \param what     one of them
/// \param is, are  what is said of one, and of several
std::string note_on(std::vector<std::string> const& names, std::string const& what,
                    std::string const& path, std::string const& is, std::string const& are) {
  bool const is_one = names.size() == 1;
  return std::to_string(names.size()) + " " + what + (is_one ? "" : "s") + " of '" + path + "' " +
         (is_one ? is : are) + ": " + text_of_names(names);
}

}  // namespace

std::vector<std::string> notes_on(RestOfFile const& rest, std::string const& path) {
  std::vector<std::string> notes, links;
  for (FileLink const& link : rest.links) links.push_back(link.name + "' -> '" + link.target);
  std::string const none = " left out, as an archive has none";
  if (!links.empty()) notes.push_back(note_on(links, "link", path, "is" + none, "are" + none));
  if (!rest.types.empty()) {
    notes.push_back(note_on(rest.types, "named type", path, "is" + none, "are" + none));
  }
  for (Variable const& variable : rest.unseen) {
    notes.push_back("'" + FileName{path, variable.name}.label() +
                    "' is left out: " + variable.refusal);
  }
  if (!rest.unseen_attributes.empty()) {
    std::string const read = "; name the file .h5 to read it as HDF5";
    notes.push_back(note_on(rest.unseen_attributes, "attribute", path,
                            "is left out, as netCDF passes over it" + read,
                            "are left out, as netCDF passes over them" + read));
  }
  if (!rest.growing.empty()) {
    std::string const lost = " grow along an index without a name, which an archive does not keep";
    notes.push_back(note_on(rest.growing, "variable", path, "can" + lost, "can" + lost));
  }
  if (!rest.renamed.empty()) {
    std::string const lost = "more names of dimensions, which an archive does not keep";
    notes.push_back(note_on(rest.renamed, "variable", path, "has " + lost, "have " + lost));
  }
  return notes;
}

void require_still_named(InputFile const& file) {
  InputFile(file.path()).require_same(file.identity());
}

Variable const& choose_variable(FieldFile const& file, FileName const& name) {
  std::vector<Variable> const& variables = file.variables();
  if (name.format == Format::npy) {
    if (name.variable.empty()) return variables.front();
    refuse(name, " is a file of NumPy, whose array has no name",
           "leave out ':" + name.variable + "'");
  }
  if (name.variable.empty()) return only_field(file, name);
  auto found = std::ranges::find(variables, name.variable, &Variable::name);
  if (found == variables.end()) {
    found = std::ranges::find(variables, behind_links(name.variable, file.rest().links),
                              &Variable::name);
  }
  if (found == variables.end()) {
    refuse(name, " has no variable '" + name.variable + "'; " + text_of_all(variables));
  }
  if (!found->refusal.empty()) refuse({name.label()}, ": " + found->refusal);
  return *found;
}

std::unique_ptr<FieldFile> open_field_file(FileName const& name) {
  std::unique_ptr<FieldFile> file = open_by_format(name);
  if (name.identity) file->file().require_same(name.identity);
  return file;
}

std::unique_ptr<FieldWriter> write_field_file(FileName const& name, OutputFile file) {
  switch (name.format) {
    case Format::npy: return write_npy(std::move(file));
    case Format::npz:
      refuse(name, " would be a file of several arrays of NumPy, which are only read",
             "write .npy, or all fields of an archive into a folder");
    case Format::netcdf: return write_netcdf(name.path, std::move(file));
    case Format::hdf5: return write_hdf5(name.path, std::move(file));
    default: return write_raw(std::move(file));
  }
}

}  // namespace kompakt::files
