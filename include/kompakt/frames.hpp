#ifndef KOMPAKT_FRAMES_HPP
#define KOMPAKT_FRAMES_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/files.hpp>
#include <kompakt/sequence.hpp>
#include <kompakt/stream.hpp>
#include <span>
#include <string>
#include <vector>

namespace kompakt {

/// Reads a stream, or a sequence of frames, frame by frame: what the program writes for a field of any size. Of a
/// file, a pipe, a field of an archive (ArchiveReader::open) or host memory (InputFile::of_memory). Safe on untrusted
/// bytes. Host only.
class FrameReader {
 public:
  /// \param file   at the first frame; the sequence ends where it ends
  /// \param label  what messages call it; empty: the path of the file
  explicit FrameReader(InputFile file, std::string label = "");

  /// Whether it can be read a second time, and in parts; a pipe cannot.
  bool can_rewind() const { return m_file.bytes().has_value(); }
  /// The next frame is the first one again.
  /// \throws Error io
  void rewind();

  /// Reads and checks the header of the next frame. The frame before must have been read or skipped.
  /// \returns false at the end of a complete sequence
  /// \throws Error as inspect() and FrameSequence; corrupt also for what is behind the last frame; bad_argument for an
  ///         archive; io
  bool next();
  /// Header of the frame.
  StreamInfo const& frame() const { return m_frame; }
  /// Offset of the frame in the file, until it is read or skipped.
  std::uint64_t position() const { return m_position; }
  /// Reads all bytes of the frame into `stream`, whose old bytes are lost.
  /// \throws Error corrupt if the file ends before; io
  void read(std::vector<std::byte>& stream);
  /// Reads of the frame what decompress() needs for a box of it, and skips it; only where can_rewind() says so.
  /// \throws Error as read_region()
  std::vector<std::byte> read_region(Box const& box);
  /// Goes on behind the frame.
  /// \throws Error io
  void skip();

  /// The frames so far, and what they make together.
  FrameSequence const& sequence() const { return m_sequence; }

 private:
  void look_ahead();
  std::size_t take(std::span<std::byte> destination);
  bool at_end();
  void read_header();
  void require_frame_inside_of_file() const;

  std::string m_label;
  InputFile m_file;
  std::vector<std::byte> m_ahead;  // read from the file, but not taken
  std::uint64_t m_position = 0;    // of what is taken next
  StreamInfo m_frame{};
  FrameSequence m_sequence;
};

}  // namespace kompakt

#endif
