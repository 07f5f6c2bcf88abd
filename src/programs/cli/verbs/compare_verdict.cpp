#include "compare_verdict.hpp"
#include "compare_values.hpp"
#include <cli/parts/metrics_report.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/text.hpp>
#include <cmath>
#include <kompakt/error.hpp>
#include <limits>

namespace kompakt::cli {

namespace {

Report report_of(Metrics const& metrics, Dtype dtype, ErrorBound const& checked,
                 MetricsOptions const& options, std::optional<StreamInfo> const& info,
                 files::Variable const& original) {
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
    describe(report, metrics, checked, options, original);
  }
  return report;
}

// -m psnr: the fields as a whole, with the range that was given or that of the original.
void require_psnr(CompareArguments const& arguments, Metrics const& stats) {
  if (!arguments.asks_for_psnr()) return;
  ErrorBound const target = arguments.bound.bound();
  double const range = arguments.bound.range();
  double const psnr = stats.psnr_db() + (range > 0 ? 20 * std::log10(range / stats.range()) : 0.0);
  if (psnr >= target.value) return;
  throw Error(Status::bound_violated, "the PSNR is " + text_of(psnr, 8) + " dB, below the " +
                                          text_of(target.value) + " dB to reach");
}

/// What is wrong with values that break a bound. For a PSNR no error of a finite number does.
std::string text_of_fault(CompareArguments const& arguments, ErrorBound const& checked) {
  if (!arguments.asks_for_psnr()) return text_of_violations(checked);
  return " values are missing or not finite in one field alone";
}

/// ", 3 of them became missing, 1 of them lost a fill value"
std::string text_of_changed(ChangedFills const& changed) {
  std::string text;
  if (changed.became_missing > 0) {
    text += ", " + std::to_string(changed.became_missing) + " of them became missing";
  }
  if (changed.lost > 0) text += ", " + std::to_string(changed.lost) + " of them lost a fill value";
  return text;
}

}  // namespace

Violation first_violation(Metrics const& stats, ErrorBound const& checked, FieldShape const& shape,
                          std::span<std::byte const> original, std::span<std::byte const> other,
                          ChangedFills const& changed) {
  if (stats.first_violation < 0) return {checked, "", ""};
  auto const position = static_cast<std::size_t>(stats.first_violation);
  if (changed.first == position) {
    int const digits = shape.dtype == Dtype::f32 ? std::numeric_limits<float>::max_digits10
                                                 : std::numeric_limits<double>::max_digits10;
    return {checked, text_of(changed.original, digits), text_of(changed.restored, digits)};
  }
  return {checked, value_at(original, shape.dtype, position),
          value_at(other, shape.dtype, position)};
}

int conclude(CompareArguments const& arguments, Comparison const& comparison) {
  auto const& [shape, info, checked, options, all, fill_values, changed, first, original] =
      comparison;
  Metrics stats = all;
  std::uint64_t const left_out = fill_values + changed.count();
  stats.values -= left_out;
  stats.nonfinite -= left_out;
  ErrorBound const shown = arguments.asks_for_psnr() ? arguments.bound.bound() : checked;
  Report report = report_of(stats, shape.dtype, shown, options, info, original);
  report.values["values"] = all.values;
  report.values["fill_values"] = fill_values;
  if (fill_values > 0) {
    report.lines.emplace_back("fill values",
                              std::to_string(fill_values) + ", left out of all metrics");
  }
  report.values["became_missing"] = changed.became_missing;
  report.values["lost_fill_values"] = changed.lost;
  if (changed.count() > 0) {
    report.lines.emplace_back("became missing", std::to_string(changed.became_missing) +
                                                    " values, which are fill values now");
    report.lines.emplace_back(
        "lost", std::to_string(changed.lost) + " fill values, which are other values now");
  }
  report.print(arguments.json, stdout);
  require_psnr(arguments, stats);
  if (stats.violations == 0) return 0;
  throw Error(
      Status::bound_violated,
      std::to_string(stats.violations) + " of " + std::to_string(stats.values + changed.count()) +
          text_of_fault(arguments, first.bound) + text_of_changed(changed) + ", first the one at " +
          text_of_position(shape, static_cast<std::size_t>(stats.first_violation)) + ": " +
          first.original + " became " + first.other);
}

}  // namespace kompakt::cli
