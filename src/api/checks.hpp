#ifndef KOMPAKT_API_CHECKS_HPP
#define KOMPAKT_API_CHECKS_HPP

#include <container/format.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <pipeline/arguments.hpp>
#include <string>

// What is refused at the door, each with one line that names the value and says what to do.

namespace kompakt::impl {

/// "240 x 37 x 49 values of f32"
std::string describe(FieldShape const& shape);

/// A usable rank, a product of extents that fits.
void require_shape(char const* function, FieldShape const& shape);
/// The same, and memory where there are values.
void require_field(char const* function, void const* field, FieldShape const& shape);
void require_aligned(char const* function, void const* stream);
void require_capacity(std::size_t needed, std::size_t capacity);
void require_chunk_count(char const* function, std::int64_t chunks);
/// There is a chunk of that number in a stream of so many.
void require_chunk(std::int64_t chunk, std::uint64_t chunks);
/// The type and extents of what is decoded are those of the View that it shall go to.
/// \param whose  with which the message starts: "decompress: the stream holds "
void require_same_field(char const* whose, FieldShape const& decoded, FieldShape const& view);
/// What the codebook of a stream begins with is sound and as long as its section.
huffman::CodebookHead require_codebook_head(char const* function, StreamFront const& front);
/// Turns what the decoding kernels found into an Error.
void require_sound(char const* function, DecodeFault fault);

/// The absolute bound of one relative to a range that is known: their product, rounded to nearest whatever
/// the environment of the caller.
double bound_within(double value, double range);

/// Bit per TileKind that a field of these extents may be cut into.
std::uint32_t candidate_kinds(Extents3 extents, Predictor predictor);

/// Integers are lossless, and floating-point numbers wherever that is asked for.
void require_bound_for(char const* function, Dtype dtype, Options const& options);
/// Numbers that a range can be told of.
void require_floating_point(char const* function, Dtype dtype);

/// Calls body(T{}) with the type that kernels take the values as: they tell integers from numbers of the same
/// size only where a lossless stream is quantised.
template <class Body>
decltype(auto) with_values(Dtype dtype, Body const& body) {
  return coded_bytes(dtype) == sizeof(float) ? body(float{}) : body(double{});
}

/// Calls body(); whatever it throws leaves as an Error.
template <class Body>
auto as_errors(char const* function, Body const& body) {
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
