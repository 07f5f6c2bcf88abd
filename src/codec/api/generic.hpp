#ifndef KOMPAKT_API_GENERIC_HPP
#define KOMPAKT_API_GENERIC_HPP

#include <cstddef>
#include <kompakt/compress.hpp>

// compress and decompress by the generic bodies, whatever the backend has in their place: what
// overrides are held against, in tests byte for byte, in benchmarks second for second.

namespace kompakt::impl {

template <class Exec>
CompressCall<Exec> start_compress_generic(Exec const& exec, FieldSource const& field,
                                          Options const& options, Workspace<Exec>& workspace,
                                          std::byte* stream, std::size_t capacity_bytes);
template <class Exec>
StreamInfo decompress_generic(DecompressCall<Exec> const& call);

template <class Exec, FieldLike F>
StreamInfo compress_generic(Exec const& exec, F const& field, Options const& options,
                            Workspace<Exec>& workspace,
                            Kokkos::View<std::byte*, typename Exec::memory_space> const& stream) {
  return finish_compress(start_compress_generic(exec, source_of<Exec>(field), options, workspace,
                                                stream.data(), stream.extent(0)));
}
template <class Exec, FieldLike F>
StreamInfo decompress_generic(Exec const& exec, StreamArgument<Exec> const& stream,
                              Workspace<Exec>& workspace, F const& field) {
  return decompress_generic(stream.call(exec, workspace, target_of<Exec>(field)));
}

}  // namespace kompakt::impl

#endif
