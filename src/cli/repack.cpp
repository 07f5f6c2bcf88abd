#include "codec.hpp"
#include "commands.hpp"
#include "compress_field.hpp"
#include "field_files.hpp"
#include "fill.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "repack_plan.hpp"
#include "report.hpp"
#include "slabs.hpp"
#include "text.hpp"
#include <cmath>
#include <cstdlib>
#include <files/hdf5_copy.hpp>
#include <kompakt/compress.hpp>
#include <limits>
#include <memory>
#include <optional>

namespace kompakt::cli {

namespace {

/// Finds out what all chunks of a variable are compressed with: a bound relative to its range, or a PSNR of all of it,
/// becomes an absolute one, and the pipeline is chosen.
class Resolver {
 public:
  Resolver(files::FieldReader& file, RepackedVariable const& variable, Conditions const& conditions)
      : m_file(file),
        m_variable(variable),
        m_conditions(conditions),
        m_options(variable.call.options),
        m_slabs(variable.variable.shape, m_options, conditions.memory.bytes) {}

  Options resolved() {
    if (m_options.bound.needs_range()) resolve_range();
    if (m_options.bound.mode == ErrorBound::Mode::r2r) set_bound(m_range.bound(relative()));
    if (m_variable.call.chooses && !is_lossless()) choose();
    if (m_options.bound.mode == ErrorBound::Mode::psnr) set_bound(bound_of_psnr());
    return m_options;
  }

 private:
  double relative() const { return m_options.bound.value; }
  bool is_lossless() const { return m_options.bound.mode == ErrorBound::Mode::lossless; }

  void resolve_range() {
    m_range = {true, 0, m_options.range, {}};
    if (m_options.range > 0) return;
    m_range = during("looking for the range of", m_slabs.whole().bytes(), Progress::Shows::read,
                     [&] { return range_of(m_file, m_slabs, m_conditions.space, m_options.fill); });
    bool const is_found = m_options.fill.mode == FillValue::Mode::automatic && m_range.fill;
    if (is_found && std::isfinite(*m_range.fill)) {
      note("'" + m_variable.variable.name + "': " + text_of(*m_range.fill) +
           " is taken for no value, and is left out of the range; --fill none counts it");
    }
    m_options.fill = m_range.fill ? FillValue::of(*m_range.fill) : FillValue::none();
    m_options.range = m_range.width();
    validate(m_options);  // the range of values that are far apart may be infinite
  }

  // Without one all values are the same, and come back exactly.
  void set_bound(double bound) {
    m_options.range = 0;
    m_options.bound = ErrorBound::absolute(bound);
    if (bound > 0) return;
    Options lossless;
    lossless.bound = ErrorBound::lossless();
    lossless.pipeline = Pipeline::fixedlength;
    lossless.fill = m_options.fill;
    lossless.checksum = m_options.checksum;
    lossless.pack = m_options.pack;
    m_options = lossless;
  }

  void choose() {
    std::span<std::byte const> const values = first_slab();
    AnyCodec codec(m_conditions.space);
    Choice const choice =
        during("choosing a pipeline for", values.size(), Progress::Shows::activity, [&] {
          return codec.choose(ConstFieldData(values.data(), m_slabs.shape(0)), MemoryOf::host,
                              m_options, m_conditions.goal);
        });
    m_options = choice.options;
  }

  // As large as the field allows, if it can be compressed as a whole and differences decide nothing about values; else one
  // with which no value can make the PSNR smaller.
  double bound_of_psnr() {
    bool const is_whole = m_slabs.count() == 1 && m_options.predictor != Predictor::interpolate;
    if (!(m_options.range > 0)) return 0;
    if (!is_whole) {
      double const bound = m_options.range * std::pow(10.0, -relative() / 20);
      return bound * (1 - 8 * std::numeric_limits<double>::epsilon());
    }
    Compressor compressor(m_conditions.space, m_options, Reason());
    return compressor.compress(m_slabs.shape(0), first_slab()).info.abs_bound;
  }

  std::span<std::byte const> first_slab() {
    if (m_first.empty()) {
      m_file.rewind();
      read_slab(m_file, m_slabs.shape(0), m_first);
    }
    return m_first;
  }

  files::FieldReader& m_file;
  RepackedVariable const& m_variable;
  Conditions const& m_conditions;
  Options m_options;
  Slabs m_slabs;
  FieldRange m_range;
  std::vector<std::byte> m_first;
};

std::vector<files::FilteredVariable> resolve(RepackedFile const& file,
                                             Conditions const& conditions) {
  std::unique_ptr<files::FieldFile> const input = files::open_field_file(file.input);
  std::vector<files::FilteredVariable> resolved;
  for (RepackedVariable const& variable : file.variables) {
    auto const reader = input->read(variable.variable);
    resolved.push_back({variable.variable.name, variable.chunk,
                        Resolver(*reader, variable, conditions).resolved()});
  }
  return resolved;
}

/// Holds a variable of the copy against that of the input, value by value.
class Verifier {
 public:
  /// \param asked  bound, that may be relative to all of the variable
  Verifier(Conditions const& conditions, ErrorBound const& asked, Options const& options)
      : m_conditions(conditions),
        m_codec(conditions.space),
        m_asked(asked),
        m_bound(options.bound),
        m_fill(options.fill) {}

