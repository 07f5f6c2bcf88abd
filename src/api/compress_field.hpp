#ifndef KOMPAKT_API_COMPRESS_FIELD_HPP
#define KOMPAKT_API_COMPRESS_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <api/checks.hpp>
#include <api/staging.hpp>
#include <coder/coders.hpp>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <cstring>
#include <kompakt/compress.hpp>
#include <limits>
#include <pipeline/coder_calls.hpp>
#include <pipeline/operations.hpp>
#include <pipeline/strided_copy.hpp>

// What lies behind compress_async() and finish(). Included only where it is instantiated:
// api/instantiate_host/calls.cpp and
// backends/cuda/instantiate/calls.cpp.

namespace kompakt::impl {

/// Host memory that a call reads its result from: the result, and the front of an empty stream.
inline constexpr std::size_t call_readback_bytes =
    align_section(sizeof(EncodeResult)) + StreamLayout(max_rank, 0).payload;

/// The variant as encoders take it and headers tell it: bitshuffle has nothing to choose by itself.
inline Variant stored_variant(Options const& options) {
  bool const deep =
      options.pipeline == Pipeline::bitshuffle && options.variant == Variant::automatic;
  return deep ? Variant::deep : options.variant;
}

/// A stream of a field without values: nothing but its front and the end of an empty index.
template <class Exec>
CompressCall<Exec> start_compress_empty(Exec const& exec, FieldShape const& shape,
                                        Options const& options, std::byte* readback,
                                        std::byte* stream, std::size_t capacity) {
  HeaderFields h;
  h.pipeline = options.pipeline;
  h.variant = stored_variant(options);
  h.shape = shape;
  h.reason_bits = options.reason.bits();
  h.bound = options.bound;
  h.checksum = options.checksum;
  h.constant = !is_known(options.bound);
  h.abs_bound = h.constant ? 0 : options.bound.value;
  StreamLayout const layout(shape.rank, 0);
  require_capacity(layout.payload, capacity);
  std::byte* const front = readback + align_section(sizeof(EncodeResult));
  std::fill_n(front, layout.payload, std::byte{0});
  write_front(h, front);
  Kokkos::deep_copy(exec,
                    Kokkos::View<std::byte*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(
                        stream, layout.payload),
                    Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        front, layout.payload));
  auto* const result = reinterpret_cast<EncodeResult*>(readback);
  std::memcpy(result->header, front, header_bytes);
  result->stream_bytes = layout.payload;
  return {exec, result, shape, options.reason, capacity};
}

/// What a call needs beside the field and the stream, all but the memory.
template <class T>
EncodeArgs<T> encode_args(T const* field, FieldShape const& shape, Options const& options,
                          std::byte* stream, std::size_t capacity) {
  EncodeArgs<T> args{};
  args.field = field;
  args.extents = fold_shape(shape);
  args.shape = shape;
  args.reason_bits = options.reason.bits();
  args.stated_bound = options.bound;
  args.bound = options.bound;
  args.range = options.range;
  if (options.bound.mode == ErrorBound::Mode::r2r && options.range != 0) {
    args.bound = ErrorBound::absolute(bound_within(options.bound.value, options.range));
  }
  args.detects_fill = options.fill.mode == FillValue::Mode::automatic;
  if (options.fill.mode == FillValue::Mode::value) {
    args.given_fill = {true, static_cast<T>(options.fill.value)};
  }
  args.pipeline = options.pipeline;
  args.variant = stored_variant(options);
  args.radius = options.radius;
  args.checksum = options.checksum;
  args.candidates = candidate_kinds(args.extents, options.predictor);
  args.stream = stream;
  args.capacity = capacity;
  std::int64_t const chunks = args.max_chunks();
  require_chunk_count("compress", chunks);
  require_capacity(args.longest_layout(chunks).payload, capacity);
  return args;
}

template <class T>
constexpr std::size_t state_bytes = align_section(sizeof(EncodeState<T>));

template <class T>
std::size_t fill_runs_bytes(EncodeArgs<T> const& args) {
  return args.detects_fill
             ? align_section(static_cast<std::size_t>(sample_runs) * sizeof(FillSample<T>))
             : 0;
}

template <class T>
std::size_t chunk_words_bytes(EncodeArgs<T> const& args) {
  return align_section(static_cast<std::size_t>(args.max_chunks()) * 4);
}

