#include "commands.hpp"
#include "repack_plan.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/field_files.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/text.hpp>
#include <cstdlib>
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
  return resolved.name + ", " + text_of_resolved(resolved.options.bound) + ", " +
         to_string(resolved.options.pipeline) + ", chunks of " + chunk + ", " +
         text_of_bytes(original) + " -> " + text_of_bytes(static_cast<double>(bytes)) + ", ratio " +
         text_of(original / static_cast<double>(std::max<std::uint64_t>(bytes, 1)), 5);
}

void report_file(Report& report, RepackedFile const& file,
                 std::vector<files::FilteredVariable> const& resolved,
                 std::vector<std::uint64_t> const& bytes) {
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
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    own["variables"].push_back(json_of(file.variables[i], resolved[i], bytes[i]));
    report.lines.emplace_back("variable", line_of(file.variables[i], resolved[i], bytes[i]));
  }
  if (!file.unchanged.empty()) {
    report.lines.emplace_back("unchanged", files::text_of_names(file.unchanged));
  }
  report.values["files"].push_back(std::move(own));
}

void repack_file(Report& report, RepackArguments const& arguments, RepackedFile const& file,
                 RunLimits const& conditions) {
  for (std::string const& text : file.notes) note(text);
  OutputFile output = arguments.overwrite.open(file.output);
  std::vector<files::FilteredVariable> const resolved = resolve(file, conditions);
  std::uint64_t const values_memory = (conditions.memory.bytes - program_memory) / 4;
  std::vector<std::uint64_t> const bytes = during("repacking", 0, Progress::Shows::activity, [&] {
    return files::copy_with_filter(file.input.path, output, file.output.string(), resolved,
                                   values_memory);
  });
  if (arguments.verify) verify_copy(file, resolved, output, conditions);
  output.commit();
  report_file(report, file, resolved, bytes);
}

int repack(RepackArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  std::vector<RepackedFile> const files = plan_repack(arguments);
  // The filter asks the environment, whoever calls it.
  if (!arguments.exec.space.empty()) ::setenv("KOMPAKT_HDF5_SPACE", to_string(exec.space), 1);
  std::optional<OutputFolder> folder;
  if (names_folder(arguments.output())) folder.emplace(arguments.output());
  for (RepackedFile const& file : files) {
    arguments.overwrite.require_writable(file.output, file.input.path);
  }
  KokkosSession const kokkos(exec);
  RunLimits const conditions{exec.space, memory_for(memory_bytes, exec.space),
                             arguments.coding.chosen_goal()};
  Report report;
  report.values = {{"exec", to_string(exec.space)},
                   {"verified", arguments.verify},
                   {"files", nlohmann::ordered_json::array()}};
  for (RepackedFile const& file : files) repack_file(report, arguments, file, conditions);
  describe(report, conditions.memory);
  if (arguments.verify) report.lines.emplace_back("verified", "every value is inside its bound");
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void RepackArguments::add_to(CLI::App& verb) {
  verb.add_option("files", files,
                  "files of HDF5 or netCDF-4, and behind them the output: a file, or a folder for "
                  "several")
      ->type_name("FILE... OUTPUT");
  bound.add_to(verb);
  verb.add_option("--bound", named_bounds,
                  "bound of the variables of a name, such as 'T*=r2r:1e-4'")
      ->allow_extra_args(false)
      ->type_name("NAME=MODE:BOUND");
  verb.add_option("--skip", skipped, "variables of a name stay as they are, such as 'mask*'")
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
      "repack", "write files of HDF5 or netCDF-4 anew, compressed by the HDF5 filter");
  arguments->add_to(verb);
  verb.callback([arguments, &action] { action = [arguments] { return repack(*arguments); }; });
}

}  // namespace kompakt::cli
