#include <algorithm>
#include <api/checks.hpp>
#include <array>
#include <cmath>
#include <concepts>
#include <container/format.hpp>
#include <container/reader.hpp>
#include <cstdint>
#include <kompakt/option_keys.hpp>
#include <limits>
#include <pipeline/limits.hpp>
#include <span>

namespace kompakt::impl {

void require_shape(FieldShape const& shape) {
  if (shape.rank < 1 || shape.rank > max_rank) {
    throw Error(Status::bad_argument,
                "rank " + std::to_string(shape.rank) + " is not supported; ranks 1 to 8 are");
  }
  if (shape.order != Order::last_fastest && shape.order != Order::first_fastest) {
    throw Error(
        Status::bad_argument,
        "the index order " + std::to_string(static_cast<int>(shape.order)) + " is not known",
        "use Order::last_fastest or first_fastest");
  }
  if (static_cast<int>(shape.dtype) >= dtype_count) {
    throw Error(Status::bad_argument,
                "the value type " + std::to_string(static_cast<int>(shape.dtype)) + " is not known",
                "use one of Dtype");
  }
  if (is_complex(shape.dtype)) {
    throw Error(
        Status::bad_argument,
        "rank " + std::to_string(shape.rank) +
            " is not supported for complex numbers, whose parts take an index; ranks 1 to 7 are");
  }
  if (!is_countable(shape)) {
    throw Error(Status::bad_argument, describe(shape) + " are more than 2^60", "split the field");
  }
}

namespace {

/// An index with more than one value: its step, whatever its sign, and the distance of its last value.
struct Step {
  std::uint64_t step, reach;
  int index;
};

/// The steps of a field, the shortest first. No call asks for memory for them.
class Steps {
 public:
  /// \throws Error bad_argument for places whose distance in bytes has no 63 bits
  Steps(FieldShape const& shape, Strides const& strides) {
    std::uint64_t left = std::numeric_limits<std::int64_t>::max() / size_of(shape.dtype);
    for (int i = 0; i < shape.rank; ++i) {
      auto const at = static_cast<std::size_t>(i);
      if (shape.extents[at] < 2) continue;
      std::uint64_t const step = magnitude(strides[at]), last = shape.extents[at] - 1;
      if (step > left / last) refuse(shape, i, strides[at]);
      left -= step * last;
      m_steps[m_count++] = {step, step * last, i};
    }
    std::ranges::sort(std::span(m_steps).first(m_count), {}, &Step::step);
  }
  auto begin() const { return m_steps.begin(); }
  auto end() const { return m_steps.begin() + static_cast<std::ptrdiff_t>(m_count); }

 private:
  static std::uint64_t magnitude(std::int64_t step) {
    auto const bits = static_cast<std::uint64_t>(step);
    return step < 0 ? std::uint64_t{0} - bits : bits;
  }
  [[noreturn]] static void refuse(FieldShape const& shape, int index, std::int64_t step) {
    throw Error(Status::bad_argument,
                "index " + std::to_string(index) + " of the field of " + describe(shape) +
                    " steps by " + std::to_string(step) + " values, which leads beyond any memory",
                "check the strides, which count values");
  }