  /// \param label  of the copy, for messages
  void verify(files::Variable const& variable, files::FieldReader& original,
              files::FieldReader& copy, std::string const& label) {
    Slabs const slabs(
        variable.shape, [](FieldShape const& part) { return 2 * part.bytes(); },
        m_conditions.memory.bytes);
    std::vector<std::byte> values, others;
    for (std::uint64_t k = 0; k < slabs.count(); ++k) {
      read_slab(original, slabs.shape(k), values);
      read_slab(copy, slabs.shape(k), others);
      add(slabs.shape(k), values, others, label);
    }
    if (m_asked.mode != ErrorBound::Mode::psnr || m_sum_squares == 0) return;
    double const rmse = std::sqrt(m_sum_squares / static_cast<double>(m_values));
    refuse_unless(20 * std::log10((m_max - m_min) / rmse) >= m_asked.value, label);
  }

 private:
  void add(FieldShape const& shape, std::span<std::byte> values, std::span<std::byte> others,
           std::string const& label) {
    if (m_bound.mode == ErrorBound::Mode::lossless) {
      return refuse_unless(std::ranges::equal(values, others), label);
    }
    StreamInfo masked;
    masked.shape = shape;
    if (m_fill.mode == FillValue::Mode::value) masked.fill = m_fill.value;
    leave_out_fill(masked, values, others);
    ErrorStats const stats =
        m_codec.error_stats(ConstFieldData(values.data(), shape), MemoryOf::host,
                            ConstFieldData(others.data(), shape), MemoryOf::host, m_bound);
    refuse_unless(stats.violations == 0, label);
    if (stats.values == stats.nonfinite) return;
    m_min = std::min(m_min, stats.min);
    m_max = std::max(m_max, stats.max);
    m_values += stats.values - stats.nonfinite;
    m_sum_squares += stats.sum_squares;
  }

  void refuse_unless(bool holds, std::string const& label) const {
    if (holds) return;
    throw Error(Status::bound_violated, "'" + label + "' would not keep its bound, " +
                                            text_of_resolved(m_bound) +
                                            "; nothing is written: please report it");
  }

  Conditions const& m_conditions;
  AnyCodec m_codec;
  ErrorBound m_asked, m_bound;
  FillValue m_fill;
  double m_min = std::numeric_limits<double>::infinity(), m_max = -m_min, m_sum_squares = 0;
  std::uint64_t m_values = 0;
};

void verify(RepackedFile const& file, std::vector<files::FilteredVariable> const& resolved,
            OutputFile const& output, Conditions const& conditions) {
  auto const input = files::open_field_file(file.input);
  auto const copy =
      files::open_field_file({output.partial_path()->string(), "", files::Format::hdf5});
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    RepackedVariable const& asked = file.variables[i];
    files::FileName const name{file.output.string(), asked.variable.name};
    files::Variable const& made = files::choose_variable(
        *copy, {file.output.string(), asked.variable.name, files::Format::hdf5});
    auto const original = input->read(asked.variable), other = copy->read(made);
    during("verifying", 0, Progress::Shows::activity, [&] {
      Verifier(conditions, asked.call.options.bound, resolved[i].options)
          .verify(asked.variable, *original, *other, name.label());
    });
  }
}

/// What a file says of a copy.
nlohmann::ordered_json json_of(RepackedVariable const& asked,
                               files::FilteredVariable const& resolved, std::uint64_t bytes) {
  Options const& options = resolved.options;
  bool const is_absolute = options.bound.mode == ErrorBound::Mode::abs;
  return {{"name", resolved.name},
          {"ratio", static_cast<double>(asked.variable.shape.bytes()) /
                        static_cast<double>(std::max<std::uint64_t>(bytes, 1))},
          {"bound_abs", is_absolute ? nlohmann::ordered_json(options.bound.value) : nullptr},
          {"compressed_bytes", bytes},
          {"original_bytes", asked.variable.shape.bytes()},
          {"dtype", to_string(asked.variable.shape.dtype)},
          {"shape", slowest_first(asked.variable.shape)},
          {"chunk", resolved.chunk},
          {"bound_mode", to_string(asked.call.options.bound.mode)},
          {"bound_value", asked.call.options.bound.value},
          {"pipeline", to_string(options.pipeline)},
          {"variant", to_string(options.variant)},
          {"predictor", to_string(options.predictor)}};
}

std::string line_of(RepackedVariable const& asked, files::FilteredVariable const& resolved,
                    std::uint64_t bytes) {
  auto const original = static_cast<double>(asked.variable.shape.bytes());
  std::string chunk;
  for (std::size_t const extent : resolved.chunk) {
    chunk += (chunk.empty() ? "" : ",") + std::to_string(extent);
  }
  return resolved.name + ", " + text_of_resolved(resolved.options.bound) + ", " +
         to_string(resolved.options.pipeline) + ", chunks of " + chunk + ", " +
         text_of_bytes(original) + " -> " + text_of_bytes(static_cast<double>(bytes)) + ", ratio " +
         text_of(original / static_cast<double>(std::max<std::uint64_t>(bytes, 1)), 5);
}

void report_file(Report& report, RepackedFile const& file,
                 std::vector<files::FilteredVariable> const& resolved,
                 std::vector<std::uint64_t> const& bytes) {
  std::uint64_t const old_bytes = std::filesystem::file_size(file.input.path);
  std::uint64_t const new_bytes = std::filesystem::file_size(file.output);
  report.lines.emplace_back("file", file.input.path + " -> " + file.output.string() + ", " +
                                        text_of_bytes(static_cast<double>(old_bytes)) + " -> " +
                                        text_of_bytes(static_cast<double>(new_bytes)));
  nlohmann::ordered_json own = {{"file", file.input.path},
                                {"output", file.output.string()},
                                {"old_bytes", old_bytes},
                                {"new_bytes", new_bytes},
                                {"variables", nlohmann::ordered_json::array()},
                                {"unchanged", file.unchanged}};
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    own["variables"].push_back(json_of(file.variables[i], resolved[i], bytes[i]));
    report.lines.emplace_back("variable", line_of(file.variables[i], resolved[i], bytes[i]));
  }
  if (!file.unchanged.empty()) {
    report.lines.emplace_back("unchanged", files::text_of_names(file.unchanged));
  }
  report.values["files"].push_back(std::move(own));
}

