#include "arguments.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "field_input.hpp"
#include "fill.hpp"
#include "frame_output.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "slabs.hpp"
#include "stages.hpp"
#include <algorithm>
#include <kompakt/compress.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace kompakt::cli {

namespace {

struct CompressArguments {
  std::string input;
  OutputArguments output;
  FieldArguments field;
  BoundArguments bound;
  std::string pipeline;  ///< -c
  std::string goal;      ///< --for
  std::string variant = to_string(Options{}.variant);
  std::string predictor = to_string(Options{}.predictor);
  std::string fill = "auto";
  std::string radius = std::to_string(Options{}.radius);
  MemoryArguments memory;
  ExecArguments exec;
  bool no_checksum = false;
  bool json = false;

  static constexpr char const* automatic = "auto";
  std::optional<Pipeline> given_pipeline(Options const& options) const;
  Goal chosen_goal() const { return goal.empty() ? Goal::balanced : parse_goal(goal); }
};

// What leaves no choice of the pipeline: its word, a bound that one alone keeps, or a variant that one alone has.
std::optional<Pipeline> CompressArguments::given_pipeline(Options const& options) const {
  bool const named = !pipeline.empty() && pipeline != automatic;
  if (named && !goal.empty()) {
    throw Error(Status::bad_argument, "--for " + goal + " chooses the pipeline, but -c says " +
                                          pipeline + "; leave one of them out");
  }
  if (named) return parse_pipeline(pipeline);
  bool const asks = !goal.empty() || pipeline == automatic;
  if (!asks && options.bound.mode == ErrorBound::Mode::lossless) return Pipeline::fixedlength;
  if (!asks && options.variant != Variant::automatic) {
    for (Pipeline const one : pipelines()) {
      if (has_variant(one, options.variant)) return one;
    }
  }
  if (options.variant == Variant::automatic && options.predictor == Predictor::automatic) {
    return std::nullopt;
  }
  throw Error(Status::bad_argument,
              "-c auto, the default, chooses variant and predictor too; leave out --variant and "
              "--predictor, or give a pipeline with -c");
}

/// The options of the call, and whether the pipeline among them is still to be chosen.
struct AskedOptions {
  Options options;
  bool chooses = false;
};

AskedOptions options_of(CompressArguments const& arguments) {
  Options options;
  options.bound = arguments.bound.bound();
  options.range = arguments.bound.range();
  options.variant = parse_variant(arguments.variant);
  options.predictor = parse_predictor(arguments.predictor);
  std::optional<Pipeline> const given = arguments.given_pipeline(options);
  // While it is still to be chosen, the one whose streams may be the longest: slabs are planned for it.
  if (given || options.bound.mode != ErrorBound::Mode::lossless) {
    options.pipeline = given.value_or(pipelines().back());
  }
  options.fill = parse_fill(arguments.fill);
  options.checksum = !arguments.no_checksum;
  options.radius = static_cast<int>(std::min<std::uint64_t>(
      parse_count("--radius", arguments.radius), std::numeric_limits<int>::max()));
  validate(options);
  return {options, !given};
}

// Integers have no fill value to look for, unless one is given, which is refused.
void require_mode_for(Dtype dtype, Options& options) {
  if (!is_integer(dtype)) return;
  std::string const word = to_string(dtype);
  if (options.bound.mode != ErrorBound::Mode::lossless) {
    throw Error(Status::bad_argument, std::string("-m ") + to_string(options.bound.mode) +
                                          ": values of " + word +
                                          " are integers, which are only kept lossless; give -m "
                                          "lossless");
  }
  if (options.fill.mode == FillValue::Mode::value) {
    throw Error(Status::bad_argument, "--fill: values of " + word +
                                          " are integers, which have no fill value; leave it out");
  }
  options.fill = FillValue::none();
}

// The bound of the parts of a field is that of the whole, whose range and fill value must be known before
// the first one.
FieldRange resolve_range(files::FieldReader& file, Slabs const& slabs, Space space,
                         Options& options) {
  FieldRange const range =
      during("looking for the range of", slabs.whole().bytes(), Progress::Shows::read,
             [&] { return range_of(file, slabs, space, options.fill); });
  options.range = range.width();
  options.fill = range.fill ? FillValue::of(*range.fill) : FillValue::none();
  validate(options);  // the range of values that are far apart may be infinite
  return range;
}

struct Result {
  FrameSequence frames;
  MaskedPlaces masked;
  double elapsed_s = 0;
};

/// \param asked  the options before anything was looked up
Result compress_slabs(SlabReader& input, FrameOutput& output, Slabs const& slabs,
                      Compressor& compressor, Options const& asked) {
  Result result;
  std::vector<std::byte> values[2];
  std::span<std::byte const> streams[2];
  in_stages(
      [&](std::uint64_t k) { return input.read(values[k % 2]); },
      [&](std::uint64_t k) {
        auto const [stream, info, elapsed_s] = compressor.compress(slabs.shape(k), values[k % 2]);
        result.frames.add(slabs.count() > 1 ? mark_part(stream, slabs.part(k)) : info);
        result.elapsed_s += elapsed_s;
        result.masked.count += count_fill(info, values[k % 2]);
        if (slabs.count() == 1 && changes_bound(info, asked)) {
          result.masked.range = compressor.range_of(slabs.shape(k), values[k % 2], *info.fill);
        }
        streams[k % 2] = stream;
      },
      [&](std::uint64_t k) { output.write(streams[k % 2]); });
  return result;
}

// -c auto: the sample is one of the first slab, so that all have the same pipeline.
Choice choose_by_first_slab(Goal goal, SlabReader& input, Slabs const& slabs, Space space,
                            Options const& options) {
  AnyCodec codec(space);
  auto const choose = [&](void const* values, FieldShape const& shape) {
    return codec.choose(ConstFieldData(values, shape), MemoryOf::host, options, goal);
  };
  if (goal == Goal::speed) return choose(nullptr, {});
  std::span<std::byte const> const values = input.first();
  return during("choosing a pipeline for", values.size(), Progress::Shows::activity,
                [&] { return choose(values.data(), slabs.shape(0)); });
}

void describe(Report& report, Choice const& choice) {
  nlohmann::ordered_json ratios = nlohmann::ordered_json::object();
  for (Choice::Candidate const& candidate : choice.candidates) {
    std::string const variant = candidate.variant == Variant::automatic
                                    ? ""
                                    : std::string(" ") + to_string(candidate.variant);
    std::string const predictor = candidate.predictor == Predictor::automatic
                                      ? ""
                                      : std::string(" ") + to_string(candidate.predictor);
    ratios[to_string(candidate.pipeline) + variant + predictor] = candidate.ratio;
  }
  report.values["sample_values"] = choice.sample_values;
  report.values["sample_ratios"] = ratios;
}

void describe(Report& report, MaskedPlaces const& masked) {
  report.values["masked"] = masked.count;
  if (masked.count > 0)
    report.lines.emplace_back("masked", std::to_string(masked.count) + " values");
}

/// Where and how fields are compressed, and for what pipelines are chosen.
struct Conditions {
  Space space;
  MemoryLimit memory;
  Goal goal;
};

/// What became of a field.
struct CompressedField {
  Result result;
  Options asked;
  std::optional<Choice> choice;
};

CompressedField compress_field(FieldInput& input, AskedOptions const& call,
                               Conditions const& conditions, FrameOutput& output) {
  auto [options, chooses] = call;
  Space const space = conditions.space;
  Slabs const slabs(input.shape, options, conditions.memory.bytes);
  CompressedField field{{}, options, std::nullopt};
  bool const own_range = options.bound.needs_range() && options.range == 0;
  std::optional<FieldRange> range;
  if (own_range && slabs.count() > 1) {
    require_range_in_reach(*input.reader, to_string(options.bound.mode), &conditions.memory);
    range = resolve_range(*input.reader, slabs, space, options);
  }
  SlabReader reader(*input.reader, slabs);
  if (chooses) {
    field.choice = choose_by_first_slab(conditions.goal, reader, slabs, space, options);
    options = field.choice->options;
  }
  Compressor compressor(space, options, field.choice ? field.choice->reason : Reason());
  field.result = during(
      "compressing", input.shape.bytes(), Progress::Shows::read,
      [&] { return compress_slabs(reader, output, slabs, compressor, field.asked); },
      reader.read_ahead_bytes());
  if (range) field.result.masked.range = range;
  return field;
}

// What a file says of its field is asked for as if it had been given, but a fill value may be nowhere.
std::optional<double> take_fill(FieldInput const& input, Options& options) {
  if (options.fill.mode != FillValue::Mode::automatic) return std::nullopt;
  std::optional<double> const fill = input.variable.fill();
  if (fill) options.fill = FillValue::of(*fill);
  return fill;
}

int compress_file(CompressArguments const& arguments) {
  AskedOptions call = options_of(arguments);
  ExecChoice const exec = arguments.exec.choice();
  std::optional<std::uint64_t> const memory_bytes = arguments.memory.given();
  arguments.output.require_usable(files::input_name(arguments.input, arguments.field.given()).path);
  FieldInput input = open_field_input(arguments.input, arguments.field);
  require_mode_for(input.shape.dtype, call.options);
  bool const fill_of_file = take_fill(input, call.options).has_value();

  KokkosSession const kokkos(exec);
  std::unique_ptr<FrameOutput> const output = arguments.output.open(input.variable);
  Conditions const conditions{exec.space, memory_for(memory_bytes, exec.space),
                              arguments.chosen_goal()};
  auto const [result, asked, choice] = compress_field(input, call, conditions, *output);
  output->commit();
  if (!fill_of_file) note_fill(result.frames.whole(), asked, result.masked);
  Report report = codec_report(input.label, arguments.output.label(), result.frames,
                               to_string(exec.space), result.elapsed_s, "compress_gbps");
  describe(report, result.masked);
  if (choice) describe(report, *choice);
  describe(report, conditions.memory);
  report.print(arguments.json, report_file(arguments.output.path));
  return 0;
}

}  // namespace

