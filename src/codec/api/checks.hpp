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
void require_shape(char const* function, FieldShape const& shape);
/// A usable shape, and memory where there are values.
void require_field(char const* function, void const* field, FieldShape const& shape);
void require_aligned(char const* function, void const* stream);
/// A reason that a stream can keep.
void require_reason(char const* function, ChoiceRecord const& reason);

/// Options with a goal, which choose() has not looked at yet.
void require_chosen(char const* function, Options const& options);
/// Integers are lossless, and floating-point numbers wherever that is asked for.
void require_bound_for(char const* function, Dtype dtype, Options const& options);
/// \throws Error bad_argument unless some value of the type lies between the limits
void require_limits(char const* function, Dtype dtype, Options const& options);
/// Numbers that a range can be told of.
void require_floating_point(char const* function, Dtype dtype);

/// Calls body(); whatever it throws leaves as an Error.
template <class Body>
auto translate_exceptions(char const* function, Body const& body) {
  try {
    return body();
  } catch (Error const&) {
    throw;
  } catch (std::exception const& e) {
    throw Error(Status::device,
                std::string(function) + ": the execution space failed: " + e.what());
  }
}

}  // namespace kompakt::impl

#endif
