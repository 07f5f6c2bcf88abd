#include "compare_arguments.hpp"
#include <cli/parts/fill.hpp>
#include <cli/parts/packed_bound.hpp>
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

std::optional<ErrorBound> bound_for(CompareArguments const& arguments, FieldInput const& original) {
  if (!arguments.bound.given()) return std::nullopt;
  auto const packing = original.variable.packing();
  ErrorBound bound = arguments.bound.bound();
  if (!packing) return bound;
  double const range = arguments.bound.range();
  if (bound.mode == ErrorBound::Mode::r2r && range > 0) {
    bound = ErrorBound::absolute(FieldRange{true, 0, range, {}, {}}.bound(bound.value));
  }
  return bound_of_integers(bound, *packing);
}

void require_numbers_for_metrics(CompareArguments const& arguments, Dtype dtype) {
  if (!is_integer(dtype) || !arguments.metrics) return;
  refuse(Status::bad_argument,
         std::string("--metrics: values of ") + to_string(dtype) +
             " are compared bit for bit; SSIM and its like are for numbers within a bound");
}

FillValue fills_of(CompareArguments const& arguments, FieldInput const& original,
                   std::optional<StreamInfo> const& info) {
  FillValue const& asked = arguments.fill;
  if (asked.mode == FillValue::Mode::none) return asked;
  bool const is_plain = asked == FillValue::automatic();
  FillValue fills = info && is_plain ? fill_of(info) : asked;
  if (info && info->fill && !is_plain) add_fill(fills, *info->fill);
  if (asked.mode == FillValue::Mode::value) return fills;
  for (double const missing : original.variable.missing()) add_fill(fills, missing);
  return fills;
}

bool may_mask_more(CompareArguments const& arguments, FillValue const& fills,
                   std::optional<StreamInfo> const& info) {
  return info && info->fill && fills.mode == FillValue::Mode::value &&
         fills.others_count < FillValue::max_others &&
         arguments.fill.mode == FillValue::Mode::automatic;
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
