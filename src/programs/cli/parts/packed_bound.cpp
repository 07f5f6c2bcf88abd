#include "packed_bound.hpp"
#include "notes.hpp"
#include "text.hpp"
#include <algorithm>
#include <cmath>
#include <kompakt/error.hpp>
#include <kompakt/option_keys.hpp>

namespace kompakt::cli {

namespace {

// The largest double that is not above a / b in exact arithmetic, for a >= 0 and b > 0.
double quotient_rounded_down(double a, double b) {
  double const quotient = a / b;
  return std::fma(quotient, b, -a) > 0 ? std::nextafter(quotient, 0.0) : quotient;
}

}  // namespace

ErrorBound bound_of_integers(ErrorBound const& bound, files::NumberPacking const& packing) {
  using Mode = ErrorBound::Mode;
  if (bound.mode == Mode::pwr && packing.offset != 0) {
    throw Error(
        Status::bad_argument,
        "no bound relative to each value holds for integers that stand for numbers with the "
        "add_offset " +
            text_of(packing.offset),
        "give -m abs or r2r, or lossless");
  }
  if (bound.mode != Mode::abs) return bound;
  double const steps = quotient_rounded_down(bound.value, std::fabs(packing.scale));
  return ErrorBound::absolute(std::clamp(steps, 0.5, 0x1p52));  // of less than one, none
}

Options options_of_integers(Options options, files::NumberPacking const& packing, Dtype dtype) {
  options.bound = bound_of_integers(options.bound, packing);
  options.range = quotient_rounded_down(options.range, std::fabs(packing.scale));
  if (!options.limits.any()) return options;
  auto const limits = files::packed_limits(options.limits, packing, dtype);
  if (!limits) {
    throw Error(Status::bad_argument,
                "--limits " + kompakt::text_of(options, "limits") +
                    ": no integer stands for a number between them",
                "give wider ones");
  }
  options.limits = *limits;
  return options;
}

void note_too_large(std::string const& label) {
  note("'" + label +
       "' has values of 2^53 or more, which no bound is kept for: it is without loss");
}

void note_exact_integers(std::string const& label, StreamInfo const& info, Options const& asked,
                         files::Variable const& variable) {
  using Mode = ErrorBound::Mode;
  if (!is_integer(info.shape.dtype) || asked.bound.mode == Mode::lossless) return;
  if (info.bound.mode == Mode::lossless) {
    note_too_large(label);
  } else if (info.abs_bound == 0 && !info.constant) {
    auto const packing = variable.packing();
    std::string const step = text_of(packing ? std::fabs(packing->scale) : 1.0);
    note("'" + label + "' stays exact: its bound is below a step of its values, " + step +
         (packing ? " (scale_factor)" : "") + "; a bound of " + step + " or more would gain");
  }
}

}  // namespace kompakt::cli
