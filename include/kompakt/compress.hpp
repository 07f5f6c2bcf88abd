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
#include <span>
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
DecompressCall<Exec> start_decompress(DecompressCall<Exec> const& call);
template <class Exec>
DecompressCall<Exec> start_decompress_region(DecompressCall<Exec> const& from, Box const& region);
template <class Exec>
WorkspaceSizes compress_sizes(FieldSource const& field, Options const& options);
template <class Exec>
WorkspaceSizes decompress_sizes(FieldShape const& values, Options const& options,
                                FieldTarget const& given);

template <class Exec>
using StreamBytes = Kokkos::View<std::byte*, typename Exec::memory_space>;

/// Source of a stream: bytes that are exactly one, or the memory of a stream object, which begins with
/// one.
template <class Exec>
struct StreamSource {
  using Memory = typename Exec::memory_space;

  template <AnyView Bytes>
  requires std::convertible_to<Bytes, Kokkos::View<std::byte const*, Memory>> StreamSource(
      Bytes const& bytes)
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
/// Keeps an argument out of the deduction of Exec.
template <class Exec>
using StreamArgument = std::type_identity_t<StreamSource<Exec>>;

}  // namespace impl

/// Size of the largest stream that compress() can write for a field of these extents: raw size
/// plus the fixed overhead of docs/format.md.
/// \param extents      in index order, 1..8 of them
/// \param value_bytes  4 (float) or 8 (double); without loss of the type, 1 to 8; integers within a bound count as float if they
///                     have 8 or 16 bits, as double if they have more
/// \throws Error bad_argument if the rank, an extent product beyond 2^60 or an option is unusable, and for more chunks than
///         one call takes
std::size_t max_compressed_bytes(std::span<std::size_t const> extents, std::size_t value_bytes,
                                 Options const& options = {});
std::size_t max_compressed_bytes(FieldShape const& values, Options const& options = {});

/// Bytes that a call of compress() or compress_async() takes of a workspace: exactly those that a workspace with
/// memory of its own holds after the call.
/// \param field  type, extents and strides count; values are not read
/// \throws Error bad_argument for a field or an option that compress() refuses
template <class Exec, FieldLike F>
WorkspaceSizes compress_workspace(F const& field, Options const& options = {}) {
  return impl::compress_sizes<Exec>(impl::source_of<Exec>(field), options);
}
/// Sizes of a workspace for compress() of a field whose values lie side by side.
template <class Exec>
WorkspaceSizes compress_workspace(FieldShape const& shape, Options const& options = {}) {
  return compress_workspace<Exec>(ConstFieldData(nullptr, shape), options);
}

/// Bytes that a call of decompress() or decompress_async() takes of a workspace: exactly those that a workspace with
/// memory of its own holds after a call with a stream object.
/// \param stored   shape of the stream's field: if its order differs from the order of `field`, the workspace has a copy
/// \param options  the options of its compression; pipeline and radius count
/// \param field    type, extents and strides count
template <class Exec, FieldLike F>
WorkspaceSizes decompress_workspace(FieldShape const& stored, Options const& options,
                                    F const& field) {
  FieldSource const source = impl::source_of<Exec>(field);
  return impl::decompress_sizes<Exec>(
      stored, options, {StridedData(nullptr, source.shape, source.strides), source.access});
}
/// Sizes of a workspace for decompress() of a field whose values lie side by side in the order of the stream.
template <class Exec>
WorkspaceSizes decompress_workspace(FieldShape const& shape, Options const& options = {}) {
  return decompress_workspace<Exec>(shape, options, ConstFieldData(nullptr, shape));
}

