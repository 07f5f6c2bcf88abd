#include "compress_variables.hpp"
#include "compress_field.hpp"
#include "files.hpp"
#include "named_bounds.hpp"
#include "notes.hpp"
#include "text.hpp"
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kompakt::cli {

namespace {

/// A variable, and what is to become of it.
struct Task {
  files::FileName file;  ///< and the variable in it
  files::Variable variable;
  std::string name;  ///< in the archive
  AskedOptions call;
  bool has_fill = false;  ///< by its file
};

struct Plan {
  std::vector<Task> tasks;
  std::vector<std::string> notes;  ///< on what is left out
};

// One file gives its variables their names, of several those of the files stand in front.
std::string name_of(files::FileName const& file, files::Variable const& variable, bool alone) {
  std::string const stem = std::filesystem::path(file.path).stem().string();
  if (variable.name.empty()) return stem;
  return alone ? variable.name : stem + "/" + variable.name;
}

void add_variables(Plan& plan, std::string const& word, bool alone) {
  files::FileName const name = files::input_name(word, false);
  require_no_folder(name.path);
  if (name.format == files::Format::raw) {
    throw Error(Status::bad_argument,
                "'" + word +
                    "' does not say what is in it: it is no file of NumPy, netCDF or HDF5; give a "
                    "raw field with -i, -t and -l");
  }
  std::unique_ptr<files::FieldFile> const file = files::open_field_file(name);
  GroupsToKeep groups(*file);
  if (!name.variable.empty()) files::choose_variable(*file, name);
  for (files::Variable const& variable : file->variables()) {
    if (!name.variable.empty() && variable.name != name.variable) continue;
    files::FileName const own{name.path, variable.name, name.format};
    if (variable.refusal.empty()) {
      require_likely(variable, own);
      plan.tasks.push_back({own, variable, name_of(name, variable, alone), {}});
      plan.tasks.back().variable.groups = groups.take(variable);
    } else {
      std::string const label = own.label();
      plan.notes.push_back("'" + label + "' is left out: " + variable.refusal);
    }
  }
}

void require_own_names(std::vector<Task> const& tasks) {
  std::set<std::string> names;
  for (Task const& task : tasks) {
    if (names.insert(task.name).second) continue;
    throw Error(Status::bad_argument, "two variables would be called '" + task.name +
                                          "' in the archive, the second of them '" +
                                          task.file.label() +
                                          "'; rename a file, or append them one by one");
  }
  if (tasks.empty()) {
    throw Error(Status::bad_argument, "the files have no variable that can be compressed");
  }
}

// Of axes an error would be one of all fields on them, and integers know no other bound.
AskedOptions options_for(CompressArguments const& arguments, std::vector<NamedBound>& bounds,
                         Task const& task) {
  NamedBound const* const named = find_bound(bounds, task.variable, task.name);
  if (named != nullptr) return arguments.coding.options_with(named->bound);
  if (task.variable.is_coordinate() || is_integer(task.variable.shape.dtype)) {
    return {arguments.coding.lossless(), false};
  }
  if (arguments.bound.given()) return arguments.coding.options_with(arguments.bound);
  throw Error(Status::bad_argument, "'" + task.file.label() +
                                        "' has no bound; give -m and -e for all, or --bound " +
                                        task.variable.name + "=MODE:BOUND");
}

Plan plan_of(CompressArguments const& arguments) {
  Plan plan;
  for (std::string const& word : arguments.files) {
    add_variables(plan, word, arguments.files.size() == 1);
  }
  require_own_names(plan.tasks);
  std::vector<NamedBound> bounds = parse_named_bounds(arguments.named_bounds);
  std::vector<std::string> names;
  for (Task& task : plan.tasks) {
    names.push_back(task.name);
    task.call = options_for(arguments, bounds, task);
    task.has_fill = adapt(task.call.options, task.variable.shape, task.variable);
  }
  require_all_fit(bounds, names);
  return plan;
}

/// Opens files one at a time: more may be given than a program can have open.
class Inputs {
 public:
  FieldInput open(Task const& task) {
    if (!m_file || m_path != task.file.path) m_file = files::open_field_file(task.file);
    m_path = task.file.path;
    files::Variable const& variable = files::choose_variable(*m_file, task.file);
    if (variable.shape == task.variable.shape) {
      return {task.file.label(), variable.shape, variable, m_file->read(variable)};
    }
    throw Error(Status::io, "'" + task.file.label() + "' has changed meanwhile; start again");
  }

 private:
  std::unique_ptr<files::FieldFile> m_file;
  std::string m_path;
};

void require_usable(CompressArguments const& arguments) {
  if (arguments.field.given()) {
    throw Error(Status::bad_argument, "-t and the extents are for raw fields; leave them out");
  }
  if (arguments.output.name || !arguments.output.attributes.empty()) {
    throw Error(Status::bad_argument,
                "--name and --attribute are for one field; leave them out, as variables keep their "
                "names and attributes");
  }
  for (std::string const& word : arguments.files) {
    arguments.output.require_usable(files::input_name(word, false).path);
  }
}

void report_field(Report& report, Task const& task, CompressedField const& field) {
  Report own;
  describe(own, field.frames);
  describe(own, field.masked);
  own.values["name"] = task.name;
  own.values["file"] = task.file.label();
  StreamInfo const& info = field.frames.whole();
  double const bytes = static_cast<double>(info.shape.bytes());
  std::string bound = to_string(info.bound.mode);
  if (info.bound.mode != ErrorBound::Mode::lossless)
    bound.append(" ").append(text_of(info.bound.value));
  report.lines.emplace_back(
      "field", task.file.label() + " -> " + task.name + ", " + bound + ", " + text_of_bytes(bytes) +
                   " -> " + text_of_bytes(static_cast<double>(info.bytes)) + ", ratio " +
                   text_of(bytes / static_cast<double>(info.bytes), 5));
  report.values["fields"].push_back(std::move(own.values));
}

}  // namespace

int compress_variables(CompressArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  require_usable(arguments);
  auto const [tasks, notes] = plan_of(arguments);

  KokkosSession const kokkos(exec);
  Conditions const conditions{exec.space, memory_for(memory_bytes, exec.space),
                              arguments.coding.chosen_goal()};
  ArchiveWriter archive = arguments.output.open_archive();
  for (Task const& task : tasks) arguments.output.free_name(archive, task.name);
  for (std::string const& text : notes) note(text);
  Inputs inputs;
  Report report;
  report.values = {{"exec", to_string(exec.space)}, {"fields", nlohmann::ordered_json::array()}};
  for (Task const& task : tasks) {
    FieldInput input = inputs.open(task);
    ArchiveFieldOutput output(archive, task.name, kept_attributes(task.variable));
    CompressedField const field = compress_field(input, task.call, conditions, output);
    output.commit();
    if (!task.has_fill) note_fill(field.frames.whole(), field.asked, field.masked);
    report_field(report, task, field);
  }
  archive.commit();
  report.lines.emplace_back("archive", arguments.output.path);
  describe(report, conditions.memory);
  report.print(arguments.json, report_file(arguments.output.path));
  return 0;
}

}  // namespace kompakt::cli
