#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <core/fp_environment.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <limits>
#include <pipeline/spread.hpp>

namespace kompakt {

namespace {

// (max - min) * 10^(-decibels / 20), rounded down, also where max - min overflows.
double bound_of_psnr(FieldRange const& range, double decibels) {
  impl::FpEnvironment const environment;
  double const half = environment.inside(range.max / 2 - range.min / 2);
  double const share = std::pow(10.0, -decibels / 20);
  // Four roundings and that of the power, each of less than an ulp.
  double const below = 1 - 8 * std::numeric_limits<double>::epsilon();
  return environment.inside(half * share * 2 * below);
}

// With the fill value that is masked in the whole field.
Options with_fill_of(FieldRange const& range, Options options) {
  bool const goes_by_range = options.bound.needs_range() && options.range == 0;
  if (goes_by_range && options.fill.mode != FillValue::Mode::none) {
    impl::named("compress", [&] { require_range_of_values(range); });
  }
  options.fill = options.fill.settled(range.fill);
  return options;
}

// In as few digits as give back its bits, of a float if it is one.
std::string show(double value) {
  std::array<char, 32> text{};
  auto const narrow = static_cast<float>(value);
  auto const end = static_cast<double>(narrow) == value
                       ? std::to_chars(text.data(), text.data() + text.size(), narrow)
                       : std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

FieldRange::Outliers outliers_of(FieldRange const& range) {
  return range.outliers ? *range.outliers : FieldRange::Outliers{0, 0, range.min, range.max};
}

double absolute_bound(FieldRange const& range, ErrorBound const& bound) {
  return bound.mode == ErrorBound::Mode::psnr ? bound_of_psnr(range, bound.value)
                                              : range.bound(bound.value);
}

}  // namespace

FieldRange joined(FieldRange const& a, FieldRange const& b) {
  if (!a.any || !b.any) {
    FieldRange one = a.any ? a : b;
    if (!one.fill) one.fill = a.any ? b.fill : a.fill;
    return one;
  }
  FieldRange both{
      true, std::min(a.min, b.min), std::max(a.max, b.max), a.fill ? a.fill : b.fill, {}};
  auto const of_a = outliers_of(a), of_b = outliers_of(b);
  double const min = std::min(of_a.min, of_b.min), max = std::max(of_a.max, of_b.max);
  std::uint64_t const count = of_a.count + of_b.count;
  if (count > 0 && max - min <= (both.max - both.min) / impl::spread_ratio) {
    bool const is_high = both.max - max > min - both.min;
    both.outliers = {count, is_high ? both.max : both.min, min, max};
  }
  return both;
}

void require_range_of_values(FieldRange const& range) {
  if (!range.outliers) return;
  FieldRange::Outliers const& few = *range.outliers;
  bool const is_peak_in_zeros = few.min == 0 && few.max == 0;
  if (is_peak_in_zeros) return;  // zeros come back as zeros
  bool const is_one = few.count == 1;
  throw Error(Status::bad_argument,
              "the range comes from " + std::to_string(few.count) +
                  (is_one ? " value, " : " values, such as ") + show(few.value) +
                  "; all others lie between " + show(few.min) + " and " + show(few.max) +
                  ", and a bound relative to the range would make them all equal. If " +
                  (is_one ? "it is a fill value" : "they are fill values") + ", set fill=" +
                  show(few.value) + "; if not, give an absolute bound, or set fill=none");
}

Options with_absolute_bound(Options options, double bound) {
  options.range = 0;
  options.bound = ErrorBound::absolute(bound);
  if (bound > 0) return options;
  options.bound = ErrorBound::lossless();
  options.pipeline = Pipeline::automatic;
  options.variant = Variant::automatic;
  options.predictor = Predictor::automatic;
  options.goal.reset();
  options.pipeline = pipeline_of(options);
  return options;
}

Options options_for_parts(FieldRange const& range, Options options) {
  options = with_fill_of(range, options);
  if (!options.bound.needs_range() || options.range != 0) return options;
  double const width = range.width();
  if (!(width > 0)) return options;
  if (width <= std::numeric_limits<double>::max()) {
    options.range = width;
    return options;
  }
  return with_absolute_bound(options, absolute_bound(range, options.bound));
}

Options absolute_options_for_parts(FieldRange const& range, Options options) {
  options = with_fill_of(range, options);
  if (!options.bound.needs_range()) return options;
  FieldRange const said{true, 0, options.range, {}, {}};
  return with_absolute_bound(options,
                             absolute_bound(options.range > 0 ? said : range, options.bound));
}

}  // namespace kompakt
