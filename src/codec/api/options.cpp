#include <algorithm>
#include <api/checks.hpp>
#include <array>
#include <cmath>
#include <coder/huffman/alphabet.hpp>
#include <coder/table.hpp>
#include <core/decibel.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <limits>
#include <map>
#include <pipeline/index_order.hpp>
#include <pipeline/limits.hpp>
#include <sstream>

std::vector<kompakt::impl::CoderRow const*> const& kompakt::impl::coder_rows() {
  static std::vector<CoderRow const*> const rows = [] {
    std::vector<CoderRow const*> found;
    any_of_types(Coders{}, [&]<class Seat>(TypeTag<Seat>) {
      // A pipeline with several seats has one row.
      if (row_of(Seat::row.pipeline) == &Seat::row &&
          (found.empty() || found.back() != &Seat::row)) {
        found.push_back(&Seat::row);
      }
      return false;
    });
    return found;
  }();
  return rows;
}

std::vector<kompakt::impl::PredictorRow const*> const& kompakt::impl::predictor_rows() {
  static std::vector<PredictorRow const*> const rows = [] {
    std::vector<PredictorRow const*> found;
    any_of_types(Predictors{}, [&]<class Seat>(TypeTag<Seat>) {
      found.push_back(&Seat::row);
      return false;
    });
    return found;
  }();
  return rows;
}

