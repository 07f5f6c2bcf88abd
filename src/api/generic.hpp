#ifndef KOMPAKT_API_GENERIC_HPP
#define KOMPAKT_API_GENERIC_HPP

#include <cstddef>
#include <kompakt/compress.hpp>

// compress and decompress by the generic bodies, whatever the backend has in their place: what
// overrides are held against, in tests byte for byte, in benchmarks second for second.

namespace kompakt::impl {

template <class Exec>
StreamInfo compress_field_generic(Exec const& exec, void const* field, FieldShape const& shape,
                                  Options const& options, Workspace<Exec>& workspace,
                                  std::byte* stream, std::size_t capacity_bytes);
template <class Exec>
StreamInfo decompress_field_generic(Exec const& exec, std::byte const* stream,
                                    std::size_t stream_bytes, Workspace<Exec>& workspace,
                                    void* field, FieldShape const& shape);

}  // namespace kompakt::impl

#endif
