#include <cmath>
#include <core/fp_environment.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <limits>

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

// The fill value that was found; of one that was given, as it was.
Options with_fill_of(FieldRange const& range, Options options) {
  if (range.fill) options.fill = FillValue::of(*range.fill);
  if (options.fill.mode == FillValue::Mode::automatic) options.fill = FillValue::none();
  return options;
}

double absolute_bound(FieldRange const& range, ErrorBound const& bound) {
  return bound.mode == ErrorBound::Mode::psnr ? bound_of_psnr(range, bound.value)
                                              : range.bound(bound.value);
}

}  // namespace

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
  FieldRange const said{true, 0, options.range, {}};
  return with_absolute_bound(options,
                             absolute_bound(options.range > 0 ? said : range, options.bound));
}

}  // namespace kompakt
