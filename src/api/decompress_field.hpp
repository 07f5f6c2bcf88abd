#ifndef KOMPAKT_API_DECOMPRESS_FIELD_HPP
#define KOMPAKT_API_DECOMPRESS_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <api/checks.hpp>
#include <coder/fixedlength/record.hpp>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/compress.hpp>
#include <pipeline/operations.hpp>

// What lies behind decompress_async() and finish(). A backend may decode before the host has seen the
// header (decode_expected); whatever it leaves is decoded here once the header is known. Included
// only where it is instantiated: api/instantiate_host.cpp and backends/cuda/instantiate.cpp.

namespace kompakt::impl {

/// A result without a fault, in memory that device and host reach.
template <class Exec>
DecodeResult* clear_result(Workspace<Exec>& workspace) {
  auto* const result =
      reinterpret_cast<DecodeResult*>(workspace.readback_bytes(sizeof(DecodeResult)));
  result->clear();
  return result;
}

/// The header, read and checked on the host; waits for it.
template <class Exec>
CheckedHeader fetch_header(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                           Workspace<Exec>& workspace) {
  std::size_t const bytes = stream_bytes < inspect_bytes ? stream_bytes : inspect_bytes;
  std::byte* const front = workspace.readback_bytes(inspect_bytes);
  Kokkos::deep_copy(
      exec, Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(front, bytes),
      Kokkos::View<std::byte const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(stream,
                                                                                           bytes));
  exec.fence("kompakt::decompress: header");
  return read_header("decompress", {front, bytes}, stream_bytes);
}

/// Decodes a stream whose header has been checked into a field of its type and extents, to the end.
template <class Tag, class T, class Exec>
void decompress_checked(Exec const& exec, CheckedHeader const& header, std::byte const* stream,
                        Workspace<Exec>& workspace, T* field, FieldShape const& shape) {
  if (shape.size() == 0) return;
  require_chunk_count("decompress", static_cast<std::int64_t>(header.info.chunks));
  bool const reordered = shape.rank > 1 && shape.order != header.info.shape.order;
  T* const target = reordered ? reinterpret_cast<T*>(workspace.device_bytes(shape.bytes())) : field;
  DecodeResult* const result = clear_result(workspace);
  {
    [[maybe_unused]] FpEnvironment const environment;
    decode<FixedLength<T>>(Tag{}, exec,
                           decode_args(header.front, stream, header.extents, target, result));
  }
  if (reordered) reorder(exec, static_cast<T const*>(target), field, shape);
  exec.fence("kompakt::decompress: status");
  require_sound(result->worst());
}

template <class Tag, class Exec>
StreamInfo decompress_known(CheckedHeader const& header, DecompressCall<Exec> const& call) {
  require_same_field(header.info.shape, call.shape);
  with_values(call.shape.dtype, [&]<class T>(T) {
    decompress_checked<Tag>(call.exec, header, call.stream, *call.workspace,
                            static_cast<T*>(call.field), call.shape);
  });
  return header.info;
}

template <class Tag, class Exec>
DecompressCall<Exec> start_decompress_by(Exec const& exec, std::byte const* stream,
                                         std::size_t stream_bytes, Workspace<Exec>& workspace,
                                         void* field, FieldShape const& shape) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decompress");
  require_field("decompress", field, shape);
  require_aligned("decompress", stream);
  DecompressCall<Exec> call{exec, stream, stream_bytes, &workspace, field, shape};
  return as_errors("decompress", [&] {
    if (shape.size() > 0) {
      DecodeResult* const result = clear_result(workspace);
      bool const enqueued = with_values(shape.dtype, [&]<class T>(T) {
        return decode_expected<FixedLength<T>>(
            Tag{}, exec,
            ExpectedArgs<T>{stream, stream_bytes, shape, static_cast<T*>(field), result});
      });
      if (enqueued) call.result = result;
    }
    if (call.result == nullptr) {
      call.info = decompress_known<Tag>(fetch_header(exec, stream, stream_bytes, workspace), call);
    }
    return call;
  });
}

template <class Exec>
StreamInfo finish_decompress(DecompressCall<Exec> const& call) {
  if (call.result == nullptr) return call.info;
  return as_errors("decompress", [&] {
    call.exec.fence("kompakt::decompress: status");
    DecodeResult& result = *call.result;
    std::size_t const bytes = call.stream_bytes < inspect_bytes ? call.stream_bytes : inspect_bytes;
    DecodeFault const fault = result.worst();
    bool const decoded = result.as_expected != 0;
    result.clear();  // for the next launch of a graph
    CheckedHeader const header =
        read_header("decompress", {result.front, bytes}, call.stream_bytes);
    if (!decoded) return decompress_known<backend_tag_t<Exec>>(header, call);
    require_sound(fault);
    return header.info;
  });
}

template <class Exec>
DecompressCall<Exec> start_decompress(Exec const& exec, std::byte const* stream,
                                      std::size_t stream_bytes, Workspace<Exec>& workspace,
                                      void* field, FieldShape const& shape) {
  return start_decompress_by<backend_tag_t<Exec>>(exec, stream, stream_bytes, workspace, field,
                                                  shape);
}
// By the bodies of no backend in particular, on any execution space.
template <class Exec>
DecompressCall<Exec> start_decompress_generic(Exec const& exec, std::byte const* stream,
                                              std::size_t stream_bytes, Workspace<Exec>& workspace,
                                              void* field, FieldShape const& shape) {
  return start_decompress_by<generic_tag>(exec, stream, stream_bytes, workspace, field, shape);
}

}  // namespace kompakt::impl

#endif
