#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "compare_values.hpp"
#include "files.hpp"
#include "fill.hpp"
#include "frames.hpp"
#include "metrics_report.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "slabs.hpp"
#include "stages.hpp"
#include "text.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace kompakt::cli {

namespace {

struct CompareArguments {
  std::string input;
  std::string other;
  FieldArguments field;
  SourceArguments source;
  BoundArguments bound;
  ExecArguments exec;
  bool metrics = false;
  bool json = false;

  /// The PSNR to reach in place of a bound of each value.
  bool asks_for_psnr() const { return bound.mode == to_string(ErrorBound::Mode::psnr); }
};

[[noreturn]] void refuse(Status status, std::string const& message) {
  throw Error(status, message);
}

// The header of a stream; nothing for any other file, which is then taken for a raw field.
std::optional<StreamInfo> stream_info(std::string const& path, std::span<std::byte const> bytes) {
  try {
    return inspect_file(path, bytes);
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
                                std::optional<StreamInfo> const& info, AnyCodec& codec) {
  if (!info) return bytes;
  return during("decompressing", info->shape.bytes(), Progress::Shows::activity, [&] {
    return naming(path, [&] { return decompress_stream(codec, bytes, *info); });
  });
}

// The bound to check: the one that was given, else the stream's own.
ErrorBound resolve_bound(BoundArguments const& arguments, std::optional<ErrorBound> const& given,
                         std::optional<StreamInfo> const& info,
                         std::function<FieldRange()> const& range_of_original) {
  if (!given) return info->resolved();
  if (given->mode == ErrorBound::Mode::psnr) {
    return ErrorBound::absolute(
        std::numeric_limits<double>::max());  // its own check comes in the end
  }
  if (given->mode != ErrorBound::Mode::r2r) return *given;
  FieldRange range{true, 0, arguments.range(), std::nullopt};
  if (range.max == 0) range = range_of_original();
  if (!std::isfinite(given->value * range.width())) {
    refuse(Status::bad_argument, "-m r2r: " + text_of(given->value) + " times the range " +
                                     text_of(range.width()) + " is not finite; give -m abs");
  }
  return ErrorBound::absolute(range.bound(given->value));
}

Report report_of(Metrics const& metrics, Dtype dtype, ErrorBound const& checked,
                 MetricsOptions const& options, std::optional<StreamInfo> const& info) {
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
  if (is_integer(dtype)) {
    describe_integers(report, metrics);
  } else {
    describe(report, metrics, checked, options);
  }
  return report;
}

void require_integers_lossless(CompareArguments const& arguments,
                               std::optional<ErrorBound> const& bound, Dtype dtype) {
  if (!is_integer(dtype)) return;
  if (bound && bound->mode != ErrorBound::Mode::lossless) {
    refuse(Status::bad_argument, std::string("-m ") + to_string(bound->mode) + ": values of " +
                                     to_string(dtype) +
                                     " are integers, which are compared bit for bit; give -m "
                                     "lossless");
  }
  if (arguments.metrics) {
    refuse(Status::bad_argument, std::string("--metrics: values of ") + to_string(dtype) +
                                     " are integers; SSIM and its like are for f32 and f64");
  }
}

// -m psnr: the fields as a whole, with the range that was given or that of the original.
void require_psnr(CompareArguments const& arguments, Metrics const& stats) {
  if (!arguments.asks_for_psnr()) return;
  ErrorBound const target = arguments.bound.bound();
  double const range = arguments.bound.range();
  double const psnr = stats.psnr_db() + (range > 0 ? 20 * std::log10(range / stats.range()) : 0.0);
  if (psnr >= target.value) return;
  refuse(Status::bound_violated, "the PSNR is " + text_of(psnr, 8) + " dB, below the " +
                                     text_of(target.value) + " dB to reach");
}

/// The first value that breaks its bound.
struct Violation {
  ErrorBound bound;
  std::string original, other;
};

Violation first_violation(Metrics const& stats, ErrorBound const& checked, FieldShape const& shape,
                          std::span<std::byte const> original, std::span<std::byte const> other) {
  if (stats.first_violation < 0) return {checked, "", ""};
  auto const position = static_cast<std::size_t>(stats.first_violation);
  return {checked, value_at(original, shape.dtype, position),
          value_at(other, shape.dtype, position)};
}

// Prints the report. `fill_values` counts those that were left out.
int conclude(CompareArguments const& arguments, Metrics const& all, std::uint64_t fill_values,
             ErrorBound const& checked, MetricsOptions const& options,
             std::optional<StreamInfo> const& info, FieldShape const& shape,
             Violation const& first) {
  Metrics stats = all;
  stats.nonfinite -= fill_values;
  ErrorBound const shown = arguments.asks_for_psnr() ? arguments.bound.bound() : checked;
  Report report = report_of(stats, shape.dtype, shown, options, info);
  report.values["fill_values"] = fill_values;
  if (fill_values > 0) {
    report.lines.emplace_back("fill values",
                              std::to_string(fill_values) + ", left out of all metrics");
  }
  report.print(arguments.json, stdout);
  require_psnr(arguments, stats);
  if (stats.violations == 0) return 0;
  refuse(Status::bound_violated,
         std::to_string(stats.violations) + " of " + std::to_string(stats.values) +
             text_of_violations(first.bound) + ", first the one at " +
             text_of_position(shape, static_cast<std::size_t>(stats.first_violation)) + ": " +
             first.original + " became " + first.other);
}

// Whether the file is to be compared frame by frame; any other is read whole.
bool has_several_frames(StreamSource const& source) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(source.path, error)) return false;
  FrameReader reader(source);
  try {
    return reader.next() && reader.frame().is_part();
  } catch (Error const&) {
    return false;  // whatever is wrong is found, and told, when it is read
  }
}

