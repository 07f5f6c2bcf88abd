#include "field_input.hpp"
#include "codec.hpp"
#include "files.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "source.hpp"
#include <algorithm>
#include <files/npy.hpp>
#include <files/npz.hpp>
#include <files/zip.hpp>
#include <filesystem>
#include <utility>

namespace kompakt::cli {

namespace {

// What deflate makes of zeros is a thousandth of them. More is no field, or one that nobody has written.
constexpr std::uint64_t max_values_of_byte = 4096, surely_meant = std::uint64_t{1} << 30;

}  // namespace

std::string why_unlikely(files::Variable const& variable, files::FileName const& name) {
  std::error_code error;
  std::uintmax_t const file_bytes = std::filesystem::file_size(name.path, error);
  std::uint64_t const bytes = variable.shape.bytes();
  if (error || bytes <= surely_meant || bytes / max_values_of_byte <= file_bytes) return "";
  return "it would have " + std::to_string(bytes) + " bytes in a file of " +
         std::to_string(file_bytes) + ", so it is damaged or mostly unwritten";
}

void require_likely(files::Variable const& variable, files::FileName const& name) {
  std::string const reason = why_unlikely(variable, name);
  if (reason.empty()) return;
  throw Error(Status::corrupt, "'" + name.label() + "': " + reason +
                                   "; if it is meant, give its extents with -i and -l");
}

std::vector<files::Group> GroupsToKeep::take(files::Variable const& variable) {
  auto const is_inside = [&](files::Group const& group) {
    return group.name.empty() || variable.name.starts_with(group.name + "/");
  };
  auto const rest = std::stable_partition(m_groups.begin(), m_groups.end(), is_inside);
  std::vector<files::Group> taken(m_groups.begin(), rest);
  m_groups.erase(m_groups.begin(), rest);
  return taken;
}

std::vector<std::byte> FieldInput::read_all() {
  std::vector<std::byte> values;
  make_room(values, shape.bytes(), "field");
  during("reading", shape.bytes(), Progress::Shows::read, [&] {
    reader->read(values);
    reader->require_end();
  });
  return values;
}

namespace {

/// The only variable of a file of arrays of NumPy.
FieldInput open_described_npz(InputFile input) {
  auto const file = files::open_npz(std::move(input));
  std::string const label = file->file().path().string();
  try {
    files::Variable const& variable = files::choose_variable(*file, {label});
    note_converted(label, variable);
    return {label, variable.shape, variable, file->read(variable)};
  } catch (Error const& error) {
    throw Error(error.status(), std::string(error.problem()),
                "write it into a file, and name FILE.npz:NAME");
  }
}

/// Standard input that says what is in it, which only arrays of NumPy do.
FieldInput open_described_input() {
  InputFile input = open_input("-");
  std::vector<std::byte> front(files::front_bytes);
  front.resize(input.read(front));
  bool const is_file = input.bytes().has_value();
  std::string_view const text(reinterpret_cast<char const*>(front.data()), front.size());
  if (text.starts_with(files::zip_magic)) {
    return open_described_npz(is_file ? input.again() : files::as_file(front, input));
  }
  files::require_no_other_format("standard input", text);
  auto source = is_file ? files::read_bytes(input.again())
                        : files::read_behind(std::move(front), std::move(input));
  std::optional<files::NpyArray> array;
  try {
    array = files::read_npy_front(*source, "standard input");
  } catch (Error const& error) {
    bool const is_array = error.status() != Status::bad_magic && error.status() != Status::corrupt;
    if (is_array) throw;
    throw Error(Status::bad_argument, "standard input is not an array of .npy or .npz",
                "give -t and -l of raw values, or the name of a file of netCDF or HDF5");
  }
  files::Variable const variable = array->variable;
  note_converted("standard input", variable);
  return {"standard input", variable.shape, variable,
          files::read_npy(std::move(source), std::move(*array))};
}

}  // namespace

void note_converted(std::string const& label, files::Variable const& variable) {
  if (!variable.converted.empty()) note("'" + label + "': " + variable.converted);
}

FieldInput open_field_input(std::string const& word, FieldArguments const& given,
                            std::optional<FieldShape> const& known) {
  files::FileName const name = files::input_name(word, known || given.given());
  if (name.path != "-") require_no_folder(name.path);
  if (name.path == "-" && !known && !given.given()) return open_described_input();
  if (name.format == files::Format::raw) {
    if (!known && !given.given()) files::require_no_other_format(name.path);
    FieldShape const shape = known ? *known : given.shape();
    return {
        word, shape, {.name = "", .shape = shape}, files::read_raw(open_input(name.path), shape)};
  }
  std::unique_ptr<files::FieldFile> const file = files::open_field_file(name);
  files::Variable const& variable = files::choose_variable(*file, name);
  std::string const label = files::FileName{name.path, variable.name}.label();
  given.require_agreement(variable.shape, label);
  if (!known && !given.given()) require_likely(variable, {name.path, variable.name});
  if (known) require_same_shape(label, variable.shape, "the other field has", *known);
  note_converted(label, variable);
  FieldInput input{label, variable.shape, variable, file->read(variable)};
  input.variable.groups = GroupsToKeep(*file).take(variable);
  return input;
}

}  // namespace kompakt::cli
