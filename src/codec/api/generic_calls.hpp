#ifndef KOMPAKT_API_GENERIC_CALLS_HPP
#define KOMPAKT_API_GENERIC_CALLS_HPP

#include <api/calls.hpp>
#include <api/generic.hpp>

// Bodies of api/generic.hpp: the library kompakt_generic, which only tests and benchmarks are linked to.

namespace kompakt::impl {

template <class Exec>
CompressCall<Exec> start_compress_generic(Exec const& exec, FieldSource const& field,
                                          Options const& options, Workspace<Exec>& workspace,
                                          std::byte* stream, std::size_t capacity) {
  return start_compress_by<generic_tag>(exec, field, options, {}, workspace, stream, capacity);
}

template <class Exec>
StreamInfo decompress_generic(DecompressCall<Exec> const& call) {
  return finish_decompress(start_decompress_by<generic_tag>(call));
}

}  // namespace kompakt::impl

/// The generic doors for an execution space; inside namespace kompakt::impl.
#define KOMPAKT_INSTANTIATE_GENERIC_CALLS(EXEC)                                                    \
  template CompressCall<EXEC> start_compress_generic(                                              \
      EXEC const&, FieldSource const&, Options const&, Workspace<EXEC>&, std::byte*, std::size_t); \
  template StreamInfo decompress_generic(DecompressCall<EXEC> const&);

#endif
