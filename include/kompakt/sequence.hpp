#ifndef KOMPAKT_SEQUENCE_HPP
#define KOMPAKT_SEQUENCE_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/stream.hpp>

// A field in several streams, one after the other: its frames. docs/format.md, "Sequences of frames". Host only.

namespace kompakt {

/// Alignment of the frames of a sequence, in bytes.
inline constexpr std::size_t frame_alignment = 16;

/// Zeros that separate a frame from `position` bytes before it.
constexpr std::size_t padding_at(std::uint64_t position) {
  return (frame_alignment - position % frame_alignment) % frame_alignment;
}

/// Combined header of the frames of a sequence. Each must continue the field of those
/// before it.
class FrameSequence {
 public:
  /// Takes the next frame: what inspect_next() says of it, or what mark_part() has made of it.
  /// \throws Error corrupt if it belongs to another field, or does not begin where the one before it ends
  void add(StreamInfo const& frame);
  /// Checks that the field is complete.
  /// \throws Error corrupt if frames are missing
  void finish() const;

  /// Number of frames so far.
  std::uint64_t count() const { return m_count; }
  /// Header as of one stream: shape of the whole field; bytes, padding included, exceptions and chunks of the frames
  /// so far. The predictor is "mixed" if it differs. If frames reach a PSNR, each with its own bound, the bound of the whole
  /// is the largest of these.
  StreamInfo const& whole() const { return m_whole; }

 private:
  void begin(StreamInfo const& first);
  void require_same_field(StreamInfo const& frame) const;
  void require_next_values(StreamInfo const& frame) const;

  std::uint64_t m_count = 0;
  std::uint64_t m_values = 0;  // of the frames so far
  StreamInfo m_whole{};
};

}  // namespace kompakt

#endif
