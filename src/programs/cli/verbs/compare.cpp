#include "commands.hpp"
#include "compare_parts.hpp"
#include "compare_values.hpp"
#include "compare_verdict.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/codec.hpp>
#include <cli/parts/field_input.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/fill.hpp>
#include <cli/parts/progress.hpp>
#include <kompakt/error.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kompakt::cli {

namespace {

// The header of a stream; nothing for any other file, which is then taken for a raw field.
std::optional<StreamInfo> stream_info(std::string const& path, std::span<std::byte const> bytes) {
  try {
    return inspect_file(path, bytes);
  } catch (Error const& error) {
    if (error.status() == Status::bad_magic) return std::nullopt;
    throw;
  }
}

/// What the original is compared with.
struct Other {
  std::vector<std::byte> bytes;    ///< of a stream or of values
  std::optional<StreamInfo> info;  ///< of a stream
  /// What its file says; of a raw field nothing.
  std::optional<FieldShape> shape;
};

Other read_other(CompareArguments const& arguments, StreamSource const& source) {
  if (files::input_name(arguments.other, true).format != files::Format::raw) {
    FieldInput input = open_field_input(arguments.other, arguments.field);
    return {input.read_all(), std::nullopt, input.shape};
  }
  Other other{source.read(), std::nullopt, std::nullopt};
  other.info = stream_info(source.label(), other.bytes);
  if (other.info) other.shape = other.info->shape;
  return other;
}

void require_same_size(std::string const& path, std::size_t bytes, FieldShape const& shape) {
  if (bytes == shape.bytes()) return;
  throw Error(Status::bad_argument,
              "'" + path + "' is not a kompakt stream, and as a raw field it has " +
                  std::to_string(bytes) + " bytes where " + text_of_extents(shape) + " of " +
                  to_string(shape.dtype) + " make " + std::to_string(shape.bytes()),
              "check the file, -t and -l / --shape");
}

// Whatever the file is, it becomes the values it stands for.
std::vector<std::byte> field_of(std::string const& path, Other other, AnyCodec& codec) {
  if (!other.info) return std::move(other.bytes);
  return during("decompressing", other.info->shape.bytes(), Progress::Shows::activity, [&] {
    return naming(path, [&] { return decompress_stream(codec, other.bytes, *other.info); });
  });
}

Comparison compare_whole(CompareArguments const& arguments, StreamSource const& source,
                         ExecChoice const& exec) {
  KokkosSession const kokkos(exec);  // first: a filter that reads values would begin one
  Other stream = read_other(arguments, source);
  std::optional<StreamInfo> const info = stream.info;
  FieldInput input = open_original(arguments, stream.shape);
  FieldShape shape = input.shape;
  std::optional<ErrorBound> const bound = bound_for(arguments, input);
  if (!info) require_same_size(arguments.other, stream.bytes.size(), shape);
  if (!info && !bound) {
    throw Error(Status::bad_argument,
                "'" + arguments.other + "' is a raw field, which knows no bound", "give -m and -e");
  }
  std::vector<std::byte> original = input.read_all();
  AnyCodec codec(exec.space);
  std::vector<std::byte> other = field_of(source.label(), std::move(stream), codec);
  FillValue const declared = fills_of(arguments, input, info);
  FillValue fills = declared;
  std::optional<FieldRange> range;
  auto const range_of_original = [&] {
    ConstFieldData const values(original.data(), shape);
    if (!range) range = codec.field_range(values, MemoryOf::host, declared);
    return *range;
  };
  if (may_mask_more(arguments, fills, info)) {
    FillValue searched = fills;
    searched.mode = FillValue::Mode::automatic;
    searched = searched.with(fills.value);
    ConstFieldData const values(original.data(), shape);
    fills = codec.field_range(values, MemoryOf::host, searched).fills(searched);
  } else if (fills.mode == FillValue::Mode::automatic) {
    fills = range_of_original().fills(fills);
  }
  ErrorBound const checked = resolve_bound(arguments.bound, bound, info, range_of_original);
  if (are_compared_as_numbers(shape.dtype, checked.mode)) make_numbers(shape, original, other);
  require_numbers_for_metrics(arguments, shape.dtype);
  ChangedFills const changed = mark_changed_fills(declared, shape.dtype, original, other);
  std::uint64_t const fill_values = leave_out_fills(fills, shape.dtype, original, other);
  MetricsOptions options = arguments.metrics ? MetricsOptions::all() : MetricsOptions{};
  options.histogram &= !arguments.asks_for_psnr();  // its bins are parts of a bound
  Metrics const stats = during("comparing", shape.bytes(), Progress::Shows::activity, [&] {
    return compare_values(codec, shape, original, other, checked, options);
  });
  return {shape,         info,
          checked,       options,
          stats,         fill_values,
          changed,       first_violation(stats, checked, shape, original, other, changed),
          input.variable};
}

int compare_files(CompareArguments const& arguments) {
  ExecChoice const exec = arguments.exec.choice();
  if (arguments.bound.given()) {  // refused before anything is read
    arguments.bound.bound();
    arguments.bound.range();
  }
  StreamSource const source = arguments.source.find(arguments.other);
  bool const in_parts = is_compared_in_parts(arguments, source);
  return conclude(arguments, in_parts ? compare_in_parts(arguments, source, exec)
                                      : compare_whole(arguments, source, exec));
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompareArguments>();
  CLI::App& verb = *app.add_subcommand(
      "compare", "check every value of a stream, or of a field, against the original");
  verb.add_option(
          "-i", arguments->input,
          "original field, where it is not the first file: raw, .npy, FILE.nc:NAME or FILE.h5:NAME")
      ->type_name("FILE");
  arguments->field.add_to(verb);
  verb.add_option("files", arguments->files,
                  "original field, unless -i names it; then a stream, an archive, or a field of "
                  "the same type and extents")
      ->required()
      ->expected(1, 2)
      ->type_name("FILE");
  arguments->source.add_to(verb);
  arguments->bound.add_to(verb);
  verb.add_option_function<std::string>(
          "--fill", [arguments](std::string const& word) { arguments->fill = parse_fill(word); },
          "fill values that are left out, as compress takes them; auto: declared and found ones")
      ->default_str("auto")
      ->type_name("WORD");
  arguments->memory.add_to(verb, "larger fields are compared slab by slab");
  arguments->exec.add_to(verb);
  verb.add_flag("--metrics", arguments->metrics,
                "also SSIM, entropies, autocorrelation and histogram of the errors");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.footer(
      "A stream describes itself: -t, -l, -m and -e are only needed for raw fields.\n"
      "Exit code 0: no value breaks the bound; 20: at least one does.\n"
      "psnr_db is null in JSON when all values are equal.");
  verb.callback([arguments, &action] {
    action = [arguments] {
      arguments->tell_files_apart();
      return compare_files(*arguments);
    };
  });
}

}  // namespace kompakt::cli