namespace kompakt {

namespace {

using impl::CoderRow;

std::string show(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

// "auto, plain or outlier"
std::string words_of_variants(CoderRow const& row) {
  std::string words = to_string(Variant::automatic);
  for (std::size_t i = 0; i < row.variants.size(); ++i) {
    words += (i + 1 < row.variants.size() ? ", " : " or ") + std::string(row.variants[i].word);
  }
  return words;
}

std::string words_of_lossless() {
  std::string words;
  for (CoderRow const* row : impl::coder_rows()) {
    if (row->lossless) words += (words.empty() ? "" : " or ") + std::string(row->word);
  }
  return words;
}

void validate_range(ErrorBound const& bound, double range) {
  if (!(range > 0) || !std::isfinite(range)) {
    throw Error(Status::bad_argument, "options",
                "the range " + show(range) + " is not a positive finite number",
                "give max - min of the whole field, or 0 for the field's own");
  }
  if (bound.mode == ErrorBound::Mode::psnr) return;
  if (bound.mode != ErrorBound::Mode::r2r) {
    throw Error(Status::bad_argument, "options",
                "the range " + show(range) + " is for a bound relative to it, but this one is " +
                    to_string(bound.mode),
                "leave one out");
  }
  double const resolved = impl::bound_within(bound.value, range);
  if (!(resolved > 0) || !std::isfinite(resolved)) {
    throw Error(Status::bad_argument, "options",
                "the bound " + show(bound.value) + " times the range " + show(range) + " is " +
                    show(resolved) + ", not a positive finite number",
                "give an absolute bound");
  }
}

void validate_goal(Options const& options) {
  auto const refuse = [&](char const* what, char const* word) {
    throw Error(Status::bad_argument, "options",
                std::string("the goal '") + to_string(*options.goal) +
                    "' chooses pipeline, variant and predictor, but the " + what + " '" + word +
                    "' is named",
                "leave one of them out, or name a pipeline and no goal");
  };
  if (options.pipeline != Pipeline::automatic) refuse("pipeline", to_string(options.pipeline));
  if (options.variant != Variant::automatic) refuse("variant", to_string(options.variant));
  if (options.predictor != Predictor::automatic) refuse("predictor", to_string(options.predictor));
}

void validate_steps(Options const& options) {
  ValueSteps const& steps = options.steps;
  if (!steps.any()) return;
  using Mode = ErrorBound::Mode;
  Mode const mode = options.bound.mode;
  bool const has_bins = (mode == Mode::abs || mode == Mode::r2r) && impl::width_of(steps) > 0;
  if (mode != Mode::lossless && !has_bins) {
    throw Error(Status::bad_argument, "options",
                "no bins go by the steps of values " + show(steps.step) + " with the bound " +
                    std::string(to_string(mode)),
                "leave them out, or choose abs, r2r or lossless; bits need lossless");
  }
  if (!impl::are_usable(steps, Dtype::f64)) {
    bool const is_bits = steps.kind == ValueSteps::Kind::bits;
    throw Error(Status::bad_argument, "options",
                "values cannot be made of steps of " + show(steps.step) + " with the offset " +
                    show(steps.offset),
                is_bits ? "give 1 to 22 bits of f32 or 51 of f64, without an offset"
                        : "give a positive step and a finite offset");
  }
}

void validate_lossless(Options const& options) {
  if (options.bound.value != 0) {
    throw Error(Status::bad_argument, "options",
                "lossless has no bound, but this one is " + show(options.bound.value),
                "leave the bound out");
  }
  Pipeline const pipeline = pipeline_of(options);
  if (!impl::row_of(pipeline)->lossless) {
    throw Error(Status::bad_argument, "options",
                "lossless needs the pipeline " + words_of_lossless() + "; the codes of " +
                    to_string(pipeline) + " are too short",
                "");
  }
  if (impl::has_levels(impl::method_of(options.predictor))) {
    throw Error(Status::bad_argument, "options",
                "lossless has no levels for the predictor interpolate to go by",
                "use the predictor auto, chain or tile");
  }
  if (options.range != 0) validate_range(options.bound, options.range);
}

}  // namespace

namespace {

constexpr std::array<char const*, dtype_count> dtype_words{"f32", "f64",  "i8",  "u8",  "i16",
                                                           "u16", "i32",  "u32", "i64", "u64",
                                                           "f16", "bf16", "c64", "c128"};

}  // namespace

char const* to_string(Dtype dtype) noexcept {
  return dtype_words[static_cast<std::size_t>(dtype) % dtype_words.size()];
}

Dtype parse_dtype(std::string_view word) {
  std::string known;
  for (std::size_t i = 0; i < dtype_words.size(); ++i) {
    if (word == dtype_words[i]) return static_cast<Dtype>(i);
    known += (i > 0 ? ", " : "") + std::string(dtype_words[i]);
  }
  throw Error(Status::bad_argument, "value type: '" + std::string(word) + "' is not known",
              std::string("use one of ") + known);
}

std::vector<std::size_t> slowest_first(FieldShape const& shape,
                                       std::array<std::size_t, max_rank> const& numbers) {
  std::vector<std::size_t> result(numbers.begin(), numbers.begin() + shape.rank);
  if (shape.order == Order::first_fastest) std::reverse(result.begin(), result.end());
  return result;
}

std::span<Pipeline const> pipelines() noexcept {
  static std::vector<Pipeline> const all = [] {
    std::vector<Pipeline> found;
    for (CoderRow const* row : impl::coder_rows()) found.push_back(row->pipeline);
    return found;
  }();
  return all;
}

std::span<Variant const> variants_of(Pipeline pipeline) noexcept {
  static std::map<Pipeline, std::vector<Variant>> const all = [] {
    std::map<Pipeline, std::vector<Variant>> found;
    for (CoderRow const* row : impl::coder_rows()) {
      std::vector<Variant>& of_pipeline = found[row->pipeline];
      of_pipeline.push_back(Variant::automatic);
      for (impl::VariantRow const& v : row->variants) of_pipeline.push_back(v.variant);
    }
    return found;
  }();
  auto const of_pipeline = all.find(pipeline);
  return of_pipeline == all.end() ? std::span<Variant const>() : of_pipeline->second;
}

bool has_variant(Pipeline pipeline, Variant variant) noexcept {
  // Without the lists above, which take memory at their first use: every header that is read comes here.
  CoderRow const* const row = impl::row_of(pipeline);
  return row != nullptr && (variant == Variant::automatic ||
                            std::ranges::any_of(row->variants, [&](impl::VariantRow const& v) {
                              return v.variant == variant;
                            }));
}

Pipeline pipeline_of(Options const& options) noexcept {
  if (options.pipeline != Pipeline::automatic) return options.pipeline;
  for (CoderRow const* row : impl::coder_rows()) {
    if (options.bound.mode == ErrorBound::Mode::lossless && row->lossless) return row->pipeline;
    if (options.variant != Variant::automatic && has_variant(row->pipeline, options.variant)) {
      return row->pipeline;
    }
  }
  return Pipeline::bitshuffle;
}

bool FillValue::declares(double other) const {
  auto const is_other = [&](double known) {
    return known == other || (std::isnan(known) && std::isnan(other));
  };
  return (mode == Mode::value && is_other(value)) ||
         std::any_of(others.begin(), others.begin() + others_count, is_other);
}

FillValue FillValue::with(double other) const {
  FillValue more = *this;
  if (declares(other)) return more;
  if (mode == Mode::none) return of(other);
  if (others_count == max_others) {
    throw Error(Status::bad_argument, "fill: " + show(other) + " is one too many",
                "give at most " + std::to_string(max_others + 1));
  }
  more.others[static_cast<std::size_t>(more.others_count++)] = other;
  return more;
}

FillValue FillValue::settled(std::optional<double> masked) const {
  if (mode == Mode::none || (mode == Mode::value && !masked)) return *this;
  FillValue fixed = masked ? of(*masked) : none();
  if (mode == Mode::value) fixed = fixed.with(value);
  for (int i = 0; i < others_count; ++i) {
    fixed = fixed.with(others[static_cast<std::size_t>(i)]);
  }
  return fixed;
}

namespace impl {

void validate_counts(Options const& options) {
  CodedAxes const axes = named_axes(options);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -1 || axes[i] >= max_rank) {
      throw Error(Status::bad_argument, "options", "there is no axis " + std::to_string(axes[i]),
                  "give the number of an index, 0 to " + std::to_string(max_rank - 1) + ", or -1");
    }
    if (axes[i] >= 0 && std::ranges::count(axes, axes[i]) > 1) {
      throw Error(Status::bad_argument, "options",
                  "the axes " + text_of_axes(axes) + " name an index twice",
                  "name three different ones");
    }
  }
  int const radius = options.radius;
  if (radius < huffman::smallest_radius || radius > huffman::largest_radius ||
      (radius & (radius - 1)) != 0) {
    throw Error(Status::bad_argument, "options",
                "the radius " + std::to_string(radius) + " is not a power of two from " +
                    std::to_string(huffman::smallest_radius) + " to " +
                    std::to_string(huffman::largest_radius),
                "");
  }
}

void validate_limits(Limits const& limits) {
  bool const has_room = limits.lower < Limits::unlimited && limits.upper > -Limits::unlimited;
  if (has_room && limits.lower <= limits.upper) return;
  throw Error(
      Status::bad_argument, "options",
      "no number lies between the limits " + show(limits.lower) + " and " + show(limits.upper),
      "give the lower one first");
}

}  // namespace impl

