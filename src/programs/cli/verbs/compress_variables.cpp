#include "compress_variables.hpp"
#include <algorithm>
#include <atomic>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/kept_groups.hpp>
#include <cli/parts/named_bounds.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/packed_bound.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/text.hpp>
#include <files/roles.hpp>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
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

/// A variable of numbers that cannot be taken.
struct LeftOut {
  std::string label, reason;
  Status status;
};

std::string note_of(LeftOut const& field) {
  return "'" + field.label + "' is left out: " + field.reason;
}

struct Plan {
  std::vector<Task> tasks;
  std::vector<std::string> notes;  ///< on what is left out
  std::vector<LeftOut> left_out;
  AskedOptions exact;  ///< of what has no bound
};

// One file gives its variables their names, of several those of the files stand in front.
std::string name_of(files::FileName const& file, files::Variable const& variable, bool alone) {
  std::string const stem = std::filesystem::path(file.path).stem().string();
  if (variable.name.empty()) return stem;
  return alone ? variable.name : stem + "/" + variable.name;
}

/// Why a field cannot be taken; none if it can.
std::optional<LeftOut> obstacle_of(Task const& task) {
  if (!files::can_be_name(task.name)) {
    return LeftOut{task.file.label(),
                   "the name of a field is 1 to 255 bytes of UTF-8 without control characters; -i "
                   "with --name gives it another one",
                   Status::bad_argument};
  }
  std::string const reason = why_unlikely(task.variable, task.file);
  if (reason.empty()) return std::nullopt;
  return LeftOut{task.file.label(), reason, Status::corrupt};
}

/// \throws Error of the first of fields that were all left out
[[noreturn]] void tell_none_left(std::vector<LeftOut> const& left_out) {
  LeftOut const& first = left_out.front();
  throw Error(first.status, "'" + first.label + "': " + first.reason +
                                "; there is no other variable to compress");
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
}

// Files have such variables deflated, mostly: packed, they are rarely larger than there.
Options exact_options(CodingArguments const& coding) {
  Options options = coding.lossless();
  options.pack = options.pack || coding.chosen_goal() != Goal::speed;
  return options;
}

// An error of what describes fields would be one of all of them, and integers know no other bound.
AskedOptions options_for(CompressArguments const& arguments, std::vector<NamedBound>& bounds,
                         Task const& task) {
  NamedBound const* const named = find_bound(bounds, task.variable, task.name);
  bool const is_empty = task.variable.is_empty;
  auto const asked = arguments.coding.options_of(task.variable, is_empty ? nullptr : named,
                                                 arguments.bound, task.file.label());
  if (asked && !is_empty) return *asked;
  if (is_empty || task.variable.stays_exact()) return {exact_options(arguments.coding)};
  throw Error(Status::bad_argument, "'" + task.file.label() + "' has no bound",
              task.variable.name.empty()
                  ? std::string("give -m and -e, such as -m r2r -e 1e-3")
                  : "give -m and -e for all, --bound " + task.variable.name +
                        "=MODE:BOUND, or the variable an attribute " + files::options_key);
}

/// Finds out what becomes of the variables of all files.
class Planner {
 public:
  explicit Planner(CompressArguments const& arguments)
      : m_arguments(arguments),
        m_bounds(parse_named_bounds(arguments.named_bounds)),
        m_skipped(arguments.skipped) {
    m_plan.exact = {exact_options(arguments.coding)};
  }

