#ifndef KOMPAKT_CLI_FRAMES_HPP
#define KOMPAKT_CLI_FRAMES_HPP

#include "source.hpp"
#include <cstddef>
#include <cstdint>
#include <kompakt/files.hpp>
#include <kompakt/sequence.hpp>
#include <kompakt/stream.hpp>
#include <span>
#include <string>
#include <vector>

namespace kompakt::cli {

/// Reads a stream frame by frame. Messages name it.
class FrameReader {
 public:
  explicit FrameReader(StreamSource const& source);

  /// Whether it can be read a second time.
  bool can_rewind() const { return m_file.bytes().has_value(); }
  void rewind();

  /// Reads and checks the header of the next frame; false at the end of a complete sequence. The frame
  /// before must have been read or skipped.
  bool next();
  StreamInfo const& frame() const { return m_frame; }
  /// Where it begins in the stream, until it is read or skipped.
  std::uint64_t position() const { return m_position; }
  /// All bytes of the frame, which replace those of `stream`.
  void read(std::vector<std::byte>& stream);
  void skip();

  FrameSequence const& sequence() const { return m_sequence; }

 private:
  void look_ahead();
  std::size_t take(std::span<std::byte> destination);
  bool at_end();
  void require_frame_inside_of_file() const;

  std::string m_label;
  InputFile m_file;
  std::vector<std::byte> m_ahead;  // read from the file, but not taken
  std::uint64_t m_position = 0;    // of what is taken next
  StreamInfo m_frame{};
  FrameSequence m_sequence;
};

/// The headers of all frames; a pipe is read to its end.
FrameSequence scan_frames(StreamSource const& source);

}  // namespace kompakt::cli

#endif
