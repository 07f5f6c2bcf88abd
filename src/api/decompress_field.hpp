#ifndef KOMPAKT_API_DECOMPRESS_FIELD_HPP
#define KOMPAKT_API_DECOMPRESS_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <api/checks.hpp>
#include <api/chunk.hpp>
#include <api/compress_field.hpp>
#include <coder/coders.hpp>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/compress.hpp>
#include <limits>
#include <pipeline/coder_calls.hpp>
#include <pipeline/operations.hpp>
#include <pipeline/strided_copy.hpp>

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
      read_header(call.function, {front, bytes}, call.exact ? call.memory_bytes : 0);
  if (header.info.bytes > call.memory_bytes) {
    throw Error(Status::corrupt, std::string(call.function) + ": the header speaks of " +
                                     std::to_string(header.info.bytes) + " bytes, but there are " +
                                     std::to_string(call.memory_bytes));
  }
  if (call.chunk != nullptr) require_chunk(*call.chunk, header.info.chunks);
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

/// What the codebook of a stream begins with; of radius 0 if there is none.
template <class Exec>
huffman::CodebookHead codebook_head_of(CheckedHeader const& header,
                                       DecompressCall<Exec> const& call) {
  bool const has_book = header.info.pipeline == Pipeline::huffman;
  return has_book ? require_codebook_head(call.function, header.front) : huffman::CodebookHead{};
}
/// Memory for the tables that decoders look up in a codebook of this radius; 0: there is none.
inline std::size_t decode_book_bytes(int radius) {
  return radius > 0 ? align_section(huffman::DecodeBook::bytes(radius)) : 0;
}

/// Host memory of a call's result.
inline constexpr std::size_t result_bytes = align_section(sizeof(DecodeResult));

/// What a decompression takes of a workspace, to values dense in the order of `shape` that are then moved to an
/// array of these strides.
inline WorkspaceSizes decode_sizes(FieldShape const& shape, Strides const& strides,
                                   FieldAccess access, int radius) {
  WorkspaceSizes sizes;
  sizes.scratch = decode_book_bytes(radius);
  sizes.field = copy_bytes(shape, strides, access);
  sizes.readback = result_bytes + staging_bytes(shape, access);
  return sizes;
}
/// Largest radius of a codebook that a stream may have which is decoded before its header is known; 0: it has none.
inline int expected_radius(StreamCoding coding) {
  return coding.pipeline == Pipeline::huffman ? huffman::default_radius : 0;
}

template <class Exec>
WorkspaceSizes decompress_sizes(FieldShape const& stored, Options const& options,
                                FieldShape const& shape, Strides const& strides,
                                FieldAccess access) {
  constexpr char const* function = "decompress_workspace";
  validate(options);
  require_shape(function, shape);
  require_same_field("decompress_workspace: the stream holds ", stored, shape);
  if (shape.size() == 0) {
    WorkspaceSizes sizes;
    sizes.readback = inspect_bytes;
    return sizes;
  }
  int const radius = options.pipeline == Pipeline::huffman ? options.radius : 0;
  return max(
      decode_sizes(shape, strides, access, expected_radius({options.pipeline, options.variant})),
      decode_sizes(stored, strides, access, radius));
}

/// How a stream whose header has been checked is decoded to `target`. Starts to make the tables of its
/// codebook in `book_memory`.
template <class T, class Exec>
DecodeArgs<T> checked_args(CheckedHeader const& header, DecompressCall<Exec> const& call,
                           huffman::CodebookHead book, std::byte* book_memory, T* target,
                           DecodeResult* result, FpEnvironment const& environment) {
  StreamFront front = header.front;
  front.bound.value = environment.inside(front.bound.value);
  auto args = decode_args(front, call.stream, header.extents, target, result);
  if (book.radius > 0) {
    args.book = reinterpret_cast<huffman::DecodeBook*>(book_memory);
    args.radius = book.radius;
    read_codebook(call.exec, args, book);
  }
  return args;
}

/// Enqueues the decoding of what `args` say.
template <class Tag, class T, class Exec>
void decode_by(Exec const& exec, StreamFront const& front, DecodeArgs<T> const& args) {
  with_coder<T>(front.pipeline, front.variant, [&]<class Coder>(CoderTag<Coder>) {
    CoderCalls<Coder, Tag, Exec, T>::decode(exec, args);
  });
}

/// Waits for all that was enqueued and throws what was wrong.
template <class Exec>
void end_decoding(DecompressCall<Exec> const& call, DecodeResult& result) {
  call.exec.fence("kompakt::decompress: status");
  DecodeFault const fault = result.worst();
  result.clear();
  require_sound(call.function, fault);
}