  void add_file(std::string const& word) {
    files::FileName const name = files::input_name(word, false);
    require_no_folder(name.path);
    if (name.format == files::Format::raw) {
      files::require_no_other_format(name.path);
      throw Error(Status::bad_argument,
                  "'" + word + "' does not describe itself: it is no file of NumPy, netCDF or HDF5",
                  "give a raw field with -i, -t and -l");
    }
    std::unique_ptr<files::FieldFile> const file = files::open_field_file(name);
    if (name.format != files::Format::npy) require_own_group(name.path);
    GroupsToKeep groups(*file);
    if (!name.variable.empty()) files::choose_variable(*file, name);
    std::vector<files::Variable> variables = file->variables();
    files::mark_supporting(variables, file->groups());
    for (files::Variable const& variable : variables) {
      if (!name.variable.empty() && variable.name != name.variable) continue;
      bool const is_alone = m_arguments.files.size() == 1;
      files::FileName const own{name.path, variable.name, name.format, file->file().identity()};
      add({own, variable, name_of(name, variable, is_alone), {}}, groups);
    }
    if (!name.variable.empty()) return;
    note_groups(name.path, groups.left());
    files::RestOfFile const rest = file->rest();
    std::ranges::move(files::notes_on(rest, name.path), std::back_inserter(m_plan.notes));
    for (files::Variable const& variable : rest.unseen) {
      if (!m_skipped.has(variable.name, variable.name)) refuse(name, variable);
    }
  }

  Plan take() {
    require_own_names(m_plan.tasks);
    std::vector<std::string> exact;
    for (Task& task : m_plan.tasks) {
      if (!task.variable.converted.empty()) {
        m_plan.notes.push_back("'" + task.file.label() + "': " + task.variable.converted);
      }
      task.call = options_for(m_arguments, m_bounds, task);
      adapt_task(task);
      bool const is_lossless = task.call.options.bound.mode == ErrorBound::Mode::lossless;
      if (is_lossless && needs_note(task.variable) && !is_integer(task.variable.shape.dtype)) {
        exact.push_back(task.name);
      }
    }
    if (!exact.empty()) m_plan.notes.push_back(note_of_supporting(exact));
    note_packed();
    require_all_fit(m_bounds, m_names);
    m_skipped.require_all_fit(m_names);
    if (!m_plan.tasks.empty()) return std::move(m_plan);
    if (m_plan.left_out.empty() && m_refused.empty()) {
      throw Error(Status::bad_argument, "the files have no variable that can be compressed");
    }
    tell_none_left(m_plan.left_out.empty() ? m_refused : m_plan.left_out);
  }

 private:
  /// Variables of several files are in groups of the archive that have the names of the files.
  void require_own_group(std::string const& path) {
    std::string const group = std::filesystem::path(path).stem().string();
    std::string const& first = m_paths_of_groups.try_emplace(group, path).first->second;
    std::error_code error;
    if (first == path || std::filesystem::equivalent(first, path, error)) return;
    throw Error(Status::bad_argument,
                "'" + first + "' and '" + path + "' would share the group '" + group +
                    "' of the archive, with its attributes and dimensions",
                "make an archive of each, or give one another name");
  }

  void adapt_task(Task& task) {
    try {
      task.has_fill = adapt(task.call.options, task.variable.shape, task.variable);
      std::string text = note_of_no_limits(task.file.label(), task.call.options, task.variable);
      if (!text.empty()) m_plan.notes.push_back(std::move(text));
    } catch (Error const& error) {
      if (!may_stay_exact(task.variable)) refuse_field(task.file.label(), "", error);
      m_plan.notes.push_back("'" + task.file.label() +
                             "' stays exact: " + std::string(error.text()));
      task.call = m_plan.exact;
    }
  }

  /// Integers that stand for other numbers, but in a way that no bound can be told in.
  void note_packed() {
    for (Task const& task : m_plan.tasks) {
      std::string const why = task.variable.why_no_packing();
      if (why.empty() || task.variable.is_supporting) continue;
      bool const is_exact = task.call.options.bound.mode == ErrorBound::Mode::lossless;
      m_plan.notes.push_back("'" + task.file.label() +
                             (is_exact ? "' stays exact: " : "' has a bound in steps: ") + why);
    }
  }

  void note_groups(std::string const& path, std::vector<files::Group> const& groups) {
    for (files::Group const& group : groups) {
      m_plan.notes.push_back("the group '" + path + ":" + group.name +
                             "' is left out: no variable in it is stored");
    }
  }

