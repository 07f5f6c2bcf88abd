#ifndef KOMPAKT_API_CHUNK_HPP
#define KOMPAKT_API_CHUNK_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/compress.hpp>

namespace kompakt::impl {

/// Decodes one chunk of a stream to host memory: for parts of a field and for tests. The memory is the
/// workspace's, valid until its next call, and holds 4 * 1024 values: those of the chunk's t-th tile
/// that lie inside the field, packed in the field's order, from t * 1024 on; integers of 8 and 16 bits
/// as words whose high bits mean nothing.
/// \param shape  of the stream's field
/// \throws Error as decompress(), bad_argument if there is no such chunk
/// \note one launch and one fence on CUDA; touches nothing of the stream but front, index entry and
///       chunk
template <class Exec>
void const* decompress_chunk(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                             Workspace<Exec>& workspace, FieldShape const& shape,
                             std::int64_t chunk);

}  // namespace kompakt::impl

#endif
