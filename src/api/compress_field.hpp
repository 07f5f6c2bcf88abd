#ifndef KOMPAKT_API_COMPRESS_FIELD_HPP
#define KOMPAKT_API_COMPRESS_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <api/checks.hpp>
#include <coder/fixedlength/record.hpp>
#include <container/reader.hpp>
#include <cstring>
#include <kompakt/compress.hpp>
#include <pipeline/operations.hpp>

// Bodies of the two entries that compress.hpp declares. Included only where they are instantiated:
// api/instantiate_host.cpp and backends/cuda/instantiate.cpp.

namespace kompakt::impl {

template <class Exec>
using DeviceBytes =
    Kokkos::View<std::byte const*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// Copies bytes to the host on `exec`, without waiting.
template <class Exec>
void read_back(Exec const& exec, void const* from, std::byte* to, std::size_t bytes) {
  Kokkos::deep_copy(exec, HostBytes(to, bytes),
                    DeviceBytes<Exec>(static_cast<std::byte const*>(from), bytes));
}

/// A stream of a field without values: nothing but its front and the end of an empty index.
template <class Exec>
StreamInfo compress_empty(Exec const& exec, FieldShape const& shape, Options const& options,
                          Workspace<Exec>& workspace, std::byte* stream) {
  HeaderFields h;
  h.variant = options.variant;
  h.shape = shape;
  h.bound = options.bound;
  h.checksum = options.checksum;
  h.constant = options.bound.mode != ErrorBound::Mode::abs;
  h.abs_bound = h.constant ? 0 : options.bound.value;
  StreamLayout const layout(shape.rank, 0);
  std::byte* const front = workspace.readback_bytes(layout.payload);
  std::fill_n(front, layout.payload, std::byte{0});
  write_front(h, front);
  Kokkos::deep_copy(exec,
                    Kokkos::View<std::byte*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(
                        stream, layout.payload),
                    Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        front, layout.payload));
  exec.fence("kompakt::compress: empty field");
  return inspect({front, layout.payload});
}

/// Enqueues every kernel of a compression.
template <class Coder, class Tag, class Exec, class T>
void enqueue_compress(Tag tag, Exec const& exec, EncodeArgs<T> const& args) {
  resolve(tag, exec, args);
  choose_predictor<Coder>(tag, exec, args);
  encode<Coder>(tag, exec, args);
}

template <class Tag, class T, class Exec>
StreamInfo compress_values(Exec const& exec, T const* field, FieldShape const& shape,
                           Options const& options, Workspace<Exec>& workspace, std::byte* stream,
                           std::size_t capacity) {
  EncodeArgs<T> args{};
  args.field = field;
  args.extents = fold_shape(shape);
  args.shape = shape;
  args.bound = options.bound;
  args.variant = options.variant;
  args.checksum = options.checksum;
  args.candidates = candidate_kinds(args.extents, options.predictor);
  args.stream = stream;
  args.capacity = capacity;
  std::int64_t const chunks = args.max_chunks();
  require_chunk_count("compress", chunks);
  require_capacity(StreamLayout(shape.rank, chunks).payload, capacity);

  constexpr std::size_t state_bytes = align_section(sizeof(EncodeState<T>));
  std::byte* const scratch =
      workspace.device_bytes(state_bytes + static_cast<std::size_t>(chunks) * 4);
  args.state = reinterpret_cast<EncodeState<T>*>(scratch);
  args.chunk_words = reinterpret_cast<std::uint32_t*>(scratch + state_bytes);
  args.kept = workspace.kept_bytes(exec, kept_bytes(Tag{}, chunks));
  args.kept_bytes = workspace.kept_capacity();
  args.result = reinterpret_cast<EncodeResult*>(workspace.readback_bytes(sizeof(EncodeResult)));
  enqueue_compress<FixedLength<T>>(Tag{}, exec, args);
  exec.fence("kompakt::compress: header");
  require_capacity(args.result->stream_bytes, capacity);
  return header_info(reinterpret_cast<std::byte const*>(args.result->header), shape);
}

