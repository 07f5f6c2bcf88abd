#include "archive_report.hpp"
#include "commands.hpp"
#include "variables_report.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/exec.hpp>
#include <cli/parts/field_output.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/frames.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cstdio>
#include <kompakt/codebooks.hpp>
#include <memory>
#include <string>
#include <vector>

namespace kompakt::cli {

namespace {

struct InfoArguments {
  std::string input;
  SourceArguments source;
  bool codebooks = false;
  bool json = false;
};

void describe_file(Report& report, StreamSource const& source, FrameSequence const& frames) {
  StreamInfo const& info = frames.whole();
  report.lines.emplace_back("file",
                            source.label() + ", format version " + std::to_string(info.version));
  if (source.field) describe(report, *source.field);
  describe(report, frames, variable_of(source, "", info.shape));
  if (source.field) describe_packing(report, *source.field, info);
  report.lines.emplace_back(
      "chunks", std::to_string(info.chunks) + ", checksums " + (info.checksum ? "yes" : "no"));
}

void describe(Report& report, CodebookInfo const& book) {
  auto const& [symbols, masks, quads] = book.books;
  bool const of_dictionary = book.dictionary > 0;
  report.values["codebook"] = {{"dictionary", nullptr},
                               {"symbols_only", book.symbols_only},
                               {"books", nullptr},
                               {"radius", book.radius},
                               {"section_bytes", book.bytes}};
  std::string source =
      book.symbols_only ? "made for the field, symbols only" : "made for the field";
  if (of_dictionary) {
    nlohmann::ordered_json& values = report.values["codebook"];
    values["dictionary"] = book.dictionary;
    values["books"] = {symbols};
    source = "dictionary " + std::to_string(book.dictionary);
    if (book.symbols_only) {
      source += ", book " + std::to_string(symbols) + " of symbols only";
    } else {
      values["books"] = book.books;
      source += ", books " + std::to_string(symbols) + " (symbols), " + std::to_string(masks) +
                " (masks), " + std::to_string(quads) + " (quads)";
    }
  }
  report.lines.emplace_back("codebook", source + "; radius " + std::to_string(book.radius) +
                                            ", section of " + std::to_string(book.bytes) +
                                            " bytes");
}

int print_info(InfoArguments const& arguments) {
  if (!arguments.source.name && names_archive(arguments.input)) {
    return print_archive(arguments.input, arguments.json);
  }
  files::FileName const name = files::input_name(arguments.input, false);
  if (name.path != "-") require_no_folder(name.path);
  if (name.format != files::Format::raw) return print_variables(name, arguments.json);
  StreamSource const source = arguments.source.find(arguments.input);
  Report report;
  describe_file(report, source, scan_frames(source));
  report.print(arguments.json, stdout);
  return 0;
}

int print_codebooks(InfoArguments const& arguments) {
  StreamSource const source = arguments.source.find(arguments.input);
  FrameReader input(source);
  input.next();
  StreamInfo const info = input.frame();
  if (info.is_part()) {
    throw Error(Status::bad_argument,
                "'" + source.label() + "' has several frames, each with a codebook of its own",
                "leave out --codebooks");
  }
  if (info.codebook.radius == 0 && info.shape.size() > 0) {
    throw Error(
        Status::bad_argument,
        "'" + source.label() + "' is a stream of the pipeline " + to_string(info.pipeline) +
            ", which has no codebook",
        "leave out --codebooks, or name a stream that 'kompakt compress -c huffman' has written");
  }
  std::vector<std::byte> stream;
  during("reading", info.bytes, Progress::Shows::read, [&] { input.read(stream); });
  input.next();
  CodebookInfo const book = naming(source.label(), [&] { return inspect_codebook(stream); });
  if (book.radius == 0) {
    throw Error(Status::bad_argument,
                "'" + source.label() + "' is a stream of no values, which has no codebook",
                "leave out --codebooks");
  }
  Report report;
  describe_file(report, source, input.sequence());
  describe(report, book);
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<InfoArguments>();
  CLI::App& verb = *app.add_subcommand(
      "info", "print the header of a stream, or list an archive or the variables of a file");
  verb.add_option("stream", arguments->input, "stream, archive, or file of NumPy, netCDF or HDF5")
      ->required()
      ->type_name("FILE");
  arguments->source.add_to(verb);
  verb.add_flag("--codebooks", arguments->codebooks,
                "also print the codebook of a stream of the pipeline huffman");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback([arguments, &action] {
    action = [arguments] {
      return arguments->codebooks ? print_codebooks(*arguments) : print_info(*arguments);
    };
  });
}

}  // namespace kompakt::cli
