#include "compare_values.hpp"
#include <algorithm>
#include <cli/parts/arguments.hpp>
#include <cli/parts/text.hpp>
#include <concepts>
#include <cstring>
#include <kompakt/error.hpp>
#include <limits>
#include <vector>

namespace kompakt::cli {

namespace {

/// The number at a position of a field of its type.
template <class T>
T number_at(std::span<std::byte const> field, std::size_t position) {
  T number;
  std::memcpy(&number, field.data() + position * sizeof(number), sizeof(number));
  return number;
}

/// The number that a value is.
/// \throws Error bad_argument for an integer that is no number of f64
template <class N>
auto number_of(std::span<std::byte const> field, Dtype dtype, std::size_t position) {
  N const value = number_at<N>(field, position);
  if constexpr (HalfFloat<N>) {
    return value.number();  // of NaN f64 would have other bits
  } else {
    constexpr double most = 0x1p63;
    auto const number = static_cast<double>(value);
    bool const is_kept = -most < number && number < most && static_cast<N>(number) == value;
    if (!is_kept) {
      throw Error(Status::bad_argument,
                  "the value " + value_at(field, dtype, position) +
                      " is 2^53 or more, which no bound is kept for",
                  "give -m lossless");
    }
    return number;
  }
}

/// The values of a field as numbers.
std::vector<std::byte> numbers_of(FieldShape const& shape, std::span<std::byte const> field) {
  std::size_t const size = shape.size();
  std::vector<std::byte> numbers(size * size_of(type_of_numbers(shape.dtype)));
  with_value_type(shape.dtype, [&]<class N>(N) {
    for (std::size_t i = 0; i < size; ++i) {
      auto const number = number_of<N>(field, shape.dtype, i);
      std::memcpy(&numbers[i * sizeof number], &number, sizeof number);
    }
  });
  return numbers;
}

/// Complex numbers as they lie in memory: two parts each.
FieldShape shape_of_pairs(FieldShape shape) {
  shape.dtype = type_of_numbers(shape.dtype);
  auto const rank = static_cast<std::size_t>(shape.rank);
  if (shape.order == Order::first_fastest) {
    std::copy_backward(shape.extents.begin(), shape.extents.begin() + shape.rank,
                       shape.extents.begin() + shape.rank + 1);
  }
  shape.extents[shape.order == Order::first_fastest ? 0 : rank] = 2;
  ++shape.rank;
  return shape;
}

// Without loss integers are what they were, or not.
Metrics compare_integers(std::size_t value_bytes, std::span<std::byte const> original,
                         std::span<std::byte const> other) {
  Metrics stats;
  stats.values = original.size() / value_bytes;
  for (std::size_t i = 0; i < stats.values; ++i) {
    std::size_t const at = i * value_bytes;
    if (std::memcmp(&original[at], &other[at], value_bytes) == 0) continue;
    if (stats.violations++ == 0) stats.first_violation = static_cast<std::int64_t>(i);
  }
  return stats;
}

}  // namespace

Metrics compare_values(AnyCodec& codec, FieldShape const& shape,
                       std::span<std::byte const> original, std::span<std::byte const> other,
                       ErrorBound const& bound, MetricsOptions const& options) {
  if (is_integer(shape.dtype)) return compare_integers(size_of(shape.dtype), original, other);
  return codec.metrics(ConstFieldData(original.data(), shape), MemoryOf::host,
                       ConstFieldData(other.data(), shape), MemoryOf::host, bound, options);
}

bool are_compared_as_numbers(Dtype dtype, ErrorBound::Mode mode) {
  return is_half(dtype) || is_complex(dtype) || are_rounded(dtype, mode);
}

Dtype type_of_numbers(Dtype dtype) {
  return is_half(dtype) || dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
}

void make_numbers(FieldShape& shape, std::vector<std::byte>& original,
                  std::vector<std::byte>& other) {
  if (is_complex(shape.dtype)) {
    shape = shape_of_pairs(shape);
    return;
  }
  original = numbers_of(shape, original);
  other = numbers_of(shape, other);
  shape.dtype = type_of_numbers(shape.dtype);
}

std::string value_at(std::span<std::byte const> field, Dtype dtype, std::size_t position) {
  return with_value_type(dtype, [&]<class N>(N) {
    N const number = number_at<N>(field, position);
    if constexpr (HalfFloat<N>) {
      return text_of(static_cast<double>(number), 2 + N::digits * 3 / 10);
    } else if constexpr (std::floating_point<N>) {
      return text_of(static_cast<double>(number), std::numeric_limits<N>::max_digits10);
    } else {
      return std::to_string(number);
    }
  });
}

void add(Metrics& sum, Metrics const& part) {
  auto const finite = [](Metrics const& m) { return static_cast<double>(m.values - m.nonfinite); };
  if (part.values > part.nonfinite) {
    bool const first = sum.values == sum.nonfinite;
    sum.min = first ? part.min : std::min(sum.min, part.min);
    sum.max = first ? part.max : std::max(sum.max, part.max);
  }
  if (sum.first_violation < 0 && part.first_violation >= 0) {
    sum.first_violation = static_cast<std::int64_t>(sum.values) + part.first_violation;
  }
  sum.max_rel_error = std::max(sum.max_rel_error, part.max_rel_error);
  if (finite(part) > 0) {
    double const share = finite(part) / (finite(sum) + finite(part));
    sum.mean_error += (part.mean_error - sum.mean_error) * share;
  }
  sum.max_abs_error = std::max(sum.max_abs_error, part.max_abs_error);
  sum.sum_squares += part.sum_squares;
  sum.values += part.values;
  sum.nonfinite += part.nonfinite;
  sum.violations += part.violations;
}

std::string text_of_position(FieldShape const& shape, std::size_t position) {
  std::vector<std::size_t> const extents = slowest_first(shape);
  std::string indices;
  std::size_t rest = position;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    indices = std::to_string(rest % *extent) + (indices.empty() ? "" : ", ") + indices;
    rest /= *extent;
  }
  return std::to_string(position) + " (" + indices + ")";
}

std::string text_of_violations(ErrorBound const& checked) {
  if (checked.mode == ErrorBound::Mode::lossless) return " values are not what they were";
  return " values break the bound " + text_of(checked.value, 17) +
         (checked.mode == ErrorBound::Mode::pwr ? " of each value" : "");
}

}  // namespace kompakt::cli
