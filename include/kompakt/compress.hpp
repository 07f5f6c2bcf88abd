#ifndef KOMPAKT_COMPRESS_HPP
#define KOMPAKT_COMPRESS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <kompakt/workspace.hpp>
#include <span>
#include <string>

namespace kompakt {

namespace impl {

template <class Exec>
StreamInfo compress_field(Exec const& exec, void const* field, FieldShape const& shape,
                          Options const& options, Workspace<Exec>& workspace, std::byte* stream,
                          std::size_t capacity_bytes);
template <class Exec>
StreamInfo decompress_field(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                            Workspace<Exec>& workspace, void* field, FieldShape const& shape);

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

/// Compresses a field within options.bound.
/// \param exec   instance that runs every kernel and copy
/// \param field  View of float or double, rank 1..8, contiguous LayoutLeft or LayoutRight, reachable
///               by exec; extents of 0 are allowed; read two times (three with an r2r bound), on
///               CUDA and OpenMP once (twice)
/// \param stream destination in exec's memory, 16-byte aligned; max_compressed_bytes() is enough
/// \throws Error bad_argument for a strided View or an unusable option, buffer_too_small if the
///         stream does not fit (the bytes of `stream` are then undefined)
/// \note returns after completion, with one fence of exec; on CUDA at most three launches
/// \returns what the header says; the stream is the first `bytes` bytes of `stream`
/// Source: Huang et al., cuSZp2, SC 2024 (blocks, plain and outlier coding); Tian et al., cuSZ,
/// PACT 2020 (dual quantisation); docs/pipelines/fixedlength.md tells what differs.
template <class Exec, FieldReachableFrom<Exec> V>
StreamInfo compress(Exec const& exec, V const& field, Options const& options,
                    Workspace<Exec>& workspace,
                    Kokkos::View<std::byte*, typename Exec::memory_space> const& stream) {
  impl::require_contiguous("compress", field);
  return impl::compress_field(exec, field.data(), shape_of(field), options, workspace,
                              stream.data(), stream.extent(0));
}

/// The same for a field whose type and rank are known only at run time.
template <class Exec>
StreamInfo compress(Exec const& exec, ConstFieldData const& field, Options const& options,
                    Workspace<Exec>& workspace,
                    Kokkos::View<std::byte*, typename Exec::memory_space> const& stream) {
  return impl::compress_field(exec, field.data, field.shape, options, workspace, stream.data(),
                              stream.extent(0));
}

/// The same into a stream object that grows as needed.
template <class Exec>
void compress(Exec const& exec, ConstFieldData const& field, Options const& options,
              Workspace<Exec>& workspace, CompressedStream<typename Exec::memory_space>& out) {
  out.reserve(max_compressed_bytes(field.shape, options));
  out.set_info(impl::compress_field(exec, field.data, field.shape, options, workspace, out.data(),
                                    out.capacity_bytes()));
}
template <class Exec, FieldReachableFrom<Exec> V>
void compress(Exec const& exec, V const& field, Options const& options, Workspace<Exec>& workspace,
              CompressedStream<typename Exec::memory_space>& out) {
  impl::require_contiguous("compress", field);
  compress(exec, ConstFieldData(field.data(), shape_of(field)), options, workspace, out);
}

/// Decompresses a stream from anywhere; nothing in it is trusted.
/// \param stream  bytes in exec's memory, 16-byte aligned, exactly one stream
/// \param field   View of the stream's value type and extents, contiguous LayoutLeft or
///                LayoutRight; element (i, j, k) is the element (i, j, k) that was compressed,
///                whatever the layouts of the two Views (where they differ, workspace grows by the
///                size of the field)
/// \throws Error bad_argument for a strided View, type_mismatch if type or extents differ,
///         bad_magic, unsupported_version or corrupt for a damaged stream (the contents of field
///         are then undefined, nothing outside it is written)
/// \note returns after completion; two fences of exec (header, status); on CUDA one launch
template <class Exec, FieldReachableFrom<Exec> V>
StreamInfo decompress(Exec const& exec,
                      Kokkos::View<std::byte const*, typename Exec::memory_space> const& stream,
                      Workspace<Exec>& workspace, V const& field) {
  static_assert(!std::is_const_v<typename V::value_type>,
                "decompress: the View must have a non-const value type; it is written");
  impl::require_contiguous("decompress", field);
  return impl::decompress_field(exec, stream.data(), stream.extent(0), workspace, field.data(),
                                shape_of(field));
}

/// The same for a field whose type and rank are known only at run time.
template <class Exec>
StreamInfo decompress(Exec const& exec,
                      Kokkos::View<std::byte const*, typename Exec::memory_space> const& stream,
                      Workspace<Exec>& workspace, FieldData const& field) {
  return impl::decompress_field(exec, stream.data(), stream.extent(0), workspace, field.data,
                                field.shape);
}

/// The same from a stream object.
template <class Exec, FieldReachableFrom<Exec> V>
void decompress(Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
                Workspace<Exec>& workspace, V const& field) {
  Kokkos::View<std::byte const*, typename Exec::memory_space> const bytes = in.bytes();
  decompress(exec, bytes, workspace, field);
}
template <class Exec>
void decompress(Exec const& exec, CompressedStream<typename Exec::memory_space> const& in,
                Workspace<Exec>& workspace, FieldData const& field) {
  Kokkos::View<std::byte const*, typename Exec::memory_space> const bytes = in.bytes();
  decompress(exec, bytes, workspace, field);
}

}  // namespace kompakt

#endif