void validate(Options const& options) {
  if (options.fill.others_count < 0 || options.fill.others_count > FillValue::max_others) {
    throw Error(Status::bad_argument, "options",
                "there are " + std::to_string(options.fill.others_count) + " further fill values",
                "give 0 to " + std::to_string(FillValue::max_others));
  }
  if (!(options.magnitude >= 0) || std::isinf(options.magnitude)) {
    throw Error(Status::bad_argument, "options",
                "the largest magnitude of the values is " + std::to_string(options.magnitude),
                "give a number, or 0 if it is not known");
  }
  impl::validate_counts(options);
  impl::validate_limits(options.limits);
  validate_steps(options);
  if (options.goal) validate_goal(options);
  Pipeline const pipeline = pipeline_of(options);
  CoderRow const* const coder = impl::row_of(pipeline);
  if (coder == nullptr) {
    throw Error(
        Status::bad_argument, "options",
        "there is no pipeline with the number " + std::to_string(static_cast<int>(pipeline)),
        "use one of Pipeline");
  }
  if (!has_variant(pipeline, options.variant)) {
    throw Error(Status::bad_argument, "options",
                std::string("the variant '") + to_string(options.variant) +
                    "' is not one of the pipeline " + to_string(pipeline),
                "use " + words_of_variants(*coder));
  }
  if (coder->validate != nullptr) coder->validate(options);
  if (!impl::go_together(pipeline, options.variant, impl::method_of(options.predictor))) {
    throw Error(Status::bad_argument, "options",
                std::string("the pipeline ") + to_string(pipeline) +
                    " does not support the predictor '" + to_string(options.predictor) + "'",
                "use auto");
  }
  if (options.bound.mode == ErrorBound::Mode::lossless) return validate_lossless(options);
  double const value = options.bound.value;
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(Status::bad_argument, "options",
                "the bound " + show(value) + " is not a positive finite number",
                "give one such as 1e-3");
  }
  if (options.bound.mode == ErrorBound::Mode::psnr && value > impl::max_decibels) {
    throw Error(Status::bad_argument, "options", "a PSNR of " + show(value) + " dB is too large",
                "give one up to 1000, such as 60");
  }
  if (options.bound.mode == ErrorBound::Mode::pwr && value >= 1) {
    throw Error(Status::bad_argument, "options",
                "the bound " + show(value) +
                    " relative to each value is not below 1, which would allow 0 for all",
                "give one such as 1e-3");
  }
  if (options.range != 0) validate_range(options.bound, options.range);
}

char const* to_string(Prediction prediction) noexcept {
  // One word for all shapes of tiles; words of the tables are literals.
  auto const* const row = impl::row_of(prediction.method);
  if (row != nullptr && row->asked_by.size() == 1) return row->asked_by.front().word.data();
  switch (prediction.shape) {
    case TileShape::chain: return "chain";
    case TileShape::square: return "tile 32x32";
    case TileShape::brick: return "tile 8x8x16";
  }
  return "unknown tiles";
}

char const* StreamInfo::predictor_word() const noexcept {
  if (!prediction) return "mixed";
  return constant ? "constant" : to_string(*prediction);
}

namespace {

// Of the order that has fewer: the caller has not said which one it is.
std::int64_t fewest_chunks(FieldShape shape, Options const& options, Predictor predictor) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    shape.order = order;
    impl::Extents3 const folded = impl::fold_shape(shape, impl::order_of(shape, options));
    fewest = std::min(fewest, impl::max_chunks(impl::method_of(predictor),
                                               impl::shapes_for(folded, predictor), folded));
  }
  return fewest;
}

