#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/output.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/wait.hpp>
#include <kompakt/archive.hpp>
#include <memory>
#include <optional>
#include <string>

namespace kompakt::cli {

namespace {

struct RepairArguments {
  std::string input;
  std::optional<std::string> output;
  WaitArguments wait;
  bool drop_damaged = false;
  OverwriteArguments overwrite;
  bool json = false;
};

Report report_of(RepairArguments const& arguments, ArchiveRepair const& repair) {
  Report report;
  bool const is_intact = repair.was_intact && repair.damaged.empty() && repair.dropped.empty();
  report.values = {{"intact", is_intact},
                   {"kept", nlohmann::ordered_json::array()},
                   {"damaged", repair.damaged},
                   {"dropped", repair.dropped},
                   {"unused_bytes", repair.unused_bytes}};
  bool const has_new_index = !repair.was_intact || !repair.dropped.empty();
  std::string const change = is_intact       ? "intact, nothing to repair"
                             : has_new_index ? "a new index"
                                             : "its index is intact";
  report.lines.emplace_back(
      "file", arguments.input + (arguments.output ? " -> " + *arguments.output : ": " + change));
  for (ArchiveEntry const& field : repair.kept) {
    report.values["kept"].push_back(field.name);
    report.lines.emplace_back("kept", field.name);
  }
  for (std::string const& field : repair.damaged) {
    report.lines.emplace_back("damaged", field + "; kept");
  }
  for (std::string const& field : repair.dropped) report.lines.emplace_back("dropped", field);
  if (repair.unused_bytes > 0) {
    report.lines.emplace_back("dropped", std::to_string(repair.unused_bytes) +
                                             " bytes at the end, which are no complete field");
  }
  return report;
}

int repair_file(RepairArguments const& arguments) {
  std::optional<std::filesystem::path> to;
  if (arguments.output) {
    if (*arguments.output == "-") {
      throw Error(Status::bad_argument, "-o: repair writes to a file", "name one");
    }
    arguments.overwrite.require_writable(*arguments.output, arguments.input);
    to = *arguments.output;
  }
  RepairOptions options;
  options.drop_damaged = arguments.drop_damaged;
  options.wait = arguments.wait.time;
  ArchiveRepair const repair = during("repairing", 0, Progress::Shows::activity, [&] {
    return repair_archive(arguments.input, to, arguments.overwrite.mode(), options);
  });
  output_is_complete();
  report_of(arguments, repair).print(arguments.json, stdout);
  if (repair.damaged.empty()) return 0;
  throw Error(
      Status::corrupt,
      "'" + arguments.input + "' has damaged fields, which were kept: " + repair.damaged.front(),
      "give --drop-damaged to leave them out");
}

}  // namespace

void add_repair(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<RepairArguments>();
  CLI::App& verb =
      *app.add_subcommand("repair", "find the fields of an archive whose index is missing");
  verb.add_option("-i,file", arguments->input, "archive")->required()->type_name("FILE");
  CLI::Option* const output = verb.add_option(
      "-o", arguments->output,
      "repaired archive to write (default: a new index at the end of the file itself)");
  output->type_name("FILE");
  verb.add_flag("--drop-damaged", arguments->drop_damaged, "leave out fields with damaged streams");
  arguments->overwrite.add_to(verb)->needs(output);
  arguments->wait.add_to(verb);
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback([arguments, &action] { action = [arguments] { return repair_file(*arguments); }; });
}

}  // namespace kompakt::cli
