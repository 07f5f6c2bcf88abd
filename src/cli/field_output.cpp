#include "field_output.hpp"
#include <span>
#include <string>

namespace kompakt::cli {

namespace {

std::string text_of_fill(double fill, Dtype dtype) {
  if (dtype == Dtype::f64) return files::text_of_numbers(dtype, std::as_bytes(std::span(&fill, 1)));
  auto const narrow = static_cast<float>(fill);
  return files::text_of_numbers(dtype, std::as_bytes(std::span(&narrow, 1)));
}

}  // namespace

std::unique_ptr<files::FieldWriter> open_field_output(OverwriteArguments const& overwrite,
                                                      files::FileName const& name) {
  return files::write_field_file(name, overwrite.open(name.path));
}

files::Variable variable_of(StreamSource const& source, std::string const& name,
                            StreamInfo const& info, FieldShape const& shape) {
  std::string const own = source.field ? source.field->name : "field";
  files::Variable variable = files::variable_of(
      name.empty() ? own : name, shape, source.field ? source.field->attributes : Attributes());
  if (info.fill && !variable.fill()) {
    variable.attributes.push_back(
        {files::fill_key, text_of_fill(*info.fill, shape.dtype), shape.dtype});
  }
  return variable;
}

}  // namespace kompakt::cli
