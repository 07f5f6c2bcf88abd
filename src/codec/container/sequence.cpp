#include <algorithm>
#include <container/damaged.hpp>
#include <kompakt/sequence.hpp>
#include <string>
#include <string_view>

namespace kompakt {

using impl::refuse_damaged;

void FrameSequence::begin(StreamInfo const& first) {
  m_whole = first;
  m_whole.shape.extents = first.part.total;
  m_whole.part = first.part;
  m_whole.part.origin = {};
  m_whole.bytes = m_whole.exceptions = m_whole.chunks = 0;
  if (first.is_part() && m_whole.shape.size() == 0) {
    refuse_damaged("frame 1 is a part of a field without values");
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
      : !(frame.limits == m_whole.limits)                                      ? "limits"
      : frame.checksum != m_whole.checksum                                     ? "use of checksums"
                                                                               : nullptr;
  if (difference == nullptr) return;
  refuse_damaged("frame " + std::to_string(m_count + 1) + " has another " + difference +
                 " than frame 1; it belongs to another field");
}

// The frame must be a run of values in the memory of the whole, which starts where the last one ended.
void FrameSequence::require_next_values(StreamInfo const& frame) const {
  std::vector<std::size_t> const extents = slowest_first(frame.shape, frame.shape.extents),
                                 total = slowest_first(m_whole.shape, m_whole.shape.extents),
                                 origin = slowest_first(frame.shape, frame.part.origin);
  std::string const name = "frame " + std::to_string(m_count + 1);
  if (m_count > 0 && m_values == m_whole.shape.size()) {
    refuse_damaged(name + " follows, but the field is complete without it");
  }
  bool run = frame.shape.size() > 0 || !frame.is_part(), cut = false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    run &= !cut || extents[i] == total[i];
    cut |= extents[i] > 1;
  }
  if (!run) refuse_damaged(name + " is not a contiguous run of values");
  std::uint64_t rest = m_values;
  bool next = true;
  for (std::size_t i = extents.size(); i-- > 0 && total[i] > 0;) {
    next &= origin[i] == rest % total[i];
    rest /= total[i];
  }
  if (!next) {
    refuse_damaged(
        name + " does not begin at value " + std::to_string(m_values) +
        " of the field, where the frames before it end; frames are missing, repeated or out of "
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
  if (frame.prediction != m_whole.prediction || frame.constant != m_whole.constant) {
    m_whole.prediction.reset();
  }
  m_whole.constant &= frame.constant;
}

void FrameSequence::finish() const {
  if (m_values == m_whole.shape.size()) return;
  refuse_damaged("it ends after frame " + std::to_string(m_count) + " with " +
                 std::to_string(m_values) + " of the " + std::to_string(m_whole.shape.size()) +
                 " values of the field; frames are missing at its end");
}

}  // namespace kompakt
