#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "metrics_report.hpp"
#include "progress.hpp"
#include "text.hpp"
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace kompakt::cli {

namespace {

struct CompareArguments {
  std::string input;
  std::string other;
  FieldArguments field;
  BoundArguments bound;
  ExecArguments exec;
  bool metrics = false;
  bool json = false;
};

[[noreturn]] void refuse(Status status, std::string const& message) {
  throw Error(status, message);
}

// The header of a stream; nothing for any other file, which is then taken for a raw field.
std::optional<StreamInfo> stream_info(std::string const& path, std::span<std::byte const> bytes) {
  try {
    return inspect_file(path, bytes, bytes.size());
  } catch (Error const& error) {
    if (error.status() == Status::bad_magic) return std::nullopt;
    throw;
  }
}

FieldShape shape_of_comparison(CompareArguments const& arguments,
                               std::optional<StreamInfo> const& info) {
  if (!info) {
    if (!arguments.field.given()) {
      refuse(Status::bad_argument, "'" + arguments.other +
                                       "' is not a kompakt stream; to compare with a raw field, "
                                       "give -t and -l (or --shape)");
    }
    return arguments.field.shape();
  }
  if (arguments.field.given()) {
    FieldShape const given = arguments.field.shape();
    if (given.dtype != info->shape.dtype || slowest_first(given) != slowest_first(info->shape)) {
      refuse(Status::type_mismatch,
             "'" + arguments.other + "' holds " + to_string(info->shape.dtype) + ", " +
                 text_of_extents(info->shape) + ", but -t and the extents say " +
                 to_string(given.dtype) + ", " + text_of_extents(given) +
                 "; leave them out or correct them");
    }
  }
  return info->shape;
}

void require_same_size(std::string const& path, std::size_t bytes, FieldShape const& shape) {
  if (bytes == shape.bytes()) return;
  refuse(Status::bad_argument,
         "'" + path + "' is not a kompakt stream, and as a raw field it has " +
             std::to_string(bytes) + " bytes where " + text_of_extents(shape) + " of " +
             to_string(shape.dtype) + " make " + std::to_string(shape.bytes()) +
             "; check the file, -t and -l / --shape");
}

// Whatever the file is, it becomes the values it stands for.
std::vector<std::byte> field_of(std::string const& path, std::vector<std::byte> bytes,
                                std::optional<StreamInfo> const& info, ExecSpace space) {
  if (!info) return bytes;
  return during("decompressing", info->shape.bytes(), Progress::Shows::activity, [&] {
    return naming(path, [&] { return decompress_stream(space, bytes, *info).field; });
  });
}

// Bound in the units of the field: the one that was given, else the stream's own.
double resolve_bound(BoundArguments const& arguments, std::optional<ErrorBound> const& given,
                     std::optional<StreamInfo> const& info, FieldShape const& shape,
                     ExecSpace space, std::span<std::byte const> original) {
  if (!given) return info->abs_bound;
  if (given->mode == ErrorBound::Mode::abs) return given->value;
  double range = arguments.range();
  if (range == 0) range = compare_fields(space, shape, original, original, 0, {}).range();
  if (!std::isfinite(given->value * range)) {
    refuse(Status::bad_argument, "-m r2r: " + text_of(given->value) + " times the range " +
                                     text_of(range) + " is not finite; give -m abs");
  }
  return given->value * range;
}

Report report_of(Metrics const& metrics, double abs_bound, MetricsOptions const& options,
                 std::optional<StreamInfo> const& info) {
  Report report;
  report.values["ratio"] = nullptr;
  std::string ratio = "none, the file is not a stream";
  if (info) {
    double const value =
        static_cast<double>(info->shape.bytes()) / static_cast<double>(info->bytes);
    report.values["ratio"] = value;
    ratio = text_of(value, 5);
  }
  report.lines.emplace_back("ratio", ratio);
  describe(report, metrics, abs_bound, options);
  return report;
}

std::string value_at(std::span<std::byte const> field, Dtype dtype, std::size_t position) {
  if (dtype == Dtype::f32) {
    float value = 0;
    std::memcpy(&value, field.data() + position * sizeof(value), sizeof(value));
    return text_of(static_cast<double>(value), 9);
  }
  double value = 0;
  std::memcpy(&value, field.data() + position * sizeof(value), sizeof(value));
  return text_of(value, 17);
}

// "1234 (2, 3, 4)": place in the file and indices, slowest first.
std::string text_of_position(FieldShape const& shape, std::size_t position) {
  std::vector<std::size_t> const extents = slowest_first(shape);
  std::string indices;
  std::size_t rest = position;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    indices = std::to_string(rest % *extent) + (indices.empty() ? "" : ", ") + indices;
    rest /= *extent;
  }
  return std::to_string(position) + " (" + indices + ")";
}

int compare_files(CompareArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<ErrorBound> bound;
  if (arguments.bound.given()) {
    bound = arguments.bound.bound();
    arguments.bound.range();  // refused before anything is read
  }

  std::vector<std::byte> bytes = read_with_progress(arguments.other);
  std::optional<StreamInfo> const info = stream_info(arguments.other, bytes);
  FieldShape const shape = shape_of_comparison(arguments, info);
  if (!info) require_same_size(arguments.other, bytes.size(), shape);
  if (!info && !bound) {
    refuse(Status::bad_argument,
           "'" + arguments.other + "' is a raw field, which knows no bound; give -m and -e");
  }
  std::vector<std::byte> const original = read_field_with_progress(arguments.input, shape);
  KokkosSession const kokkos(exec);
  std::vector<std::byte> const other =
      field_of(arguments.other, std::move(bytes), info, exec.space);
  double const abs_bound = resolve_bound(arguments.bound, bound, info, shape, exec.space, original);
  MetricsOptions const options = arguments.metrics ? MetricsOptions::all() : MetricsOptions{};
  Metrics const stats = during("comparing", shape.bytes(), Progress::Shows::activity, [&] {
    return compare_fields(exec.space, shape, original, other, abs_bound, options);
  });
  report_of(stats, abs_bound, options, info).print(arguments.json, stdout);
  if (stats.violations == 0) return 0;

  std::size_t const position = static_cast<std::size_t>(stats.first_violation);
  refuse(Status::bound_violated,
         std::to_string(stats.violations) + " of " + std::to_string(stats.values) +
             " values break the bound " + text_of(abs_bound, 17) + ", first the one at " +
             text_of_position(shape, position) + ": " + value_at(original, shape.dtype, position) +
             " became " + value_at(other, shape.dtype, position));
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompareArguments>();
  CLI::App& verb = *app.add_subcommand(
      "compare", "check every value of a stream, or of a raw field, against the original");
  verb.add_option("-i", arguments->input, "original raw field")->required()->type_name("FILE");
  arguments->field.add_to(verb);
  verb.add_option("other", arguments->other, "stream, or raw field of the same type and extents")
      ->required()
      ->type_name("FILE");
  arguments->bound.add_to(verb);
  arguments->exec.add_to(verb);
  verb.add_flag("--metrics", arguments->metrics,
                "also SSIM, entropies, autocorrelation and histogram of the errors");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.footer(
      "A stream describes itself: -t, -l, -m and -e are only needed for raw fields.\n"
      "Exit code 0: no value breaks the bound; 20: at least one does.\n"
      "psnr_db is null in JSON when all values are equal.");
  verb.callback(
      [arguments, &action] { action = [arguments] { return compare_files(*arguments); }; });
}

}  // namespace kompakt::cli
