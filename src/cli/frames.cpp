#include "frames.hpp"
#include "arguments.hpp"
#include "files.hpp"
#include <algorithm>
#include <array>
#include <string_view>

namespace kompakt::cli {

namespace {

constexpr std::size_t start_bytes = 1024;  // what inspect() asks for
constexpr std::size_t piece_bytes = std::size_t{64}
                                    << 20;  // memory a pipe gets before it has filled it

[[noreturn]] void refuse(std::string const& reason) { throw Error(Status::corrupt, reason); }

// Numbers that belong to the indices of a shape, that of the slowest index first.
std::vector<std::size_t> slowest_first(FieldShape shape,
                                       std::array<std::size_t, max_rank> const& numbers) {
  shape.extents = numbers;
  return cli::slowest_first(shape);
}

}  // namespace

void FrameSequence::begin(StreamInfo const& first) {
  m_whole = first;
  m_whole.shape.extents = first.part.total;
  m_whole.part = first.part;
  m_whole.part.origin = {};
  m_whole.bytes = m_whole.exceptions = m_whole.chunks = 0;
  if (first.is_part() && m_whole.shape.size() == 0) {
    refuse("frame 1 is a part of a field that is not said to have any values");
  }
}

void FrameSequence::require_same_field(StreamInfo const& frame) const {
  FieldShape const &shape = frame.shape, &whole = m_whole.shape;
  // Every part reaches a PSNR with a bound of its own.
  bool const same_resolved =
      frame.bound.mode == ErrorBound::Mode::psnr || frame.abs_bound == m_whole.abs_bound;
  char const* const difference =
      shape.dtype != whole.dtype                               ? "value type"
      : shape.rank != whole.rank || shape.order != whole.order ? "number or order of indices"
      : frame.part.total != m_whole.part.total                 ? "extents of the whole"
      : !(frame.bound == m_whole.bound) || !same_resolved      ? "bound"
      : frame.pipeline != m_whole.pipeline || frame.variant != m_whole.variant ? "pipeline"
      : frame.checksum != m_whole.checksum                                     ? "use of checksums"
                                                                               : nullptr;
  if (difference == nullptr) return;
  refuse("frame " + std::to_string(m_count + 1) + " has another " + difference +
         " than frame 1; it is one of another field");
}

// The frame must be a run of values in the memory of the whole, which starts where the last one ended.
void FrameSequence::require_next_values(StreamInfo const& frame) const {
  std::vector<std::size_t> const extents = cli::slowest_first(frame.shape),
                                 total = cli::slowest_first(m_whole.shape),
                                 origin = slowest_first(frame.shape, frame.part.origin);
  std::string const name = "frame " + std::to_string(m_count + 1);
  if (m_count > 0 && m_values == m_whole.shape.size()) {
    refuse(name + " follows, but the field is complete without it");
  }
  bool run = frame.shape.size() > 0 || !frame.is_part(), cut = false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    run &= !cut || extents[i] == total[i];
    cut |= extents[i] > 1;
  }
  if (!run) refuse(name + " is not a run of values in the order of memory");
  std::uint64_t rest = m_values;
  bool next = true;
  for (std::size_t i = extents.size(); i-- > 0 && total[i] > 0;) {
    next &= origin[i] == rest % total[i];
    rest /= total[i];
  }
  if (!next) {
    refuse(
        name + " does not begin at value " + std::to_string(m_values) +
        " of the field, where the frames before it end; frames are missing, twice there or out of "
        "order");
  }
}

void FrameSequence::add(StreamInfo const& frame) {
  if (m_count == 0) begin(frame);
  require_same_field(frame);
  require_next_values(frame);
  ++m_count;
  m_values += frame.shape.size();
  m_whole.bytes += padding_at(m_whole.bytes) + frame.bytes;
  m_whole.exceptions += frame.exceptions;
  if (!m_whole.fill) m_whole.fill = frame.fill;  // one frame may have none, another one it alone
  m_whole.chunks += frame.chunks;
  m_whole.abs_bound = std::max(m_whole.abs_bound, frame.abs_bound);
  if (std::string_view(frame.predictor) != m_whole.predictor) m_whole.predictor = "mixed";
}

void FrameSequence::finish() const {
  if (m_values == m_whole.shape.size()) return;
  refuse("it ends behind frame " + std::to_string(m_count) + " with " + std::to_string(m_values) +
         " of the " + std::to_string(m_whole.shape.size()) +
         " values of the field; frames are missing at its end");
}

impl::InputFile open_input(char const* function, std::string const& path) {
  return path == "-" ? impl::InputFile::standard_input(function) : impl::InputFile(function, path);
}

FrameReader::FrameReader(std::string const& path)
    : m_path(path == "-" ? "standard input" : path), m_file(open_input("read_file", path)) {}

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
    refuse("behind frame " + std::to_string(m_sequence.count()) +
           " there are bytes that are not a frame");
  }
  return false;
}

void FrameReader::require_frame_inside_of_file() const {
  std::optional<std::uint64_t> const bytes = m_file.bytes();
  if (!bytes || (m_position <= *bytes && m_frame.bytes <= *bytes - m_position)) return;
  refuse("it has " + std::to_string(*bytes) + " bytes, but frame " +
         std::to_string(m_sequence.count()) + " begins at byte " + std::to_string(m_position) +
         " and speaks of " + std::to_string(m_frame.bytes) + "; it is truncated");
}

bool FrameReader::next() {
  return naming(m_path, [&] {
    if (at_end()) {
      m_sequence.finish();
      return false;
    }
    try {
      m_frame = impl::inspect_next(m_ahead);
    } catch (Error const& error) {
      if (error.status() != Status::bad_magic || m_sequence.count() == 0) throw;
      refuse("behind frame " + std::to_string(m_sequence.count()) +
             " there are bytes that are not a frame");
    }
    m_sequence.add(m_frame);
    require_frame_inside_of_file();
    return true;
  });
}

void FrameReader::read(std::vector<std::byte>& stream) {
  std::size_t filled = 0;
  // Of a pipe no more is believed than has come.
  while (filled < m_frame.bytes) {
    std::size_t const most = can_rewind() ? m_frame.bytes : filled + std::max(filled, piece_bytes);
    stream.resize(std::min(m_frame.bytes, most));
    filled += take(std::span(stream).subspan(filled));
    if (filled == stream.size()) continue;
    naming(m_path, [&] {
      refuse("it ends in frame " + std::to_string(m_sequence.count()) + ", after " +
             std::to_string(filled) + " of its " + std::to_string(m_frame.bytes) +
             " bytes; it is truncated");
    });
  }
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

FrameSequence scan_frames(std::string const& path) {
  FrameReader reader(path);
  while (reader.next()) reader.skip();
  return reader.sequence();
}

}  // namespace kompakt::cli
