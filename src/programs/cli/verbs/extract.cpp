#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cli/parts/arguments.hpp>
#include <cli/parts/codec.hpp>
#include <cli/parts/field_output.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/frames.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/output.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/text.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kompakt::cli {

namespace {

struct ExtractArguments {
  std::string input;
  std::string output;
  SourceArguments source;
  RegionArguments roi;
  ExecArguments exec;
  OverwriteArguments overwrite;
  bool json = false;
};

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

/// A frame that has values of the region, and which of its own they are.
struct TouchedFrame {
  std::uint64_t position, bytes;  ///< in the stream
  FieldShape shape;               ///< of the values
  Box region;
};

std::optional<TouchedFrame> touch(FrameReader const& reader, Box const& region) {
  StreamInfo const& frame = reader.frame();
  Box const of_frame = Box::at(frame.part.origin, frame.shape);
  Box const common = region.common_with(of_frame);
  if (common.is_empty()) return std::nullopt;
  Box const own = common.seen_from(of_frame);
  return TouchedFrame{reader.position(), frame.bytes, own.shape_in(frame.shape), own};
}

/// A region of a stream and the frames it is in, in the order of memory: each has a run of its values.
struct RegionOfStream {
  StreamInfo whole;
  FieldShape shape;
  std::vector<TouchedFrame> frames;

  RegionOfStream(StreamSource const& source, RegionArguments const& roi) {
    FrameReader reader(source);
    Box region;
    while (reader.next()) {
      if (reader.sequence().count() == 1) region = roi.region(reader.sequence().whole().shape);
      if (auto const touched = touch(reader, region)) frames.push_back(*touched);
      reader.skip();
    }
    whole = reader.sequence().whole();
    shape = region.shape_in(whole.shape);
  }
};

/// A file that counts which of its bytes are read. Some of the first KiB of a stream are read twice, and count once.
class CountedFile {
 public:
  explicit CountedFile(StreamSource const& source)
      : m_file(source.open()),
        m_counted(InputFile::of_calls(
            m_file.known_bytes(),
            [this](std::uint64_t begin, std::span<std::byte> to) {
              m_file.read_at(begin, to);
              m_read.emplace_back(begin, begin + to.size());
            },
            source.label())) {}
  CountedFile(CountedFile const&) = delete;
  CountedFile& operator=(CountedFile const&) = delete;

  std::vector<std::byte> read_region(TouchedFrame const& frame) {
    return kompakt::read_region(m_counted, frame.position, frame.bytes, frame.region);
  }

  std::uint64_t read_bytes() {
    std::ranges::sort(m_read);
    std::uint64_t bytes = 0, counted = 0;  // up to a place in the file
    for (auto const& [begin, end] : m_read) {
      bytes += std::max(end, counted) - std::max(begin, counted);
      counted = std::max(end, counted);
    }
    return bytes;
  }

 private:
  InputFile m_file, m_counted;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> m_read;
};

/// The field with the values of an index, of the group of a field or one around it; empty if there is none.
std::string coordinate_of(StreamSource const& source, std::string const& dimension) {
  auto const& entries = source.archive->entries();
  std::string_view group = files::group_of(source.field->name);
  for (bool is_root = false; !is_root; group = files::group_of(group)) {
    is_root = group.empty();
    std::string const name = (is_root ? "" : std::string(group) + "/") + dimension;
    bool const is_other = name != source.field->name;
    if (is_other && std::ranges::count(entries, name, &ArchiveEntry::name) > 0) return name;
  }
  return "";
}

/// Tells of coordinates in the archive, which a file of the region alone lacks. Values alone never had any.
void note_coordinates(StreamSource const& source, files::Variable const& variable,
                      files::FileName const& output) {
  bool const has_names =
      output.format == files::Format::netcdf || output.format == files::Format::hdf5;
  if (!source.archive || !has_names) return;
  std::vector<std::string> names;
  for (std::string const& dimension : variable.dimensions) {
    std::string const name = coordinate_of(source, dimension);
    if (!name.empty()) names.push_back(name);
  }
  if (names.empty()) return;
  note("'" + output.path + "' has no coordinates: extract " + files::text_of_names(names) +
       " from '" + source.path + "', too, each with --name and its range");
}

int extract_file(ExtractArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  files::FileName const name = files::output_name(arguments.output);
  arguments.overwrite.require_writable(name.path, arguments.input);
  StreamSource const source = arguments.source.find(arguments.input);
  RegionOfStream const region(source, arguments.roi);
  require_space(name.path, region.shape.bytes());

  KokkosSession const kokkos(exec);
  std::unique_ptr<files::FieldWriter> const output = open_field_output(arguments.overwrite, name);
  files::Variable const variable = variable_of(source, name.variable, region.shape);
  begin_variable(*output, variable);
  AnyCodec codec(exec.space);
  CountedFile input(source);
  during("extracting", 0, Progress::Shows::read, [&] {
    for (TouchedFrame const& frame : region.frames) {
      output->write(naming(source.label(), [&] {
        return extract_region(codec, input.read_region(frame), frame.shape, frame.region);
      }));
    }
  });
  commit_with_notes(*output);
  output_is_complete();
  note_coordinates(source, variable, name);
  extract_report(arguments, source, region.whole, region.shape, input.read_bytes(),
                 to_string(exec.space))
      .print(arguments.json, report_file(arguments.output));
  return 0;
}

}  // namespace

void add_extract(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<ExtractArguments>();
  CLI::App& verb = *app.add_subcommand("extract", "decompress a region of a field");
  verb.add_option("-i,file", arguments->input, "stream or archive")->required()->type_name("FILE");
  arguments->source.add_to(verb);
  arguments->roi.add_to(verb);
  verb.add_option("-o", arguments->output, "field to write: raw, .npy, FILE.nc:NAME, FILE.h5:NAME")
      ->required()
      ->type_name("FILE");
  arguments->exec.add_to(verb);
  arguments->overwrite.add_to(verb);
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return extract_file(*arguments); }; });
}

}  // namespace kompakt::cli
