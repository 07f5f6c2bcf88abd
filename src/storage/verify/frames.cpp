#include <algorithm>
#include <container/reader.hpp>
#include <kompakt/sequence.hpp>
#include <verify/frames.hpp>

namespace kompakt::impl {

namespace {

// Of sections in front of the chunks; the others have been checked with the header.
void require_checksum(InputFile& file, std::uint64_t frame, Header const& h, SectionId id,
                      char const* what) {
  Section const& section = h.sections[id];
  if (!section.lies_within(h.bytes)) return;  // of no meaning: a reader would have refused it
  std::vector<std::byte> bytes(section.bytes);
  file.read_at(frame + section.offset, bytes);
  if (section.bytes % word_bytes == 0 &&
      checksum_bytes(bytes.data(), bytes.size(), static_cast<std::uint32_t>(id)) ==
          section.checksum) {
    return;
  }
  throw Error(Status::corrupt, std::string("the checksum of its ") + what + " does not match");
}

void require_padding(InputFile& file, std::uint64_t at, std::uint64_t count) {
  std::vector<std::byte> bytes(count);
  file.read_at(at, bytes);
  if (std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }))
    return;
  throw Error(Status::corrupt, "behind it there are bytes that are not a frame");
}

/// Goes from frame to frame of one stream.
class FrontCheck {
 public:
  FrontCheck(InputFile& file, StreamPart& part) : m_file(file), m_part(part) {}

  std::vector<FrameChunks> take() {
    while (m_at < m_part.result.bytes) {
      if (!checked([&] { next(); })) return std::move(m_frames);
    }
    checked([&] { m_sequence.finish(); }, 0);
    return std::move(m_frames);
  }

 private:
  template <class Check>
  bool checked(Check const& check, std::optional<std::uint64_t> frame = std::nullopt) {
    try {
      check();
      return true;
    } catch (Error const& error) {
      if (error.status() == Status::io) throw;
      m_part.note({frame.value_or(m_number), std::nullopt, std::string(error.text())});
      return false;
    }
  }

  void next() {
    ++m_number;
    std::uint64_t const left = m_part.result.bytes - m_at, frame = m_part.offset + m_at;
    std::vector<std::byte> front(front_bytes(left));
    m_file.read_at(frame, front);
    Header const h = naming("its front", [&] { return read_header(front, 0); });
    if (h.bytes > left) throw Error(Status::corrupt, "it is cut off");
    m_sequence.add(info_of(h));
    std::shared_ptr<PackedChunks const> packed;
    if (!h.is_packed() || checked([&] {
          packed = naming("its front", [&] {
            return std::make_shared<PackedChunks>(PackedChunks::read(m_file, frame, h));
          });
        })) {
      m_frames.push_back({0, m_number, frame + h.sections[SectionId::chunk_index].offset,
                          frame + h.sections[SectionId::payload].offset, h.payload_bytes,
                          h.chunks(), h.checksum, has_levels(h.method), packed});
    }
    m_part.result.frames += 1;
    m_part.result.chunks += static_cast<std::uint64_t>(h.chunks());
    m_part.result.has_checksums &= h.checksum;
    if (h.extra.coder > 0) {
      checked([&] { require_checksum(m_file, frame, h, SectionId::coder, "codebook"); });
    }
    if (h.extra.predictor > 0) {
      checked([&] { require_checksum(m_file, frame, h, SectionId::predictor, "predictor"); });
    }
    m_at += h.bytes;
    std::uint64_t const padding = std::min(padding_at(m_at), m_part.result.bytes - m_at);
    require_padding(m_file, m_part.offset + m_at, padding);
    m_at += padding;
  }

  InputFile& m_file;
  StreamPart& m_part;
  std::vector<FrameChunks> m_frames;
  FrameSequence m_sequence;
  std::uint64_t m_number = 0;
  std::uint64_t m_at = 0;  // in the stream
};

}  // namespace

void StreamPart::note(Damage damage) {
  ++result.damage_count;
  if (result.damages.size() < VerifiedStream::max_damages) {
    result.damages.push_back(std::move(damage));
  }
}

std::vector<FrameChunks> check_fronts(InputFile& file, StreamPart& part) {
  return FrontCheck(file, part).take();
}

}  // namespace kompakt::impl
