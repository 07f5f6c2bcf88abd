#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "frames.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct ExtractArguments {
  std::string input;
  std::string output;
  SourceArguments source;
  RegionArguments roi;
  ExecArguments exec;
  bool force = false;
  bool json = false;
};

FieldShape shape_of_region(FieldShape const& field, RegionArguments::Region const& region) {
  FieldShape shape = field;
  for (std::size_t i = 0; i < region.begin.size(); ++i) {
    shape.extents[i] = region.end[i] - region.begin[i];
  }
  return shape;
}

Report extract_report(ExtractArguments const& arguments, StreamSource const& source,
                      StreamInfo const& info, FieldShape const& region, std::uint64_t read_bytes,
                      char const* exec) {
  Report report;
  report.values.update({
      {"dtype", to_string(region.dtype)},
      {"roi", arguments.roi.ranges},
      {"shape", slowest_first(region)},
      {"field_shape", slowest_first(info.shape)},
      {"order", word_of(region.order)},
      {"region_bytes", region.bytes()},
      {"read_bytes", read_bytes},
      {"compressed_bytes", info.bytes},
      {"bound_abs", bound_abs_of(info)},
      {"exec", exec},
  });
  report.lines = {
      {"file", source.label() + " -> " + arguments.output},
      {"field", std::string(to_string(region.dtype)) + ", " + text_of_extents(info.shape)},
      {"region", arguments.roi.ranges + ": " + text_of_extents(region) + ", " +
                     text_of_bytes(static_cast<double>(region.bytes()))},
      {"read", std::to_string(read_bytes) + " of " + std::to_string(info.bytes) + " bytes"},
      {"exec", exec},
  };
  return report;
}

int extract_file(ExtractArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  require_writable(arguments.output, arguments.input, arguments.force);
  StreamSource const source = arguments.source.find(arguments.input);
  FrameSequence const frames = scan_frames(source);
  if (frames.count() > 1) {
    throw Error(Status::bad_argument,
                "extract: '" + source.label() + "' has " + std::to_string(frames.count()) +
                    " frames, and a region is taken of one; decompress it and take the values");
  }
  StreamInfo const& info = frames.whole();
  RegionArguments::Region const region = arguments.roi.region(info.shape);
  FieldShape const shape = shape_of_region(info.shape, region);
  require_space(arguments.output, shape.bytes());

  std::uint64_t const before = impl::read_bytes();
  auto const at_file = [&](auto const& work) { return naming(source.label(), work); };
  std::vector<std::byte> const stream = during("reading", 0, Progress::Shows::read, [&] {
    return at_file([&] {
      impl::InputFile file = source.open("read_region");
      return impl::read_region(file, region.begin, region.end);
    });
  });
  std::uint64_t const read_bytes = impl::read_bytes() - before;
  KokkosSession const kokkos(exec);
  std::vector<std::byte> const values =
      during("decompressing", shape.bytes(), Progress::Shows::activity, [&] {
        return at_file(
            [&] { return extract_region(exec.space, stream, shape, region.begin, region.end); });
      });
  impl::OutputFile output = open_output(arguments.output, arguments.force);
  output.write(values);
  output.commit();
  extract_report(arguments, source, info, shape, read_bytes, to_string(exec.space))
      .print(arguments.json, report_file(arguments.output));
  return 0;
}

}  // namespace

void add_extract(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<ExtractArguments>();
  CLI::App& verb =
      *app.add_subcommand("extract", "write a region of the field of a stream as raw values");
  verb.add_option("-i", arguments->input, "stream or archive")->required()->type_name("FILE");
  arguments->source.add_to(verb);
  arguments->roi.add_to(verb);
  verb.add_option("-o", arguments->output, "raw field to write")->required()->type_name("FILE");
  arguments->exec.add_to(verb);
  verb.add_flag("--force", arguments->force, "replace an existing output");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return extract_file(*arguments); }; });
}

}  // namespace kompakt::cli