/// Enqueues the compression of a field within options.bound and returns.
/// \param exec    instance that runs every kernel and copy
/// \param field   extents of 0 are allowed; read twice (three times with an r2r bound), on CUDA and OpenMP once (twice).
///                A field with gaps between its values, or in memory that only the host reaches, is first copied into
///                the workspace, which grows by its size.
/// \param stream  destination in exec's memory, 16-byte aligned; max_compressed_bytes() is enough
/// \param reason  why choose() took these options; stored in the stream
/// \throws Error bad_argument for an unusable option, device if there is no memory
/// \returns a handle: finish() waits for the instance and returns size and header. The bytes of `stream`
///          are undefined before, and after a failure
/// \note Of integers whose bound goes by the range, and of 64 bits, the range is found first, and the call waits for it.
///       On CUDA there are at most three launches, and one more for a field with gaps. Once the workspace has served a
///       field of this size, nothing else runs on the instance's stream: you can capture the call into a CUDA graph
///       and launch it again for new values in the same memory (docs/api.md). Host spaces return after completion.
///       A field in memory that only the host reaches has been read when the call returns. The call then waits for
///       the instance after every 4 MiB of it except the last.
/// Source: Huang et al., cuSZp2, SC 2024 (blocks, plain and outlier coding); Tian et al., cuSZ,
/// PACT 2020 (dual quantisation); docs/pipelines/fixedlength.md lists the differences.
template <class Exec, FieldLike F>
PendingCompression<Exec> compress_async(Exec const& exec, F const& field, Options const& options,
                                        Workspace<Exec>& workspace,
                                        impl::StreamBytes<Exec> const& stream,
                                        ChoiceRecord const& reason = {}) {
  return PendingCompression<Exec>(impl::start_compress(exec, impl::source_of<Exec>(field), options,
                                                       reason, workspace, stream.data(),
                                                       stream.extent(0)));
}
/// Enqueues the compression of a field into a stream object, which grows as needed; finish() sets its info().
template <class Exec, FieldLike F>
PendingCompression<Exec> compress_async(Exec const& exec, F const& field, Options const& options,
                                        Workspace<Exec>& workspace,
                                        CompressedStream<typename Exec::memory_space>& out,
                                        ChoiceRecord const& reason = {}) {
  FieldSource const source = impl::source_of<Exec>(field);
  out.reserve(max_compressed_bytes(source.shape, options));
  out.expect({pipeline_of(options), options.variant});
  return PendingCompression<Exec>(impl::start_compress(exec, source, options, reason, workspace,
                                                       out.data(), out.capacity_bytes()),
                                  &out);
}

namespace impl {
template <class Exec, FieldLike F, class Stream>
StreamInfo compress_now(Exec const& exec, F const& field, Options const& options,
                        Workspace<Exec>& workspace, Stream& stream, ChoiceRecord const& reason) {
  auto pending = compress_async(exec, field, options, workspace, stream, reason);
  if (auto const all = with_all_fills(pending.call(), options)) {
    Workspace<Exec> memory(exec);  // hiding values takes more, which given memory has no room for
    return compress_async(exec, field, *all, memory, stream, reason).finish();
  }
  return pending.finish();
}
}  // namespace impl

/// Calls compress_async() and finish(). Of a field with several fill values that nobody declared, under a bound relative to the
/// range, it finds all, and compresses once more without them in the range.
/// \param stream  bytes or a stream object
/// \throws Error as both do
/// \returns the header; the stream is the first `bytes` bytes of `stream`
template <class Exec, FieldLike F>
StreamInfo compress(Exec const& exec, F const& field, Options const& options,
                    Workspace<Exec>& workspace, impl::StreamBytes<Exec> const& stream,
                    ChoiceRecord const& reason = {}) {
  return impl::compress_now(exec, field, options, workspace, stream, reason);
}
template <class Exec, FieldLike F>
StreamInfo compress(Exec const& exec, F const& field, Options const& options,
                    Workspace<Exec>& workspace,
                    CompressedStream<typename Exec::memory_space>& stream,
                    ChoiceRecord const& reason = {}) {
  return impl::compress_now(exec, field, options, workspace, stream, reason);
}

/// For what is no field.
template <class Exec, class F, class... Rest>
requires(!FieldLike<F>) void compress_async(Exec const&, F const&, Options const&, Workspace<Exec>&,
                                            Rest&&...) {
  impl::refuse_field<F>();
}
template <class Exec, class F, class... Rest>
requires(!FieldLike<F>) void compress(Exec const&, F const&, Options const&, Workspace<Exec>&,
                                      Rest&&...) {
  impl::refuse_field<F>();
}