  void add(Task task, GroupsToKeep& groups) {
    m_names.push_back(task.name);
    if (m_skipped.has(task.variable.name, task.name)) return;
    if (!task.variable.refusal.empty() && !task.variable.is_empty) {
      m_plan.notes.push_back(note_of(refuse(task.file, task.variable)));
    } else if (auto obstacle = obstacle_of(task)) {
      find_bound(m_bounds, task.variable, task.name);  // what names it fits
      m_plan.notes.push_back(note_of(*obstacle));
      m_plan.left_out.push_back(std::move(*obstacle));
    } else {
      task.variable.groups = groups.take(task.variable);
      m_plan.tasks.push_back(std::move(task));
    }
  }

  /// One that may be a field is missing in the archive; one of another kind is not.
  LeftOut const& refuse(files::FileName const& file, files::Variable const& variable) {
    bool const may_be_field = variable.refused_as != Status::bad_argument;
    std::vector<LeftOut>& list = may_be_field ? m_plan.left_out : m_refused;
    list.push_back(
        {files::FileName{file.path, variable.name}.label(), variable.refusal, variable.refused_as});
    return list.back();
  }

  CompressArguments const& m_arguments;
  std::vector<NamedBound> m_bounds;
  SkippedNames m_skipped;
  std::vector<std::string> m_names;
  std::map<std::string, std::string> m_paths_of_groups;
  std::vector<LeftOut> m_refused;  ///< of kinds that no archive takes
  Plan m_plan;
};

/// Throws the Error of fields that were left out, when all others are in the archive.
void tell_left_out(std::vector<LeftOut> const& left_out, std::string const& archive) {
  if (left_out.empty()) return;
  std::vector<std::string> labels;
  for (LeftOut const& field : left_out) labels.push_back(field.label);
  throw Error(left_out.front().status,
              files::text_of_names(labels) + (left_out.size() == 1 ? " is" : " are") + " not in '" +
                  archive + "', which has all others: " + left_out.front().reason +
                  "; --skip NAME leaves a variable out without an error");
}

/// work(), noting whether it fails.
template <class Work>
decltype(auto) noting(std::atomic<bool>& failed, Work const& work) {
  try {
    return work();
  } catch (...) {
    failed = true;
    throw;
  }
}

/// Notes whether it is reading that fails.
class NotedReader final : public files::FieldReader {
 public:
  /// \param failed  must outlive the reader
  NotedReader(std::unique_ptr<files::FieldReader> reader, std::atomic<bool>& failed)
      : m_reader(std::move(reader)), m_failed(failed) {}

  bool can_rewind() const override { return m_reader->can_rewind(); }
  void rewind() override {
    noting(m_failed, [&] { m_reader->rewind(); });
  }
  void read(std::span<std::byte> values) override {
    noting(m_failed, [&] { m_reader->read(values); });
  }
  void require_end() override {
    noting(m_failed, [&] { m_reader->require_end(); });
  }

 private:
  std::unique_ptr<files::FieldReader> m_reader;
  std::atomic<bool>& m_failed;
};

/// Opens files one at a time: more may be given than a program can have open.
class Inputs {
 public:
  FieldInput open(Task const& task) {
    m_failed = false;
    return noting(m_failed, [&]() -> FieldInput {
      if (!m_file || m_path != task.file.path) m_file = files::open_field_file(task.file);
      m_path = task.file.path;
      auto const& variables = m_file->variables();
      auto const found = std::ranges::find(variables, task.variable.name, &files::Variable::name);
      return {task.file.label(), found->shape, *found,
              std::make_unique<NotedReader>(m_file->read(*found), m_failed)};
    });
  }
  /// Whether reading the variable has failed.
  bool failed() const { return m_failed; }

 private:
  std::unique_ptr<files::FieldFile> m_file;
  std::string m_path;
  std::atomic<bool> m_failed = false;  // another thread may read
};

/// A variable whose values cannot be read.
LeftOut unreadable_task(Task const& task, Error const& error) {
  std::string const label = task.file.label(), quoted = "'" + label + "'";
  std::string reason(error.text());
  if (reason.starts_with(quoted + " ")) reason.replace(0, quoted.size(), "it");
  if (reason.starts_with(quoted + ": ")) reason.erase(0, quoted.size() + 2);
  return {label, std::move(reason), error.status()};
}

