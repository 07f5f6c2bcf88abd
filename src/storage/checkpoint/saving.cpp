#include <algorithm>
#include <checkpoint/saving.hpp>
#include <checkpoint/value_frames.hpp>
#include <kompakt/workspace.hpp>

namespace kompakt::impl {

namespace {

/// Makes the buffers fit for all frames.
void plan(StreamBuffers& buffers, CheckpointValues const& values, std::size_t frame_bytes,
          std::size_t limit_bytes) {
  std::size_t total = 0, largest = 0;
  for (CheckpointValue const& value : values) {
    naming_value(value.name, [&] {
      ValueFrames const frames(value, frame_bytes);
      std::size_t const most = frames.max_bytes(0);  // the first frame is the largest
      total += WorkspaceSizes::aligned(most) * frames.count();
      largest = std::max(largest, most);
    });
  }
  buffers.plan(total, largest, limit_bytes);
}

}  // namespace

Saving::Saving(std::filesystem::path const& path) : m_archive(path, Overwrite::no) {}

void Saving::add(CheckpointValues const& values, AnyCodec& codec, StreamBuffers& buffers,
                 CheckpointOptions const& options,
                 std::function<Attributes(CheckpointValue const&)> const& attributes_of) {
  plan(buffers, values, options.frame_bytes, options.buffer_bytes);
  for (CheckpointValue const& value : values) {
    if (m_background.has_failed()) return;  // which finish() tells
    naming_value(value.name,
                 [&] { add(value, codec, buffers, options.frame_bytes, attributes_of(value)); });
  }
}

void Saving::add(CheckpointValue const& value, AnyCodec& codec, StreamBuffers& buffers,
                 std::size_t frame_bytes, Attributes const& attributes) {
  ValueFrames const frames(value, frame_bytes);
  Options const options = frames.resolved(codec);
  m_background.post([this, name = value.name, attributes] { m_archive.begin(name, attributes); });
  for (std::uint64_t i = 0; i < frames.count() && !m_background.has_failed(); ++i) {
    std::span<std::byte> const room = buffers.room(frames.max_bytes(i));
    StreamInfo const info = frames.compress(codec, i, options, room);
    m_background.post(
        [this, stream = buffers.keep(info.bytes)] { m_archive.add_frame(stream->bytes()); });
  }
  m_background.post([this] { m_archive.end(); });
}

void Saving::add(std::string const& name, Attributes const& attributes,
                 std::vector<std::byte> stream) {
  m_background.post([this, name, attributes, stream = std::move(stream)] {
    m_archive.append(name, attributes, stream);
  });
}

void Saving::commit(std::function<void()> then) {
  m_background.post([this, then = std::move(then)] {
    m_archive.commit();
    then();
  });
}

}  // namespace kompakt::impl
