#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/output.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/text.hpp>
#include <cli/parts/wait.hpp>
#include <kompakt/archive.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::cli {

namespace {

struct RemoveArguments {
  std::string archive;
  std::vector<std::string> names;
  WaitArguments wait;
  bool json = false;
};

int remove_fields(RemoveArguments const& arguments) {
  ArchiveWriter writer = ArchiveWriter::append_to(arguments.archive, arguments.wait.time);
  std::uint64_t bytes = 0;
  for (std::string const& name : arguments.names) {
    for (ArchiveEntry const& field : writer.entries())
      bytes += field.name == name ? field.bytes_in_file() : 0;
    writer.remove(name);
  }
  std::size_t const left = writer.entries().size();
  writer.commit();
  output_is_complete();
  Report report;
  report.values = {{"removed", arguments.names}, {"fields", left}, {"unused_bytes", bytes}};
  report.lines.emplace_back("file", arguments.archive + ", archive of " + std::to_string(left) +
                                        (left == 1 ? " field" : " fields"));
  for (std::string const& name : arguments.names) report.lines.emplace_back("removed", name);
  report.lines.emplace_back("unused", text_of_bytes(static_cast<double>(bytes)) +
                                          ", until 'kompakt compact " + arguments.archive + "'");
  report.print(arguments.json, stdout);
  return 0;
}

struct CompactArguments {
  std::string archive;
  std::optional<std::string> output;
  WaitArguments wait;
  OverwriteArguments overwrite;
  bool json = false;
};

int compact_file(CompactArguments const& arguments) {
  std::optional<std::filesystem::path> to;
  std::string const target = arguments.output.value_or(arguments.archive);
  if (arguments.output) {
    if (target == "-") {
      throw Error(Status::bad_argument, "-o: compact writes to a file", "name one");
    }
    arguments.overwrite.require_writable(target, arguments.archive);
    to = target;
  }
  std::uint64_t live_bytes = 0;
  {
    ArchiveReader const reader(arguments.archive);
    for (ArchiveEntry const& field : reader.entries()) live_bytes += field.bytes_in_file();
  }
  require_space(target, live_bytes);
  std::uint64_t const old_bytes = during("writing", live_bytes, Progress::Shows::read, [&] {
    return compact_archive(arguments.archive, to, arguments.overwrite.mode(), arguments.wait.time);
  });
  output_is_complete();
  std::size_t const fields = ArchiveReader(target).entries().size();
  std::uint64_t const new_bytes = std::filesystem::file_size(target);
  Report report;
  report.values = {{"fields", fields}, {"old_bytes", old_bytes}, {"new_bytes", new_bytes}};
  report.lines = {{"file", arguments.archive + (to ? " -> " + target : "") + ", archive of " +
                               std::to_string(fields) + (fields == 1 ? " field" : " fields")},
                  {"bytes", std::to_string(old_bytes) + " -> " + std::to_string(new_bytes)}};
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void add_remove(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<RemoveArguments>();
  CLI::App& verb = *app.add_subcommand("remove", "remove fields from an archive");
  verb.add_option("archive", arguments->archive, "archive")->required()->type_name("ARCHIVE");
  verb.add_option("names", arguments->names, "fields; their bytes stay until 'kompakt compact'")
      ->required()
      ->type_name("NAME");
  arguments->wait.add_to(verb);
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return remove_fields(*arguments); }; });
}

void add_compact(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompactArguments>();
  CLI::App& verb =
      *app.add_subcommand("compact", "rewrite an archive without removed fields, with one index");
  verb.add_option("archive", arguments->archive, "archive")->required()->type_name("ARCHIVE");
  CLI::Option* const output =
      verb.add_option("-o", arguments->output, "archive to write (default: replace the old one)");
  output->type_name("FILE");
  arguments->overwrite.add_to(verb)->needs(output);
  arguments->wait.add_to(verb);
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return compact_file(*arguments); }; });
}

}  // namespace kompakt::cli
