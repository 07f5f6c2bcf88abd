#ifndef KOMPAKT_PERF_SUPPORT_LINK_MODEL_HPP
#define KOMPAKT_PERF_SUPPORT_LINK_MODEL_HPP

#include <algorithm>
#include <cstddef>

namespace kompakt::perf {

// How long a message takes over a link of a stated bandwidth. It is cut into equal pieces that go through stages one after
// the other, each stage with one piece at a time; so the first piece takes the sum of its stages, and each further one what
// the slowest stage takes.

/// What compressing and decompressing pieces of a size has come to.
struct CodecRates {
  double compress_gbps = 1;  ///< of values
  double decompress_gbps = 1;
  double ratio = 1;
  double calls_us = 0;  ///< of each piece beside that, each way
};

inline double stages_s(std::size_t pieces, double compress_s, double link_s, double decompress_s) {
  return compress_s + link_s + decompress_s +
         static_cast<double>(pieces - 1) * std::max({compress_s, link_s, decompress_s});
}

/// How many times faster a field goes from one rank to another compressed than raw.
/// \param bytes  of values
inline double ring_speedup(CodecRates const& rates, std::size_t bytes, std::size_t piece_bytes,
                           double link_gbps) {
  std::size_t const pieces = (bytes + piece_bytes - 1) / piece_bytes;
  double const gigabytes = static_cast<double>(bytes) / 1e9,
               piece = gigabytes / static_cast<double>(pieces);
  double const calls_s = rates.calls_us * 1e-6;
  return gigabytes / link_gbps /
         stages_s(pieces, piece / rates.compress_gbps + calls_s, piece / rates.ratio / link_gbps,
                  piece / rates.decompress_gbps + calls_s);
}

/// The same of a root that sends each of the other ranks its part of a field over one link: they decompress side by side.
/// \param bytes  of values, of all ranks together
inline double scatter_speedup(CodecRates const& rates, std::size_t bytes, std::size_t piece_bytes,
                              double link_gbps, int ranks) {
  auto const others = static_cast<std::size_t>(ranks - 1);
  std::size_t const part = bytes / static_cast<std::size_t>(ranks);
  std::size_t const pieces_of_part = (part + piece_bytes - 1) / piece_bytes;
  double const part_gb = static_cast<double>(part) / 1e9;
  double const piece = part_gb / static_cast<double>(pieces_of_part),
               calls_s = rates.calls_us * 1e-6;
  double const compress_s = piece / rates.compress_gbps + calls_s;
  double const link_s = piece / rates.ratio / link_gbps;
  double const decompress_s = piece / rates.decompress_gbps + calls_s;
  // The last rank's pieces come one after the other; those of ranks before have been decompressed by then.
  double const before_s =
      static_cast<double>((others - 1) * pieces_of_part) * std::max(compress_s, link_s);
  return static_cast<double>(others) * part_gb / link_gbps /
         (before_s + stages_s(pieces_of_part, compress_s, link_s, decompress_s));
}

}  // namespace kompakt::perf

#endif
