#ifndef KOMPAKT_API_GENERIC_HPP
#define KOMPAKT_API_GENERIC_HPP

#include <cstddef>
#include <kompakt/compress.hpp>

// compress and decompress by the generic bodies, whatever the backend has in their place: what
// overrides are held against, in tests byte for byte, in benchmarks second for second.

namespace kompakt::impl {

template <class Exec>
CompressCall<Exec> start_compress_generic(Exec const& exec, ConstStridedData const& field,
                                          Options const& options, Workspace<Exec>& workspace,
                                          std::byte* stream, std::size_t capacity_bytes);
template <class Exec>
DecompressCall<Exec> start_decompress_generic(Exec const& exec, std::byte const* stream,
                                              std::size_t stream_bytes, Workspace<Exec>& workspace,
                                              StridedData const& field);

template <class Exec>
StreamInfo compress_generic(Exec const& exec, ConstStridedData const& field, Options const& options,
                            Workspace<Exec>& workspace, StreamBytes<Exec> const& stream) {
  return finish_compress(
      start_compress_generic(exec, field, options, workspace, stream.data(), stream.extent(0)));
}
template <class Exec>
StreamInfo decompress_generic(Exec const& exec, ConstStreamBytes<Exec> const& stream,
                              Workspace<Exec>& workspace, StridedData const& field) {
  return finish_decompress(
      start_decompress_generic(exec, stream.data(), stream.extent(0), workspace, field));
}

}  // namespace kompakt::impl

#endif
