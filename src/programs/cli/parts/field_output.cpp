#include "field_output.hpp"
#include "notes.hpp"
#include "text.hpp"
#include <span>
#include <string>

namespace kompakt::cli {

namespace {

// A file is written as a whole: what a name of one variable says nothing of would go.
void require_only_variable(files::FileName const& name) {
  bool const has_names = name.format == files::Format::netcdf || name.format == files::Format::hdf5;
  std::error_code error;
  if (!has_names || name.variable.empty() || !std::filesystem::exists(name.path, error)) return;
  std::vector<files::Variable> variables;
  try {
    variables = files::open_field_file({name.path, "", name.format})->variables();
  } catch (Error const&) {
    return;  // not one of these files
  }
  for (files::Variable const& variable : variables) {
    if (variable.name == name.variable) continue;
    throw Error(Status::bad_argument,
                "'" + name.label() + "' is to be written, but '" + name.path + "' also has '" +
                    variable.name + "', which would be lost",
                "choose another file, or remove this one");
  }
}

}  // namespace

std::unique_ptr<files::FieldWriter> open_field_output(OverwriteArguments const& overwrite,
                                                      files::FileName const& name) {
  require_only_variable(name);
  return files::write_field_file(name, overwrite.open(name.path));
}

void begin_variable(files::FieldWriter& output, files::Variable const& variable) {
  output.begin(variable);
  for (std::string const& text : output.take_notes()) note(in_one_line(text));
}

void commit_with_notes(files::FieldWriter& output) {
  output.commit();
  for (std::string const& text : output.take_notes()) note(in_one_line(text));
}

files::Variable variable_of(StreamSource const& source, std::string const& name,
                            FieldShape const& shape) {
  std::string const own = source.field ? source.field->name : "field";
  return files::variable_of(name.empty() ? own : name, shape,
                            source.field ? source.field->attributes : Attributes());
}

}  // namespace kompakt::cli