/// Bytes of scratch() for a call.
template <class Exec, class T>
std::size_t scratch_bytes(EncodeArgs<T> const& args) {
  bool const has_book = args.pipeline == Pipeline::huffman;
  return state_bytes<T> + fill_runs_bytes(args) + chunk_words_bytes(args) +
         (has_book ? align_section(huffman::EncodeMemory::bytes(args.radius, count_slices<Exec>))
                   : 0);
}
template <class Exec, class T>
void set_scratch(EncodeArgs<T>& args, std::byte* scratch) {
  args.state = reinterpret_cast<EncodeState<T>*>(scratch);
  scratch += state_bytes<T>;
  args.fill_runs = reinterpret_cast<FillSample<T>*>(scratch);
  scratch += fill_runs_bytes(args);
  args.chunk_words = reinterpret_cast<std::uint32_t*>(scratch);
  scratch += chunk_words_bytes(args);
  if (args.pipeline == Pipeline::huffman) {
    args.book = huffman::EncodeMemory::in(scratch, args.radius, count_slices<Exec>);
  }
}

/// Bytes of a copy of a field as kernels take it; none if it is so itself.
inline std::size_t dense_copy_bytes(FieldShape const& shape, Strides const& strides) {
  bool const as_stored = size_of(shape.dtype) == coded_bytes(shape.dtype);
  return as_stored && is_dense(shape, strides) ? 0 : coded_bytes(shape);
}

/// Bytes of the copy of a field that a call has in its workspace, if it has one.
inline std::size_t copy_bytes(FieldShape const& shape, Strides const& strides, FieldAccess access) {
  return access == FieldAccess::staged ? coded_bytes(shape) : dense_copy_bytes(shape, strides);
}
/// Host memory for a field that is staged.
inline std::size_t staging_bytes(FieldShape const& shape, FieldAccess access) {
  return access == FieldAccess::staged ? StagingBuffers::bytes_of_both(coded_bytes(shape)) : 0;
}

/// The values side by side, as kernels take them: those of the field, or a copy.
/// \param memory  dense_copy_bytes() on the device, for that
template <class T, class Exec>
T const* dense_values(Exec const& exec, ConstStridedData const& field, std::byte* memory) {
  if (dense_copy_bytes(field.shape, field.strides) == 0) return static_cast<T const*>(field.data);
  T* const copy = reinterpret_cast<T*>(memory);
  with_stored<T>(field.shape.dtype, [&]<class Stored>(Stored) {
    copy_strided<CopyTo::dense>(exec, static_cast<Stored const*>(field.data), copy, field.shape,
                                field.strides);
  });
  return copy;
}

/// The same in the workspace.
template <class T, class Exec>
T const* dense_values(Exec const& exec, ConstStridedData const& field, Workspace<Exec>& workspace) {
  return dense_values<T>(exec, field,
                         workspace.field_bytes(dense_copy_bytes(field.shape, field.strides)));
}

/// The same of a field that only the host reaches, on their way to the workspace.
template <class T, class Exec>
T const* staged_values(Exec const& exec, ConstStridedData const& field,
                       Workspace<Exec>& workspace) {
  std::size_t const bytes = coded_bytes(field.shape);
  T* const copy = reinterpret_cast<T*>(workspace.field_bytes(bytes));
  StagingBuffers const buffers{workspace.readback_bytes(call_readback_bytes) + call_readback_bytes,
                               StagingBuffers::bytes_of_one(bytes)};
  with_stored<T>(field.shape.dtype, [&]<class Stored>(Stored) {
    stage_in(exec, static_cast<Stored const*>(field.data), field.shape, field.strides, copy,
             buffers);
  });
  return copy;
}

/// What a call takes of a workspace.
template <class Tag, class Exec, class T>
WorkspaceSizes sizes_of(EncodeArgs<T> const& args, Strides const& strides, FieldAccess access) {
  WorkspaceSizes sizes;
  sizes.scratch = scratch_bytes<Exec>(args);
  sizes.field = copy_bytes(args.shape, strides, access);
  sizes.kept = kept_bytes(Tag{}, args.max_chunks());
  sizes.readback = call_readback_bytes + staging_bytes(args.shape, access);
  return sizes;
}
/// Those of one of a field without values.
inline WorkspaceSizes sizes_of_empty_compression() {
  WorkspaceSizes sizes;
  sizes.readback = call_readback_bytes;
  return sizes;
}