void add_compress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<CompressArguments>();
  CLI::App& verb = *app.add_subcommand("compress", "compress a field within an error bound");
  verb.add_option(
          "-i", arguments->input,
          "field: raw (values only, little-endian; - for standard input), .npy, FILE.nc:NAME, "
          "FILE.h5:NAME")
      ->required()
      ->type_name("FILE");
  arguments->field.add_to(verb);
  arguments->bound.add_to(verb);
  verb.add_option("-c", arguments->pipeline,
                  "pipeline: fixedlength (cuszp2), bitshuffle (fz), huffman (cusz), auto (by a "
                  "sample)")
      ->default_str(CompressArguments::automatic)
      ->type_name("WORD");
  verb.add_option("--for", arguments->goal,
                  "what the pipeline is chosen for: ratio, speed, balanced (the default)")
      ->type_name("GOAL");
  verb.add_option("--variant,--codebook", arguments->variant,
                  "coding: auto; fixedlength: plain, outlier; bitshuffle: deep, fz; huffman: its "
                  "codebook: custom, dictionary")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option("--predictor", arguments->predictor, "prediction: auto, chain, tile, interpolate")
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
  arguments->output.add_to(verb);
  arguments->memory.add_to(verb, "larger fields are compressed slab by slab");
  arguments->exec.add_to(verb);
  verb.add_flag("--no-checksum", arguments->no_checksum, "leave out the checksums");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return compress_file(*arguments); }; });
}

}  // namespace kompakt::cli
