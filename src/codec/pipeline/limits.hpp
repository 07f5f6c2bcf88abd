#ifndef KOMPAKT_PIPELINE_LIMITS_HPP
#define KOMPAKT_PIPELINE_LIMITS_HPP

#include <coder/table.hpp>
#include <core/carver.hpp>
#include <core/lattice.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/options.hpp>
#include <pipeline/decode_args.hpp>
#include <predictor/table.hpp>
#include <string>

// What options come to for a field, and what is refused on the way, each with one line that names the value and says
// what to do.

namespace kompakt::impl {

/// Limits of a field as values of its type, between those that are asked for.
Limits limits_of_type(Limits const& limits, Dtype dtype);

/// Whether a decoder may move values to this one.
inline bool is_limit(Limits const& limits, double value) {
  return value == limits.lower || value == limits.upper;
}

/// How far numbers of steps lie apart; 0 if that depends on the number.
double width_of(ValueSteps const& steps);
/// The lattice of values that are steps, for bins of a bound.
ValueLattice lattice_of(ValueSteps const& steps);
/// The steps that a header tells: those of floating-point values without loss.
ValueSteps steps_of(Options const& options, Dtype dtype);
/// The variant that a header tells.
Variant stored_variant(Options const& options);
/// What predicts.
PredictionMethod method_of(Predictor predictor);
/// Bit per TileShape that a field of these extents may be cut into.
std::uint32_t shapes_for(Extents3 extents, Predictor predictor);
/// Of the section of a predictor; 0: it has none.
std::size_t predictor_bytes(PredictionMethod method, Extents3 extents);
/// Of the longest section of a coder; 0: it has none.
std::size_t max_section_bytes(CoderRow const& coder, int radius);
/// The absolute bound of one relative to a range that is known: their product, rounded down whatever the
/// environment of the caller; infinite if it overflows.
double bound_within(double value, double range);

/// The bound of values, as far as it is known before the field is looked at.
/// \param range  max - min of the field, 0: not known
ErrorBound bound_with_range(Dtype dtype, ErrorBound const& bound, double range);
/// The bound of the numbers as which values are coded that keep `bound`.
/// \param largest  FieldSource::largest
ErrorBound bound_of_numbers(Dtype dtype, ErrorBound const& bound, double largest);
/// Whether a finite number, a whole one for integers, is a value of a type.
bool has_number(Dtype dtype, double number);
/// Fill values as values of a type of 16 bits, unless they lie beyond its ends.
FillValue fill_of_type(FillValue fill, Dtype dtype);

/// What every value shall keep by options that nobody looks at a field for.
/// \throws Error bad_argument if that would be needed
ErrorBound bound_without_field(Options const& options);

/// Memory for all of every level of a predictor that has such.
LevelParts whole_levels(PredictionMethod method, Extents3 extents, Carver& scratch);

/// "240 x 37 x 49 values of f32"
std::string describe(FieldShape const& shape);
/// The type and extents of what is decoded are those of the field that it shall go to.
/// \param whose  with which the message starts: "decompress: the stream holds "
void require_same_field(char const* whose, FieldShape const& decoded, FieldShape const& view);
void require_capacity(std::size_t needed, std::size_t capacity);
/// One call can take so many chunks.
void require_chunk_count(PredictionMethod method, std::int64_t chunks);
/// There is a chunk of that number in a stream of so many.
void require_chunk(std::int64_t chunk, std::uint64_t chunks);
/// Turns what the decoding kernels found into an Error.
void require_sound(DecodeFault fault);

}  // namespace kompakt::impl

#endif
