#ifndef KOMPAKT_CLI_CODEC_HPP
#define KOMPAKT_CLI_CODEC_HPP

#include "bytes.hpp"
#include "source.hpp"
#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kompakt::cli {

// What the program needs above an AnyCodec. All take and give host memory and need a KokkosSession. elapsed_s is
// the time of the library's call alone, between two fences, without copies to or from a device.

/// Compresses fields one after the other in memory that it keeps.
class Compressor {
 public:
  /// \param reason  as that of kompakt::compress()
  Compressor(Space space, Options const& options, ChoiceRecord const& reason);

  struct Result {
    std::span<std::byte>
        stream;  ///< lives until the next call but one, so that it can be written meanwhile
    StreamInfo info;
    double elapsed_s;
  };
  Result compress(FieldShape const& shape, std::span<std::byte const> field);
  /// Of the values but the fill values.
  FieldRange range_of(FieldShape const& shape, std::span<std::byte const> field,
                      FillValue const& fills);

 private:
  AnyCodec m_codec;
  Options m_options;
  ChoiceRecord m_reason;
  SpaceBytes m_field, m_stream;  // of a device
  HostBytes m_host[2];
  int m_turn = 1;
};

/// Decompresses streams one after the other in memory that it keeps.
class Decompressor {
 public:
  explicit Decompressor(Space space);

  /// \param region  of the field; none: all of it
  /// \param shape   of the values
  /// \param field   filled in the memory order of the field that was compressed
  /// \returns elapsed_s
  double decompress(std::span<std::byte const> stream, std::optional<Box> const& region,
                    FieldShape const& shape, std::span<std::byte> field);

 private:
  AnyCodec m_codec;
  SpaceBytes m_field, m_stream;  // of a device
};

/// The field of one stream.
/// \param info  of it
std::vector<std::byte> decompress_stream(AnyCodec& codec, std::span<std::byte const> stream,
                                         StreamInfo const& info);

/// A region of the field of a stream, in its memory order.
/// \param stream  of it, or the part of it that read_region() read
/// \param shape   type, extents and order of the region
std::vector<std::byte> extract_region(AnyCodec& codec, std::span<std::byte const> stream,
                                      FieldShape const& shape, Box const& region);

/// Host memory of a size that a file claims, at least so many bytes; what it had is lost if it grows.
/// \param what  is to be there, for messages
/// \throws Error device that says how much was needed
void make_room(std::vector<std::byte>& memory, std::size_t bytes, std::string const& what);

}  // namespace kompakt::cli

#endif
