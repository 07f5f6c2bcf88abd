#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "frames.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "stages.hpp"
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct DecompressArguments {
  std::string input;
  std::string output;
  std::string max_output;
  SourceArguments source;
  ExecArguments exec;
  bool force = false;
  bool json = false;
};

// A small file may claim a huge field: what it claims must fit before memory is taken for it.
void require_acceptable(DecompressArguments const& arguments, StreamSource const& source,
                        StreamInfo const& info) {
  std::uint64_t const bytes = info.shape.bytes();
  if (!arguments.max_output.empty() && bytes > parse_count("--max-output", arguments.max_output)) {
    throw Error(Status::buffer_too_small,
                "'" + source.label() + "' makes " + std::to_string(bytes) +
                    " bytes, more than --max-output " + arguments.max_output +
                    "; raise it if you trust the file");
  }
  require_space(arguments.output, bytes);
}

// All headers of a file, before anything is written; of a pipe only the first one can be seen.
FrameSequence frames_ahead(FrameReader& input) {
  bool more = input.next();
  while (more && input.can_rewind()) {
    input.skip();
    more = input.next();
  }
  return input.sequence();
}

// Writes the fields of the frames, one behind the other. Returns the seconds of the library's calls.
double decompress_frames(FrameReader& input, std::string const& name, OutputFile& output,
                         Decompressor& decompressor) {
  std::vector<std::byte> streams[2], fields[2];
  StreamInfo infos[2];
  double elapsed_s = 0;
  in_stages(
      [&](std::uint64_t k) {
        if ((k > 0 || input.sequence().count() == 0) && !input.next()) return false;
        infos[k % 2] = input.frame();
        input.read(streams[k % 2]);
        return true;
      },
      [&](std::uint64_t k) {
        std::vector<std::byte>& field = fields[k % 2];
        field.resize(infos[k % 2].shape.bytes());
        elapsed_s += naming(
            name, [&] { return decompressor.decompress(streams[k % 2], infos[k % 2], field); });
      },
      [&](std::uint64_t k) { output.write(fields[k % 2]); });
  return elapsed_s;
}

int decompress_file(DecompressArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  if (!arguments.max_output.empty()) parse_count("--max-output", arguments.max_output);
  require_writable(arguments.output, arguments.input, arguments.force);

  StreamSource const source = arguments.source.find(arguments.input);
  FrameReader input(source);
  StreamInfo const whole = frames_ahead(input).whole();
  require_acceptable(arguments, source, whole);
  if (input.can_rewind()) input.rewind();
  KokkosSession const kokkos(exec);
  OutputFile output = open_output(arguments.output, arguments.force);
  Decompressor decompressor(exec.space);
  double const elapsed_s =
      during("decompressing", whole.bytes + whole.shape.bytes(), Progress::Shows::read_and_write,
             [&] { return decompress_frames(input, source.label(), output, decompressor); });
  output.commit();
  codec_report(source.label(), arguments.output, input.sequence(), to_string(exec.space), elapsed_s,
               "decompress_gbps")
      .print(arguments.json, report_file(arguments.output));
  return 0;
}

}  // namespace

void add_decompress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<DecompressArguments>();
  CLI::App& verb = *app.add_subcommand("decompress", "write the field of a stream as raw values");
  verb.add_option("-i", arguments->input, "stream or archive, - for standard input")
      ->required()
      ->type_name("FILE");
  arguments->source.add_to(verb);
  verb.add_option("-o", arguments->output, "raw field to write, - for standard output")
      ->required()
      ->type_name("FILE");
  arguments->exec.add_to(verb);
  verb.add_option("--max-output", arguments->max_output, "refuse streams of larger fields")
      ->type_name("BYTES");
  verb.add_flag("--force", arguments->force, "replace an existing output");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return decompress_file(*arguments); }; });
}

}  // namespace kompakt::cli