template <class Tag, class Exec>
StreamInfo compress_field_by(Exec const& exec, void const* field, FieldShape const& shape,
                             Options const& options, Workspace<Exec>& workspace, std::byte* stream,
                             std::size_t capacity_bytes) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::compress");
  validate(options);
  require_field("compress", field, shape);
  require_aligned("compress", stream);
  if (shape.size() == 0) {
    require_capacity(StreamLayout(shape.rank, 0).payload, capacity_bytes);
    return compress_empty(exec, shape, options, workspace, stream);
  }
  return as_errors("compress", [&] {
    if (shape.dtype == Dtype::f32) {
      return compress_values<Tag>(exec, static_cast<float const*>(field), shape, options, workspace,
                                  stream, capacity_bytes);
    }
    return compress_values<Tag>(exec, static_cast<double const*>(field), shape, options, workspace,
                                stream, capacity_bytes);
  });
}

template <class Tag, class T, class Exec>
void decompress_values(Exec const& exec, CheckedHeader const& header, std::byte const* stream,
                       Workspace<Exec>& workspace, T* field, FieldShape const& shape) {
  bool const reordered = shape.rank > 1 && shape.order != header.info.shape.order;
  DecodeArgs<T> args{};
  args.field = reordered ? reinterpret_cast<T*>(workspace.device_bytes(shape.bytes())) : field;
  args.extents = header.extents;
  args.tile_kind = header.tile_kind;
  args.quantizer = header.constant ? Quantizer<T>::with_constant(std::bit_cast<T>(
                                         static_cast<unsigned_t<T>>(header.constant_bits)))
                                   : Quantizer<T>::with_bound(header.info.abs_bound);
  args.checksum = header.info.checksum;
  args.index = reinterpret_cast<std::uint64_t const*>(stream + header.index_offset);
  args.payload = reinterpret_cast<std::uint32_t const*>(stream + header.payload_offset);
  args.payload_bytes = header.payload_bytes;
  args.result = reinterpret_cast<DecodeResult*>(workspace.readback_bytes(sizeof(DecodeResult)));
  *args.result = DecodeResult{};
  require_chunk_count("decompress", static_cast<std::int64_t>(header.info.chunks));

  decode<FixedLength<T>>(Tag{}, exec, args);
  if (reordered) reorder(exec, static_cast<T const*>(args.field), field, shape);

  exec.fence("kompakt::decompress: status");
  require_sound(args.result->worst());
}

template <class Tag, class Exec>
StreamInfo decompress_field_by(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                               Workspace<Exec>& workspace, void* field, FieldShape const& shape) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decompress");
  require_field("decompress", field, shape);
  require_aligned("decompress", stream);
  return as_errors("decompress", [&] {
    std::size_t const front_bytes = stream_bytes < inspect_bytes ? stream_bytes : inspect_bytes;
    std::byte* const front = workspace.readback_bytes(inspect_bytes);
    read_back(exec, stream, front, front_bytes);
    exec.fence("kompakt::decompress: header");
    CheckedHeader const header = read_header("decompress", {front, front_bytes}, stream_bytes);
    require_same_field(header.info.shape, shape);
    if (shape.size() == 0) return header.info;
    if (shape.dtype == Dtype::f32) {
      decompress_values<Tag>(exec, header, stream, workspace, static_cast<float*>(field), shape);
    } else {
      decompress_values<Tag>(exec, header, stream, workspace, static_cast<double*>(field), shape);
    }
    return header.info;
  });
}

template <class Exec>
StreamInfo compress_field(Exec const& exec, void const* field, FieldShape const& shape,
                          Options const& options, Workspace<Exec>& workspace, std::byte* stream,
                          std::size_t capacity_bytes) {
  return compress_field_by<backend_tag_t<Exec>>(exec, field, shape, options, workspace, stream,
                                                capacity_bytes);
}
template <class Exec>
StreamInfo decompress_field(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                            Workspace<Exec>& workspace, void* field, FieldShape const& shape) {
  return decompress_field_by<backend_tag_t<Exec>>(exec, stream, stream_bytes, workspace, field,
                                                  shape);
}

// The bodies of no backend in particular, on any execution space.
template <class Exec>
StreamInfo compress_field_generic(Exec const& exec, void const* field, FieldShape const& shape,
                                  Options const& options, Workspace<Exec>& workspace,
                                  std::byte* stream, std::size_t capacity_bytes) {
  return compress_field_by<generic_tag>(exec, field, shape, options, workspace, stream,
                                        capacity_bytes);
}
template <class Exec>
StreamInfo decompress_field_generic(Exec const& exec, std::byte const* stream,
                                    std::size_t stream_bytes, Workspace<Exec>& workspace,
                                    void* field, FieldShape const& shape) {
  return decompress_field_by<generic_tag>(exec, stream, stream_bytes, workspace, field, shape);
}

}  // namespace kompakt::impl

#endif