int compare_frames(CompareArguments const& arguments, StreamSource const& source,
                   std::optional<ErrorBound> const& bound, ExecChoice const& exec) {
  if (arguments.metrics) {
    refuse(Status::bad_argument,
           "--metrics: '" + source.label() +
               "' has several frames, and SSIM and its like need the whole field; "
               "decompress it and compare the raw fields");
  }
  std::optional<StreamInfo> const whole = scan_frames(source).whole();
  FieldShape const shape = shape_of_comparison(arguments, whole);
  require_integers_lossless(arguments, bound, shape.dtype);
  RawFieldReader original = open_raw_field(arguments.input, shape);
  FrameReader frames(source);
  KokkosSession const kokkos(exec);
  ErrorBound const checked = resolve_bound(arguments.bound, bound, whole, [&] {
    return range_of(original, Slabs(shape, Options{}, memory_for({}, exec.space).bytes), exec.space,
                    fill_of(whole));
  });
  AnyCodec codec(exec.space);
  StreamInfo infos[2];
  std::vector<std::byte> streams[2], values[2], restored;
  Metrics sum;
  std::uint64_t fill_values = 0;
  Violation first;
  auto const read = [&](std::uint64_t k) {
    if (!frames.next()) return false;
    infos[k % 2] = frames.frame();
    frames.read(streams[k % 2]);
    read_slab(original, frames.frame().shape, values[k % 2]);
    return true;
  };
  auto const work = [&](std::uint64_t k) {
    FieldShape const& part = infos[k % 2].shape;
    restored.resize(part.bytes());
    naming(source.label(), [&] {
      codec.decompress(streams[k % 2], MemoryOf::host, FieldData{restored.data(), part},
                       MemoryOf::host);
    });
    fill_values += leave_out_fill(infos[k % 2], values[k % 2], restored);
    // Frames that reach a PSNR have bounds of their own.
    ErrorBound const own = bound ? checked : infos[k % 2].resolved();
    Metrics const stats = compare_values(codec, part, values[k % 2], restored, own, {});
    if (sum.first_violation < 0) first = first_violation(stats, own, part, values[k % 2], restored);
    add(sum, stats);
  };
  during("comparing", shape.bytes() + whole->bytes, Progress::Shows::read,
         [&] { in_stages(read, work, [](std::uint64_t) {}); });
  return conclude(arguments, sum, fill_values, checked, {}, whole, shape, first);
}

int compare_files(CompareArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  std::optional<ErrorBound> bound;
  if (arguments.bound.given()) {
    bound = arguments.bound.bound();
    arguments.bound.range();  // refused before anything is read
  }
  StreamSource const source = arguments.source.find(arguments.other);
  if (has_several_frames(source)) return compare_frames(arguments, source, bound, exec);

  std::vector<std::byte> bytes = source.read();
  std::optional<StreamInfo> const info = stream_info(source.label(), bytes);
  FieldShape const shape = shape_of_comparison(arguments, info);
  require_integers_lossless(arguments, bound, shape.dtype);
  if (!info) require_same_size(arguments.other, bytes.size(), shape);
  if (!info && !bound) {
    refuse(Status::bad_argument,
           "'" + arguments.other + "' is a raw field, which knows no bound; give -m and -e");
  }
  std::vector<std::byte> original = read_field_with_progress(arguments.input, shape);
  KokkosSession const kokkos(exec);
  AnyCodec codec(exec.space);
  std::vector<std::byte> other = field_of(source.label(), std::move(bytes), info, codec);
  ErrorBound const checked = resolve_bound(arguments.bound, bound, info, [&] {
    return codec.field_range(ConstFieldData(original.data(), shape), MemoryOf::host, fill_of(info));
  });
  std::uint64_t const fill_values = info ? leave_out_fill(*info, original, other) : 0;
  MetricsOptions options = arguments.metrics ? MetricsOptions::all() : MetricsOptions{};
  options.histogram &= !arguments.asks_for_psnr();  // its bins are parts of a bound
  Metrics const stats = during("comparing", shape.bytes(), Progress::Shows::activity, [&] {
    return compare_values(codec, shape, original, other, checked, options);
  });
  return conclude(arguments, stats, fill_values, checked, options, info, shape,
                  first_violation(stats, checked, shape, original, other));
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompareArguments>();
  CLI::App& verb = *app.add_subcommand(
      "compare", "check every value of a stream, or of a raw field, against the original");
  verb.add_option("-i", arguments->input, "original raw field")->required()->type_name("FILE");
  arguments->field.add_to(verb);
  verb.add_option("other", arguments->other,
                  "stream, archive, or raw field of the same type and extents")
      ->required()
      ->type_name("FILE");
  arguments->source.add_to(verb);
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
