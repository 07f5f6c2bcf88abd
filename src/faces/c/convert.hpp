#ifndef KOMPAKT_C_CONVERT_HPP
#define KOMPAKT_C_CONVERT_HPP

#include "arguments.hpp"
#include <kompakt/any_codec.hpp>
#include <kompakt/box.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/kompakt.h>
#include <kompakt/metrics.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>

// From the structures of the C interface to those of C++, and back. All throw Error bad_argument, naming the member,
// for numbers that the header does not list.

namespace kompakt::c {

/// What a kompakt_field says of an array.
struct Array {
  FieldShape shape;
  Strides strides;
  MemoryOf in = MemoryOf::host;

  StridedData at(void* values) const { return {values, shape, strides}; }
  ConstStridedData at(void const* values) const { return {values, shape, strides}; }
};
Array array_of_field(char const* what, kompakt_field const* field);

/// Options and the reason that lies with them.
struct ReasonedOptions {
  Options options;
  ChoiceRecord reason;
};
/// \param options  NULL: the default
ReasonedOptions options_of(kompakt_options const* options);
/// Sets all members but the reason.
void set(kompakt_options& to, Options const& from);
ErrorBound bound_of(char const* what, kompakt_bound const& bound);
MemoryOf memory_of(Name const& name, kompakt_memory memory);
/// \param begin, end  as many numbers as `rank`
Box box_of(std::uint64_t const* begin, std::uint64_t const* end, int rank);

kompakt_info to_c(StreamInfo const& info);
kompakt_range to_c(FieldRange const& range);
/// Refuses ends in the other order.
/// Options for a format that keeps no range, validated; the number of further fill values in them can be relied on.
/// \throws Error as validate() and options_without_range() of the codec
kompakt_options options_without_range(kompakt_options const* options);
FieldRange range_between(double min, double max);
FieldRange range_of(kompakt_range const& given);
kompakt_quality to_c(Metrics const& metrics);

}  // namespace kompakt::c

#endif
