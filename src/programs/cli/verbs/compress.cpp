#include "commands.hpp"
#include "compress_variables.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/packed_bound.hpp>
#include <cli/parts/standard_files.hpp>
#include <memory>
#include <optional>
#include <string>

namespace kompakt::cli {

namespace {

/// The options of a call that says no bound: of the attribute of its variable, if there is one.
AskedOptions options_for(CompressArguments const& arguments, FieldInput const& input) {
  auto const own = arguments.coding.options_of(input.variable, nullptr, {}, input.label);
  return own ? *own : arguments.coding.options_with(arguments.bound);
}

int compress_file(CompressArguments const& arguments) {
  bool const says_bound = arguments.bound.given() || arguments.coding.says_bound();
  std::optional<AskedOptions> said;
  if (says_bound) said = arguments.coding.options_with(arguments.bound);
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  arguments.output.require_usable(files::input_name(arguments.input, arguments.field.given()).path);
  FieldInput input = open_field_input(arguments.input, arguments.field);
  if (files::is_compressed(arguments.input)) {
    note("'" + arguments.input + "' is compressed already; its bytes are taken for values");
  }
  AskedOptions call = said ? *said : options_for(arguments, input);
  bool const has_fill = about_field(
      input.label, "", [&] { return adapt(call.options, input.shape, input.variable); });

  KokkosSession const kokkos(exec);
  std::unique_ptr<FrameOutput> const output = arguments.output.open(input.variable);
  RunLimits const conditions{exec.space, memory_for(memory_bytes, exec.space)};
  std::string const absolute = call.options.bound.needs_range() ? "-m abs -e E" : "";
  CompressedField const field = about_field(
      input.label, absolute, [&] { return compress_field(input, call, conditions, *output); });
  output->commit();
  output_is_complete();
  arguments.output.note_left_out(input.variable);
  if (!has_fill) note_fill(input.label, field.frames.whole(), field.asked, field.masked);
  std::string const no_limits = note_of_no_limits(input.label, call.options, input.variable);
  if (!no_limits.empty()) note(no_limits);
  note_limits(input.label, field.frames.whole(), field.asked);
  note_exact_integers(input.label, field.frames.whole(), field.asked, input.variable);
  Report report =
      codec_report(input.label, arguments.output.label(), field.frames, to_string(exec.space),
                   field.elapsed_s, "compress_gbps", input.variable);
  describe(report, field.masked);
  if (field.choice) describe(report, *field.choice);
  describe(report, conditions.memory);
  report.print(arguments.json, report_file(arguments.output.path));
  return 0;
}

/// One file without -i may be a field, too: standard input, and a raw file, whose type and extents are given.
CompressArguments with_input(CompressArguments arguments) {
  bool const is_alone = arguments.input.empty() && arguments.files.size() == 1;
  if (is_alone && (arguments.files.front() == "-" || arguments.field.given())) {
    arguments.input = arguments.files.front();
    arguments.files.clear();
  }
  return arguments;
}

int compress(CompressArguments const& arguments) {
  if (arguments.input.empty() == arguments.files.empty()) {
    throw Error(Status::bad_argument,
                "give a field with -i, or files of netCDF or HDF5 whose variables make an archive, "
                "and not both");
  }
  if (!arguments.files.empty()) return compress_variables(arguments);
  if (!arguments.named_bounds.empty()) {
    throw Error(Status::bad_argument,
                "--bound " + arguments.named_bounds.front() + " is for files without -i",
                "give -m and -e");
  }
  if (!arguments.skipped.empty()) {
    throw Error(Status::bad_argument,
                "--skip " + arguments.skipped.front() + " is for files without -i", "leave it out");
  }
  if (arguments.output.append && !arguments.output.name) {
    throw Error(Status::bad_argument, "--append needs the name of the field", "give --name");
  }
  return compress_file(arguments);
}

}  // namespace

void add_compress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompressArguments>();
  CLI::App& verb = *app.add_subcommand("compress", "compress a field within an error bound");
  arguments->add_to(verb);
  verb.callback(
      [arguments, &action] { action = [arguments] { return compress(with_input(*arguments)); }; });
}

}  // namespace kompakt::cli
