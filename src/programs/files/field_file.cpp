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

std::unique_ptr<FieldFile> open_by_format(FileName const& name) {
  switch (name.format) {
    case Format::npy: return open_npy(name.path);
    case Format::npz: return open_npz(name.path);
    case Format::netcdf: return open_netcdf(name.path);
    default: return open_hdf5(name.path);
  }
}

}  // namespace

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
  auto const found = std::ranges::find(variables, name.variable, &Variable::name);
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
