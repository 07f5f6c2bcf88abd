#ifndef KOMPAKT_CONTAINER_ABRIDGED_HPP
#define KOMPAKT_CONTAINER_ABRIDGED_HPP

#include <cstddef>
#include <kompakt/field.hpp>
#include <span>
#include <vector>

// Streams without what their reader knows: in a file whose chunks have all the same type and extents, header and index
// of a stream would take a third of a small chunk. docs/format.md, section 12.

namespace kompakt::impl {

/// Whether bytes are such a stream; a whole one is none.
bool is_abridged(std::span<std::byte const> bytes);

/// Leaves of a stream what restore() needs: 20 bytes where there were about 200, and 4 instead of 8 for a chunk. How
/// the bound was stated and why the pipeline was chosen are not kept.
/// \param stream  of a whole field in C order, sound
/// \param out     at least as long as the stream; may begin where it begins
/// \returns how many bytes it has; 0 if this stream cannot be abridged, which then stays as it is
std::size_t abridge(std::span<std::byte const> stream, std::byte* out);

/// Makes a stream out of what abridge() left. Sees to it that it takes no more memory than a field of these extents
/// may; that its payload is sound is up to the decoder, as of any stream.
/// \param shape   of the field, in C order; extents of 1 do not matter
/// \param stream  becomes it
/// \throws Error corrupt, or unsupported_version
void restore(std::span<std::byte const> abridged, FieldShape const& shape,
             std::vector<std::byte>& stream);

}  // namespace kompakt::impl

#endif
