#ifndef KOMPAKT_API_DECOMPRESS_FIELD_HPP
#define KOMPAKT_API_DECOMPRESS_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <api/checks.hpp>
#include <api/chunk.hpp>
#include <coder/coders.hpp>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/compress.hpp>
#include <limits>
#include <pipeline/coder_calls.hpp>
#include <pipeline/operations.hpp>

// What lies behind decompress_async() and finish(). A backend may decode before the host has seen the
// header (decode_expected); whatever it leaves is decoded here once the header is known. Included
// only where it is instantiated: api/instantiate_host/calls.cpp and
// backends/cuda/instantiate/calls.cpp.

namespace kompakt::impl {

/// A result without a fault, in memory that device and host reach.
template <class Exec>
DecodeResult* clear_result(Workspace<Exec>& workspace) {
  auto* const result =
      reinterpret_cast<DecodeResult*>(workspace.readback_bytes(sizeof(DecodeResult)));
  result->clear();
  return result;
}

/// The checked header of a call's stream, whose first bytes `front` holds.
template <class Exec>
CheckedHeader checked_header(DecompressCall<Exec> const& call, std::byte const* front) {
  std::size_t const bytes = front_bytes(call.memory_bytes);
  CheckedHeader const header =
      read_header("decompress", {front, bytes}, call.exact ? call.memory_bytes : 0);
  if (header.info.bytes > call.memory_bytes) {
    throw Error(Status::corrupt, "decompress: the header speaks of " +
                                     std::to_string(header.info.bytes) + " bytes, but there are " +
                                     std::to_string(call.memory_bytes));
  }
  if (call.only_chunk >= 0) require_chunk(call.only_chunk, header.info.chunks);
  return header;
}

/// The same, read now; waits for it.
template <class Exec>
CheckedHeader fetch_header(DecompressCall<Exec> const& call) {
  std::size_t const bytes = front_bytes(call.memory_bytes);
  std::byte* const front = call.workspace->readback_bytes(inspect_bytes);
  using Host = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device =
      Kokkos::View<std::byte const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(call.exec, Host(front, bytes), Device(call.stream, bytes));
  call.exec.fence("kompakt::decompress: header");
  return checked_header(call, front);
}

/// Decodes a stream whose header has been checked into a field of its type and extents, to the end.
template <class Tag, class T, class Exec>
void decompress_checked(CheckedHeader const& header, DecompressCall<Exec> const& call) {
  FieldShape const& shape = call.shape;
  if (shape.size() == 0) return;
  require_chunk_count("decompress", static_cast<std::int64_t>(header.info.chunks));
  bool const reordered =
      shape.rank > 1 && shape.order != header.info.shape.order && call.only_chunk < 0;
  T* const field = static_cast<T*>(call.field);
  huffman::CodebookHead book;
  if (header.info.pipeline == Pipeline::huffman) {
    book = require_codebook_head("decompress", header.front);
  }
  std::size_t const values_bytes = reordered ? align_section(shape.bytes()) : 0;
  std::size_t const book_bytes = book.radius > 0 ? huffman::DecodeBook::bytes(book.radius) : 0;
  std::byte* const scratch = call.workspace->device_bytes(values_bytes + book_bytes);
  T* const target = reordered ? reinterpret_cast<T*>(scratch) : field;
  DecodeResult* const result = call.result != nullptr ? call.result : clear_result(*call.workspace);
  {
    FpEnvironment const environment;
    StreamFront front = header.front;
    front.abs_bound = environment.inside(front.abs_bound);
    auto args = decode_args(front, call.stream, header.extents, target, result);
    args.only_chunk = call.only_chunk;
    if (book.radius > 0) {
      args.book = reinterpret_cast<huffman::DecodeBook*>(scratch + values_bytes);
      args.radius = book.radius;
      read_codebook(call.exec, args, book);
    }
    with_coder<T>(front.pipeline, front.variant, [&]<class Coder>(CoderTag<Coder>) {
      CoderCalls<Coder, Tag, Exec, T>::decode(call.exec, args);
    });
  }
  if (reordered) reorder(call.exec, static_cast<T const*>(target), field, shape);
  call.exec.fence("kompakt::decompress: status");
  DecodeFault const fault = result->worst();
  result->clear();
  require_sound(fault);
}

template <class Tag, class Exec>
StreamInfo decompress_known(CheckedHeader const& header, DecompressCall<Exec> const& call) {
  require_same_field(header.info.shape, call.shape);
  with_values(call.shape.dtype, [&]<class T>(T) { decompress_checked<Tag, T>(header, call); });
  return header.info;
}

template <class Tag, class Exec>
DecompressCall<Exec> start_decompress_by(DecompressCall<Exec> call) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decompress");
  require_field("decompress", call.field, call.shape);
  require_aligned("decompress", call.stream);
  return as_errors("decompress", [&] {
    if (call.shape.size() > 0) {
      DecodeResult* const result = clear_result(*call.workspace);
      bool const enqueued = with_values(call.shape.dtype, [&]<class T>(T) {
        ExpectedArgs<T> args{call.stream, call.memory_bytes,           call.exact,
                             call.shape,  static_cast<T*>(call.field), result};
        args.only_chunk = call.only_chunk;
        StreamCoding const coding = call.workspace->coding();
        if (coding.pipeline == Pipeline::huffman) {
          args.book = reinterpret_cast<huffman::DecodeBook*>(
              call.workspace->device_bytes(huffman::DecodeBook::bytes(huffman::default_radius)));
        }
        return with_coder<T>(coding.pipeline, coding.variant, [&]<class Coder>(CoderTag<Coder>) {
          return CoderCalls<Coder, Tag, Exec, T>::decode_expected(call.exec, args);
        });
      });
      if (enqueued) call.result = result;
    }
    if (call.result == nullptr) call.info = decompress_known<Tag>(fetch_header(call), call);
    return call;
  });
}