/// The same without a call.
template <class Exec>
WorkspaceSizes compress_sizes(FieldShape const& shape, Strides const& strides, FieldAccess access,
                              Options const& options) {
  constexpr char const* function = "compress_workspace";
  validate(options);
  require_shape(function, shape);
  require_bound_for(function, shape.dtype, options);
  if (shape.size() == 0) return sizes_of_empty_compression();
  return with_values(shape.dtype, [&]<class T>(T) {
    return sizes_of<backend_tag_t<Exec>, Exec>(
        encode_args<T>(nullptr, shape, options, nullptr, std::numeric_limits<std::size_t>::max()),
        strides, access);
  });
}

template <class Tag, class T, class Exec>
CompressCall<Exec> start_compress_values(Exec const& exec, ConstStridedData const& field,
                                         FieldAccess access, Options const& options,
                                         Workspace<Exec>& workspace, std::byte* stream,
                                         std::size_t capacity) {
  EncodeArgs<T> args = encode_args<T>(nullptr, field.shape, options, stream, capacity);
  workspace.reserve(exec, sizes_of<Tag, Exec>(args, field.strides, access));
  args.field = access == FieldAccess::staged ? staged_values<T>(exec, field, workspace)
                                             : dense_values<T>(exec, field, workspace);
  set_scratch<Exec>(args, workspace.device_bytes(scratch_bytes<Exec>(args)));
  args.kept = workspace.kept_bytes(exec, kept_bytes(Tag{}, args.max_chunks()));
  args.kept_bytes = workspace.kept_capacity();
  args.result = reinterpret_cast<EncodeResult*>(workspace.readback_bytes(call_readback_bytes));
  FpEnvironment const environment;  // a backend may turn the bound into factors here
  args.bound.value = environment.inside(args.bound.value);
  with_coder<T>(args.pipeline, args.variant, [&]<class Coder>(CoderTag<Coder>) {
    CoderCalls<Coder, Tag, Exec, T>::encode(exec, args);
  });
  return {exec, args.result, field.shape, options.reason, capacity};
}

template <class Tag, class Exec>
CompressCall<Exec> start_compress_by(Exec const& exec, ConstStridedData const& field,
                                     FieldAccess access, Options const& options,
                                     Workspace<Exec>& workspace, std::byte* stream,
                                     std::size_t capacity) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::compress");
  FieldShape const& shape = field.shape;
  validate(options);
  require_field("compress", field.data, shape);
  require_bound_for("compress", shape.dtype, options);
  require_aligned("compress", stream);
  return as_errors("compress", [&] {
    if (shape.size() == 0) {
      workspace.reserve(exec, sizes_of_empty_compression());
      return start_compress_empty(exec, shape, options,
                                  workspace.readback_bytes(call_readback_bytes), stream, capacity);
    }
    return with_values(shape.dtype, [&]<class T>(T) {
      return start_compress_values<Tag, T>(exec, field, access, options, workspace, stream,
                                           capacity);
    });
  });
}

template <class Exec>
CompressCall<Exec> start_compress(Exec const& exec, ConstStridedData const& field,
                                  FieldAccess access, Options const& options,
                                  Workspace<Exec>& workspace, std::byte* stream,
                                  std::size_t capacity) {
  return start_compress_by<backend_tag_t<Exec>>(exec, field, access, options, workspace, stream,
                                                capacity);
}
// By the bodies of no backend in particular, on any execution space.
template <class Exec>
CompressCall<Exec> start_compress_generic(Exec const& exec, ConstStridedData const& field,
                                          Options const& options, Workspace<Exec>& workspace,
                                          std::byte* stream, std::size_t capacity) {
  return start_compress_by<generic_tag>(exec, field, FieldAccess::direct, options, workspace,
                                        stream, capacity);
}

/// What a call that has run came to.
template <class Exec>
StreamInfo result_of(CompressCall<Exec> const& call) {
  require_capacity(call.result->stream_bytes, call.capacity_bytes);
  return header_info(reinterpret_cast<std::byte const*>(call.result->header),
                     call.result->fill_bits, call.reason, call.shape);
}

template <class Exec>
StreamInfo finish_compress(CompressCall<Exec> const& call) {
  return as_errors("compress", [&] {
    call.exec.fence("kompakt::compress: header");
    return result_of(call);
  });
}

}  // namespace kompakt::impl

#endif
