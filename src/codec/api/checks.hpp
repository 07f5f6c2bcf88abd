#ifndef KOMPAKT_API_CHECKS_HPP
#define KOMPAKT_API_CHECKS_HPP

#include <exception>
#include <kompakt/choice_record.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <string>

// What is refused at the door, each with one line that names the value and says what to do.

namespace kompakt::impl {

/// A usable rank, a product of extents that fits.
void require_shape(FieldShape const& shape);
/// A usable shape, memory where there are values, and steps that lead to no place beyond any memory.
void require_field(ConstStridedData const& field);
/// That of a field that is written, and a place of its own for each value.
void require_target(StridedData const& field);
void require_aligned(void const* stream);
/// A reason that a stream can keep.
void require_reason(ChoiceRecord const& reason);

/// \throws Error bad_argument unless a field can have the axis, and symbols the radius
void validate_counts(Options const& options);
/// \throws Error bad_argument unless a number may lie between them
void validate_limits(Limits const& limits);
/// Options with a goal, which choose() has not looked at yet.
void require_chosen(Options const& options);
/// A goal that there is.
void require_goal(Goal goal);
/// Integers are lossless, and floating-point numbers wherever that is asked for.
void require_bound_for(Dtype dtype, Options const& options);
/// \throws Error bad_argument unless some value of the type lies between the limits
void require_limits(Dtype dtype, Options const& options);
/// \throws Error bad_argument unless values of the type can be made of the steps that are given
void require_steps(Dtype dtype, Options const& options);
/// \throws Error bad_argument unless the field has the index that Options::axis names
void require_axis(FieldShape const& shape, Options const& options);

/// Calls body(); whatever it throws leaves as an Error of the public function `where`.
template <class Body>
auto translate_exceptions(char const* where, Body const& body) {
  try {
    return named(where, body);
  } catch (Error const&) {
    throw;
  } catch (std::exception const& e) {
    throw Error(Status::device, where, std::string("the execution space failed: ") + e.what(), "");
  }
}

}  // namespace kompakt::impl

#endif
