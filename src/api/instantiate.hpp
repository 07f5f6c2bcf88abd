#ifndef KOMPAKT_API_INSTANTIATE_HPP
#define KOMPAKT_API_INSTANTIATE_HPP

#include <api/compress_batch.hpp>
#include <api/compress_field.hpp>
#include <api/decompress_field.hpp>
#include <api/decompress_region.hpp>
#include <api/field_range.hpp>
#include <api/generic.hpp>
#include <kompakt/batch.hpp>
#include <metrics/error_stats.hpp>

/// The library's code for an execution space; inside namespace kompakt::impl.
#define KOMPAKT_INSTANTIATE(EXEC)                                                                  \
  template CompressCall<EXEC> start_compress(EXEC const&, ConstStridedData const&, FieldAccess,    \
                                             Options const&, Workspace<EXEC>&, std::byte*,         \
                                             std::size_t);                                         \
  template CompressCall<EXEC> start_compress_generic(EXEC const&, ConstStridedData const&,         \
                                                     Options const&, Workspace<EXEC>&, std::byte*, \
                                                     std::size_t);                                 \
  template StreamInfo finish_compress(CompressCall<EXEC> const&);                                  \
  template WorkspaceSizes compress_sizes<EXEC>(FieldShape const&, Strides const&, FieldAccess,     \
                                               Options const&);                                    \
  template WorkspaceSizes decompress_sizes<EXEC>(FieldShape const&, Options const&,                \
                                                 FieldShape const&, Strides const&, FieldAccess);  \
  template WorkspaceSizes batch_sizes<EXEC>(std::span<BatchItem const>, Options const&);           \
  template DecompressCall<EXEC> start_decompress(EXEC const&, std::byte const*, std::size_t, bool, \
                                                 Workspace<EXEC>&, StridedData const&,             \
                                                 FieldAccess);                                     \
  template DecompressCall<EXEC> start_decompress_generic(                                          \
      EXEC const&, std::byte const*, std::size_t, Workspace<EXEC>&, StridedData const&);           \
  template DecompressCall<EXEC> start_decompress_region(                                           \
      EXEC const&, std::byte const*, std::size_t, bool, Workspace<EXEC>&,                          \
      std::span<std::size_t const>, std::span<std::size_t const>, StridedData const&);             \
  template StreamInfo finish_decompress(DecompressCall<EXEC> const&);                              \
  template void const* decompress_chunk(EXEC const&, std::byte const*, std::size_t,                \
                                        Workspace<EXEC>&, FieldShape const&, std::int64_t);        \
  template std::vector<CompressCall<EXEC>> start_batch(EXEC const&, std::span<BatchItem const>,    \
                                                       Options const&, Workspace<EXEC>&);          \
  template void finish_batch(std::span<CompressCall<EXEC> const>, StreamInfo*);                    \
  template FieldRange field_range(EXEC const&, ConstStridedData const&, FillValue const&,          \
                                  Workspace<EXEC>&);                                               \
  template ErrorStats error_stats(EXEC const&, void const*, void const*, Dtype, std::size_t,       \
                                  ErrorBound const&);

#endif
