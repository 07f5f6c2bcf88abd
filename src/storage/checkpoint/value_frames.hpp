#ifndef KOMPAKT_CHECKPOINT_VALUE_FRAMES_HPP
#define KOMPAKT_CHECKPOINT_VALUE_FRAMES_HPP

#include <checkpoint/values.hpp>
#include <kompakt/slabs.hpp>

namespace kompakt::impl {

/// The frames that a value, or a rank's part of one, is compressed in.
class ValueFrames {
 public:
  /// \param frame_bytes  of values, at most
  ValueFrames(CheckpointValue const& value, std::size_t frame_bytes)
      : m_value(value), m_slabs(value.field.shape, frame_bytes) {}

  std::uint64_t count() const { return m_slabs.count(); }
  /// What a frame's stream can take.
  std::size_t max_bytes(std::uint64_t number) const;
  /// With which each frame is compressed as a part of the whole: a bound relative to the range is resolved.
  Options resolved(AnyCodec& codec) const;
  /// Compresses a frame to the front of a room.
  /// \param options  resolved()
  StreamInfo compress(AnyCodec& codec, std::uint64_t number, Options const& options,
                      std::span<std::byte> room) const;

 private:
  CheckpointValue const& m_value;
  Slabs m_slabs;
};

}  // namespace kompakt::impl

#endif
