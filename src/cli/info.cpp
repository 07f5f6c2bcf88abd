#include "commands.hpp"
#include "files.hpp"
#include "report.hpp"
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct InfoArguments {
  std::string input;
  bool json = false;
};

int print_info(InfoArguments const& arguments) {
  StreamInfo const info = inspect_file(arguments.input);
  Report report;
  report.lines.emplace_back("file",
                            arguments.input + ", format version " + std::to_string(info.version));
  describe(report, info);
  report.lines.emplace_back(
      "chunks", std::to_string(info.chunks) + ", checksums " + (info.checksum ? "yes" : "no"));
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<InfoArguments>();
  CLI::App& verb = *app.add_subcommand("info", "print what the header of a stream says");
  verb.add_option("stream", arguments->input, "stream")->required()->type_name("FILE");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback([arguments, &action] { action = [arguments] { return print_info(*arguments); }; });
}

}  // namespace kompakt::cli
