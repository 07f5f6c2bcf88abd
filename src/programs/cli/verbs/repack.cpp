#include "commands.hpp"
#include "repack_plan.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/field_files.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/text.hpp>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>

namespace kompakt::cli {

namespace {

/// What a file says of a copy.
nlohmann::ordered_json json_of(RepackedVariable const& asked,
                               files::FilteredVariable const& resolved, std::uint64_t bytes) {
  Options const& options = resolved.options;
  bool const is_absolute = options.bound.mode == ErrorBound::Mode::abs;
  return {{"name", resolved.name},
          {"ratio", static_cast<double>(asked.variable.shape.bytes()) /
                        static_cast<double>(std::max<std::uint64_t>(bytes, 1))},
          {"bound_abs", is_absolute ? nlohmann::ordered_json(options.bound.value) : nullptr},
          {"compressed_bytes", bytes},
          {"original_bytes", asked.variable.shape.bytes()},
          {"dtype", to_string(asked.variable.shape.dtype)},
          {"shape", slowest_first(asked.variable.shape)},
          {"chunk", resolved.chunk},
          {"bound_mode", to_string(asked.call.options.bound.mode)},
          {"bound_value", asked.call.options.bound.value},
          {"pipeline", to_string(options.pipeline)},
          {"variant", to_string(options.variant)},
          {"predictor", to_string(options.predictor)}};
}

std::string line_of(RepackedVariable const& asked, files::FilteredVariable const& resolved,
                    std::uint64_t bytes) {
  auto const original = static_cast<double>(asked.variable.shape.bytes());
  std::string chunk;
  for (std::size_t const extent : resolved.chunk) {
    chunk += (chunk.empty() ? "" : ",") + std::to_string(extent);
  }
  return resolved.name + ", " + text_of_resolved(resolved.options.bound, asked.variable) + ", " +
         to_string(resolved.options.pipeline) + ", chunks of " + chunk + ", " +
         text_of_bytes(original) + " -> " + text_of_bytes(static_cast<double>(bytes)) + ", ratio " +
         text_of(original / static_cast<double>(std::max<std::uint64_t>(bytes, 1)), 5);
}

/// A copy of a file, in which every variable with the filter is smaller than it was.
class Copy {
 public:
  Copy(RepackedFile file, std::vector<files::FilteredVariable> resolved, OutputFile& output)
      : m_file(std::move(file)),
        m_resolved(std::move(resolved)),
        m_input(m_file.input.path),
        m_output(output) {
    m_input.require_same(m_file.input.identity);
  }

  void write(std::uint64_t memory_bytes) {
    copy(memory_bytes);
    // What has been written leaves holes in a file of HDF5, so that it is written again.
    if (leave_out_grown() > 0 && !m_resolved.empty()) copy(memory_bytes);
    if (!m_resolved.empty() && (m_copied.has_more || !is_too_large())) {
      for (files::LeftOutPart const& part : m_copied.left_out) {
        if (!part.is_attribute) std::erase(m_file.unchanged, part.name);
      }
      return note_kept();
    }
    for (files::FilteredVariable const& variable : m_resolved) keep(variable.name);
    m_resolved.clear();
    m_file.variables.clear();
    m_copied.left_out.clear();
    files::copy_bytes(m_input, m_output, m_file.output.string());
    note_kept();
  }

  RepackedFile const& file() const { return m_file; }
  std::vector<files::FilteredVariable> const& resolved() const { return m_resolved; }
  std::vector<files::CopiedVariable> const& copied() const { return m_copied.variables; }
  std::vector<files::LeftOutPart> const& left_out() const { return m_copied.left_out; }

 private:
  void copy(std::uint64_t memory_bytes) {
    m_copied = files::copy_with_filter(m_input, m_output, m_file.output.string(), m_resolved,
                                       memory_bytes);
  }

  std::size_t leave_out_grown() {
    std::vector<RepackedVariable> variables;
    std::vector<files::FilteredVariable> smaller;
    for (std::size_t i = 0; i < m_resolved.size(); ++i) {
      if (m_copied.variables[i].is_smaller) {
        variables.push_back(std::move(m_file.variables[i]));
        smaller.push_back(std::move(m_resolved[i]));
      } else {
        keep(m_resolved[i].name);
      }
    }
    m_file.variables = std::move(variables);
    m_resolved = std::move(smaller);
    return m_kept.size();
  }

