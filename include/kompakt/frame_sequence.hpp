#ifndef KOMPAKT_FRAME_SEQUENCE_HPP
#define KOMPAKT_FRAME_SEQUENCE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/stream.hpp>
#include <vector>

namespace kompakt::impl {

// For a program that keeps a field in several streams, as the command line does.

inline constexpr std::size_t frame_alignment = 16;  // docs/format.md, "Sequences of frames"

/// Zeros that separate a frame from `position` bytes before it.
constexpr std::size_t padding_at(std::uint64_t position) {
  return (frame_alignment - position % frame_alignment) % frame_alignment;
}

/// What the frames of a sequence make together. Each must continue the field of those before it.
class FrameSequence {
 public:
  /// \throws Error corrupt
  void add(StreamInfo const& frame);
  /// \throws Error corrupt if frames are missing
  void finish() const;

  std::uint64_t count() const { return m_count; }
  /// As of one stream: shape of the whole field; bytes, exceptions and chunks of the frames so far. The
  /// predictor is "mixed" if it differs.
  StreamInfo const& whole() const { return m_whole; }

 private:
  void begin(StreamInfo const& first);
  void require_same_field(StreamInfo const& frame) const;
  void require_next_values(StreamInfo const& frame) const;

  std::uint64_t m_count = 0;
  std::uint64_t m_values = 0;  // of the frames so far
  StreamInfo m_whole{};
};

/// Numbers that belong to the indices of a shape, that of the slowest index first.
std::vector<std::size_t> slowest_first(FieldShape const& shape,
                                       std::array<std::size_t, max_rank> const& numbers);

}  // namespace kompakt::impl

#endif
