#ifndef KOMPAKT_COMPRESS_HPP
#define KOMPAKT_COMPRESS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/pending.hpp>
#include <kompakt/stream.hpp>
#include <kompakt/workspace.hpp>
#include <span>
#include <string>
#include <type_traits>

namespace kompakt {

namespace impl {

template <class Exec>
CompressCall<Exec> start_compress(Exec const& exec, ConstStridedData const& field,
                                  FieldAccess access, Options const& options,
                                  Workspace<Exec>& workspace, std::byte* stream,
                                  std::size_t capacity_bytes);
template <class Exec>
DecompressCall<Exec> start_decompress(Exec const& exec, std::byte const* stream,
                                      std::size_t memory_bytes, bool exact,
                                      Workspace<Exec>& workspace, StridedData const& field,
                                      FieldAccess access);
template <class Exec>
DecompressCall<Exec> start_decompress_region(Exec const& exec, std::byte const* stream,
                                             std::size_t memory_bytes, bool exact,
                                             Workspace<Exec>& workspace,
                                             std::span<std::size_t const> begin,
                                             std::span<std::size_t const> end,
                                             StridedData const& region);

template <class Exec>
WorkspaceSizes compress_sizes(FieldShape const& shape, Strides const& strides, FieldAccess access,
                              Options const& options);
template <class Exec>
WorkspaceSizes decompress_sizes(FieldShape const& stored, Options const& options,
                                FieldShape const& shape, Strides const& strides,
                                FieldAccess access);

/// Those of a View that calls on Exec take.
template <class Exec, class V>
inline constexpr FieldAccess access_to =
    !is_reachable<V, Exec> && is_reachable<V, Kokkos::DefaultHostExecutionSpace>
        ? FieldAccess::staged
        : FieldAccess::direct;
/// The execution space that reads and writes its values where they are.
template <class Exec, class V>
using Accessor = std::conditional_t<access_to<Exec, V> == FieldAccess::staged,
                                    Kokkos::DefaultHostExecutionSpace, Exec>;

template <class Exec>
using StreamBytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
template <class Exec>
using ConstStreamBytes = Kokkos::View<std::byte const*, typename Exec::memory_space>;

}  // namespace impl

/// Size of the largest stream that compress() can write for a field of these extents: raw size
/// plus the fixed overhead of docs/format.md.
/// \param extents      in index order, 1..8 of them
/// \param value_bytes  4 (float) or 8 (double)
/// \throws Error bad_argument if the rank, an extent product beyond 2^60 or an option is unusable
std::size_t max_compressed_bytes(std::span<std::size_t const> extents, std::size_t value_bytes,
                                 Options const& options = {});
inline std::size_t max_compressed_bytes(FieldShape const& shape, Options const& options = {}) {
  return max_compressed_bytes({shape.extents.data(), static_cast<std::size_t>(shape.rank)},
                              size_of(shape.dtype), options);
}

/// Bytes that a call of compress() or compress_async() takes of a workspace: exactly those that one of its own
/// holds after it.
/// \param field  of which type, extents and strides count; values are not looked at
/// \throws Error bad_argument for a field or an option that compress() refuses
template <class Exec>
WorkspaceSizes compress_workspace(ConstStridedData const& field, Options const& options = {}) {
  return impl::compress_sizes<Exec>(field.shape, field.strides, impl::FieldAccess::direct, options);
}
template <class Exec, AnyView V>
WorkspaceSizes compress_workspace(V const& field, Options const& options = {}) {
  ConstStridedData const data = impl::readable<impl::Accessor<Exec, V>>(field);
  return impl::compress_sizes<Exec>(data.shape, data.strides, impl::access_to<Exec, V>, options);
}
/// The same of a field whose values lie side by side.
template <class Exec>
WorkspaceSizes compress_workspace(FieldShape const& shape, Options const& options = {}) {
  return compress_workspace<Exec>(ConstFieldData(nullptr, shape), options);
}

/// Bytes that a call of decompress() or decompress_async() takes of a workspace: exactly those that one of its
/// own holds after a call with a stream object.
/// \param stored   shape of the stream's field: with another order than that of the View the workspace has a copy
/// \param options  with which it was compressed; pipeline and radius count
/// \param field    of which type, extents and strides count
template <class Exec>
WorkspaceSizes decompress_workspace(FieldShape const& stored, Options const& options,
                                    ConstStridedData const& field) {
  return impl::decompress_sizes<Exec>(stored, options, field.shape, field.strides,
                                      impl::FieldAccess::direct);
}
template <class Exec, AnyView V>
WorkspaceSizes decompress_workspace(FieldShape const& stored, Options const& options,
                                    V const& field) {
  StridedData const data = impl::writable<impl::Accessor<Exec, V>>(field);
  return impl::decompress_sizes<Exec>(stored, options, data.shape, data.strides,
                                      impl::access_to<Exec, V>);
}
/// The same of a field whose values lie side by side in the order of the stream.
template <class Exec>
WorkspaceSizes decompress_workspace(FieldShape const& shape, Options const& options = {}) {
  return decompress_workspace<Exec>(shape, options, ConstFieldData(nullptr, shape));
}

/// Enqueues the compression of a field within options.bound and returns.
/// \param exec   instance that runs every kernel and copy
/// \param field  View of float or double, rank 1..8, reachable by exec or by the host; extents of 0 are allowed;
///               read two times (three with an r2r bound), on CUDA and OpenMP once (twice). One whose values do
///               not lie side by side, or only the host reaches, is first copied into the workspace, which grows
///               by its size.
/// \param stream destination in exec's memory, 16-byte aligned; max_compressed_bytes() is enough
/// \throws Error bad_argument for an unusable option, device if there is no memory
/// \returns what finish() of waits for the instance and gives size and header; the bytes of `stream`
///          are undefined before, and after a failure
/// \note on CUDA at most three launches (one more for a View whose values do not lie side by side) and
///       nothing else on the instance's stream once the workspace has served a field of that size: such a
///       call can be captured into a CUDA graph and launched again for new values in the same memory
///       (docs/api.md). Host spaces return after completion. A field that only the host reaches has been
///       read when the call returns, which waits for the instance after every 4 MiB of it but the last.
/// Source: Huang et al., cuSZp2, SC 2024 (blocks, plain and outlier coding); Tian et al., cuSZ,
/// PACT 2020 (dual quantisation); docs/pipelines/fixedlength.md tells what differs.
template <class Exec>
PendingCompression<Exec> compress_async(Exec const& exec, ConstStridedData const& field,
                                        Options const& options, Workspace<Exec>& workspace,
                                        impl::StreamBytes<Exec> const& stream) {
  return PendingCompression<Exec>(impl::start_compress(
      exec, field, impl::FieldAccess::direct, options, workspace, stream.data(), stream.extent(0)));
}
template <class Exec, AnyView V>
PendingCompression<Exec> compress_async(Exec const& exec, V const& field, Options const& options,
                                        Workspace<Exec>& workspace,
                                        impl::StreamBytes<Exec> const& stream) {
  return PendingCompression<Exec>(impl::start_compress(
      exec, impl::readable<impl::Accessor<Exec, V>>(field), impl::access_to<Exec, V>, options,
      workspace, stream.data(), stream.extent(0)));
}

namespace impl {

template <class Exec>
PendingCompression<Exec> compress_into(Exec const& exec, ConstStridedData const& field,
                                       FieldAccess access, Options const& options,
                                       Workspace<Exec>& workspace,
                                       CompressedStream<typename Exec::memory_space>& out) {
  out.reserve(max_compressed_bytes(field.shape, options));
  out.expect({options.pipeline, options.variant});
  return PendingCompression<Exec>(
      start_compress(exec, field, access, options, workspace, out.data(), out.capacity_bytes()),
      &out);
}

}  // namespace impl

/// The same into a stream object that grows as needed; finish() sets its info().
template <class Exec>
PendingCompression<Exec> compress_async(Exec const& exec, ConstStridedData const& field,
                                        Options const& options, Workspace<Exec>& workspace,
                                        CompressedStream<typename Exec::memory_space>& out) {
  return impl::compress_into(exec, field, impl::FieldAccess::direct, options, workspace, out);
}
template <class Exec, AnyView V>
PendingCompression<Exec> compress_async(Exec const& exec, V const& field, Options const& options,
                                        Workspace<Exec>& workspace,
                                        CompressedStream<typename Exec::memory_space>& out) {
  return impl::compress_into(exec, impl::readable<impl::Accessor<Exec, V>>(field),
                             impl::access_to<Exec, V>, options, workspace, out);
}

/// compress_async() and finish() in one, with one fence of exec. Field, options, workspace and stream
/// as there.
/// \throws Error as both do
/// \returns what the header says; the stream is the first `bytes` bytes of `stream`
template <class Exec, AnyView V>
StreamInfo compress(Exec const& exec, V const& field, Options const& options,
                    Workspace<Exec>& workspace, impl::StreamBytes<Exec> const& stream) {
  return compress_async(exec, field, options, workspace, stream).finish();
}

/// The same for a field whose type and rank are known only at run time.
template <class Exec>
StreamInfo compress(Exec const& exec, ConstStridedData const& field, Options const& options,
                    Workspace<Exec>& workspace, impl::StreamBytes<Exec> const& stream) {
  return compress_async(exec, field, options, workspace, stream).finish();
}

/// The same into a stream object that grows as needed.
template <class Exec>
void compress(Exec const& exec, ConstStridedData const& field, Options const& options,
              Workspace<Exec>& workspace, CompressedStream<typename Exec::memory_space>& out) {
  compress_async(exec, field, options, workspace, out).finish();
}
template <class Exec, AnyView V>
void compress(Exec const& exec, V const& field, Options const& options, Workspace<Exec>& workspace,
              CompressedStream<typename Exec::memory_space>& out) {
  compress_async(exec, field, options, workspace, out).finish();
}

/// Enqueues the decompression of a stream from anywhere; nothing in it is trusted.
/// \param stream  bytes in exec's memory, 16-byte aligned, exactly one stream
/// \param field   View of the stream's value type and extents; element (i, j, k) is the element (i, j, k)
///                that was compressed, whatever the layouts of the two Views (where they differ, and for a
///                View whose values do not lie side by side or only the host reaches, workspace grows by the size
///                of the field). What only the host reaches is written by finish().
/// \throws Error device if there is no memory
/// \returns what finish() of waits for the instance and throws what is wrong with the stream; before
///          that, and after a failure, the contents of field are undefined; nothing outside is written
/// \note on CUDA one launch (two for a View whose values do not lie side by side), which reads the header
///       itself and decodes if it is one that this library writes for a field of these extents in this
///       layout by the pipeline of the stream object or, for bytes, of the workspace's last stream, and
///       which can be captured into a CUDA graph; any other sound stream is decoded by finish(). Host
///       spaces return after completion.
template <class Exec>
PendingDecompression<Exec> decompress_async(Exec const& exec,
                                            impl::ConstStreamBytes<Exec> const& stream,
                                            Workspace<Exec>& workspace, StridedData const& field) {
  return PendingDecompression<Exec>(impl::start_decompress(
      exec, stream.data(), stream.extent(0), true, workspace, field, impl::FieldAccess::direct));
}
template <class Exec, AnyView V>
PendingDecompression<Exec> decompress_async(Exec const& exec,
                                            impl::ConstStreamBytes<Exec> const& stream,
                                            Workspace<Exec>& workspace, V const& field) {
  return PendingDecompression<Exec>(impl::start_decompress(
      exec, stream.data(), stream.extent(0), true, workspace,
      impl::writable<impl::Accessor<Exec, V>>(field), impl::access_to<Exec, V>));
}

/// The same for whatever stream lies in the memory of `in` when the call runs: also one that an
/// unfinished compress_async() on the same instance is about to write there, or each that the launches
/// of a graph leave there.
template <class Exec>
PendingDecompression<Exec> decompress_async(Exec const& exec,
                                            CompressedStream<typename Exec::memory_space> const& in,
                                            Workspace<Exec>& workspace, StridedData const& field) {
  workspace.expect(in.coding());
  return PendingDecompression<Exec>(impl::start_decompress(
      exec, in.data(), in.capacity_bytes(), false, workspace, field, impl::FieldAccess::direct));
}
template <class Exec, AnyView V>
PendingDecompression<Exec> decompress_async(Exec const& exec,
                                            CompressedStream<typename Exec::memory_space> const& in,
                                            Workspace<Exec>& workspace, V const& field) {
  workspace.expect(in.coding());
  return PendingDecompression<Exec>(impl::start_decompress(
      exec, in.data(), in.capacity_bytes(), false, workspace,
      impl::writable<impl::Accessor<Exec, V>>(field), impl::access_to<Exec, V>));
}

/// decompress_async() and finish() in one, with one fence of exec on CUDA; two if the stream is not
/// decoded at once.
/// \throws Error as decompress_async(), and type_mismatch if type or extents differ, bad_magic,
///         unsupported_version or corrupt for a damaged stream (the contents of field are then
///         undefined, nothing outside it is written)
template <class Exec, AnyView V>
StreamInfo decompress(Exec const& exec, impl::ConstStreamBytes<Exec> const& stream,
                      Workspace<Exec>& workspace, V const& field) {
  return decompress_async(exec, stream, workspace, field).finish();
}

/// The same for a field whose type and rank are known only at run time.
template <class Exec>
StreamInfo decompress(Exec const& exec, impl::ConstStreamBytes<Exec> const& stream,
                      Workspace<Exec>& workspace, StridedData const& field) {
  return decompress_async(exec, stream, workspace, field).finish();
}

/// The same from a stream object.
template <class Exec, AnyView V>
void decompress(Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
                Workspace<Exec>& workspace, V const& field) {
  workspace.expect(in.coding());
  decompress(exec, impl::ConstStreamBytes<Exec>(in.bytes()), workspace, field);
}
template <class Exec>
void decompress(Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
                Workspace<Exec>& workspace, StridedData const& field) {
  workspace.expect(in.coding());
  decompress(exec, impl::ConstStreamBytes<Exec>(in.bytes()), workspace, field);
}

/// Enqueues the decompression of a box of a field: element (i, j, …) of `region` becomes element (begin[0] + i,
/// begin[1] + j, …) of the field. Decodes the chunks of 4096 values that the box touches and reads nothing else
/// of the stream but its front, codebook and their entries of the index.
/// \param stream      bytes in exec's memory, 16-byte aligned, exactly one stream
/// \param begin, end  one number for each index of the field, first index first; end is behind the last
/// \param region      View of the stream's value type and the extents end - begin
/// \throws Error bad_argument for a box that does not lie in the field, type_mismatch if type or extents
///         of the View differ, bad_magic, unsupported_version or corrupt for a damaged header
/// \returns what finish() of waits for the instance and throws corrupt for damage in these chunks or the
///          codebook; other damage goes unnoticed
/// \note waits once for the instance, for the header, which says what chunks there are; the chunks are not
///       waited for. workspace grows by those that the box touches, at most 4096 of them at a time. Host spaces
///       return after completion.
template <class Exec>
PendingDecompression<Exec> decompress_region_async(Exec const& exec,
                                                   impl::ConstStreamBytes<Exec> const& stream,
                                                   Workspace<Exec>& workspace,
                                                   std::span<std::size_t const> begin,
                                                   std::span<std::size_t const> end,
                                                   StridedData const& region) {
  return PendingDecompression<Exec>(impl::start_decompress_region(
      exec, stream.data(), stream.extent(0), true, workspace, begin, end, region));
}
template <class Exec, AnyView V>
PendingDecompression<Exec> decompress_region_async(
    Exec const& exec, impl::ConstStreamBytes<Exec> const& stream, Workspace<Exec>& workspace,
    std::span<std::size_t const> begin, std::span<std::size_t const> end, V const& region) {
  return decompress_region_async(exec, stream, workspace, begin, end, impl::writable<Exec>(region));
}

/// The same for whatever stream lies in the memory of `in` once the instance has come to the call.
template <class Exec>
PendingDecompression<Exec> decompress_region_async(
    Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
    Workspace<Exec>& workspace, std::span<std::size_t const> begin,
    std::span<std::size_t const> end, StridedData const& region) {
  return PendingDecompression<Exec>(impl::start_decompress_region(
      exec, in.data(), in.capacity_bytes(), false, workspace, begin, end, region));
}
template <class Exec, AnyView V>
PendingDecompression<Exec> decompress_region_async(
    Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
    Workspace<Exec>& workspace, std::span<std::size_t const> begin,
    std::span<std::size_t const> end, V const& region) {
  return decompress_region_async(exec, in, workspace, begin, end, impl::writable<Exec>(region));
}

/// decompress_region_async() and finish() in one, with two fences of exec. Throws as both do.
/// \returns what the header of the stream says
template <class Exec>
StreamInfo decompress_region(Exec const& exec, impl::ConstStreamBytes<Exec> const& stream,
                             Workspace<Exec>& workspace, std::span<std::size_t const> begin,
                             std::span<std::size_t const> end, StridedData const& region) {
  return decompress_region_async(exec, stream, workspace, begin, end, region).finish();
}
template <class Exec, AnyView V>
StreamInfo decompress_region(Exec const& exec, impl::ConstStreamBytes<Exec> const& stream,
                             Workspace<Exec>& workspace, std::span<std::size_t const> begin,
                             std::span<std::size_t const> end, V const& region) {
  return decompress_region_async(exec, stream, workspace, begin, end, region).finish();
}

/// The same from a stream object.
template <class Exec>
void decompress_region(Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
                       Workspace<Exec>& workspace, std::span<std::size_t const> begin,
                       std::span<std::size_t const> end, StridedData const& region) {
  decompress_region(exec, impl::ConstStreamBytes<Exec>(in.bytes()), workspace, begin, end, region);
}
template <class Exec, AnyView V>
void decompress_region(Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
                       Workspace<Exec>& workspace, std::span<std::size_t const> begin,
                       std::span<std::size_t const> end, V const& region) {
  decompress_region(exec, in, workspace, begin, end, impl::writable<Exec>(region));
}

}  // namespace kompakt

#endif
