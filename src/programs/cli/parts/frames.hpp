#ifndef KOMPAKT_CLI_FRAMES_HPP
#define KOMPAKT_CLI_FRAMES_HPP

#include "source.hpp"
#include <cstddef>
#include <kompakt/frames.hpp>
#include <vector>

namespace kompakt::cli {

/// A reader of frames whose messages say what to do.
class FrameReader : public kompakt::FrameReader {
 public:
  explicit FrameReader(StreamSource const& source);

  bool next();
  void read(std::vector<std::byte>& stream);
  void skip();
};

/// The headers of all frames; a pipe is read to its end.
FrameSequence scan_frames(StreamSource const& source);

}  // namespace kompakt::cli

#endif
