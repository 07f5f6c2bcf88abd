#include "field_input.hpp"
#include "codec.hpp"
#include "files.hpp"
#include "progress.hpp"
#include "source.hpp"
#include <utility>

namespace kompakt::cli {

std::vector<std::byte> FieldInput::read_all() {
  std::vector<std::byte> values;
  make_room(values, shape.bytes(), "field");
  during("reading", shape.bytes(), Progress::Shows::read, [&] {
    reader->read(values);
    reader->require_end();
  });
  return values;
}

FieldInput open_field_input(std::string const& word, FieldArguments const& given,
                            std::optional<FieldShape> const& known) {
  files::FileName const name = files::input_name(word, known || given.given());
  if (name.path != "-") require_no_folder(name.path);
  if (name.format == files::Format::raw) {
    FieldShape const shape = known ? *known : given.shape();
    return {word,
            shape,
            {.name = "", .shape = shape},
            files::read_raw(open_input("read_raw_field", name.path), shape)};
  }
  std::unique_ptr<files::FieldFile> const file = files::open_field_file(name);
  files::Variable const& variable = files::choose_variable(*file, name);
  std::string const label = files::FileName{name.path, variable.name}.label();
  given.require_agreement(variable.shape, label);
  if (known) require_same_shape(label, variable.shape, "the other field has", *known);
  return {label, variable.shape, variable, file->read(variable)};
}

}  // namespace kompakt::cli
