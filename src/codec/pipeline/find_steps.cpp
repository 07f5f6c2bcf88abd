#include <algorithm>
#include <charconv>
#include <cmath>
#include <core/step_keys.hpp>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <pipeline/find_steps.hpp>
#include <vector>

namespace kompakt::impl {

namespace {

template <class T>
double share_of(ValueSteps const& steps, std::span<T const> values) {
  auto const keys = StepKeys<T>::of(steps);
  auto const kept = std::count_if(values.begin(), values.end(), [&](T value) {
    bin_t<T> key;
    return keys.find(value, key) && keys.keeps(value, key);
  });
  return static_cast<double>(kept) / static_cast<double>(values.size());
}

// Most fields are told from steps by their first values.
template <class T>
bool are_steps(ValueSteps const& steps, std::span<T const> values, double least_share) {
  std::size_t const few = std::min<std::size_t>(values.size(), 64);
  return share_of(steps, values.first(few)) >= 0.8 && share_of(steps, values) >= least_share;
}

// Whether steps are further apart than the numbers of the type, for at least half of the values.
template <class T>
bool is_wide(double step, std::span<T const> values) {
  constexpr double spacing = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  auto const wide = std::count_if(values.begin(), values.end(), [&](T value) {
    return std::abs(static_cast<double>(value)) * spacing <= step;
  });
  return 2 * static_cast<std::size_t>(wide) >= values.size();
}

template <class T>
std::int64_t common_factor(ValueSteps const& steps, std::span<T const> values) {
  auto const keys = StepKeys<T>::of(steps);
  std::int64_t factor = 0;
  for (T const value : values) {
    bin_t<T> key;
    if (keys.find(value, key) && keys.keeps(value, key)) {
      factor = std::gcd(factor, static_cast<std::int64_t>(key));
    }
  }
  return std::max<std::int64_t>(factor, 1);
}

// Numbers with so many decimals, and their common factor.
template <class T>
std::optional<ValueSteps> decimals(std::span<T const> values, double least_share) {
  constexpr double most = sizeof(T) == 4 ? 1e9 : 1e15;
  for (double parts = 1; parts <= most && is_wide(1 / parts, values); parts *= 10) {
    ValueSteps const steps{ValueSteps::Kind::quotients, parts, 0};
    if (!are_steps(steps, values, least_share)) continue;
    auto const factor = static_cast<double>(common_factor(steps, values));
    if (std::fmod(factor, parts) == 0)
      return ValueSteps{ValueSteps::Kind::multiples, factor / parts, 0};
    if (std::fmod(parts, factor) == 0)
      return ValueSteps{ValueSteps::Kind::quotients, parts / factor, 0};
    ValueSteps const coarse{ValueSteps::Kind::multiples, factor / parts, 0};
    return are_steps(coarse, values, least_share) ? coarse : steps;
  }
  return std::nullopt;
}

// How many values may be no steps.
std::ptrdiff_t rare_of(std::size_t values, double least_share) {
  return static_cast<std::ptrdiff_t>(static_cast<double>(values) * (1 - least_share));
}

// Multiples of a power of two: the lowest bit that nearly all values have.
template <class T>
std::optional<ValueSteps> binary_fractions(std::span<T const> values, double least_share) {
  std::vector<int> lowest;
  lowest.reserve(values.size());
  for (T const value : values) {
    if (value == 0) continue;
    int exponent;
    constexpr int digits = std::numeric_limits<T>::digits;
    auto const whole = static_cast<std::int64_t>(
        std::ldexp(std::frexp(static_cast<double>(value), &exponent), digits));
    lowest.push_back(exponent - digits +
                     std::countr_zero(static_cast<std::uint64_t>(std::abs(whole))));
  }
  if (lowest.empty()) return std::nullopt;
  auto const rare = lowest.begin() + rare_of(lowest.size(), least_share);
  std::nth_element(lowest.begin(), rare, lowest.end());
  ValueSteps steps{ValueSteps::Kind::multiples, std::ldexp(1.0, *rare), 0};
  if (!(steps.step > 0) || !is_wide(steps.step, values) || !are_steps(steps, values, least_share))
    return std::nullopt;
  steps.step *= static_cast<double>(common_factor(steps, values));
  return steps;
}

// A line through numbers and values.
struct Line {
  double step = 0, offset = 0;
};

// The step between sorted distinct values, by differences of neighbours first and of ever wider windows then, each of which
// tells the step so well that the next one's values have numbers.
std::optional<Line> line_through(std::vector<double> const& distinct, double step) {
  auto const middle = distinct.begin() + static_cast<std::ptrdiff_t>(distinct.size() / 2);
  double const origin = *middle;
  double const reach = std::max(distinct.back() - origin, origin - distinct.front());
  constexpr double max_steps = 0x1p24;
  if (!(reach / step <= max_steps)) return std::nullopt;
  Line line;
  for (double window = 4;; window *= 4) {
    double number_sum = 0, value_sum = 0, squares = 0, products = 0, count = 0, largest = 0;
    for (double const value : distinct) {
      double const distance = value - origin;
      if (std::abs(distance) > window * step) continue;
      double const number = std::rint(distance / step);
      largest = std::max(largest, std::abs(distance / step - number));
      count += 1;
      number_sum += number;
      value_sum += distance;
      squares += number * number;
      products += number * distance;
    }
    double const spread = count * squares - number_sum * number_sum;
    if (spread > 0) {
      if (largest > 0.25) return std::nullopt;
      step = (count * products - number_sum * value_sum) / spread;
      line = {step, origin + (value_sum - step * number_sum) / count};
    }
    if (window * step > reach) break;
  }
  return line.step > 0 ? std::optional(line) : std::nullopt;
}

// The mean of the numbers within a quarter of one of them.
double mean_near(std::vector<double> const& sorted, double one) {
  auto const from = std::lower_bound(sorted.begin(), sorted.end(), 0.75 * one);
  auto const to = std::upper_bound(from, sorted.end(), 1.25 * one);
  return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
}

// The shortest decimal within a distance of a number.
double shortest_near(double number, double distance) {
  char text[40];
  for (int digits = 1; digits < 17; ++digits) {
    auto const end =
        std::to_chars(text, text + sizeof text, number, std::chars_format::scientific, digits - 1)
            .ptr;
    double rounded = number;
    std::from_chars(text, end, rounded);
    if (std::abs(rounded - number) <= distance) return rounded;
  }
  return number;
}

// Steps near a line with more of the values, by a search with ever shorter strides.
template <class T>
ValueSteps nearer_line(ValueSteps const& line, ValueSteps best, double& best_share,
                       double step_error, double offset_error, std::span<T const> values) {
  constexpr double good = 0.999;
  // Some of all parts: of one part a line is found that leaves the others.
  std::vector<T> scattered;
  std::size_t const stride_of_values = std::max<std::size_t>(values.size() >> 11, 1);
  for (std::size_t i = 0; i < values.size(); i += stride_of_values) scattered.push_back(values[i]);
  std::span<T const> const some(scattered);
  ValueSteps middle = line;
  double share = share_of(middle, some);
  for (double stride = 0.25; stride > 0.01 && best_share < good; stride /= 2) {
    ValueSteps const around = middle;
    for (int i = -2; i <= 2; ++i) {
      for (int k = -2; k <= 2; ++k) {
        ValueSteps const next{around.kind, around.step + i * stride * step_error,
                              around.offset + k * stride * offset_error};
        double const next_share = share_of(next, some);
        if (next_share <= share) continue;
        middle = next;
        share = next_share;
      }
    }
  }
  double const whole = share_of(middle, values);
  if (whole <= best_share) return best;
  best_share = whole;
  return middle;
}

// Integers that were multiplied by a scale factor, with an offset.
template <class T>
std::optional<ValueSteps> scaled_integers(std::span<T const> values, double least_share) {
  std::vector<double> distinct(values.begin(), values.end());
  std::sort(distinct.begin(), distinct.end());
  // What lies far from most values, such as a fill value, says nothing of steps.
  auto const at = [&](std::size_t part) { return distinct[distinct.size() * part / 64]; };
  double const from = at(1), to = at(62), width = 2 * (to - from);
  std::erase_if(distinct, [&](double v) { return v < from - width || v > to + width; });
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < 16) return std::nullopt;
  double const largest = std::max(std::abs(distinct.front()), std::abs(distinct.back()));
  double const noise = 2 * largest * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::vector<double> gaps;
  for (std::size_t i = 1; i < distinct.size(); ++i) {
    double const gap = distinct[i] - distinct[i - 1];
    if (gap > noise) gaps.push_back(gap);
  }
  if (gaps.size() < 8) return std::nullopt;
  std::sort(gaps.begin(), gaps.end());
  // Small gaps are one step, or come from a value that is no step.
  std::optional<Line> line;
  for (std::size_t const part : {64, 512, 16, 4096}) {
    if (!line) line = line_through(distinct, mean_near(gaps, gaps[gaps.size() / part]));
  }
  if (!line || line->step < 2 * noise) return std::nullopt;
  double const nearest_zero = line->offset - std::rint(line->offset / line->step) * line->step;
  bool const has_offset = std::abs(nearest_zero) > noise;
  double const steps = (distinct.back() - distinct.front()) / line->step;
  double const step_error = noise / steps, offset_error = has_offset ? noise : 0;
  ValueSteps const start{ValueSteps::Kind::multiples, line->step, has_offset ? line->offset : 0};
  ValueSteps best = start;
  double best_share = share_of(start, values);
  for (double const step : {shortest_near(line->step, step_error), line->step,
                            static_cast<double>(static_cast<float>(line->step))}) {
    double const offset = has_offset ? shortest_near(line->offset, noise) : 0;
    for (auto const kind : {ValueSteps::Kind::multiples, ValueSteps::Kind::rounded}) {
      ValueSteps const found{kind, step, offset};
      double const share = share_of(found, values);
      if (share > best_share) {
        best = found;
        best_share = share;
      }
    }
  }
  best = nearer_line(start, best, best_share, step_error, offset_error, values);
  return best_share >= least_share ? std::optional(best) : std::nullopt;
}

// Zeros in the lowest bits: floats that doubles hold, and mantissas that were cut.
template <class T>
std::optional<ValueSteps> low_zeros(std::span<T const> values, double least_share) {
  constexpr int least_bits = 3, max_bits = std::numeric_limits<T>::digits - 2;
  std::vector<int> zeros;
  for (T const value : values) {
    if (value != 0) zeros.push_back(std::countr_zero(std::bit_cast<unsigned_t<T>>(value)));
  }
  if (zeros.empty()) return std::nullopt;
  auto const rare = zeros.begin() + rare_of(zeros.size(), least_share);
  std::nth_element(zeros.begin(), rare, zeros.end());
  if (*rare < least_bits) return std::nullopt;
  return ValueSteps{ValueSteps::Kind::bits, static_cast<double>(std::min(*rare, max_bits)), 0};
}

}  // namespace

template <class T>
ValueSteps find_steps(std::span<T> sample, double least_share) {
  // Zeros are multiples of everything; what is at an end again and again may be a fill value.
  auto end =
      std::remove_if(sample.begin(), sample.end(), [](T v) { return !std::isfinite(v) || v == 0; });
  constexpr std::ptrdiff_t fewest = 64;
  for (int i = 0; i < 2 && end - sample.begin() >= fewest; ++i) {
    auto const [low, high] = std::minmax_element(sample.begin(), end);
    T const ends[] = {*low, *high};
    std::ptrdiff_t const often = (end - sample.begin()) / 64;
    for (T const value : ends) {
      if (std::count(sample.begin(), end, value) > often)
        end = std::remove(sample.begin(), end, value);
    }
  }
  if (end - sample.begin() < fewest) return ValueSteps::none();
  std::span<T const> const values(sample.begin(), end);
  for (auto const find : {decimals<T>, binary_fractions<T>, scaled_integers<T>, low_zeros<T>}) {
    if (auto const found = find(values, least_share)) return *found;
  }
  return ValueSteps::none();
}

template ValueSteps find_steps(std::span<float>, double);
template ValueSteps find_steps(std::span<double>, double);

}  // namespace kompakt::impl
