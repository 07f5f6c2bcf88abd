#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <coder/table.hpp>
#include <core/decibel.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/chunks.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/option_keys.hpp>
#include <kompakt/options.hpp>
#include <limits>
#include <pipeline/spread.hpp>

namespace kompakt {

namespace {

// (max - min) * 10^(-decibels / 20), rounded down, also where max - min overflows.
double bound_of_psnr(FieldRange const& range, double decibels) {
  impl::FpEnvironment const environment;
  return environment.inside(impl::range_bound(impl::share_of_range(environment.inside(decibels)),
                                              environment.inside(range.min),
                                              environment.inside(range.max)));
}

// Without the end that repeats and lies apart, as its fill value. A search of the whole field finds it; parts of it where nothing
// else is cannot tell.
FieldRange without_repeated_end(FieldRange range, FillValue const& asked) {
  auto const& [near, far] = range.crowd;
  bool const is_one = range.outliers && far.min == far.max && std::min(far.at_min, far.at_max) >= 2;
  if (asked.mode != FillValue::Mode::automatic || range.fill || !is_one) return range;
  range.fill = far.min;
  range.min = near.min;
  range.max = near.max;
  range.outliers.reset();
  return range;
}

// With the fill value that is masked in the whole field.
Options with_fill_of(FieldRange const& range, Options options) {
  bool const goes_by_range = options.bound.needs_range() && options.range == 0;
  if (goes_by_range && options.fill.mode != FillValue::Mode::none) {
    impl::named("compress", [&] { require_range_of_values(range); });
  }
  options.fill = range.fills(options.fill);
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

// Of so many values one is few.
constexpr std::uint64_t few_values = 10000;

void add_fills(FieldRange& range, FieldRange const& part) {
  if (part.fill) range.add_fill(*part.fill);
  for (int i = 0; i < part.other_fill_count; ++i) {
    range.add_fill(part.other_fills[static_cast<std::size_t>(i)]);
  }
}

FieldRange::Cluster joined(FieldRange::Cluster const& a, FieldRange::Cluster const& b) {
  if (a.count == 0 || b.count == 0) return a.count == 0 ? b : a;
  FieldRange::Cluster both{a.count + b.count, std::min(a.min, b.min), std::max(a.max, b.max)};
  for (FieldRange::Cluster const* const part : {&a, &b}) {
    if (part->min == both.min) both.at_min += part->at_min;
    if (part->max == both.max) both.at_max += part->at_max;
  }
  return both;
}

bool is_of_one_value(FieldRange::Cluster const& cluster) { return cluster.min == cluster.max; }

// Values of both parts that lie together within `distance`, and what lies farther from these. Land is one value, and is not what the
// others lie apart from, however much of it there is and whichever part comes first.
FieldRange::Crowd joined(FieldRange::Crowd const& a, FieldRange::Crowd const& b, double distance) {
  using Cluster = FieldRange::Cluster;
  auto const fits = [&](Cluster const& cluster) { return cluster.max - cluster.min <= distance; };
  FieldRange::Crowd both{joined(a.near, b.near), {}};
  // What was far in a part may be near in the whole, whose range is wider.
  auto const add = [&](Cluster const& cluster) {
    Cluster& to = fits(joined(both.near, cluster)) ? both.near : both.far;
    to = joined(to, cluster);
  };
  bool const fits_a = fits(a.near), fits_b = fits(b.near);
  if (!fits(both.near) && (fits_a || fits_b)) {
    bool const is_level_a = is_of_one_value(a.near), is_level_b = is_of_one_value(b.near);
    bool const is_better_a = is_level_a == is_level_b ? a.near.count >= b.near.count : is_level_b;
    bool const is_a = fits_a && (!fits_b || is_better_a);
    both.near = is_a ? a.near : b.near;
    add(is_a ? b.near : a.near);
  }
  add(a.far);
  add(b.far);
  bool const is_land_near = is_of_one_value(both.near) && !is_of_one_value(both.far);
  if (is_land_near && both.far.count > 0 && fits(both.far)) std::swap(both.near, both.far);
  return both;
}

// Where nothing has been counted, of as few values as there may be: more than their ends, if these differ.
FieldRange::Crowd crowd_of(FieldRange const& range) {
  if (range.crowd.near.count > 0) return range.crowd;
  auto const between = [](double min, double max) {
    return FieldRange::Cluster{min == max ? 1u : 3u, min, max, 1, 1};
  };
  if (!range.outliers) return {between(range.min, range.max), {}};
  FieldRange::Outliers const& few = *range.outliers;
  // They may not all be this one: its other end is left open.
  return {between(few.min, few.max), {few.count, few.value, few.value, few.count, 0}};
}

// Ends that have been measured are finite.
void require_finite_ends(FieldRange const& range) {
  if (!range.any || (std::isfinite(range.min) && std::isfinite(range.max))) return;
  throw Error(Status::bad_argument,
              "the range from " + show(range.min) + " to " + show(range.max) + " is not finite",
              "give the least and the largest one of the finite values");
}

double absolute_bound(FieldRange const& range, ErrorBound const& bound) {
  return bound.mode == ErrorBound::Mode::psnr ? bound_of_psnr(range, bound.value)
                                              : range.bound(bound.value);
}

}  // namespace

void FieldRange::add_fill(double value) {
  if (fills(fill ? FillValue::of(*fill) : FillValue::automatic()).declares(value)) return;
  if (!fill) {
    fill = value;
  } else if (other_fill_count < FillValue::max_others) {
    other_fills[static_cast<std::size_t>(other_fill_count++)] = value;
  }
}

FillValue FieldRange::fills(FillValue const& declared) const {
  FillValue all = declared.settled(fill);
  if (declared.mode == FillValue::Mode::none) return all;
  for (int i = 0; i < other_fill_count && all.others_count < FillValue::max_others; ++i) {
    all = all.with(other_fills[static_cast<std::size_t>(i)]);
  }
  return all;
}

FieldRange joined(FieldRange const& a, FieldRange const& b) {
  if (!a.any || !b.any) {
    FieldRange one = a.any ? a : b;
    add_fills(one, a.any ? b : a);
    return one;
  }
  FieldRange both{true, std::min(a.min, b.min), std::max(a.max, b.max), {}, {}};
  add_fills(both, a);
  add_fills(both, b);
  double const distance = impl::near_distance(both.min, both.max);
  both.crowd = joined(crowd_of(a), crowd_of(b), distance);
  FieldRange::Cluster const &near = both.crowd.near, &far = both.crowd.far;
  // One value or two are outliers where a part has found that its others lie together.
  bool const is_lone = (a.outliers || b.outliers) && both.crowd.are_far_alike();
  bool const is_refused = is_lone || both.crowd.has_outliers();
  if (is_refused && far.count > 0 && near.max - near.min <= distance) {
    both.outliers = impl::outliers_among(both, far.count, near.min, near.max);
  }
  return both;
}

FieldRange::Outliers impl::outliers_among(FieldRange const& range, std::uint64_t count, double min,
                                          double max) {
  bool const is_high = range.max - max > min - range.min;
  return {count, is_high ? range.max : range.min, min, max};
}

bool FieldRange::Crowd::has_outliers() const {
  if (near.count == 0 || far.count == 0) return false;
  bool const repeat = are_far_alike() && (far.at_min >= 2 || far.at_max >= 2);
  return repeat || far.count < (near.count + far.count) / few_values;
}

void require_range_of_values(FieldRange const& range) {
  if (!range.outliers) return;
  FieldRange::Outliers const& few = *range.outliers;
  // Others that are one value are one value already. Zeros come back as zeros, and a value as large as classes have beside the range
  // is not lost in the bound.
  constexpr double class_share = 0.125;
  bool const is_class = std::fabs(few.min) >= class_share * (range.max - range.min);
  if (few.min == few.max && (few.min == 0 || is_class)) return;
  bool const is_one = few.count == 1;
  throw Error(Status::bad_argument,
              "the range comes from " + std::to_string(few.count) +
                  (is_one ? " value, " : " values, such as ") + show(few.value) +
                  "; all others lie between " + show(few.min) + " and " + show(few.max) +
                  ", and a bound relative to the range would make them all equal",
              std::string(is_one ? "if it is a fill value" : "if they are fill values") +
                  ", set the fill value to " + show(few.value) +
                  "; if not, use an absolute bound, or set the fill value to none");
}

void impl::refuse_further_fills(FieldRange const& range) {
  std::string const first = show(range.fill.value_or(0)), second = show(range.other_fills[0]);
  throw Error(Status::bad_argument,
              "the field has several fill values, such as " + first + " and " + second,
              "set the fill value to " + first + "/" + second + ", or to none if they are values");
}

Options with_absolute_bound(Options options, double bound) {
  options.range = options.magnitude = 0;
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

Options impl::exact_integers(Options const& options) {
  Options exact = with_absolute_bound(options, 0);
  exact.fill = FillValue::none();
  return exact;
}

Options exact_if_too_large(FieldRange const& range, Options const& options) {
  // Ends that were rounded to f64 are not below it. A fill value counts: it may be the same number as other integers.
  constexpr double most = 0x1p53;
  if (!range.any || (-most < range.min && range.max < most)) return options;
  return impl::exact_integers(options);
}

ErrorBound bound_for_type(Dtype dtype, ErrorBound const& bound) {
  if (!is_integer(dtype) || bound.is_chosen()) return bound;
  // By the flag options_for_type() knows that no method was chosen for it.
  return {ErrorBound::Mode::lossless, 0, true};
}

Options options_for_type(Dtype dtype, Options const& options) {
  ErrorBound const bound = bound_for_type(dtype, options.bound);
  if (!bound.is_default || bound.mode != ErrorBound::Mode::lossless) return options;
  Options exact = impl::exact_integers(options);
  exact.goal = options.goal;
  if (options.goal) exact.pipeline = Pipeline::automatic;
  impl::CoderRow const* const row = impl::row_of(options.pipeline);
  if (row != nullptr && row->lossless) exact.pipeline = options.pipeline;
  return exact;
}

Options impl::valid_options_for_type(Dtype dtype, Options const& options) {
  validate(options);
  return options_for_type(dtype, options);
}

Options options_for_parts(FieldRange const& found, Options options) {
  require_finite_ends(found);
  FieldRange const range = without_repeated_end(found, options.fill);
  options = with_fill_of(range, options);
  if (!options.bound.needs_range() || options.range != 0) return options;
  double const width = range.width();
  if (!(width > 0)) return options;
  if (width <= std::numeric_limits<double>::max()) {
    options.range = width;
    options.magnitude = std::max(std::fabs(range.min), std::fabs(range.max));
    return options;
  }
  return with_absolute_bound(options, absolute_bound(range, options.bound));
}

Options absolute_options_for_parts(FieldRange const& found, Options options) {
  require_finite_ends(found);
  FieldRange const range = without_repeated_end(found, options.fill);
  options = with_fill_of(range, options);
  if (!options.bound.needs_range()) return options;
  FieldRange const said{true, 0, options.range, {}, {}};
  return with_absolute_bound(options,
                             absolute_bound(options.range > 0 ? said : range, options.bound));
}

Options options_without_range(Options options) {
  Options const plain;
  bool const has_order = options.axis != plain.axis || options.second_axis != plain.second_axis ||
                         options.third_axis != plain.third_axis;
  char const* const lost = options.radius != plain.radius ? "radius"
                           : has_order                    ? "axis"
                           : options.steps.any()          ? "steps"
                           : options.goal                 ? "goal"
                                                          : nullptr;
  if (lost != nullptr) {
    throw Error(Status::bad_argument,
                std::string("the HDF5 filter does not keep the option ") + lost + "=" +
                    text_of(options, lost),
                "leave it out");
  }
  if (options.range > 0 && options.bound.needs_range()) {
    options = with_absolute_bound(options, absolute_options_for_parts({}, options).bound.value);
  }
  return options;
}

}  // namespace kompakt
