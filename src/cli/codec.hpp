#ifndef KOMPAKT_CLI_CODEC_HPP
#define KOMPAKT_CLI_CODEC_HPP

#include "exec.hpp"
#include <cstddef>
#include <kompakt/codebooks.hpp>
#include <kompakt/field.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <span>
#include <vector>

namespace kompakt::cli {

// The functions below take and give host memory and need a KokkosSession. elapsed_s is the time of
// the library's call alone, between two fences, without copies to or from a device.

struct Compressed {
  std::vector<std::byte> stream;
  StreamInfo info;
  double elapsed_s = 0;
};
Compressed compress_field(ExecSpace space, FieldShape const& shape,
                          std::span<std::byte const> field, Options const& options);

struct Decompressed {
  std::vector<std::byte> field;  ///< in the memory order of the field that was compressed
  double elapsed_s = 0;
};
/// \param info  of `stream`, from inspect()
Decompressed decompress_stream(ExecSpace space, std::span<std::byte const> stream,
                               StreamInfo const& info);

/// A region of the field of a stream, in its memory order.
/// \param stream      of it, or the part of it that read_region() read
/// \param region      type, extents and order of the region
/// \param begin, end  as those of decompress_region()
Decompressed extract_region(ExecSpace space, std::span<std::byte const> stream,
                            FieldShape const& region, std::span<std::size_t const> begin,
                            std::span<std::size_t const> end);

/// What codebooks cost the field of a stream of the pipeline huffman: decompressed and counted anew on the
/// host, whatever devices there are.
/// \param info    of `stream`, from inspect()
/// \param radius  of its codebook
CodebookReport report_codebooks(std::span<std::byte const> stream, StreamInfo const& info,
                                int radius);

ErrorStats compare_fields(ExecSpace space, FieldShape const& shape,
                          std::span<std::byte const> original,
                          std::span<std::byte const> reconstructed, double abs_bound);

}  // namespace kompakt::cli

#endif