  bool is_too_large() const {
    return is_larger(std::filesystem::file_size(*m_output.partial_path()), m_input.known_bytes());
  }

  void keep(std::string const& name) {
    m_kept.push_back(name);
    m_file.unchanged.push_back(name);
  }

  void note_kept() const {
    if (m_kept.empty() && m_resolved.empty()) {
      note("'" + m_file.output.string() + "' is a copy of '" + m_file.input.path +
           (m_file.has_hindered ? "', of whose variables none can be compressed"
                                : "', which has no variable to compress"));
    }
    if (m_kept.empty()) return;
    bool const is_one = m_kept.size() == 1;
    note(std::to_string(m_kept.size()) + (is_one ? " variable stays" : " variables stay") +
         " as in '" + m_file.input.path + "', because the filter makes " +
         (is_one ? "it" : "them") + " no smaller: " + files::text_of_names(m_kept));
  }

  RepackedFile m_file;
  std::vector<files::FilteredVariable> m_resolved;
  InputFile m_input;
  OutputFile& m_output;
  files::CopiedFile m_copied;
  std::vector<std::string> m_kept;
};

void report_file(Report& report, Copy const& copy) {
  RepackedFile const& file = copy.file();
  std::uint64_t const old_bytes = std::filesystem::file_size(file.input.path);
  std::uint64_t const new_bytes = std::filesystem::file_size(file.output);
  report.lines.emplace_back("file", file.input.path + " -> " + file.output.string() + ", " +
                                        text_of_bytes(static_cast<double>(old_bytes)) + " -> " +
                                        text_of_bytes(static_cast<double>(new_bytes)));
  nlohmann::ordered_json own = {{"file", file.input.path},
                                {"output", file.output.string()},
                                {"old_bytes", old_bytes},
                                {"new_bytes", new_bytes},
                                {"variables", nlohmann::ordered_json::array()},
                                {"unchanged", file.unchanged}};
  for (std::size_t i = 0; i < copy.resolved().size(); ++i) {
    std::uint64_t const bytes = copy.copied()[i].stored_bytes;
    own["variables"].push_back(json_of(file.variables[i], copy.resolved()[i], bytes));
    report.lines.emplace_back("variable", line_of(file.variables[i], copy.resolved()[i], bytes));
  }
  for (files::LeftOutPart const& part : copy.left_out()) {
    own["left_out"].push_back({{"name", part.name}, {"reason", part.reason}});
  }
  if (!file.unchanged.empty()) {
    report.lines.emplace_back("unchanged", files::text_of_names(file.unchanged));
  }
  report.values["files"].push_back(std::move(own));
}

/// Whether all values of a variable can be read.
bool is_sound(files::FieldFile const& file, files::Variable const& variable) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 24;
  try {
    auto const reader = file.read(variable);
    std::vector<std::byte> values;
    for (std::uint64_t left = variable.shape.bytes(); left > 0; left -= values.size()) {
      values.resize(std::min(left, piece_bytes));
      reader->read(values);
    }
    return true;
  } catch (Error const& error) {
    if (error.status() != Status::corrupt) throw;
    return false;
  }
}

/// Leaves variables as they are whose values cannot be read.
/// \returns their labels
std::vector<std::string> leave_damaged(RepackedFile& file) {
  std::vector<std::string> damaged;
  auto const input = files::open_field_file(file.input);
  std::erase_if(file.variables, [&](RepackedVariable const& own) {
    if (is_sound(*input, own.variable)) return false;
    damaged.push_back(files::FileName{file.input.path, own.variable.name}.label());
    file.has_hindered = true;
    file.unchanged.push_back(own.variable.name);
    return true;
  });
  for (std::string const& label : damaged) {
    note("'" + label + "' stays as it is: it is damaged, and its values cannot be read");
  }
  return damaged;
}

Copy written_copy(RepackedFile const& file, OutputFile& output, RunLimits const& conditions) {
  Copy copy(file, resolve(file, conditions), output);
  std::uint64_t const values_memory = (conditions.memory.bytes - program_memory) / 4;
  during("repacking", 0, Progress::Shows::activity, [&] { copy.write(values_memory); });
  return copy;
}

/// What of files could not be copied as it should be.
struct Faults {
  std::vector<std::string> damaged;  ///< labels of variables that are in the copy as they were
  struct LeftOut {
    std::string label, reason;
    Status status;
  };
  std::vector<LeftOut> left_out;  ///< what no copy has

