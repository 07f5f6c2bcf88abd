#include "convert.hpp"
#include "arguments.hpp"
#include <algorithm>
#include <iterator>
#include <kompakt/chunks.hpp>
#include <limits>

namespace kompakt::c {

namespace {

static_assert(sizeof(std::size_t) == sizeof(std::uint64_t),
              "sizes of the C interface have 64 bits");
static_assert(KOMPAKT_MAX_RANK == max_rank && KOMPAKT_QUALITY_LAGS == Metrics::lags &&
              KOMPAKT_QUALITY_BINS == ErrorHistogram::bins);
// The header lists as many numbers as there are, of which the tests compare each.
static_assert(KOMPAKT_C128 == dtype_count - 1 && KOMPAKT_VARIANT_DICTIONARY == variant_count - 1 &&
              KOMPAKT_TILE_BRICK == tile_shapes - 1);

/// One of the numbers that the library knows: its tables may have more than the header lists.
template <class Enum>
Enum known(Name const& name, std::int32_t number, char const* type) {
  auto const found = enumerator_of<Enum>(number);
  if (!found) {
    refuse(name.text() + " is " + std::to_string(number), std::string("use one of ") + type);
  }
  return *found;
}

std::optional<Goal> goal_of(std::int32_t number) {
  if (number == KOMPAKT_GOAL_NONE) return std::nullopt;
  return known<Goal>({"options->goal"}, number, "kompakt_goal");
}
int count_of_fills(char const* what, std::int32_t count) {
  if (count < 0 || count > KOMPAKT_MAX_OTHER_FILLS) {
    refuse(std::string(what) + " is " + std::to_string(count),
           "give 0 to " + std::to_string(KOMPAKT_MAX_OTHER_FILLS));
  }
  return count;
}
FillValue fill_of(kompakt_options const& options) {
  auto const mode =
      enumerator<FillValue::Mode>({"options->fill_mode"}, options.fill_mode, "kompakt_fill_mode",
                                  KOMPAKT_FILL_NONE, KOMPAKT_FILL_VALUE);
  FillValue fill{mode, mode == FillValue::Mode::value ? options.fill : 0, {}, 0};
  int const count = count_of_fills("options->other_fill_count", options.other_fill_count);
  if (mode == FillValue::Mode::none) return fill;
  for (int i = 0; i < count; ++i) fill = fill.with(options.other_fills[i]);
  return fill;
}
ChoiceRecord reason_of(std::uint64_t bits) {
  if (bits == 0) return {};
  auto const reason = ChoiceRecord::from_bits(bits);
  if (!reason) {
    refuse("options->reason is " + std::to_string(bits) + ", which is not a reason",
           "leave it as kompakt_choose() has set it, or 0");
  }
  return *reason;
}

kompakt_bound to_c(ErrorBound const& bound) {
  kompakt_bound result = kompakt_bound_of(static_cast<kompakt_bound_mode>(bound.mode), bound.value);
  result.is_default = bound.is_default ? 1 : 0;
  return result;
}
kompakt_goal to_c(std::optional<Goal> goal) {
  return goal ? static_cast<kompakt_goal>(*goal) : kompakt_goal{KOMPAKT_GOAL_NONE};
}

void set_codebook(kompakt_info& to, CodebookInfo const& from) {
  to.radius = from.radius;
  to.dictionary = from.dictionary;
  to.symbols_only = from.symbols_only ? 1 : 0;
  std::copy(from.books.begin(), from.books.end(), to.books);
  to.codebook_bytes = from.bytes;
}

}  // namespace

MemoryOf memory_of(Name const& name, kompakt_memory memory) {
  return enumerator<MemoryOf>(name, memory, "kompakt_memory", KOMPAKT_HOST, KOMPAKT_IN_SPACE);
}

Array array_of_field(char const* what, kompakt_field const* field) {
  kompakt_field const given = read(what, field, kompakt_field_default());
  Array array;
  array.shape.dtype =
      enumerator<Dtype>({what, "->dtype"}, given.dtype, "kompakt_dtype", KOMPAKT_F32, KOMPAKT_C128);
  array.shape.order = enumerator<Order>({what, "->order"}, given.order, "kompakt_order",
                                        KOMPAKT_LAST_FASTEST, KOMPAKT_FIRST_FASTEST);
  array.in = memory_of({what, "->memory"}, given.memory);
  if (given.rank < 1 || given.rank > max_rank) {
    refuse(Name{what, "->rank"}.text() + " is " + std::to_string(given.rank), "give 1 to 8");
  }
  array.shape.rank = given.rank;
  std::copy_n(given.extents, given.rank, array.shape.extents.begin());
  if (!is_countable(array.shape)) {
    refuse(std::string("the extents of ") + what + " make more than 2^60 values",
           "split the field");
  }
  bool const is_dense = std::all_of(given.strides, given.strides + given.rank,
                                    [](std::int64_t stride) { return stride == 0; });
  if (is_dense) {
    array.strides = strides_of(array.shape);
  } else {
    std::copy_n(given.strides, given.rank, array.strides.begin());
  }
  return array;
}

ErrorBound bound_of(char const* what, kompakt_bound const& bound) {
  return {known<ErrorBound::Mode>({what, ".mode"}, bound.mode, "kompakt_bound_mode"), bound.value,
          enumerator<bool>({what, ".is_default"}, bound.is_default, "0 and 1", 0, 1)};
}

ReasonedOptions options_of(kompakt_options const* options) {
  if (options == nullptr) return {};
  kompakt_options const given = read("options", options, kompakt_options_default());
  Options result;
  result.bound = bound_of("options->bound", given.bound);
  result.pipeline = known<Pipeline>({"options->pipeline"}, given.pipeline, "kompakt_pipeline");
  result.variant = known<Variant>({"options->variant"}, given.variant, "kompakt_variant");
  result.predictor = known<Predictor>({"options->predictor"}, given.predictor, "kompakt_predictor");
  result.goal = goal_of(given.goal);
  result.checksum = enumerator<bool>({"options->checksum"}, given.checksum, "0 and 1", 0, 1);
  result.radius = given.radius;
  result.pack = enumerator<bool>({"options->pack"}, given.pack, "0 and 1", 0, 1);
  result.range = given.range;
  result.magnitude = given.magnitude;
  if (enumerator<bool>({"options->has_limits"}, given.has_limits, "0 and 1", 0, 1)) {
    result.limits = {given.lower_limit, given.upper_limit};
  }
  result.fill = fill_of(given);
  result.axis = given.axis;
  result.second_axis = given.second_axis;
  result.third_axis = given.third_axis;
  result.steps = {
      known<ValueSteps::Kind>({"options->steps_kind"}, given.steps_kind, "kompakt_steps_kind"),
      given.step, given.step_offset};
  return {result, reason_of(given.reason)};
}

void set(kompakt_options& to, Options const& from) {
  to.bound = to_c(from.bound);
  to.pipeline = static_cast<kompakt_pipeline>(from.pipeline);
  to.variant = static_cast<kompakt_variant>(from.variant);
  to.predictor = static_cast<kompakt_predictor>(from.predictor);
  to.goal = to_c(from.goal);
  to.checksum = from.checksum ? 1 : 0;
  to.radius = from.radius;
  to.range = from.range;
  to.magnitude = from.magnitude;
  to.fill_mode = static_cast<kompakt_fill_mode>(from.fill.mode);
  to.fill = from.fill.value;
  std::copy(from.fill.others.begin(), from.fill.others.end(), to.other_fills);
  to.other_fill_count = from.fill.others_count;
  to.pack = from.pack ? 1 : 0;
  to.has_limits = from.limits.any() ? 1 : 0;
  to.lower_limit = from.limits.any() ? from.limits.lower : 0;
  to.upper_limit = from.limits.any() ? from.limits.upper : 0;
  to.axis = from.axis;
  to.second_axis = from.second_axis;
  to.third_axis = from.third_axis;
  to.steps_kind = static_cast<kompakt_steps_kind>(from.steps.kind);
  to.step = from.steps.step;
  to.step_offset = from.steps.offset;
}

kompakt_options options_without_range(kompakt_options const* options) {
  Options const given = options_of(options).options;
  validate(given);
  kompakt_options kept = kompakt_options_default();
  set(kept, kompakt::options_without_range(given));
  return kept;
}

Box box_of(std::uint64_t const* begin, std::uint64_t const* end, int rank) {
  auto const count = static_cast<std::size_t>(rank);
  auto const from = array_of("begin", begin, count);
  auto const to = array_of("end", end, count);
  return {std::vector<std::size_t>(from.begin(), from.end()),
          std::vector<std::size_t>(to.begin(), to.end())};
}

kompakt_info to_c(StreamInfo const& info) {
  kompakt_info result = kompakt_info_default();
  result.bytes = info.bytes;
  result.version = info.version;
  result.dtype = static_cast<kompakt_dtype>(info.shape.dtype);
  result.order = static_cast<kompakt_order>(info.shape.order);
  result.rank = info.shape.rank;
  std::copy_n(info.shape.extents.begin(), info.shape.rank, result.extents);
  std::copy_n(info.part.origin.begin(), info.shape.rank, result.origin);
  std::copy_n(info.part.total.begin(), info.shape.rank, result.total);
  result.bound = to_c(info.bound);
  result.resolved = to_c(info.resolved());
  result.fill = info.fill.value_or(0);
  result.has_fill = info.fill ? 1 : 0;
  result.is_part = info.is_part() ? 1 : 0;
  result.constant = info.constant ? 1 : 0;
  result.checksum = info.checksum ? 1 : 0;
  result.packed = info.packed ? 1 : 0;
  result.pipeline = static_cast<kompakt_pipeline>(info.pipeline);
  result.variant = static_cast<kompakt_variant>(info.variant);
  result.method = info.prediction ? static_cast<kompakt_method>(info.prediction->method)
                                  : kompakt_method{KOMPAKT_METHOD_MIXED};
  result.tile_shape = static_cast<kompakt_tile_shape>(info.prediction.value_or(Prediction{}).shape);
  result.goal = to_c(info.reason.goal());
  set_codebook(result, info.codebook);
  result.exceptions = info.exceptions;
  result.chunks = info.chunks;
  result.axis = info.axis;
  result.second_axis = info.second_axis;
  result.third_axis = info.third_axis;
  result.steps_kind = static_cast<kompakt_steps_kind>(info.steps.kind);
  result.step = info.steps.step;
  result.step_offset = info.steps.offset;
  result.has_limits = info.limits.any() ? 1 : 0;
  result.lower_limit = info.limits.any() ? info.limits.lower : 0;
  result.upper_limit = info.limits.any() ? info.limits.upper : 0;
  return result;
}

kompakt_range to_c(FieldRange const& range) {
  kompakt_range result = kompakt_range_default();
  result.min = range.min;
  result.max = range.max;
  result.width = range.width();
  result.any = range.any ? 1 : 0;
  result.has_fill = range.fill ? 1 : 0;
  result.fill = range.fill.value_or(0);
  std::ranges::copy(range.other_fills, result.other_fills);
  result.other_fill_count = range.other_fill_count;
  return result;
}

FieldRange range_between(double min, double max) {
  if (!(min <= max)) {
    refuse("min is " + std::to_string(min) + " and max " + std::to_string(max),
           "pass the lower end first");
  }
  return {true, min, max, {}, {}};
}
FieldRange range_of(kompakt_range const& given) {
  FieldRange range;
  if (given.any != 0) range = range_between(given.min, given.max);
  int const count = count_of_fills("whole->other_fill_count", given.other_fill_count);
  if (given.has_fill != 0) range.add_fill(given.fill);
  for (int i = 0; i < count; ++i) range.add_fill(given.other_fills[i]);
  return range;
}

kompakt_quality to_c(Metrics const& metrics) {
  kompakt_quality result = kompakt_quality_default();
  result.values = metrics.values;
  result.nonfinite = metrics.nonfinite;
  result.violations = metrics.violations;
  result.first_violation = metrics.first_violation;
  result.max_abs_error = metrics.max_abs_error;
  result.max_rel_error = metrics.max_rel_error;
  result.mean_error = metrics.mean_error;
  result.min = metrics.min;
  result.max = metrics.max;
  result.rmse = metrics.rmse();
  result.nrmse = metrics.nrmse();
  result.psnr_db = metrics.psnr_db();
  result.pearson = metrics.pearson;
  result.ssim = metrics.ssim;
  result.ssim_windows = metrics.ssim_windows;
  std::fill(std::begin(result.autocorrelation), std::end(result.autocorrelation),
            Metrics::undefined);
  std::copy(metrics.autocorrelation.begin(), metrics.autocorrelation.end(), result.autocorrelation);
  std::copy(metrics.histogram.counts.begin(), metrics.histogram.counts.end(), result.histogram);
  result.histogram_below = metrics.histogram.below;
  result.histogram_above = metrics.histogram.above;
  result.entropy_original = metrics.entropy_original;
  result.entropy_reconstructed = metrics.entropy_reconstructed;
  return result;
}

}  // namespace kompakt::c