std::size_t max_stream_bytes(FieldShape shape, Options const& options);

// The most of all that choose() may come to: tiles of either kind, and levels.
std::size_t max_bytes_of_choices(FieldShape const& shape, Options options) {
  bool const lossless = options.bound.mode == ErrorBound::Mode::lossless;
  options.goal.reset();
  std::size_t most = 0;
  for (CoderRow const* row : impl::coder_rows()) {
    if (lossless && !row->lossless) continue;
    options.pipeline = row->pipeline;
    for (Predictor const predictor : {Predictor::automatic, Predictor::interpolate}) {
      options.predictor = predictor;
      PredictionMethod const method = impl::method_of(predictor);
      if (!impl::go_together(row->pipeline, options.variant, method)) continue;
      if (lossless && impl::has_levels(method)) continue;
      // Levels have fewer values in one call than tiles, which have been asked for before.
      bool const is_large = impl::has_levels(method) && most > 0;
      if (is_large && !impl::fits_one_call(method, fewest_chunks(shape, options, predictor))) {
        continue;
      }
      most = std::max(most, max_stream_bytes(shape, options));
    }
  }
  return most;
}

// A choice for a small stream may come to any axis, unless one is named.
std::size_t max_bytes_of_axes(FieldShape const& shape, Options options) {
  std::size_t most = max_bytes_of_choices(shape, options);
  bool const tries_axes = options.axis < 0 && options.goal && is_for_size(*options.goal);
  if (!tries_axes) return most;
  for (impl::CodedAxes const& axes : impl::axes_to_try(shape.rank)) {
    impl::name_axes(options, axes);
    most = std::max(most, max_bytes_of_choices(shape, options));
  }
  return most;
}

// Size of the largest stream of a field whose values are coded as the shape's type, in either order.
std::size_t max_stream_bytes(FieldShape shape, Options const& options) {
  if (options.goal) return max_bytes_of_axes(shape, options);
  std::size_t const section =
      impl::max_section_bytes(*impl::row_of(pipeline_of(options)), options.radius);
  bool const may_have_fill = options.fill.mode != FillValue::Mode::none;
  PredictionMethod const method = impl::method_of(options.predictor);
  bool const has_levels = impl::has_levels(method);
  std::size_t most = impl::StreamLayout(shape.rank, 0).payload;
  if (shape.size() == 0) return most;
  impl::named("max_compressed_bytes", [&] {
    impl::require_chunk_count(method, fewest_chunks(shape, options, options.predictor));
  });
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    shape.order = order;
    impl::Extents3 const folded = impl::fold_shape(shape, impl::order_of(shape, options));
    std::uint32_t const shapes = impl::shapes_for(folded, options.predictor);
    impl::ExtraBytes const extra{impl::predictor_bytes(method, folded), section, 0,
                                 options.limits.any() ? impl::limits_section_bytes : 0};
    std::size_t const above =
        has_levels ? static_cast<std::size_t>(impl::level_counts(folded).values_above) : 0;
    for (int tile = 0; tile < tile_shapes; ++tile) {
      if ((shapes >> tile & 1u) == 0) continue;
      std::int64_t const chunks = impl::chunk_count(method, static_cast<TileShape>(tile), folded);
      most = std::max(
          most,
          impl::worst_case_bytes(
              impl::StreamLayout(shape.rank, chunks, extra, may_have_fill), chunks,
              impl::max_record_bytes(shape, chunks) + above * size_of(shape.dtype),
              impl::max_chunk_head_words(has_levels ? impl::sparse_chunk_tiles : impl::chunk_tiles,
                                         options.checksum)));
    }
  }
  return most;
}

}  // namespace

std::size_t max_compressed_bytes(FieldShape const& values, Options const& options) {
  Options const valid = impl::valid_options_for_type(values.dtype, options);
  FieldShape const shape = impl::shape_of_parts(values);
  FieldShape const coded = impl::with_coded_type(shape, valid.bound.mode);
  Options of_parts = valid;
  for (int* axis : {&of_parts.axis, &of_parts.second_axis, &of_parts.third_axis}) {
    if (*axis >= 0) *axis += impl::entries_before_field(shape, shape != values);
  }
  impl::named("max_compressed_bytes", [&] {
    impl::require_shape(shape);
    impl::require_axis(shape, of_parts);
  });
  std::size_t const bytes = max_stream_bytes(coded, of_parts);
  if (!may_be_too_large(shape.dtype, valid.bound)) return bytes;
  // Where some are too large for a bound, all are stored without loss.
  return std::max(bytes, max_stream_bytes(shape, impl::exact_integers(valid)));
}

}  // namespace kompakt