/// What a call takes of a workspace whose values are decoded dense in the order of `shape`.
template <class Exec>
WorkspaceSizes sizes_of(DecompressCall<Exec> const& call, FieldShape const& shape, int radius) {
  WorkspaceSizes sizes = decode_sizes(shape, call.field.strides, call.access, radius);
  if (call.chunk != nullptr) sizes.field = 0;
  return sizes;
}

/// Where a call's values are decoded to, dense in the order of `shape`: its field, or memory of the workspace
/// from which they are then moved there, or fetched by the end of the call.
template <class T, class Exec>
class DecodeTarget {
 public:
  /// \param sizes  of the call
  DecodeTarget(DecompressCall<Exec> const& call, FieldShape const& shape,
               WorkspaceSizes const& sizes)
      : m_call(call),
        m_shape(shape),
        m_direct(sizes.field == 0),
        m_values(m_direct ? static_cast<T*>(call.field.data)
                          : reinterpret_cast<T*>(call.workspace->field_bytes(sizes.field))) {}

  T* values() const { return m_values; }
  /// Enqueues the move, if there is one.
  void move() const {
    if (m_direct || m_call.access == FieldAccess::staged) return;
    with_stored<T>(m_shape.dtype, [&]<class Stored>(Stored) {
      copy_strided<CopyTo::strided>(m_call.exec, static_cast<T const*>(m_values),
                                    static_cast<Stored*>(m_call.field.data), m_shape,
                                    m_call.field.strides);
    });
  }

 private:
  DecompressCall<Exec> const& m_call;
  FieldShape const& m_shape;
  bool m_direct;
  T* m_values;
};

/// Enqueues the decoding of a stream whose header has been checked into a field of its type and extents, and
/// returns where the kernels will report.
template <class Tag, class T, class Exec>
DecodeResult* start_checked(CheckedHeader const& header, DecompressCall<Exec> const& call) {
  FieldShape const& stored = header.info.shape;
  require_chunk_count(call.function, static_cast<std::int64_t>(header.info.chunks));
  auto const book = codebook_head_of(header, call);
  WorkspaceSizes const sizes = sizes_of(call, stored, book.radius);
  call.workspace->reserve(call.exec, sizes);
  DecodeTarget<T, Exec> const target(call, stored, sizes);
  std::byte* const book_memory = call.workspace->device_bytes(sizes.scratch);
  DecodeResult* const result = call.result != nullptr ? call.result : clear_result(*call.workspace);
  {
    FpEnvironment const environment;
    auto args = checked_args(header, call, book, book_memory, target.values(), result, environment);
    args.chunks = call.chunk;
    args.listed = 1;
    decode_by<Tag>(call.exec, header.front, args);
  }
  target.move();
  return result;
}

/// The same for a View whose type and extents are still to be compared; none if there are no values.
template <class Tag, class Exec>
DecodeResult* start_known(CheckedHeader const& header, DecompressCall<Exec> const& call) {
  require_same_field("decompress: the stream holds ", header.info.shape, call.field.shape);
  if (header.info.shape.size() == 0) return nullptr;
  return with_values(call.field.shape.dtype,
                     [&]<class T>(T) { return start_checked<Tag, T>(header, call); });
}

/// Ends a call whose values have been decoded in the order of the stream: fetches those of a field that only the
/// host reaches.
template <class Exec>
StreamInfo fetch_values(DecompressCall<Exec> const& call, StreamInfo const& info) {
  if (call.access == FieldAccess::direct) return info;
  with_values(info.shape.dtype, [&]<class T>(T) {
    StagingBuffers const buffers{call.workspace->readback_bytes(result_bytes) + result_bytes,
                                 StagingBuffers::bytes_of_one(coded_bytes(info.shape))};
    with_stored<T>(info.shape.dtype, [&]<class Stored>(Stored) {
      stage_out(call.exec, reinterpret_cast<T const*>(call.workspace->field_bytes(0)), info.shape,
                call.field.strides, static_cast<Stored*>(call.field.data), buffers);
    });
  });
  return info;
}

/// That, to the end.
template <class Tag, class Exec>
StreamInfo decompress_known(CheckedHeader const& header, DecompressCall<Exec> const& call) {
  DecodeResult* const result = start_known<Tag>(header, call);
  if (result == nullptr) return header.info;
  end_decoding(call, *result);
  return fetch_values(call, header.info);
}

