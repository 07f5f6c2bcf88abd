#ifndef KOMPAKT_VERIFY_FRAMES_HPP
#define KOMPAKT_VERIFY_FRAMES_HPP

#include <container/header.hpp>
#include <cstdint>
#include <kompakt/files.hpp>
#include <kompakt/verify.hpp>
#include <memory>
#include <optional>
#include <packing/packed_chunks.hpp>
#include <vector>

namespace kompakt::impl {

/// A stream in a file, and what is known of it.
struct StreamPart {
  std::uint64_t offset = 0;
  std::optional<std::uint32_t> checksum;  ///< of all its bytes
  VerifiedStream result{};

  void note(Damage damage);
};

/// The chunks of a frame.
struct FrameChunks {
  std::size_t stream = 0;                                   ///< which one it is of
  std::uint64_t number = 0;                                 ///< from 1 on
  std::uint64_t index = 0, payload = 0, payload_bytes = 0;  ///< places in the file
  std::int64_t chunks = 0;
  bool has_checksums = true;
  bool has_levels = false;                       ///< chunks are those of a predictor that has
  std::shared_ptr<PackedChunks const> packed{};  ///< if they are packed
};

/// Reads and checks what is in front of the chunks of all frames of a stream, and notes what is wrong.
std::vector<FrameChunks> check_fronts(InputFile& file, StreamPart& part);

}  // namespace kompakt::impl

#endif