void require_usable(CompressArguments const& arguments) {
  if (arguments.field.given()) {
    throw Error(Status::bad_argument, "-t and the extents are for raw fields", "leave them out");
  }
  if (arguments.output.name || !arguments.output.attributes.empty()) {
    throw Error(Status::bad_argument, "--name and --attribute are for one field",
                "leave them out, as variables keep their names and attributes");
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

/// The bytes of all fields together.
void report_sum(Report& report) {
  double bytes = 0, stored = 0;
  for (auto const& field : report.values["fields"]) {
    bytes += field.at("original_bytes").get<double>();
    stored += field.at("compressed_bytes").get<double>();
  }
  if (stored == 0) return;
  report.values["original_bytes"] = static_cast<std::uint64_t>(bytes);
  report.values["compressed_bytes"] = static_cast<std::uint64_t>(stored);
  report.values["ratio"] = bytes / stored;
  if (report.values["fields"].size() == 1) return;  // whose line says the same
  report.lines.emplace_back("all", std::to_string(report.values["fields"].size()) + " fields, " +
                                       text_of_bytes(bytes) + " -> " + text_of_bytes(stored) +
                                       ", ratio " + text_of(bytes / stored, 5));
}

std::uint64_t bytes_of_file(std::string const& path) {
  std::error_code error;
  std::uintmax_t const bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

std::uint64_t bytes_of_attributes(std::vector<Task> const& tasks) {
  std::uint64_t bytes = 0;
  std::vector<files::LeftOutAttribute> left_out;
  for (Task const& task : tasks) {
    for (auto const& [key, text] : files::attributes_of(task.variable, task.name, left_out)) {
      bytes += key.size() + text.size();
    }
  }
  return bytes;
}

/// A note if an archive needs more room than the files that it is of, which nobody expects: every field has a header, and attributes
/// lie behind the field and in the index.
/// \param added_bytes  to the archive
void note_growth(Report const& report, std::vector<Task> const& tasks, std::uint64_t added_bytes) {
  std::set<std::string> paths;
  for (Task const& task : tasks) paths.insert(task.file.path);
  std::uint64_t input_bytes = 0;
  for (std::string const& path : paths) input_bytes += bytes_of_file(path);
  if (!is_larger(added_bytes, input_bytes)) return;
  auto const& all = report.values["fields"];
  auto const grown = std::ranges::count_if(all, [](auto const& field) {
    return field.at("compressed_bytes") >= field.at("original_bytes");
  });
  note("the archive takes " + std::to_string(added_bytes) + " bytes, its input " +
       std::to_string(input_bytes) + ": the streams of " + std::to_string(grown) + " of " +
       std::to_string(all.size()) +
       " fields are no smaller than their values, and attributes take " +
       std::to_string(bytes_of_attributes(tasks)) + " bytes, most of them twice");
}

/// Frames that wait until it is known whether they are stored.
class HeldFrames final : public FrameOutput {
 public:
  void write(std::span<std::byte const> frame) override {
    m_frames.emplace_back(frame.begin(), frame.end());
  }
  void commit() override {}
  void write_to(FrameOutput& output) const {
    for (auto const& frame : m_frames) output.write(frame);
  }

 private:
  std::vector<std::vector<std::byte>> m_frames;
};

/// Compresses a variable within its bound, or without loss if it is small and its stream would not be smaller than its values: a
/// header alone may be larger, so that errors gain nothing.
CompressedField compress_into(FrameOutput& output, Task const& task, AskedOptions const& exact,
                              FieldInput& input, RunLimits const& conditions) {
  constexpr std::uint64_t most_held = 1 << 20;
  auto const compress = [&](AskedOptions const& call, FrameOutput& frames) {
    return about_field(task.file.label(), named_absolute(task.name, call.options.bound),
                       [&] { return compress_field(input, call, conditions, frames); });
  };
  bool const is_exact = task.call.options.bound.mode == ErrorBound::Mode::lossless;
  std::uint64_t const bytes = task.variable.shape.bytes();
  if (is_exact || bytes > most_held) return compress(task.call, output);
  HeldFrames frames;
  CompressedField field = compress(task.call, frames);
  if (field.frames.whole().bytes >= bytes) {
    input.reader->rewind();
    return compress(exact, output);
  }
  frames.write_to(output);
  return field;
}

/// Adds a variable to an archive.
void compress_task(Report& report, Task const& task, AskedOptions const& exact, FieldInput input,
                   RunLimits const& conditions, ArchiveWriter& archive, KeptGroups const& groups) {
  Attributes const attributes =
      groups.without_others(kept_attributes(task.variable, task.name), task.name);
  ArchiveFieldOutput output(archive, task.name, attributes);
  CompressedField const field = compress_into(output, task, exact, input, conditions);
  output.commit();
  if (!task.has_fill) note_fill(task.file.label(), field.frames.whole(), field.asked, field.masked);
  note_limits(task.file.label(), field.frames.whole(), field.asked);
  note_exact_integers(task.file.label(), field.frames.whole(), field.asked, task.variable);
  report_field(report, task, field);
}

/// Adds all variables to an archive.
/// \param may_leave_out  whether one whose values cannot be read stops no other
/// \returns those that are left out
std::vector<LeftOut> compress_tasks(Report& report, Plan const& plan, RunLimits const& conditions,
                                    ArchiveWriter& archive, KeptGroups const& groups,
                                    bool may_leave_out) {
  Inputs inputs;
  std::vector<LeftOut> unreadable;
  for (Task const& task : plan.tasks) {
    try {
      compress_task(report, task, plan.exact, inputs.open(task), conditions, archive, groups);
    } catch (Error const& error) {
      if (!inputs.failed() || !may_leave_out) throw;
      // Of a file that somebody changes meanwhile, the other variables are no better.
      if (task.file.identity) InputFile(task.file.path).require_same(task.file.identity);
      unreadable.push_back(unreadable_task(task, error));
    }
  }
  return unreadable;
}

}  // namespace

int compress_variables(CompressArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  require_usable(arguments);
  Planner planner(arguments);
  for (std::string const& word : arguments.files) planner.add_file(word);
  Plan plan = planner.take();
  auto& [tasks, notes, left_out, exact] = plan;

  KokkosSession const kokkos(exec);
  RunLimits const conditions{exec.space, memory_for(memory_bytes, exec.space)};
  std::uint64_t const old_bytes =
      arguments.output.append ? bytes_of_file(arguments.output.path) : 0;
  ArchiveWriter archive = arguments.output.open_archive();
  for (Task const& task : tasks) arguments.output.free_name(archive, task.name);
  KeptGroups const groups(archive);
  for (std::string const& text : notes) note(text);
  Report report;
  report.values = {{"exec", to_string(exec.space)}, {"fields", nlohmann::ordered_json::array()}};
  // A field that is to be replaced is gone from the archive already: then all must be read, or nothing changes.
  std::vector<LeftOut> const unreadable =
      compress_tasks(report, plan, conditions, archive, groups, !arguments.output.replace);
  std::ranges::copy(unreadable, std::back_inserter(left_out));
  if (report.values["fields"].empty()) tell_none_left(left_out);
  for (LeftOut const& field : unreadable) note(note_of(field));
  for (LeftOut const& field : left_out) {
    report.values["left_out"].push_back({{"file", field.label}, {"reason", field.reason}});
  }
  archive.commit();
  output_is_complete();
  std::uint64_t const archive_bytes = bytes_of_file(arguments.output.path);  // 0 of a pipe
  note_growth(report, tasks, archive_bytes - old_bytes);
  report_sum(report);
  report.lines.emplace_back("archive", arguments.output.path);
  if (archive_bytes > 0) {
    report.lines.back().second += ", " + text_of_bytes(static_cast<double>(archive_bytes));
  }
  describe(report, conditions.memory);
  report.print(arguments.json, report_file(arguments.output.path));
  tell_left_out(left_out, arguments.output.path);
  return 0;
}

}  // namespace kompakt::cli