  void add(std::string const& path, std::vector<files::LeftOutPart> const& parts) {
    for (files::LeftOutPart const& part : parts) {
      std::string const object = "'" + files::FileName{path, part.name}.label() + "'";
      left_out.push_back(
          {part.is_attribute ? "an attribute of " + object : object, part.reason, part.status});
      note(left_out.back().label + " is left out: " + part.reason);
    }
  }
  /// \throws Error of the worst one; the copies are complete
  void require_none() const {
    if (!left_out.empty()) {
      LeftOut const& first = left_out.front();
      std::string const others =
          left_out.size() == 1 ? "" : " and " + std::to_string(left_out.size() - 1) + " more";
      throw Error(first.status, first.label + others + (others.empty() ? " is" : " are") +
                                    " in no copy, all others are repacked: " + first.reason);
    }
    if (damaged.empty()) return;
    throw Error(Status::corrupt,
                "damaged variables stay as they are, all others are repacked: " +
                    files::text_of_names(damaged),
                "--skip NAME leaves a variable as it is without an error");
  }
};

void repack_file(Report& report, Faults& faults, RepackArguments const& arguments,
                 RepackedFile file, RunLimits const& conditions) {
  for (std::string const& text : file.notes) note(text);
  OutputFile output = arguments.overwrite.open(file.output);
  std::vector<std::string> damaged;
  auto const write = [&] {
    try {
      return written_copy(file, output, conditions);
    } catch (Error const& error) {
      if (error.status() == Status::corrupt) damaged = leave_damaged(file);
      if (damaged.empty()) throw;
    }
    return written_copy(file, output, conditions);
  };
  Copy const copy = write();
  if (arguments.verify) verify_copy(copy.file(), copy.resolved(), output, conditions);
  output.commit();
  report_file(report, copy);
  faults.add(file.input.path, copy.left_out());
  std::ranges::move(damaged, std::back_inserter(faults.damaged));
}

int repack(RepackArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  std::vector<RepackedFile> const files = plan_repack(arguments);
  // The filter asks the environment, whoever calls it.
  if (arguments.exec.space) ::setenv("KOMPAKT_HDF5_SPACE", to_string(exec.space), 1);
  std::optional<OutputFolder> folder;
  if (names_folder(arguments.output())) folder.emplace(arguments.output());
  for (RepackedFile const& file : files) {
    arguments.overwrite.require_writable(file.output, file.input.path);
  }
  KokkosSession const kokkos(exec);
  RunLimits const conditions{exec.space, memory_for(memory_bytes, exec.space)};
  Report report;
  report.values = {{"exec", to_string(exec.space)},
                   {"verified", arguments.verify},
                   {"files", nlohmann::ordered_json::array()}};
  Faults faults;
  for (RepackedFile const& file : files) repack_file(report, faults, arguments, file, conditions);
  output_is_complete();
  describe(report, conditions.memory);
  if (arguments.verify) report.lines.emplace_back("verified", "every value is inside its bound");
  report.print(arguments.json, stdout);
  faults.require_none();
  return 0;
}

}  // namespace

void RepackArguments::add_to(CLI::App& verb) {
  verb.add_option("files", files,
                  "HDF5 or netCDF-4 files, then the output: a file, or a folder for "
                  "several")
      ->type_name("FILE... OUTPUT");
  bound.add_to(verb);
  verb.add_option("--bound", named_bounds, "bound of matching variables, such as 'T*=r2r:1e-4'")
      ->allow_extra_args(false)
      ->type_name("NAME=MODE:BOUND");
  verb.add_option("--skip", skipped, "do not change matching variables, such as 'mask*'")
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_option("--chunk", named_chunks,
                  "extents of chunks, slowest first, such as 1,64,64 or 'T*=1,64,64'")
      ->allow_extra_args(false)
      ->type_name("NAME=C,B,A");
  coding.add_to(verb);
  overwrite.add_to(verb);
  memory.add_to(verb, "larger variables are copied in parts");
  exec.add_to(verb);
  verb.add_flag("--verify", verify, "read every value back before the output gets its name");
  verb.add_flag("--json", json, "report as JSON");
}

void add_repack(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<RepackArguments>();
  CLI::App& verb = *app.add_subcommand(
      "repack", "rewrite HDF5 or netCDF-4 files, compressed by the HDF5 filter");
  arguments->add_to(verb);
  verb.callback([arguments, &action] { action = [arguments] { return repack(*arguments); }; });
}

}  // namespace kompakt::cli
