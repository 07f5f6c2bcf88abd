#include "repack_plan.hpp"
#include <array>
#include <cli/parts/chunks.hpp>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/field_files.hpp>
#include <cli/parts/field_input.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/named_bounds.hpp>
#include <files/roles.hpp>
#include <optional>
#include <set>

namespace kompakt::cli {

namespace {

[[noreturn]] void refuse(std::string const& message, std::string_view advice = {}) {
  throw Error(Status::bad_argument, message, advice);
}

bool is_classic(std::string const& path) {
  InputFile file(path);
  std::array<std::byte, 3> front{};
  return file.known_bytes() >= front.size() && file.read(front) == front.size() &&
         front == std::array{std::byte{'C'}, std::byte{'D'}, std::byte{'F'}};
}

/// A file of HDF5, whatever its name.
files::FileName hdf5_name(std::string const& word) {
  files::FileName name = files::input_name(word, false);
  require_no_folder(name.path);
  if (!name.variable.empty()) {
    refuse("'" + word + "' names a variable, but files are repacked as a whole",
           "give --bound " + name.variable + "=MODE:BOUND");
  }
  std::error_code error;
  if (std::filesystem::exists(name.path, error) && is_classic(name.path)) {
    refuse("'" + name.path + "' is a file of classic netCDF, which has no filters",
           "make one of netCDF-4 first: nccopy -k nc4 '" + name.path + "' OTHER.nc");
  }
  bool const is_hdf5 = name.format == files::Format::hdf5 || name.format == files::Format::netcdf;
  if (!is_hdf5) {
    files::require_no_other_format(name.path);
    refuse("'" + name.path + "' is no file of HDF5 or netCDF-4",
           "compress it with 'kompakt compress'");
  }
  name.format = files::Format::hdf5;
  return name;
}

/// Why the filter cannot be used for a variable; empty if it can.
/// \param missing  what reading it needs
std::string why_it_stays(files::Variable const& variable, RepackedFile const& file,
                         std::string const& missing) {
  if (variable.is_scalar) return "a single value has no chunks";
  if (!variable.refusal.empty()) return variable.refusal;
  if (variable.is_text) return "its values are characters, which the filter does not support";
  if (variable.is_enumeration) return "its values are an enumeration, which a copy keeps as it is";
  if (!missing.empty()) return missing;
  return why_unlikely(variable, {file.input.path});
}

/// Which bounds and chunks variables get.
class RequestedBounds {
 public:
  explicit RequestedBounds(RepackArguments const& arguments)
      : m_arguments(arguments),
        m_bounds(parse_named_bounds(arguments.named_bounds)),
        m_chunks(parse_named_chunks(arguments.named_chunks)),
        m_skipped(arguments.skipped) {
    if (says_bound()) arguments.coding.options_with(arguments.bound);
  }

  /// \param missing  what reading the variable needs that is not here; empty if nothing
  void add(RepackedFile& file, files::Variable const& variable, std::string const& missing) {
    std::string const label = files::FileName{file.input.path, variable.name}.label();
    m_names.push_back(variable.name);
    bool const is_array = variable.refusal.empty() || variable.shape.rank > max_rank;
    bool const is_skipped = m_skipped.has(variable.name, variable.name);
    auto const call = is_array ? options_for(variable, file, is_skipped) : std::nullopt;
    std::string const reason = why_it_stays(variable, file, missing);
    if (!call || !reason.empty()) {
      file.unchanged.push_back(variable.name);
      if (!call || variable.refused_as != Status::bad_argument)
        return;  // the copy may go without it
      file.has_hindered = file.has_hindered || !variable.is_scalar;
      file.notes.push_back("'" + label + "' stays as it is: " + reason);
      return;
    }
    RepackedVariable own{variable, *call, false, chunk_of(variable, m_chunks)};
    try {
      own.has_fill = adapt(own.call.options, variable.shape, variable);
      std::string text = note_of_no_limits(label, own.call.options, variable);
      if (!text.empty()) file.notes.push_back(std::move(text));
    } catch (Error const& error) {
      if (!may_stay_exact(variable)) refuse_field(label, "", error);
      file.unchanged.push_back(variable.name);
      file.notes.push_back("'" + label + "' stays as it is: " + std::string(error.text()));
      return;
    }
    file.variables.push_back(std::move(own));
    m_any = true;
  }

  void require_all_met() const {
    cli::require_all_fit(m_bounds, m_names);
    m_skipped.require_all_fit(m_names);
    if (!m_any && m_bounds.empty() && !says_bound()) {
      refuse("no bound is given",
             "give -m and -e for all variables, --bound NAME=MODE:BOUND, or a "
             "variable an attribute " +
                 std::string(files::options_key));
    }
    cli::require_all_fit(m_chunks);
  }

 private:
  // An error of what describes fields would be one of all of them.
  std::optional<AskedOptions> options_for(files::Variable const& variable, RepackedFile const& file,
                                          bool is_skipped) {
    NamedBound const* const named = find_bound(m_bounds, variable, variable.name);
    if (is_skipped) return std::nullopt;
    std::string const label = files::FileName{file.input.path, variable.name}.label();
    return m_arguments.coding.options_of(variable, named, m_arguments.bound, label);
  }

  bool says_bound() const { return m_arguments.bound.given() || m_arguments.coding.says_bound(); }

  RepackArguments const& m_arguments;
  std::vector<NamedBound> m_bounds;
  std::vector<NamedChunk> m_chunks;
  SkippedNames m_skipped;
  std::vector<std::string> m_names;
  bool m_any = false;
};

}  // namespace

std::vector<RepackedFile> plan_repack(RepackArguments const& arguments) {
  if (arguments.files.size() < 2) {
    refuse("give files of HDF5 or netCDF-4, and behind them the output, or a folder for all");
  }
  bool const into_folder = names_folder(arguments.output());
  if (!into_folder && arguments.files.size() > 2) {
    refuse("'" + arguments.output() + "' is no folder, but several files are given",
           "name one, with a slash at its end");
  }
  std::vector<RepackedFile> files;
  std::set<std::filesystem::path> outputs;
  RequestedBounds wishes(arguments);
  for (std::size_t i = 0; i + 1 < arguments.files.size(); ++i) {
    RepackedFile file{hdf5_name(arguments.files[i]), arguments.output(), {}, {}, {}};
    if (into_folder) file.output /= std::filesystem::path(file.input.path).filename();
    if (!outputs.insert(file.output).second) {
      refuse("two files would become '" + file.output.string() + "'; repack them one by one");
    }
    auto const opened = files::open_field_file(file.input);
    file.input.identity = opened->file().identity();
    std::vector<files::Variable> variables = opened->variables();
    files::mark_supporting(variables, opened->groups());
    files::RestOfFile const rest = opened->rest();
    std::vector<std::string> exact;
    for (files::Variable const& variable : variables) {
      wishes.add(file, variable, rest.missing_for(variable.name));
      bool const is_changed =
          !file.variables.empty() && file.variables.back().variable.name == variable.name;
      bool const may_change =
          variable.refusal.empty() && (!is_integer(variable.shape.dtype) || variable.packing());
      if (needs_note(variable) && may_change && !is_changed) {
        exact.push_back(variable.name);
      }
    }
    if (!exact.empty())
      file.notes.push_back("'" + file.input.path + "': " + note_of_supporting(exact));
    files.push_back(std::move(file));
  }
  wishes.require_all_met();
  return files;
}

}  // namespace kompakt::cli
