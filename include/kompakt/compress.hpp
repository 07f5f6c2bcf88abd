#ifndef KOMPAKT_COMPRESS_HPP
#define KOMPAKT_COMPRESS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/box.hpp>
#include <kompakt/choice_record.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/pending.hpp>
#include <kompakt/stream.hpp>
#include <kompakt/workspace.hpp>
#include <optional>
#include <type_traits>

namespace kompakt {

namespace impl {

template <class Exec>
CompressCall<Exec> start_compress(Exec const& exec, FieldSource const& field,
                                  Options const& options, ChoiceRecord const& reason,
                                  Workspace<Exec>& workspace, std::byte* stream,
                                  std::size_t capacity_bytes);
/// Waits for a call. Where it has looked for a fill value and the field has several, the options with all of them.
template <class Exec>
std::optional<Options> with_all_fills(CompressCall<Exec> const& call, Options const& options);
template <class Exec>
DecompressCall<Exec> start_decompress(DecompressCall<Exec> const& call,
                                      std::optional<Box> const& box = {});
template <class Exec>
WorkspaceSizes compress_sizes(FieldSource const& field, Options const& options);
template <class Exec>
WorkspaceSizes decompress_sizes(FieldShape const& values, Options const& options,
                                FieldTarget const& given);

/// Source of a stream: bytes that are exactly one, or the memory of a stream object, which begins with
/// one.
template <class Exec>
struct StreamSource {
  using Memory = typename Exec::memory_space;

  template <AnyView Bytes>
  requires std::convertible_to<Bytes, Kokkos::View<std::byte const*, Memory>> StreamSource(
      Bytes const& bytes)
      : StreamSource(Kokkos::View<std::byte const*, Memory>(bytes)) {}
  StreamSource(Kokkos::View<std::byte const*, Memory> const& bytes)
      : data(bytes.data()), memory_bytes(bytes.extent(0)) {}
  StreamSource(CompressedStream<Memory> const& in)
      : data(in.data()), memory_bytes(in.capacity_bytes()), exact(false), coding(in.coding()) {}

  DecompressCall<Exec> call(Exec const& exec, Workspace<Exec>& workspace,
                            FieldTarget const& field) const {
    if (coding) workspace.expect(*coding);
    return {exec, data, memory_bytes, exact, &workspace, field};
  }

  std::byte const* data;
  std::size_t memory_bytes;
  bool exact = true;
  std::optional<StreamCoding> coding{};
};
/// Destination of a stream: bytes, or a stream object, which grows as needed.
template <class Exec>
struct StreamDestination {
  using Memory = typename Exec::memory_space;

  template <AnyView Bytes>
  requires std::convertible_to<Bytes, Kokkos::View<std::byte*, Memory>> StreamDestination(
      Bytes const& bytes)
      : StreamDestination(Kokkos::View<std::byte*, Memory>(bytes)) {}
  StreamDestination(Kokkos::View<std::byte*, Memory> const& bytes)
      : data(bytes.data()), capacity_bytes(bytes.extent(0)) {}
  StreamDestination(CompressedStream<Memory>& out) : object(&out) {}

  /// Destination with room for what compress() makes of a field.
  StreamDestination ready_for(FieldShape const& shape, Options const& options) const;

