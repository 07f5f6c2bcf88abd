#ifndef KOMPAKT_CLI_CODEC_HPP
#define KOMPAKT_CLI_CODEC_HPP

#include "exec.hpp"
#include <cstddef>
#include <kompakt/choose.hpp>
#include <kompakt/codebooks.hpp>
#include <kompakt/field.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <span>
#include <vector>

namespace kompakt::cli {

// The functions below take and give host memory and need a KokkosSession. elapsed_s is the time of
// the library's call alone, between two fences, without copies to or from a device.

/// Compresses fields one after the other in memory that it keeps.
class Compressor {
 public:
  virtual ~Compressor() = default;
  struct Result {
    std::span<std::byte>
        stream;  ///< lives until the next call but one, so that it can be written meanwhile
    StreamInfo info;
    double elapsed_s;
  };
  virtual Result compress(FieldShape const& shape, std::span<std::byte const> field) = 0;
};
/// The pipeline for a goal, by a sample of a field.
Choice choose_for(Space space, FieldShape const& shape, std::span<std::byte const> field,
                  Options const& options, Goal goal);
std::unique_ptr<Compressor> make_compressor(Space space, Options const& options);

/// Decompresses streams one after the other in memory that it keeps.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// \param info   of `stream`, from inspect()
  /// \param field  filled in the memory order of the field that was compressed
  /// \returns elapsed_s
  virtual double decompress(std::span<std::byte const> stream, StreamInfo const& info,
                            std::span<std::byte> field) = 0;
};
std::unique_ptr<Decompressor> make_decompressor(Space space);

/// The field of one stream.
std::vector<std::byte> decompress_stream(Space space, std::span<std::byte const> stream,
                                         StreamInfo const& info);

/// A region of the field of a stream, in its memory order.
/// \param stream      of it, or the part of it that read_region() read
/// \param region      type, extents and order of the region
/// \param begin, end  as those of decompress_region()
std::vector<std::byte> extract_region(Space space, std::span<std::byte const> stream,
                                      FieldShape const& region, std::span<std::size_t const> begin,
                                      std::span<std::size_t const> end);

/// What codebooks cost the field of a stream of the pipeline huffman: decompressed and counted anew on the
/// host, whatever devices there are.
/// \param info    of `stream`, from inspect()
/// \param radius  of its codebook
CodebookReport report_codebooks(std::span<std::byte const> stream, StreamInfo const& info,
                                int radius);

/// What a bound relative to the range is resolved with.
FieldRange range_of_field(Space space, FieldShape const& shape, std::span<std::byte const> field,
                          FillValue const& fill);

Metrics compare_fields(Space space, FieldShape const& shape, std::span<std::byte const> original,
                       std::span<std::byte const> reconstructed, ErrorBound const& bound,
                       MetricsOptions const& options);

}  // namespace kompakt::cli

#endif
