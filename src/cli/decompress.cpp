#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "progress.hpp"
#include "report.hpp"
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct DecompressArguments {
  std::string input;
  std::string output;
  std::string max_output;
  ExecArguments exec;
  bool force = false;
  bool json = false;
};

// A small file may claim a huge field: what it claims must fit before memory is taken for it.
void require_acceptable(DecompressArguments const& arguments, StreamInfo const& info) {
  std::uint64_t const bytes = info.shape.bytes();
  if (!arguments.max_output.empty() && bytes > parse_count("--max-output", arguments.max_output)) {
    throw Error(Status::buffer_too_small,
                "'" + arguments.input + "' makes " + std::to_string(bytes) +
                    " bytes, more than --max-output " + arguments.max_output +
                    "; raise it if you trust the file");
  }
  require_space(arguments.output, bytes);
}

int decompress_file(DecompressArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  if (!arguments.max_output.empty()) parse_count("--max-output", arguments.max_output);
  require_writable(arguments.output, arguments.input, arguments.force);

  std::vector<std::byte> const stream = read_with_progress(arguments.input);
  StreamInfo const info = inspect_file(arguments.input, stream, stream.size());
  require_acceptable(arguments, info);
  KokkosSession const kokkos(exec);
  Decompressed const result =
      during("decompressing", info.shape.bytes(), Progress::Shows::activity, [&] {
        return naming(arguments.input, [&] { return decompress_stream(exec.space, stream, info); });
      });
  write_with_progress(arguments.output, result.field, arguments.force);
  codec_report(arguments.input, arguments.output, info, to_string(exec.space), result.elapsed_s,
               "decompress_gbps")
      .print(arguments.json, report_file(arguments.output));
  return 0;
}

}  // namespace

void add_decompress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<DecompressArguments>();
  CLI::App& verb = *app.add_subcommand("decompress", "write the field of a stream as raw values");
  verb.add_option("-i", arguments->input, "stream")->required()->type_name("FILE");
  verb.add_option("-o", arguments->output, "raw field to write")->required()->type_name("FILE");
  arguments->exec.add_to(verb);
  verb.add_option("--max-output", arguments->max_output, "refuse streams of larger fields")
      ->type_name("BYTES");
  verb.add_flag("--force", arguments->force, "replace an existing output");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return decompress_file(*arguments); }; });
}

}  // namespace kompakt::cli
