#include "compare_arguments.hpp"
#include <cli/parts/fill.hpp>
#include <cli/parts/text.hpp>
#include <cmath>
#include <kompakt/error.hpp>
#include <limits>

namespace kompakt::cli {

namespace {

[[noreturn]] void refuse(Status status, std::string const& message, std::string_view advice = {}) {
  throw Error(status, message, advice);
}

}  // namespace

void CompareArguments::tell_files_apart() {
  if (input.empty() && files.size() == 2) {
    input = files.front();
  } else if (input.empty() || files.size() != 1) {
    refuse(Status::bad_argument,
           input.empty() ? "'" + files.front() + "' alone has nothing to be compared with"
                         : "-i names the original '" + input + "', and two files follow",
           "name two files: the original, and what is compared with it");
  }
  other = files.back();
}

FieldInput open_original(CompareArguments const& arguments,
                         std::optional<FieldShape> const& other) {
  bool const described = other || arguments.field.given();
  if (!described && files::input_name(arguments.input, false).format == files::Format::raw) {
    refuse(Status::bad_argument, "'" + arguments.other +
                                     "' is not a kompakt stream; to compare with a raw field, "
                                     "give -t and -l (or --shape)");
  }
  if (other) arguments.field.require_agreement(*other, arguments.other);
  return open_field_input(arguments.input, arguments.field, other);
}

void require_integers_lossless(CompareArguments const& arguments,
                               std::optional<ErrorBound> const& bound, Dtype dtype) {
  if (!is_integer(dtype)) return;
  if (bound && bound->mode != ErrorBound::Mode::lossless) {
    refuse(Status::bad_argument,
           std::string("-m ") + to_string(bound->mode) + ": values of " + to_string(dtype) +
               " are integers, which are compared bit for bit",
           "give -m lossless");
  }
  if (arguments.metrics) {
    refuse(Status::bad_argument, std::string("--metrics: values of ") + to_string(dtype) +
                                     " are integers; SSIM and its like are for f32 and f64");
  }
}

FillValue fills_of(CompareArguments const& arguments, FieldInput const& original,
                   std::optional<StreamInfo> const& info) {
  if (is_integer(original.shape.dtype)) return FillValue::none();
  FillValue fills = info ? fill_of(info) : parse_fill(arguments.fill);
  if (!info && fills.mode != FillValue::Mode::automatic) return fills;
  for (double const declared : original.variable.fills()) fills = fills.with(declared);
  return fills;
}

ErrorBound resolve_bound(BoundArguments const& arguments, std::optional<ErrorBound> const& given,
                         std::optional<StreamInfo> const& info,
                         std::function<FieldRange()> const& range_of_original) {
  if (!given) return info->resolved();
  if (given->mode == ErrorBound::Mode::psnr) {
    return ErrorBound::absolute(
        std::numeric_limits<double>::max());  // its own check comes in the end
  }
  if (given->mode != ErrorBound::Mode::r2r) return *given;
  FieldRange range{true, 0, arguments.range(), std::nullopt, std::nullopt};
  if (range.max == 0) range = range_of_original();
  if (!std::isfinite(given->value * range.width())) {
    refuse(Status::bad_argument,
           "-m r2r: " + text_of(given->value) + " times the range " + text_of(range.width()) +
               " is not finite",
           "give -m abs");
  }
  return ErrorBound::absolute(range.bound(given->value));
}

}  // namespace kompakt::cli