void repack_file(Report& report, RepackArguments const& arguments, RepackedFile const& file,
                 Conditions const& conditions) {
  for (std::string const& text : file.notes) note(text);
  OutputFile output = arguments.overwrite.open(file.output);
  std::vector<files::FilteredVariable> const resolved = resolve(file, conditions);
  std::uint64_t const values_memory = (conditions.memory.bytes - program_memory) / 4;
  std::vector<std::uint64_t> const bytes = during("repacking", 0, Progress::Shows::activity, [&] {
    return files::copy_with_filter(file.input.path, output, file.output.string(), resolved,
                                   values_memory);
  });
  if (arguments.verify) verify(file, resolved, output, conditions);
  output.commit();
  report_file(report, file, resolved, bytes);
}

int repack(RepackArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  std::vector<RepackedFile> const files = plan_repack(arguments);
  // The filter asks the environment, whoever calls it.
  if (!arguments.exec.space.empty()) ::setenv("KOMPAKT_HDF5_SPACE", to_string(exec.space), 1);
  std::optional<OutputFolder> folder;
  if (names_folder(arguments.output())) folder.emplace(arguments.output());
  for (RepackedFile const& file : files) {
    arguments.overwrite.require_writable(file.output, file.input.path);
  }
  KokkosSession const kokkos(exec);
  Conditions const conditions{exec.space, memory_for(memory_bytes, exec.space),
                              arguments.coding.chosen_goal()};
  Report report;
  report.values = {{"exec", to_string(exec.space)},
                   {"verified", arguments.verify},
                   {"files", nlohmann::ordered_json::array()}};
  for (RepackedFile const& file : files) repack_file(report, arguments, file, conditions);
  describe(report, conditions.memory);
  if (arguments.verify) report.lines.emplace_back("verified", "every value is inside its bound");
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void RepackArguments::add_to(CLI::App& verb) {
  verb.add_option("files", files,
                  "files of HDF5 or netCDF-4, and behind them the output: a file, or a folder for "
                  "several")
      ->type_name("FILE... OUTPUT");
  bound.add_to(verb);
  verb.add_option("--bound", named_bounds,
                  "bound of the variables of a name, such as 'T*=r2r:1e-4'")
      ->allow_extra_args(false)
      ->type_name("NAME=MODE:BOUND");
  verb.add_option("--chunk", named_chunks,
                  "extents of chunks, slowest first, such as 1,64,64 or 'T*=1,64,64'")
      ->allow_extra_args(false)
      ->type_name("NAME=C,B,A");
  coding.add_to(verb);
  overwrite.add_to(verb);
  memory.add_to(verb, "larger variables are copied in parts");
  exec.add_to(verb);
  verb.add_flag("--verify", verify, "read every value back before the output gets its name");
  verb.add_flag("--json", json, "report as JSON");
}

void add_repack(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<RepackArguments>();
  CLI::App& verb = *app.add_subcommand(
      "repack", "write files of HDF5 or netCDF-4 anew, compressed by the HDF5 filter");
  arguments->add_to(verb);
  verb.callback([arguments, &action] { action = [arguments] { return repack(*arguments); }; });
}

}  // namespace kompakt::cli