template <class Exec>
StreamInfo finish_decompress(DecompressCall<Exec> const& call) {
  if (call.result == nullptr) return call.info;
  return as_errors("decompress", [&] {
    call.exec.fence("kompakt::decompress: status");
    DecodeResult& result = *call.result;
    DecodeFault const fault = result.worst();
    bool const decoded = result.as_expected != 0;
    result.clear();  // for the next launch of a graph
    CheckedHeader const header = checked_header(call, result.front);
    call.workspace->expect({header.info.pipeline, header.info.variant});
    if (!decoded) return decompress_known<backend_tag_t<Exec>>(header, call);
    require_sound(fault);
    return header.info;
  });
}

template <class Exec>
DecompressCall<Exec> start_decompress(Exec const& exec, std::byte const* stream,
                                      std::size_t memory_bytes, bool exact,
                                      Workspace<Exec>& workspace, void* field,
                                      FieldShape const& shape) {
  return start_decompress_by<backend_tag_t<Exec>>(
      DecompressCall<Exec>{exec, stream, memory_bytes, exact, &workspace, field, shape});
}
// By the bodies of no backend in particular, on any execution space.
template <class Exec>
DecompressCall<Exec> start_decompress_generic(Exec const& exec, std::byte const* stream,
                                              std::size_t stream_bytes, Workspace<Exec>& workspace,
                                              void* field, FieldShape const& shape) {
  return start_decompress_by<generic_tag>(
      DecompressCall<Exec>{exec, stream, stream_bytes, true, &workspace, field, shape});
}

template <class Exec>
void const* decompress_chunk(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                             Workspace<Exec>& workspace, FieldShape const& shape,
                             std::int64_t chunk) {
  require_chunk(chunk, std::numeric_limits<std::uint64_t>::max());  // the header knows how many
  constexpr std::size_t result_bytes = align_section(sizeof(DecodeResult));
  std::size_t const values_bytes =
      static_cast<std::size_t>(chunk_tiles * tile_values) * size_of(shape.dtype);
  std::byte* const values = workspace.readback_bytes(result_bytes + values_bytes) + result_bytes;
  finish_decompress(start_decompress_by<backend_tag_t<Exec>>(
      DecompressCall<Exec>{exec, stream, stream_bytes, true, &workspace, values, shape, chunk}));
  return values;
}

}  // namespace kompakt::impl

#endif
