#ifndef KOMPAKT_CONTAINER_READER_HPP
#define KOMPAKT_CONTAINER_READER_HPP

#include <container/expected.hpp>
#include <container/format.hpp>
#include <cstddef>
#include <kompakt/stream.hpp>
#include <span>

namespace kompakt::impl {

/// A header whose every number has been checked.
struct CheckedHeader {
  StreamInfo info{};
  StreamFront front{};  ///< offsets are 16-aligned and inside the stream
  Extents3 extents{};   ///< folded, x fastest
};

/// Reads and checks all that lies in front of the chunk index.
/// \param function      the caller's name, with which messages start
/// \param front         the stream's first bytes: all of it or at least inspect_bytes
/// \param stream_bytes  how long the stream is, or 0 if that is not known
/// \throws Error bad_magic, unsupported_version, corrupt
CheckedHeader read_header(char const* function, std::span<std::byte const> front,
                          std::size_t stream_bytes);

/// What a predictor is called.
char const* predictor_name(TileKind kind, bool constant);

/// What the header says that this library has just written for a field of this shape.
/// \param fill_bits  of the fill value, if there is one
StreamInfo header_info(std::byte const* header, std::uint64_t fill_bits, Reason const& reason,
                       FieldShape const& shape);

}  // namespace kompakt::impl

#endif