/// Enqueues the decompression of a stream from anywhere; nothing in it is trusted.
/// \param stream  bytes in exec's memory, 16-byte aligned, exactly one stream; or a stream object: what counts is the
///                stream in its memory when the call runs, also one that an unfinished compress_async() on
///                the same instance is about to write there, or each that the launches of a graph leave there
/// \param field   of the stream's value type and extents; element (i, j, k) is element (i, j, k) of the compressed field
///                in any layout. The workspace grows by the size of the field if the layouts differ, if the field has
///                gaps, or if only the host reaches it. finish() writes a field that only the host reaches.
/// \throws Error device if there is no memory; on host spaces also errors of the header
/// \returns a handle: finish() waits for the instance and reports errors. Before that, and after a failure, the contents
///          of field are undefined; nothing outside is written
/// \note On CUDA there is one launch (two for a field with gaps), which can be captured into a CUDA graph. It decodes if
///       the stream has the layout that this library writes for these extents, this layout and the expected pipeline:
///       the pipeline of the stream object or, for bytes, of the workspace's last stream. finish() decodes any other
///       sound stream. Host spaces return after completion.
template <class Exec, FieldLike F>
PendingDecompression<Exec> decompress_async(Exec const& exec,
                                            impl::StreamArgument<Exec> const& stream,
                                            Workspace<Exec>& workspace, F const& field) {
  return PendingDecompression<Exec>(
      impl::start_decompress(stream.call(exec, workspace, impl::target_of<Exec>(field))));
}

/// Calls decompress_async() and finish(), with one fence of exec on CUDA; two if the stream is not
/// decoded at once.
/// \throws Error as decompress_async(), and type_mismatch if type or extents differ, bad_magic,
///         unsupported_version or corrupt for a damaged stream (the contents of field are then
///         undefined, nothing outside it is written)
template <class Exec, FieldLike F>
StreamInfo decompress(Exec const& exec, impl::StreamArgument<Exec> const& stream,
                      Workspace<Exec>& workspace, F const& field) {
  return decompress_async(exec, stream, workspace, field).finish();
}

/// For what is no field.
template <class Exec, class F>
requires(!FieldLike<F>) void decompress_async(Exec const&, impl::StreamArgument<Exec> const&,
                                              Workspace<Exec>&, F const&) {
  impl::refuse_field<F>();
}
template <class Exec, class F>
requires(!FieldLike<F>) void decompress(Exec const&, impl::StreamArgument<Exec> const&,
                                        Workspace<Exec>&, F const&) {
  impl::refuse_field<F>();
}

/// Enqueues the decompression of a box of a field: element (i, j, …) of `region` becomes element (box.begin[0] + i,
/// box.begin[1] + j, …) of the field. Decodes the chunks of 4096 values that the box touches, and otherwise reads only
/// the front, the codebook and their entries of the index.
/// \param stream  as in decompress_async()
/// \param box     one number for each index of the field: Box{{0, 0, 0}, {8, 8, 8}}
/// \param region  of the stream's value type and the extents of the box
/// \throws Error bad_argument for a box that does not lie in the field, type_mismatch if type or extents
///         of `region` differ, bad_magic, unsupported_version or corrupt for a damaged header
/// \returns a handle: finish() waits for the instance and throws corrupt for damage in these chunks or the
///          codebook; other damage goes unnoticed
/// \note Waits once for the instance, for the header, but not for the chunks. The workspace grows by the chunks that the
///       box touches, at most 4096 at a time. Host spaces return after completion.
template <class Exec, FieldLike F>
PendingDecompression<Exec> decompress_region_async(Exec const& exec,
                                                   impl::StreamArgument<Exec> const& stream,
                                                   Workspace<Exec>& workspace, Box const& box,
                                                   F const& region) {
  return PendingDecompression<Exec>(impl::start_decompress_region(
      stream.call(exec, workspace, impl::target_of<Exec>(region)), box));
}

/// Calls decompress_region_async() and finish(), with two fences of exec. Throws as both do.
/// \returns the header of the stream
template <class Exec, FieldLike F>
StreamInfo decompress_region(Exec const& exec, impl::StreamArgument<Exec> const& stream,
                             Workspace<Exec>& workspace, Box const& box, F const& region) {
  return decompress_region_async(exec, stream, workspace, box, region).finish();
}

}  // namespace kompakt

#endif
