#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/arguments.hpp>
#include <cli/parts/codec.hpp>
#include <cli/parts/field_files.hpp>
#include <cli/parts/field_output.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/frames.hpp>
#include <cli/parts/output.hpp>
#include <cli/parts/partial_decode.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/stages.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/text.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::cli {

namespace {

struct DecompressArguments {
  std::string input;
  std::string output;
  std::string max_output;
  SourceArguments source;
  MemoryArguments memory;
  ExecArguments exec;
  OverwriteArguments overwrite;
  bool json = false;
};

// A small file may claim a huge field: who does not trust it says how much is expected.
void require_acceptable(DecompressArguments const& arguments, StreamSource const& source,
                        StreamInfo const& info) {
  std::uint64_t const bytes = info.shape.bytes();
  if (!arguments.max_output.empty() && bytes > parse_bytes("--max-output", arguments.max_output)) {
    throw Error(Status::buffer_too_small,
                "'" + source.label() + "' makes " + std::to_string(bytes) +
                    " bytes, more than --max-output " + arguments.max_output,
                "raise it if you trust the file");
  }
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
double decompress_frames(StepReader& input, std::string const& name, files::FieldWriter& output,
                         Decompressor& decompressor) {
  DecompressionStep steps[2];
  std::vector<std::byte> fields[2];
  double elapsed_s = 0;
  in_stages([&](std::uint64_t k) { return input.read(steps[k % 2]); },
            [&](std::uint64_t k) {
              DecompressionStep const& step = steps[k % 2];
              std::vector<std::byte>& field = fields[k % 2];
              make_room(field, step.shape.bytes(), "field");
              elapsed_s += naming(name, [&] {
                return decompressor.decompress(step.bytes(), step.region, step.shape, field);
              });
            },
            [&](std::uint64_t k) { output.write(fields[k % 2]); });
  return elapsed_s;
}

int decompress_file(DecompressArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  if (!arguments.max_output.empty()) parse_bytes("--max-output", arguments.max_output);
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  files::FileName const name = files::output_name(arguments.output);
  arguments.overwrite.require_writable(name.path, arguments.input);

  StreamSource const source = arguments.source.find(arguments.input);
  FrameReader input(source);
  StreamInfo const whole = frames_ahead(input).whole();
  require_acceptable(arguments, source, whole);
  require_space(name.path, whole.shape.bytes());  // before memory is taken for it
  if (input.can_rewind()) input.rewind();
  KokkosSession const kokkos(exec);
  MemoryLimit const memory = memory_for(memory_bytes, exec.space);
  StepReader steps(source, input, memory.bytes);
  std::unique_ptr<files::FieldWriter> const output = open_field_output(arguments.overwrite, name);
  files::Variable const variable = variable_of(source, name.variable, whole.shape);
  begin_variable(*output, variable);
  Decompressor decompressor(exec.space);
  double const elapsed_s =
      during("decompressing", whole.bytes + whole.shape.bytes(), Progress::Shows::read_and_write,
             [&] { return decompress_frames(steps, source.label(), *output, decompressor); });
  commit_with_notes(*output);
  output_is_complete();
  Report report = codec_report(source.label(), arguments.output, input.sequence(),
                               to_string(exec.space), elapsed_s, "decompress_gbps", variable);
  describe(report, memory);
  report.print(arguments.json, report_file(arguments.output));
  return 0;
}

/// A field of an archive and the file that it gets.
struct FieldFile {
  StreamSource source;
  std::filesystem::path path;
  FrameSequence frames;
};

/// Where all fields of an archive go: into files of a folder, or as variables into one file.
class FieldsOutput {
 public:
  explicit FieldsOutput(DecompressArguments const& arguments)
      : m_overwrite(arguments.overwrite), m_name(files::output_name(arguments.output)) {
    if (takes_all(m_name)) {
      m_overwrite.require_writable(m_name.path, arguments.input);
    } else {
      m_folder.emplace(arguments.output);
    }
  }
  /// Whether a file of this name can have several fields.
  static bool takes_all(files::FileName const& name) {
    bool const has_names =
        name.format == files::Format::netcdf || name.format == files::Format::hdf5;
    return has_names && name.variable.empty() && !names_folder(name.path);
  }

  bool is_folder() const { return m_folder.has_value(); }
  std::filesystem::path path_of(std::string const& field) const {
    if (!m_folder) return m_name.path;
    return file_of_field(m_name.path, field);
  }
  files::FieldWriter& begin(FieldFile const& file) {
    if (m_folder || !m_writer) {
      m_writer =
          open_field_output(m_overwrite, m_folder ? files::FileName{file.path.string()} : m_name);
    }
    StreamInfo const& whole = file.frames.whole();
    begin_variable(*m_writer, variable_of(file.source, "", whole.shape));
    return *m_writer;
  }
  void end() {
    if (m_folder) commit_with_notes(*m_writer);
  }
  void commit() {
    if (m_folder) return;
    if (!m_writer) m_writer = open_field_output(m_overwrite, m_name);  // of no field at all
    commit_with_notes(*m_writer);
  }

 private:
  OverwriteArguments m_overwrite;
  files::FileName m_name;
  std::optional<OutputFolder> m_folder;
  std::unique_ptr<files::FieldWriter> m_writer;
};

/// A file of netCDF or HDF5 has one thing of a name, a variable or a group; an archive may have a field of the name of a group.
void require_no_field_is_group(std::string const& path, std::vector<ArchiveEntry> const& entries) {
  std::set<std::string_view> names;
  for (ArchiveEntry const& entry : entries) names.insert(entry.name);
  for (ArchiveEntry const& entry : entries) {
    std::string_view group = files::group_of(entry.name);
    for (; !group.empty(); group = files::group_of(group)) {
      if (!names.contains(group)) continue;
      throw Error(Status::bad_argument,
                  "'" + path + "' has the field '" + std::string(group) +
                      "' and, in a group of this name, '" + entry.name +
                      "', and files of netCDF and HDF5 have but one of them",
                  "write all into a folder, or each into its own file with --name");
    }
  }
}

// All that can be found to be wrong before the first one is written.
std::vector<FieldFile> plan_files(DecompressArguments const& arguments,
                                  FieldsOutput const& output) {
  std::vector<FieldFile> files;
  std::uint64_t bytes = 0;
  auto const archive = std::make_shared<ArchiveReader>(arguments.input);
  if (!output.is_folder()) require_no_field_is_group(arguments.input, archive->entries());
  for (ArchiveEntry const& entry : archive->entries()) {
    FieldFile file{{arguments.input, archive, entry}, output.path_of(entry.name), {}};
    arguments.overwrite.require_writable(file.path, arguments.input);
    file.frames = scan_frames(file.source);
    require_acceptable(arguments, file.source, file.frames.whole());
    bytes += file.frames.whole().shape.bytes();
    files.push_back(std::move(file));
  }
  if (!files.empty()) require_space(files.front().path, bytes);
  return files;
}

void report_field(Report& report, FieldFile const& file) {
  Report field;
  describe(field, file.frames);
  field.values["name"] = file.source.field->name;
  field.values["file"] = file.path.string();
  report.values["fields"].push_back(std::move(field.values));
  auto const bytes = static_cast<double>(file.frames.whole().shape.bytes());
  report.lines.emplace_back(
      "field", file.source.field->name + " -> " + file.path.string() + ", " + text_of_bytes(bytes));
}

int decompress_fields(DecompressArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  FieldsOutput output(arguments);
  std::vector<FieldFile> const files = plan_files(arguments, output);
  KokkosSession const kokkos(exec);
  MemoryLimit const memory = memory_for(memory_bytes, exec.space);
  Decompressor decompressor(exec.space);
  Report report;
  report.lines.emplace_back("file", arguments.input + " -> " + arguments.output);
  report.values = {{"exec", to_string(exec.space)}, {"fields", nlohmann::ordered_json::array()}};
  for (FieldFile const& file : files) {
    StreamInfo const& whole = file.frames.whole();
    files::FieldWriter& writer = output.begin(file);
    FrameReader input(file.source);
    StepReader steps(file.source, input, memory.bytes);
    during("decompressing", whole.bytes + whole.shape.bytes(), Progress::Shows::read_and_write,
           [&] { decompress_frames(steps, file.source.label(), writer, decompressor); });
    output.end();
    report_field(report, file);
  }
  output.commit();
  output_is_complete();
  describe(report, memory);
  report.print(arguments.json, stdout);
  return 0;
}

int decompress(DecompressArguments const& arguments) {
  bool const all =
      !arguments.source.name && (names_folder(arguments.output) ||
                                 FieldsOutput::takes_all(files::output_name(arguments.output)));
  return all && names_archive(arguments.input) ? decompress_fields(arguments)
                                               : decompress_file(arguments);
}

}  // namespace

void add_decompress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<DecompressArguments>();
  CLI::App& verb = *app.add_subcommand(
      "decompress", "decompress a stream to a field, or an archive to its fields");
  verb.add_option("-i,file", arguments->input, "stream or archive, - for standard input")
      ->required()
      ->type_name("FILE");
  arguments->source.add_to(verb);
  verb.add_option("-o", arguments->output,
                  "field to write: raw, - for standard output, .npy, FILE.nc:NAME, FILE.h5:NAME; "
                  "for all fields of an archive a folder, FILE.nc or FILE.h5")
      ->required()
      ->type_name("FILE");
  arguments->memory.add_to(verb, "larger fields are written slab by slab");
  arguments->exec.add_to(verb);
  verb.add_option("--max-output", arguments->max_output, "refuse streams of larger fields")
      ->type_name("BYTES");
  arguments->overwrite.add_to(verb);
  add_report_detail(verb);
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback([arguments, &action] { action = [arguments] { return decompress(*arguments); }; });
}

}  // namespace kompakt::cli
