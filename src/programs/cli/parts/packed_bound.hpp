#ifndef KOMPAKT_CLI_PACKED_BOUND_HPP
#define KOMPAKT_CLI_PACKED_BOUND_HPP

#include <files/variable.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <string>

namespace kompakt::cli {

/// The bound of packed integers that keeps a bound of the numbers they stand for: |scale * (n - n')| <= bound in exact arithmetic.
/// What is relative to the range stays.
/// \throws Error bad_argument for a bound relative to each number where there is an offset
ErrorBound bound_of_integers(ErrorBound const& bound, files::NumberPacking const& packing);

/// Options of packed integers, from those of the numbers that they stand for: bound, range and limits. Fill values are integers.
/// \throws Error as bound_of_integers(), and bad_argument for limits that no integer lies between
Options options_of_integers(Options options, files::NumberPacking const& packing, Dtype dtype);

/// Says in a line that a field of integers of 64 bits has values that no bound is kept for.
void note_too_large(std::string const& label);

/// Says in a line if the bound of integers leaves no room for an error, and which one would, or if their type has values that no
/// bound is kept for.
/// \param label  of the field
void note_exact_integers(std::string const& label, StreamInfo const& info, Options const& asked,
                         files::Variable const& variable);

}  // namespace kompakt::cli

#endif
