#include "commands.hpp"
#include "files.hpp"
#include "progress.hpp"
#include "report.hpp"
#include <kompakt/archive.hpp>
#include <memory>
#include <optional>
#include <string>

namespace kompakt::cli {

namespace {

struct RepairArguments {
  std::string input;
  std::optional<std::string> output;
  bool force = false;
  bool json = false;
};

Report report_of(RepairArguments const& arguments, ArchiveRepair const& repair) {
  Report report;
  report.values = {{"intact", repair.was_intact},
                   {"kept", nlohmann::ordered_json::array()},
                   {"dropped", repair.dropped},
                   {"unused_bytes", repair.unused_bytes}};
  std::string const change = repair.was_intact ? "intact, nothing to repair" : "a new index";
  report.lines.emplace_back(
      "file", arguments.input + (arguments.output ? " -> " + *arguments.output : ": " + change));
  for (ArchiveEntry const& field : repair.kept) {
    report.values["kept"].push_back(field.name);
    report.lines.emplace_back("kept", field.name);
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
      throw Error(Status::bad_argument, "-o: repair writes to a file; name one");
    }
    require_writable(*arguments.output, arguments.input, arguments.force);
    to = *arguments.output;
  }
  ArchiveRepair const repair = during("repairing", 0, Progress::Shows::activity, [&] {
    return repair_archive(arguments.input, to, arguments.force ? Overwrite::yes : Overwrite::no);
  });
  report_of(arguments, repair).print(arguments.json, stdout);
  return 0;
}

}  // namespace

void add_repair(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<RepairArguments>();
  CLI::App& verb =
      *app.add_subcommand("repair", "find the fields of an archive whose index is missing");
  verb.add_option("-i", arguments->input, "archive")->required()->type_name("FILE");
  CLI::Option* const output = verb.add_option(
      "-o", arguments->output,
      "repaired archive to write (default: a new index at the end of the file itself)");
  output->type_name("FILE");
  verb.add_flag("--force", arguments->force, "replace an existing output")->needs(output);
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback([arguments, &action] { action = [arguments] { return repair_file(*arguments); }; });
}

}  // namespace kompakt::cli
