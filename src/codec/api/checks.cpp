#include <api/checks.hpp>
#include <container/format.hpp>
#include <pipeline/limits.hpp>

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
  if (!is_countable(shape)) {
    throw Error(Status::bad_argument, describe(shape) + " are more than 2^60", "split the field");
  }
}

void require_field(void const* field, FieldShape const& shape) {
  require_shape(shape);
  if (shape.size() > 0 && field == nullptr) {
    throw Error(Status::bad_argument, "the field of " + describe(shape) + " has no memory",
                "allocate the View");
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
              "use Goal::ratio, speed or balanced");
}

void require_bound_for(Dtype dtype, Options const& options) {
  if (!is_integer(dtype)) return;
  std::string const start = std::string("values of ") + to_string(dtype) + " ";
  if (options.bound.mode != ErrorBound::Mode::lossless) {
    throw Error(Status::bad_argument,
                start + "are only compressed lossless, not within a bound of " +
                    to_string(options.bound.mode),
                "use ErrorBound::lossless()");
  }
  if (options.fill.mode == FillValue::Mode::value) {
    throw Error(Status::bad_argument, start + "come back exactly, so no fill value is masked",
                "leave the fill value out");
  }
}

void require_limits(Dtype dtype, Options const& options) {
  Limits const& given = options.limits;
  if (!given.any() && given.lower <= given.upper) return;
  Limits const limits = is_integer(dtype) ? given : limits_of_type(given, dtype);
  if (limits.lower <= limits.upper) return;
  throw Error(Status::bad_argument,
              std::string("no value of ") + to_string(dtype) + " lies between the limits " +
                  std::to_string(given.lower) + " and " + std::to_string(given.upper),
              "give the lower one first");
}

void require_floating_point(Dtype dtype) {
  if (!is_integer(dtype)) return;
  throw Error(Status::bad_argument, std::string("values of ") + to_string(dtype) +
                                        " are integers; this is for f32 and f64");
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
              "use a managed View or an aligned allocation");
}

}  // namespace kompakt::impl