  std::array<Step, max_rank> m_steps{};
  std::size_t m_count = 0;
};

}  // namespace

void require_field(ConstStridedData const& field) {
  require_shape(field.shape);
  if (field.shape.size() == 0) return;
  if (field.data == nullptr) {
    throw Error(Status::bad_argument, "the field of " + describe(field.shape) + " has no memory",
                "allocate it");
  }
  if (!is_dense(field.shape, field.strides)) Steps(field.shape, field.strides);
}

void require_target(StridedData const& field) {
  require_field(field);
  if (is_dense(field.shape, field.strides)) return;
  std::uint64_t reach = 0;  // of all shorter steps
  for (Step const& step : Steps(field.shape, field.strides)) {
    if (step.step <= reach || step.step == 0) {
      throw Error(Status::bad_argument,
                  "index " + std::to_string(step.index) + " of the field of " +
                      describe(field.shape) + " steps by " + std::to_string(step.step) +
                      " values, so that some would be written to the same place",
                  "let it step over all values of the indices with shorter steps");
    }
    reach += step.reach;
  }
}

void require_chosen(Options const& options) {
  if (!options.goal) return;
  throw Error(Status::bad_argument,
              std::string("the options have the goal '") + to_string(*options.goal) +
                  "', but no pipeline has been chosen yet",
              "call choose() first, and pass the options that it returns");
}

void require_goal(Goal goal) {
  if (is_known(goal)) return;
  throw Error(Status::bad_argument,
              "the goal " + std::to_string(static_cast<int>(goal)) + " is not known",
              "use Goal::ratio, speed, balanced or smallest");
}

namespace {

// Whether a value of a type can be a number.
bool is_number_of(Dtype dtype, double number) {
  return with_value_type(dtype, [&]<class N>(N) {
    if constexpr (HalfFloat<N>) {
      double const end = static_cast<double>(N::largest());
      return !std::isfinite(number) || (-end <= number && number <= end);
    } else if constexpr (std::integral<N>) {
      constexpr auto lowest = static_cast<double>(std::numeric_limits<N>::min());
      double const end = std::ldexp(1.0, std::numeric_limits<N>::digits);
      return number >= lowest && number < end && number == std::floor(number);
    } else {
      return true;
    }
  });
}

}  // namespace

void require_bound_for(Dtype dtype, Options const& options) {
  if (is_number(dtype) || options.fill.mode != FillValue::Mode::value) return;
  if (options.bound.mode == ErrorBound::Mode::lossless && is_integer(dtype)) {
    throw Error(Status::bad_argument,
                std::string("values of ") + to_string(dtype) +
                    " come back exactly, so no fill value is masked",
                "leave the fill value out");
  }
  if (!is_number_of(dtype, options.fill.value)) {
    Options only_fill;
    only_fill.fill = FillValue::of(options.fill.value);
    throw Error(
        Status::bad_argument,
        "the fill value " + text_of(only_fill, "fill") + " is no value of " + to_string(dtype),
        "leave it out");
  }
}

void require_limits(Dtype dtype, Options const& options) {
  Limits const& given = options.limits;
  if (!given.any()) return;
  Limits const limits = limits_of_type(given, dtype);
  if (limits.lower <= limits.upper) return;
  throw Error(Status::bad_argument,
              std::string("no value of ") + to_string(dtype) + " lies between the limits " +
                  std::to_string(given.lower) + " and " + std::to_string(given.upper),
              "give the lower one first");
}

void require_steps(Dtype dtype, Options const& options) {
  if (!is_number(dtype) || !options.steps.any() || are_usable(options.steps, dtype)) return;
  throw Error(Status::bad_argument, "compress",
              "values of " + std::string(to_string(dtype)) + " have no " +
                  std::to_string(static_cast<int>(options.steps.step)) + " low bits",
              "give 1 to 22 bits for f32 and 1 to 51 for f64");
}

void require_axis(FieldShape const& shape, Options const& options) {
  CodedAxes const axes = named_axes(options);
  int const axis = std::ranges::max(axes);
  if (axis < shape.rank && count_named(axes) <= shape.rank) return;
  if (axis < shape.rank) {
    throw Error(Status::bad_argument,
                "the axes " + text_of_axes(axes) + " are more than a field of rank " +
                    std::to_string(shape.rank) + " has",
                "name at most " + std::to_string(shape.rank));
  }
  throw Error(Status::bad_argument,
              "there is no axis " + std::to_string(axis) + " in a field of rank " +
                  std::to_string(shape.rank),
              "give 0 to " + std::to_string(shape.rank - 1));
}

void require_reason(ChoiceRecord const& reason) {
  if (ChoiceRecord::from_bits(reason.bits())) return;
  throw Error(Status::bad_argument,
              "the reason lacks ratios of some pipelines, or has ratios without a goal",
              "pass Choice::reason of choose(), or leave it out");
}

void require_aligned(void const* stream) {
  if (reinterpret_cast<std::uintptr_t>(stream) % section_alignment == 0) return;
  throw Error(Status::bad_argument, "the stream's memory is not aligned to 16 bytes",
              "use an aligned allocation");
}

}  // namespace kompakt::impl
