#include "metrics_report.hpp"
#include "text.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kompakt::cli {

namespace {

std::string text_or_undefined(double value, int digits = 6) {
  return std::isnan(value) ? "not defined" : text_of(value, digits);
}

// What the bound is relative to is in its name.
char const* key_of(ErrorBound const& bound) {
  switch (bound.mode) {
    case ErrorBound::Mode::pwr: return "bound_pwr";
    case ErrorBound::Mode::psnr: return "bound_psnr";
    default: return "bound_abs";
  }
}

void describe_basic(Report& report, Metrics const& m, ErrorBound const& bound,
                    files::Variable const& original) {
  bool const is_packed = original.packing().has_value();
  report.values.update(
      {{"max_abs_error", m.max_abs_error},
       {"max_rel_error", m.max_rel_error},
       {"mean_error", m.mean_error},
       {"bound_abs", nullptr},
       {"violations", m.violations},
       {"first_violation", nullptr},
       {"rmse", m.rmse()},
       {"nrmse", m.nrmse()},
       {"psnr_db", m.psnr_db()},  // null when the fields are equal: no finite number
       {"pearson", m.pearson},
       {"values", m.values},
       {"nonfinite", m.nonfinite},
       {"min", m.min},
       {"max", m.max}});
  report.values[key_of(bound)] = bound.value;
  if (m.first_violation >= 0) report.values["first_violation"] = m.first_violation;
  report.lines.insert(
      report.lines.end(),
      {{"values", std::to_string(m.values) + ", of them " + std::to_string(m.nonfinite) +
                      " not finite; range " + text_of(m.min) + " to " + text_of(m.max)},
       {"bound", text_of_resolved(bound, original)},
       {"violations", std::to_string(m.violations)},
       {"largest error",
        is_packed ? text_of_distance(m.max_abs_error, original) : text_of(m.max_abs_error)},
       {"relative error", text_of(m.max_rel_error) + " at most, where the value is not 0"},
       {"mean error", text_of(m.mean_error)},
       {"RMSE", text_of(m.rmse()) + ", of the range " + text_of(m.nrmse())},
       {"PSNR", text_of(m.psnr_db()) + " dB"},
       {"Pearson", text_or_undefined(m.pearson, 12)}});
}

void describe_ssim(Report& report, Metrics const& m) {
  report.values["ssim"] = m.ssim;
  report.values["ssim_windows"] = m.ssim_windows;
  report.lines.emplace_back(
      "SSIM", m.ssim_windows > 0
                  ? text_of(m.ssim, 12) + ", mean of " + std::to_string(m.ssim_windows) + " windows"
                  : "not defined: the field is constant, no window of 7 values along "
                    "each axis fits, or none has finite values only");
}

void describe_entropy(Report& report, Metrics const& m) {
  report.values["entropy_original"] = m.entropy_original;
  report.values["entropy_reconstructed"] = m.entropy_reconstructed;
  report.lines.emplace_back("entropy", text_or_undefined(m.entropy_original) +
                                           " bits per value, of the reconstruction " +
                                           text_or_undefined(m.entropy_reconstructed));
}

void describe_autocorrelation(Report& report, Metrics const& m) {
  report.values["autocorrelation"] = m.autocorrelation;
  auto const is_undefined = [](double coefficient) { return std::isnan(coefficient); };
  std::string text;
  for (double const coefficient : m.autocorrelation) {
    text += (text.empty() ? "of the errors, at lags 1 to " + std::to_string(Metrics::lags) + ": "
                          : std::string(", ")) +
            text_or_undefined(coefficient, 3);
  }
  if (std::ranges::all_of(m.autocorrelation, is_undefined))
    text = text_or_undefined(Metrics::undefined);
  report.lines.emplace_back("autocorrelation", text);
}

// "-1.000 to -0.905   4.76 %  ######", in bounds and with a bar.
std::string text_of_bin(int bin, double share, double largest_share) {
  constexpr double width = 2.0 / ErrorHistogram::bins;
  constexpr int longest_bar = 40;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%6.3f to %6.3f  %6.2f %%  ", -1 + bin * width,
                -1 + (bin + 1) * width, 100 * share);
  double const part = largest_share > 0 ? share / largest_share : 0;
  return text.data() + std::string(static_cast<std::size_t>(std::lround(part * longest_bar)), '#');
}

void describe_histogram(Report& report, Metrics const& m) {
  ErrorHistogram const& histogram = m.histogram;
  report.values["error_histogram"] = {
      {"counts", histogram.counts}, {"below", histogram.below}, {"above", histogram.above}};
  std::uint64_t const finite = std::max<std::uint64_t>(1, m.values - m.nonfinite);
  auto const share = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(finite);
  };
  double const largest = share(*std::max_element(histogram.counts.begin(), histogram.counts.end()));
  for (int bin = 0; bin < ErrorHistogram::bins; ++bin) {
    double const part = share(histogram.counts[static_cast<std::size_t>(bin)]);
    report.lines.emplace_back(bin == 0 ? "errors / bound" : "", text_of_bin(bin, part, largest));
  }
  report.lines.emplace_back("", std::to_string(histogram.below) + " below, " +
                                    std::to_string(histogram.above) + " above the bound");
}

}  // namespace

void describe_integers(Report& report, Metrics const& m) {
  report.values.update(
      {{"values", m.values}, {"violations", m.violations}, {"first_violation", nullptr}});
  if (m.first_violation >= 0) report.values["first_violation"] = m.first_violation;
  report.lines.emplace_back("values", std::to_string(m.values));
  report.lines.emplace_back("bound", text_of_resolved(ErrorBound::lossless()));
  report.lines.emplace_back("violations", std::to_string(m.violations));
}

void describe(Report& report, Metrics const& metrics, ErrorBound const& bound,
              MetricsOptions const& options, files::Variable const& original) {
  describe_basic(report, metrics, bound, original);
  if (options.ssim) describe_ssim(report, metrics);
  if (options.entropy) describe_entropy(report, metrics);
  if (options.autocorrelation) describe_autocorrelation(report, metrics);
  if (options.histogram) describe_histogram(report, metrics);
}

}  // namespace kompakt::cli
