#ifndef KOMPAKT_CLI_COMPARE_VALUES_HPP
#define KOMPAKT_CLI_COMPARE_VALUES_HPP

#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <kompakt/field.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/options.hpp>
#include <span>
#include <string>
#include <vector>

namespace kompakt::cli {

/// Whether values are compared as numbers of another type.
bool are_compared_as_numbers(Dtype dtype, ErrorBound::Mode mode);
/// This type: f32 for values of 16 bits, f64 for integers.
Dtype type_of_numbers(Dtype dtype);
/// Makes the values of two fields of a shape such numbers, which the shape then has.
/// \throws Error bad_argument for an integer that is no number of f64
void make_numbers(FieldShape& shape, std::vector<std::byte>& original,
                  std::vector<std::byte>& other);

/// Compares two fields of the same shape in host memory; of integers only whether they are what they were.
Metrics compare_values(AnyCodec& codec, FieldShape const& shape,
                       std::span<std::byte const> original, std::span<std::byte const> other,
                       ErrorBound const& bound, MetricsOptions const& options);

/// Adds what is known of the values behind those that `sum` is about. Correlations cannot be added.
void add(Metrics& sum, Metrics const& part);

/// A value of a field, with all digits that it has.
std::string value_at(std::span<std::byte const> field, Dtype dtype, std::size_t position);
/// "1234 (2, 3, 4)": place in the file and indices, slowest first.
std::string text_of_position(FieldShape const& shape, std::size_t position);
/// What breaks a bound: " values are outside the bound 0.001"
std::string text_of_violations(ErrorBound const& checked);

}  // namespace kompakt::cli

#endif
