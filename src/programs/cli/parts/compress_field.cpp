#include "compress_field.hpp"
#include "codec.hpp"
#include "packed_bound.hpp"
#include "progress.hpp"
#include "slabs.hpp"
#include "stages.hpp"
#include <kompakt/compress.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kompakt::cli {

namespace {

// Integers without loss have no fill value to look for, unless one is given, which is refused.
void require_fill_for(Dtype dtype, Options& options) {
  if (!is_integer(dtype) || options.bound.mode != ErrorBound::Mode::lossless) return;
  if (options.fill.mode == FillValue::Mode::value) {
    throw Error(Status::bad_argument,
                std::string("--fill: values of ") + to_string(dtype) +
                    " are integers, which have no fill value without loss",
                "leave it out");
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
  options = options_for_parts(range, options);
  return range;
}

void compress_slabs(SlabReader& input, FrameOutput& output, Slabs const& slabs,
                    Compressor& compressor, CompressedField& field) {
  std::vector<std::byte> values[2];
  std::span<std::byte const> streams[2];
  in_stages([&](std::uint64_t k) { return input.read(values[k % 2]); },
            [&](std::uint64_t k) {
              auto const [stream, info, elapsed_s] =
                  compressor.compress(slabs.shape(k), values[k % 2]);
              field.frames.add(slabs.count() > 1 ? mark_part(stream, slabs.part(k)) : info);
              field.elapsed_s += elapsed_s;
              field.masked.count += count_fill(info, values[k % 2]);
              if (slabs.count() == 1 && changes_bound(info, field.asked)) {
                field.masked.range = compressor.range_of(slabs.shape(k), values[k % 2],
                                                         field.asked.fill.settled(info.fill));
              }
              streams[k % 2] = stream;
            },
            [&](std::uint64_t k) { output.write(streams[k % 2]); });
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

bool declares_too_many(files::Variable const& variable) {
  return variable.missing().size() > static_cast<std::size_t>(FillValue::max_others);
}

}  // namespace

void settle_wide_integers(files::FieldReader& file, Slabs const& slabs, Space space,
                          Options& options) {
  Dtype const dtype = slabs.whole().dtype;
  if (!may_be_too_large(dtype, options.bound)) return;
  require_range_in_reach(file, to_string(options.bound.mode), nullptr);
  FieldRange const range =
      during("looking for the range of", slabs.whole().bytes(), Progress::Shows::read,
             [&] { return range_of(file, slabs, space, FillValue::none()); });
  options = exact_if_too_large(range, options);
}

bool may_stay_exact(files::Variable const& variable) {
  return variable.packing() || declares_too_many(variable);
}

bool adapt(Options& options, FieldShape const& shape, files::Variable const& variable) {
  if (auto const packing = variable.packing()) {
    options = options_of_integers(options, *packing, shape.dtype);
  }
  bool const are_numbers = !variable.is_text && !variable.is_enumeration;
  if (!are_numbers && options.bound.mode != ErrorBound::Mode::lossless) {
    throw Error(Status::bad_argument,
                std::string("-m ") + to_string(options.bound.mode) + ": the values are " +
                    (variable.is_text ? "letters" : "true and false, or other names") +
                    ", which are only kept lossless",
                "give -m lossless");
  }
  require_fill_for(shape.dtype, options);
  if (!options.limits.any()) options.limits = variable.limits();
  if (options.fill.mode != FillValue::Mode::automatic) return false;
  std::vector<double> const missing = variable.missing();
  if (declares_too_many(variable)) {
    // Without loss all values come back, and none is masked.
    if (options.bound.mode == ErrorBound::Mode::lossless) return true;
    throw Error(Status::bad_argument,
                "it declares " + std::to_string(missing.size()) +
                    " values for no value here, and at most " +
                    std::to_string(FillValue::max_others) + " can be masked",
                "give -m lossless");
  }
  for (double const fill : missing) options.fill = options.fill.with(fill);
  return !variable.fills().empty();
}

std::string note_of_no_limits(std::string const& label, Options const& adapted,
                              files::Variable const& variable) {
  bool const may_have = adapted.bound.mode != ErrorBound::Mode::lossless && !adapted.limits.any();
  std::string const why = may_have ? variable.why_no_limits() : "";
  return why.empty() ? "" : "'" + label + "' has no limits: " + why;
}

std::string named_absolute(std::string const& variable, ErrorBound const& bound) {
  return bound.needs_range() ? "--bound '" + variable + "=abs:E'" : "";
}

void refuse_field(std::string const& label, std::string const& absolute, Error const& error) {
  bool const is_named = error.problem().find("'" + label + "'") != std::string_view::npos;
  if (error.status() != Status::bad_argument || is_named) throw error;
  std::string advice(error.advice());
  if (!absolute.empty() && !advice.empty()) advice.append(" (--fill, " + absolute + ")");
  throw Error(error.status(), "'" + label + "': " + std::string(error.problem()), advice);
}

CompressedField compress_field(FieldInput& input, AskedOptions const& call,
                               RunLimits const& conditions, FrameOutput& output) {
  auto [options, chooses, goal] = call;
  Space const space = conditions.space;
  Slabs const slabs(input.shape, options, conditions.memory.bytes);
  CompressedField field;
  field.asked = options;
  if (slabs.count() > 1) settle_wide_integers(*input.reader, slabs, space, options);
  bool const own_range = options.bound.needs_range() && options.range == 0;
  std::optional<FieldRange> range;
  if (own_range && slabs.count() > 1) {
    require_range_in_reach(*input.reader, to_string(options.bound.mode), &conditions.memory);
    range = resolve_range(*input.reader, slabs, space, options);
  }
  SlabReader reader(*input.reader, slabs);
  if (chooses) {
    field.choice = choose_by_first_slab(goal, reader, slabs, space, options);
    options = field.choice->options;
  }
  Compressor compressor(space, options, field.choice ? field.choice->reason : ChoiceRecord());
  during(
      "compressing", input.shape.bytes(), Progress::Shows::read,
      [&] { compress_slabs(reader, output, slabs, compressor, field); }, reader.read_ahead_bytes());
  if (range) field.masked.range = range;
  return field;
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

}  // namespace kompakt::cli