  std::byte* data = nullptr;
  std::size_t capacity_bytes = 0;
  CompressedStream<Memory>* object = nullptr;
};
/// Source of a stream as an argument from which nothing is deduced, and its destination.
template <class Exec>
using StreamArgument = std::type_identity_t<StreamSource<Exec>>;
template <class Exec>
using StreamTarget = std::type_identity_t<StreamDestination<Exec>>;

/// Stands for a field whose values lie side by side in the order of the stream.
struct AsStored {};

}  // namespace impl

/// Size of the largest stream that compress() can write for a field of these extents: raw size
/// plus the fixed overhead of docs/format.md.
/// \throws Error bad_argument if the rank, an extent product beyond 2^60 or an option is unusable, and for more chunks than
///         one call takes
std::size_t max_compressed_bytes(FieldShape const& values, Options const& options = {});

namespace impl {
template <class Exec>
StreamDestination<Exec> StreamDestination<Exec>::ready_for(FieldShape const& shape,
                                                           Options const& options) const {
  if (object == nullptr) return *this;
  object->reserve(max_compressed_bytes(shape, options));
  object->expect({pipeline_of(options), options.variant});
  StreamDestination ready = *this;
  ready.data = object->data();
  ready.capacity_bytes = object->capacity_bytes();
  return ready;
}
}  // namespace impl

/// Bytes that a call of compress() or compress_async() takes of a workspace: exactly those that a workspace with
/// memory of its own holds after the call.
/// \param field  type, extents and strides count, values are not read; or the shape of a field whose values lie side by side
/// \throws Error bad_argument for a field or an option that compress() refuses
template <class Exec, class F = FieldShape>
WorkspaceSizes compress_workspace(F const& field, Options const& options = {}) {
  if constexpr (std::is_same_v<F, FieldShape>) {
    return impl::compress_sizes<Exec>(impl::source_of<Exec>(ConstFieldData(nullptr, field)),
                                      options);
  } else {
    return impl::compress_sizes<Exec>(impl::source_of<Exec>(field), options);
  }
}

/// Bytes that a call of decompress() or decompress_async() takes of a workspace: exactly those that a workspace with
/// memory of its own holds after a call with a stream object.
/// \param stored   shape of the stream's field: if its order differs from the order of `field`, the workspace has a copy
/// \param options  the options of its compression
/// \param field    type, extents and strides count; without it, values lie side by side in the order of the stream
template <class Exec, class F = impl::AsStored>
WorkspaceSizes decompress_workspace(FieldShape const& stored, Options const& options = {},
                                    F const& field = {}) {
  if constexpr (std::is_same_v<F, impl::AsStored>) {
    return decompress_workspace<Exec>(stored, options, ConstFieldData(nullptr, stored));
  } else {
    FieldSource const source = impl::source_of<Exec>(field);
    return impl::decompress_sizes<Exec>(
        stored, options, {StridedData(nullptr, source.shape, source.strides), source.access});
  }
}

/// Enqueues the compression of a field within options.bound and returns.
/// \param exec    instance that runs every kernel and copy
/// \param field   extents of 0 are allowed; read once (twice with an r2r bound), without room for the worst case once more.
///                A field with gaps between its values, or in memory that only the host reaches, is first copied into
///                the workspace, which grows by its size.
/// \param stream  destination: bytes in exec's memory, 16-byte aligned, and max_compressed_bytes() are enough; or a stream
///                object, which grows as needed, and gets its info() from finish()
/// \param reason  why choose() took these options; stored in the stream
/// \throws Error bad_argument for an unusable option, device if there is no memory
/// \returns a handle: finish() waits for the instance and returns size and header. The bytes of `stream`
///          are undefined before, and after a failure
/// \note Of integers whose bound goes by the range, and of 64 bits, the range is found first, and the call waits for it.
///       On CUDA there are at most three launches, of rans and interpolate up to five, and one more for a field with gaps.
///       Once the workspace has served a field of this size, nothing else runs on the instance's stream: you can capture the
///       call into a CUDA graph and launch it again for new values in the same memory (docs/api.md). Host spaces return after
///       completion.
///       A field in memory that only the host reaches has been read when the call returns. The call then waits for
///       the instance after every 4 MiB of it except the last.
/// Source: Huang et al., cuSZp2, SC 2024 (blocks, plain and outlier coding); Tian et al., cuSZ,
/// PACT 2020 (dual quantisation); docs/pipelines/fixedlength.md lists the differences.
template <class Exec, class F>
PendingCompression<Exec> compress_async(Exec const& exec, F const& field, Options const& options,
                                        Workspace<Exec>& workspace,
                                        impl::StreamTarget<Exec> const& stream,
                                        ChoiceRecord const& reason = {}) {
  FieldSource const source = impl::source_of<Exec>(field);
  impl::StreamDestination<Exec> const ready = stream.ready_for(source.shape, options);
  return PendingCompression<Exec>(impl::start_compress(exec, source, options, reason, workspace,
                                                       ready.data, ready.capacity_bytes),
                                  ready.object);
}

/// Calls compress_async() and finish(). Of a field with several fill values that nobody declared, under a bound relative to the
/// range, it finds all, and compresses once more without them in the range.
/// \throws Error as both do
/// \returns the header; the stream is the first `bytes` bytes of `stream`
template <class Exec, class F>
StreamInfo compress(Exec const& exec, F const& field, Options const& options,
                    Workspace<Exec>& workspace, impl::StreamTarget<Exec> const& stream,
                    ChoiceRecord const& reason = {}) {
  auto pending = compress_async(exec, field, options, workspace, stream, reason);
  if (auto const all = impl::with_all_fills(pending.call(), options)) {
    Workspace<Exec> memory(exec);  // hiding values takes more, which given memory has no room for
    return compress_async(exec, field, *all, memory, stream, reason).finish();
  }
  return pending.finish();
}

/// Enqueues the decompression of a stream from anywhere, or of a box of its field; nothing in it is trusted.
/// \param stream  bytes in exec's memory, 16-byte aligned, exactly one stream; or a stream object: what counts is the
///                stream in its memory when the call runs, also one that an unfinished compress_async() on
///                the same instance is about to write there, or each that the launches of a graph leave there
/// \param field   of the stream's value type and extents; element (i, j, k) is element (i, j, k) of the compressed field
///                in any layout. The workspace grows by the size of the field if the layouts differ, if the field has
///                gaps, or if only the host reaches it. finish() writes a field that only the host reaches.
/// \param box     the part of the stream's field that is wanted, one number for each index: Box{{0, 0, 0}, {8, 8, 8}}. `field` has
///                the extents of the box: its element (i, j, …) is element (box.begin[0] + i, box.begin[1] + j, …) of the stream's
///                field. Without a box, `field` is the whole. With one, only the chunks that it touches are decoded, besides the
///                front, the codebook and their entries of the index. Damage elsewhere goes unnoticed.
/// \throws Error device if there is no memory; on host spaces also errors of the header. With a box on every space: bad_argument
///         if it does not lie in the field, type_mismatch if type or extents of `field` differ, errors of the header
/// \returns a handle: finish() waits for the instance and reports errors. Before that, and after a failure, the contents
///          of field are undefined; nothing outside is written
/// \note On CUDA there is one launch (two for a field with gaps), which can be captured into a CUDA graph, but for rans and
///       interpolate, where the call waits for the header. It decodes if
///       the stream has the layout that this library writes for these extents, this layout and the expected pipeline:
///       the pipeline of the stream object or, for bytes, of the workspace's last stream. finish() decodes any other
///       sound stream. Host spaces return after completion. With a box the call waits once for the instance, for the header,
///       but not for the chunks; the workspace grows by the chunks that the box touches, at most 4096 at a time.
template <class Exec, class F>
PendingDecompression<Exec> decompress_async(Exec const& exec,
                                            impl::StreamArgument<Exec> const& stream,
                                            Workspace<Exec>& workspace, F const& field,
                                            std::optional<Box> const& box = {}) {
  auto const call = stream.call(exec, workspace, impl::target_of<Exec>(field));
  return PendingDecompression<Exec>(impl::start_decompress(call, box));
}

/// Calls decompress_async() and finish(), with one fence of exec on CUDA; two if the stream is not
/// decoded at once, and for a box.
/// \throws Error as decompress_async(), and type_mismatch if type or extents differ, bad_magic,
///         unsupported_version or corrupt for a damaged stream (the contents of field are then
///         undefined, nothing outside it is written)
template <class Exec, class F>
StreamInfo decompress(Exec const& exec, impl::StreamArgument<Exec> const& stream,
                      Workspace<Exec>& workspace, F const& field,
                      std::optional<Box> const& box = {}) {
  return decompress_async(exec, stream, workspace, field, box).finish();
}

}  // namespace kompakt

#endif