/// Decodes before the host has seen the header, if the backend can, and returns where the kernels will report;
/// none if it cannot.
template <class Tag, class T, class Exec>
DecodeResult* start_expected(DecompressCall<Exec> const& call) {
  FieldShape const& shape = call.field.shape;
  StreamCoding const coding = call.workspace->coding();
  WorkspaceSizes const sizes = sizes_of(call, shape, expected_radius(coding));
  call.workspace->reserve(call.exec, sizes);
  DecodeResult* const result = clear_result(*call.workspace);
  DecodeTarget<T, Exec> const target(call, shape, sizes);
  ExpectedArgs<T> args{call.stream, call.memory_bytes, call.exact, shape, target.values(), result};
  if (call.chunk != nullptr) args.only_chunk = *call.chunk;
  if (coding.pipeline == Pipeline::huffman) {
    args.book = reinterpret_cast<huffman::DecodeBook*>(call.workspace->device_bytes(sizes.scratch));
  }
  bool const enqueued =
      with_coder<T>(coding.pipeline, coding.variant, [&]<class Coder>(CoderTag<Coder>) {
        return CoderCalls<Coder, Tag, Exec, T>::decode_expected(call.exec, args);
      });
  if (!enqueued) return nullptr;
  target.move();
  return result;
}

template <class Tag, class Exec>
DecompressCall<Exec> start_decompress_by(DecompressCall<Exec> call) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decompress");
  FieldShape const& shape = call.field.shape;
  require_field("decompress", call.field.data, shape);
  require_aligned("decompress", call.stream);
  return as_errors("decompress", [&] {
    if (shape.size() > 0) {
      call.result =
          with_values(shape.dtype, [&]<class T>(T) { return start_expected<Tag, T>(call); });
    }
    if (call.result == nullptr) call.info = decompress_known<Tag>(fetch_header(call), call);
    return call;
  });
}

template <class Exec>
StreamInfo finish_decompress(DecompressCall<Exec> const& call) {
  if (call.result == nullptr) return call.info;
  return as_errors(call.function, [&] {
    if (call.knows_header) {
      end_decoding(call, *call.result);
      return call.info;
    }
    call.exec.fence("kompakt::decompress: status");
    DecodeResult& result = *call.result;
    DecodeFault const fault = result.worst();
    bool const decoded = result.as_expected != 0;
    result.clear();  // for the next launch of a graph
    CheckedHeader const header = checked_header(call, result.front);
    call.workspace->expect({header.info.pipeline, header.info.variant});
    if (!decoded) return decompress_known<backend_tag_t<Exec>>(header, call);
    require_sound(call.function, fault);
    return fetch_values(call, header.info);
  });
}

template <class Exec>
DecompressCall<Exec> start_decompress(Exec const& exec, std::byte const* stream,
                                      std::size_t memory_bytes, bool exact,
                                      Workspace<Exec>& workspace, StridedData const& field,
                                      FieldAccess access) {
  return start_decompress_by<backend_tag_t<Exec>>(
      DecompressCall<Exec>{exec, stream, memory_bytes, exact, &workspace, field, access});
}
// By the bodies of no backend in particular, on any execution space.
template <class Exec>
DecompressCall<Exec> start_decompress_generic(Exec const& exec, std::byte const* stream,
                                              std::size_t stream_bytes, Workspace<Exec>& workspace,
                                              StridedData const& field) {
  return start_decompress_by<generic_tag>(
      DecompressCall<Exec>{exec, stream, stream_bytes, true, &workspace, field});
}

template <class Exec>
void const* decompress_chunk(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                             Workspace<Exec>& workspace, FieldShape const& shape,
                             std::int64_t chunk) {
  require_chunk(chunk, std::numeric_limits<std::uint64_t>::max());  // the header knows how many
  constexpr std::size_t number_at = result_bytes, values_at = number_at + section_alignment;
  std::size_t const values_bytes =
      static_cast<std::size_t>(chunk_tiles * tile_values) * coded_bytes(shape.dtype);
  std::byte* const readback = workspace.readback_bytes(values_at + values_bytes);
  auto* const number = reinterpret_cast<std::int64_t*>(readback + number_at);
  *number = chunk;
  DecompressCall<Exec> call{exec, stream,     stream_bytes,
                            true, &workspace, FieldData{readback + values_at, shape}};
  call.chunk = number;
  finish_decompress(start_decompress_by<backend_tag_t<Exec>>(call));
  return readback + values_at;
}

}  // namespace kompakt::impl

#endif
