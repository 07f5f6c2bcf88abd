#include "partial_decode.hpp"
#include "text.hpp"
#include <algorithm>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <utility>

namespace kompakt::cli {

namespace {

// The stream as its coder wrote it, of a frame that is packed: at most half of the field, and what finds its chunks.
std::uint64_t unpacking_bytes(FieldShape const& shape, StreamInfo const& frame) {
  return frame.packed ? shape.bytes() / 2 + 20 * frame.chunks : 0;
}

// Values and stream of a slab, and its chunks, which are decoded beside it. The index is that of the whole frame. Of
// two slabs that makes a field more than decompressing has at once, so that comparing fits too.
std::uint64_t slab_bytes(FieldShape const& slab, StreamInfo const& frame) {
  Options options;
  options.pipeline = frame.pipeline;
  std::uint64_t const stream = std::min(frame.bytes, max_stream_bytes(slab, options));
  return 2 * slab.bytes() + stream + 8 * frame.chunks + unpacking_bytes(slab, frame);
}

}  // namespace

std::uint64_t bytes_as_a_whole(StreamInfo const& frame, int fields) {
  int const frames = frame.is_part() ? 2 : 1;
  return static_cast<std::uint64_t>(frames) * frame.bytes +
         static_cast<std::uint64_t>(fields + frames - 1) * frame.shape.bytes() +
         unpacking_bytes(frame.shape, frame) + program_memory;
}

StepReader::StepReader(StreamSource const& source, FrameReader& input, std::uint64_t memory_bytes,
                       int fields)
    : m_source(source),
      m_input(input),
      m_memory_bytes(memory_bytes),
      m_fields(fields),
      m_begun(input.sequence().count() > 0) {}

bool StepReader::read(DecompressionStep& step) {
  if (!m_slabs && !begin_frame()) return false;
  if (m_slabs) {
    read_slab(step);
  } else {
    read_frame(step);
  }
  return true;
}

// Of a pipe the first header has been read already.
bool StepReader::begin_frame() {
  if (!std::exchange(m_begun, false) && !m_input.next()) return false;
  if (bytes_as_a_whole(m_input.frame(), m_fields) > m_memory_bytes) cut();
  return true;
}

void StepReader::cut() {
  StreamInfo const& frame = m_input.frame();
  std::uint64_t left = m_memory_bytes;
  if (!m_input.can_rewind()) {
    if (frame.bytes + least_memory > left) {
      throw Error(Status::bad_argument,
                  "'" + m_source.label() + "': a frame of " + std::to_string(frame.bytes) +
                      " bytes in a pipe needs a --memory of at least " +
                      text_of_bytes(static_cast<double>(frame.bytes + least_memory)),
                  "give more, or name the file itself");
    }
    left -= frame.bytes;
    m_frame = std::make_shared<std::vector<std::byte>>();
    m_input.read(*m_frame);
  }
  m_slabs.emplace(
      frame.shape, [&](FieldShape const& slab) { return slab_bytes(slab, frame); }, left);
  m_slab = 0;
}

void StepReader::read_frame(DecompressionStep& step) {
  step.frame.reset();
  step.region.reset();
  step.shape = m_input.frame().shape;
  m_input.read(step.stream);
}

void StepReader::read_slab(DecompressionStep& step) {
  StreamInfo const& frame = m_input.frame();
  step.region = Box::at(m_slabs->part(m_slab).origin, m_slabs->shape(m_slab));
  step.frame = m_frame;
  step.shape = step.region->shape_in(frame.shape);
  if (!m_frame) step.stream = m_source.read_region(m_input.position(), frame.bytes, *step.region);
  if (++m_slab < m_slabs->count()) return;
  m_slabs.reset();
  if (!std::exchange(m_frame, nullptr)) m_input.skip();
}

}  // namespace kompakt::cli
