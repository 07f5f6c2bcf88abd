#include <algorithm>
#include <array>
#include <kompakt/archive.hpp>
#include <kompakt/error.hpp>
#include <kompakt/frames.hpp>

namespace kompakt {

namespace {

constexpr std::size_t start_bytes = 1024;  // what inspect() asks for
constexpr std::size_t pipe_bytes = std::size_t{64}
                                   << 20;  // memory a pipe gets before it has filled it

[[noreturn]] void refuse_frame(std::string const& reason) { throw Error(Status::corrupt, reason); }

/// work(), with messages that name the file.
template <class Work>
auto naming(std::string const& label, Work const& work) {
  try {
    return work();
  } catch (Error const& error) {
    throw error.about("'" + label + "'").named("FrameReader");
  }
}

}  // namespace

FrameReader::FrameReader(InputFile file, std::string label)
    : m_label(label.empty() ? file.path().string() : std::move(label)), m_file(std::move(file)) {}

void FrameReader::rewind() {
  m_file.seek(0);
  m_ahead.clear();
  m_position = 0;
  m_sequence = {};
}

void FrameReader::look_ahead() {
  std::size_t const filled = m_ahead.size();
  if (filled >= start_bytes) return;
  m_ahead.resize(start_bytes);
  m_ahead.resize(filled + m_file.read(std::span(m_ahead).subspan(filled)));
}

std::size_t FrameReader::take(std::span<std::byte> destination) {
  std::size_t const known = std::min(destination.size(), m_ahead.size());
  std::copy_n(m_ahead.begin(), known, destination.begin());
  m_ahead.erase(m_ahead.begin(), m_ahead.begin() + static_cast<std::ptrdiff_t>(known));
  std::size_t const taken = known + m_file.read(destination.subspan(known));
  m_position += taken;
  return taken;
}

// Takes what separates two frames.
bool FrameReader::at_end() {
  std::array<std::byte, frame_alignment> bytes{};
  std::size_t const wanted = m_sequence.count() > 0 ? padding_at(m_position) : 0;
  std::size_t const found = take(std::span(bytes).first(wanted));
  look_ahead();
  bool const padding = found == wanted && bytes == decltype(bytes){};
  if (m_sequence.count() > 0 && m_ahead.empty() && (found == 0 || wanted == 0)) return true;
  if (!padding || (m_ahead.empty() && wanted > 0)) {
    refuse_frame("behind frame " + std::to_string(m_sequence.count()) +
                 " there are bytes that are not a frame");
  }
  return false;
}

void FrameReader::require_frame_inside_of_file() const {
  std::optional<std::uint64_t> const bytes = m_file.bytes();
  if (!bytes || (m_position <= *bytes && m_frame.bytes <= *bytes - m_position)) return;
  refuse_frame("it has " + std::to_string(*bytes) + " bytes, but frame " +
               std::to_string(m_sequence.count()) + " begins at byte " +
               std::to_string(m_position) + " and has " + std::to_string(m_frame.bytes) +
               "; it is truncated");
}

void FrameReader::read_header() {
  try {
    m_frame = inspect_next(m_ahead);
  } catch (Error const& error) {
    if (error.status() != Status::bad_magic) throw;
    if (m_sequence.count() > 0) {
      refuse_frame("behind frame " + std::to_string(m_sequence.count()) +
                   " there are bytes that are not a frame");
    }
    if (!is_archive(m_ahead)) throw;
    throw Error(Status::bad_argument, "it is an archive",
                "open one of its fields with ArchiveReader::open()");
  }
}

bool FrameReader::next() {
  return naming(m_label, [&] {
    if (at_end()) {
      m_sequence.finish();
      return false;
    }
    read_header();
    m_sequence.add(m_frame);
    require_frame_inside_of_file();
    return true;
  });
}

void FrameReader::read(std::vector<std::byte>& stream) {
  std::size_t filled = 0;
  // Of a pipe no more is believed than has come.
  while (filled < m_frame.bytes) {
    std::size_t const room = can_rewind() ? m_frame.bytes : filled + std::max(filled, pipe_bytes);
    stream.resize(std::min(m_frame.bytes, room));
    filled += take(std::span(stream).subspan(filled));
    if (filled == stream.size()) continue;
    naming(m_label, [&] {
      refuse_frame("it ends in frame " + std::to_string(m_sequence.count()) + ", after " +
                   std::to_string(filled) + " of its " + std::to_string(m_frame.bytes) +
                   " bytes; it is truncated");
    });
  }
}

std::vector<std::byte> FrameReader::read_region(Box const& box) {
  std::vector<std::byte> stream =
      naming(m_label, [&] { return kompakt::read_region(m_file, m_position, m_frame.bytes, box); });
  skip();
  return stream;
}

void FrameReader::skip() {
  if (can_rewind()) {
    m_position += m_frame.bytes;
    m_ahead.clear();
    m_file.seek(m_position);
  } else {
    std::vector<std::byte> stream;
    read(stream);
  }
}

}  // namespace kompakt
