#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "progress.hpp"
#include "report.hpp"
#include <algorithm>
#include <kompakt/compress.hpp>
#include <limits>
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct CompressArguments {
  std::string input;
  std::string output;
  FieldArguments field;
  BoundArguments bound;
  std::string pipeline = to_string(Options{}.pipeline);
  std::string variant = to_string(Options{}.variant);
  std::string predictor = to_string(Options{}.predictor);
  std::string fill = "auto";
  std::string radius = std::to_string(Options{}.radius);
  ExecArguments exec;
  bool no_checksum = false;
  bool force = false;
  bool json = false;
};

Options options_of(CompressArguments const& arguments) {
  Options options;
  options.bound = arguments.bound.bound();
  options.range = arguments.bound.range();
  options.pipeline = parse_pipeline(arguments.pipeline);
  options.variant = parse_variant(arguments.variant);
  options.predictor = parse_predictor(arguments.predictor);
  options.fill = parse_fill(arguments.fill);
  options.checksum = !arguments.no_checksum;
  options.radius = static_cast<int>(std::min<std::uint64_t>(
      parse_count("--radius", arguments.radius), std::numeric_limits<int>::max()));
  validate(options);
  return options;
}

int compress_file(CompressArguments const& arguments) {
  FieldShape const shape = arguments.field.shape();
  Options const options = options_of(arguments);
  ExecChoice const exec = arguments.exec.choice();
  require_writable(arguments.output, arguments.input, arguments.force);

  std::vector<std::byte> const field = read_field_with_progress(arguments.input, shape);
  KokkosSession const kokkos(exec);
  Compressed const result = during("compressing", shape.bytes(), Progress::Shows::activity, [&] {
    return compress_field(exec.space, shape, field, options);
  });
  write_with_progress(arguments.output, result.stream, arguments.force);
  codec_report(arguments.input, arguments.output, result.info, to_string(exec.space),
               result.elapsed_s, "compress_gbps")
      .print(arguments.json, report_file(arguments.output));
  return 0;
}

}  // namespace

void add_compress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompressArguments>();
  CLI::App& verb = *app.add_subcommand("compress", "compress a raw field within an error bound");
  verb.add_option("-i", arguments->input, "raw field: values only, little-endian")
      ->required()
      ->type_name("FILE");
  arguments->field.add_to(verb);
  arguments->bound.add_to(verb);
  verb.add_option("-c", arguments->pipeline,
                  "pipeline: fixedlength (cuszp2), bitshuffle (fz), huffman (cusz)")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option("--variant,--codebook", arguments->variant,
                  "coding: auto; fixedlength: plain, outlier; bitshuffle: deep, fz; huffman: its "
                  "codebook: custom, dictionary")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option("--predictor", arguments->predictor, "prediction: auto, chain, tile")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option(
          "--fill", arguments->fill,
          "what stands for no value, to be masked: auto (found in a sample), none, a number")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option("--radius", arguments->radius,
                  "huffman: residuals below it have a symbol; a power of two, 32 to 32768")
      ->capture_default_str()
      ->type_name("N");
  verb.add_option("-o", arguments->output, "stream to write")->required()->type_name("FILE");
  arguments->exec.add_to(verb);
  verb.add_flag("--no-checksum", arguments->no_checksum, "leave out the checksums");
  verb.add_flag("--force", arguments->force, "replace an existing output");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return compress_file(*arguments); }; });
}

}  // namespace kompakt::cli
