#include "compare_verdict.hpp"
#include "compare_values.hpp"
#include <cli/parts/metrics_report.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/text.hpp>
#include <cmath>
#include <kompakt/error.hpp>

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

}  // namespace

Violation first_violation(Metrics const& stats, ErrorBound const& checked, FieldShape const& shape,
                          std::span<std::byte const> original, std::span<std::byte const> other) {
  if (stats.first_violation < 0) return {checked, "", ""};
  auto const position = static_cast<std::size_t>(stats.first_violation);
  return {checked, value_at(original, shape.dtype, position),
          value_at(other, shape.dtype, position)};
}

int conclude(CompareArguments const& arguments, Comparison const& comparison) {
  auto const& [shape, info, checked, options, all, fill_values, first, original] = comparison;
  Metrics stats = all;
  stats.values -= fill_values;
  stats.nonfinite -= fill_values;
  ErrorBound const shown = arguments.asks_for_psnr() ? arguments.bound.bound() : checked;
  Report report = report_of(stats, shape.dtype, shown, options, info, original);
  report.values["values"] = all.values;
  report.values["fill_values"] = fill_values;
  if (fill_values > 0) {
    report.lines.emplace_back("fill values",
                              std::to_string(fill_values) + ", left out of all metrics");
  }
  report.print(arguments.json, stdout);
  require_psnr(arguments, stats);
  if (stats.violations == 0) return 0;
  throw Error(Status::bound_violated,
              std::to_string(stats.violations) + " of " + std::to_string(stats.values) +
                  text_of_violations(first.bound) + ", first the one at " +
                  text_of_position(shape, static_cast<std::size_t>(stats.first_violation)) + ": " +
                  first.original + " became " + first.other);
}

}  // namespace kompakt::cli
