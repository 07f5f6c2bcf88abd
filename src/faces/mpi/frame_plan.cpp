#include "frame_plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "piece_layout.hpp"

namespace kompakt::mpi {

namespace {

[[noreturn]] void refuse(Status status, std::string const& message, std::string_view advice = {}) {
  throw Error(status, "ArchiveWriter", message, advice);
}

std::string text_of_shape(RankPart const& rank_part) {
  return std::string(to_string(rank_part.shape.dtype)) + " of " +
         std::to_string(rank_part.shape.rank) + " indices";
}

// A NaN is the same fill value as any other.
bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool is_same(FillValue const& a, FillValue const& b) {
  auto const all = [](FillValue const& fill) {
    return std::span(fill.others).first(static_cast<std::size_t>(fill.others_count));
  };
  return a.mode == b.mode && is_same(a.value, b.value) &&
         std::ranges::equal(all(a), all(b), [](double x, double y) { return is_same(x, y); });
}

bool is_same(Options const& a, Options const& b) {
  return a.bound == b.bound && a.pipeline == b.pipeline && a.variant == b.variant &&
         a.predictor == b.predictor && a.checksum == b.checksum && a.radius == b.radius &&
         a.range == b.range && a.magnitude == b.magnitude && a.axis == b.axis &&
         a.second_axis == b.second_axis && a.third_axis == b.third_axis && a.steps == b.steps &&
         a.pack == b.pack && a.limits == b.limits && is_same(a.fill, b.fill);
}

/// The extents of the whole, as text and number; the same on all ranks if they pass.
void require_same(RankPart const& mine, RankPart const& first) {
  if (mine.shape.dtype != first.shape.dtype || mine.shape.rank != first.shape.rank) {
    refuse(Status::type_mismatch,
           "the part is " + text_of_shape(mine) + ", but rank 0 has " + text_of_shape(first),
           "all must be of one field");
  }
  if (mine.place.total != first.place.total) {
    refuse(Status::bad_argument, "the extents of the field differ from the extents on rank 0",
           "pass the same on all");
  }
  if (!is_same(mine.options, first.options) || mine.frame_bytes != first.frame_bytes) {
    refuse(Status::bad_argument, "the options differ from the options of rank 0",
           "pass the same on all");
  }
}

void require_inside(RankPart const& rank_part) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank_part.shape.rank); ++i) {
    std::size_t const extent = rank_part.shape.extents[i], total = rank_part.place.total[i];
    if (extent <= total && rank_part.place.origin[i] <= total - extent) continue;
    refuse(Status::bad_argument,
           "the part " + to_string(rank_part.box()) + " does not lie in the field, whose index " +
               std::to_string(i) + " has " + std::to_string(total) + " values");
  }
}

FieldShape whole_of(std::vector<RankPart> const& rank_parts) {
  auto const one =
      std::find_if(rank_parts.begin(), rank_parts.end(),
                   [](RankPart const& rank_part) { return rank_part.shape.size() > 0; });
  FieldShape whole = (one == rank_parts.end() ? rank_parts.front() : *one).shape;
  whole.extents = rank_parts.front().place.total;
  return whole;
}

void require_all_values(std::vector<RankPart> const& rank_parts, std::size_t rank) {
  FieldShape const whole = whole_of(rank_parts);
  if (whole.size() == 0) refuse(Status::bad_argument, "the field has no values");
  Box const mine = rank_parts[rank].box();
  std::size_t values = 0;
  for (std::size_t i = 0; i < rank_parts.size(); ++i) {
    values += rank_parts[i].shape.size();
    Box const common = mine.common_with(rank_parts[i].box());
    if (i == rank || common.is_empty()) continue;
    refuse(Status::bad_argument,
           "rank " + std::to_string(i) + " has values of the part, too, " + to_string(common),
           "each value must belong to one rank");
  }
  if (values == whole.size()) return;
  refuse(Status::bad_argument,
         "the parts of the ranks have " + std::to_string(values) + " values, the field has " +
             std::to_string(whole.size()),
         "together the parts must cover the field");
}

Slabs slabs_of(std::vector<RankPart> const& rank_parts, int rank) {
  RankPart const& mine = rank_parts[static_cast<std::size_t>(rank)];
  require_same(mine, rank_parts.front());
  require_inside(mine);
  for (RankPart const& rank_part : rank_parts) {
    if (rank_part.shape.rank != mine.shape.rank) refuse(Status::type_mismatch, "ranks differ");
  }
  require_all_values(rank_parts, static_cast<std::size_t>(rank));
  return {whole_of(rank_parts), mine.frame_bytes};
}

std::vector<Box> boxes_of(std::vector<RankPart> const& rank_parts) {
  std::vector<Box> boxes;
  for (RankPart const& rank_part : rank_parts) boxes.push_back(rank_part.box());
  return boxes;
}

// How many values of the field are in front of the first one of a box.
std::uint64_t values_before(FieldShape const& whole, Box const& box) {
  std::uint64_t count = 0;
  for (int n = 0; n < whole.rank; ++n) {
    std::size_t const i = slow_index(whole, n);
    count = count * whole.extents[i] + box.begin[i];
  }
  return count;
}

// Whether the values of a box follow one another in the field.
bool is_run(FieldShape const& whole, Box const& box) {
  bool spans = false;
  for (int n = 0; n < whole.rank; ++n) {
    std::size_t const i = slow_index(whole, n);
    std::size_t const extent = box.extent(static_cast<int>(i));
    if (spans && extent != whole.extents[i]) return false;
    spans = spans || extent > 1;
  }
  return true;
}

}  // namespace

// Runs in the order of the ranks stay where they are, but for frames that ranks share, which go to the one that has the
// first value. Frames of any other parts are dealt evenly.
FramePlan::FramePlan(std::vector<RankPart> const& rank_parts, int rank)
    : m_parts(boxes_of(rank_parts)), m_slabs(slabs_of(rank_parts, rank)) {
  std::size_t const ranks = m_parts.size();
  std::uint64_t const frames = m_slabs.count();
  bool const stay = parts_are_runs();
  std::uint64_t frame = 0, values = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    if (!stay) frame = frames * i / ranks;
    while (stay && frame < frames && m_slabs.values_before(frame) < values) ++frame;
    m_first.push_back(frame);
    values += m_parts[i].shape_in(m_slabs.whole()).size();
  }
  m_first.push_back(frames);
}

bool FramePlan::parts_are_runs() const {
  std::uint64_t values = 0;
  FieldShape const whole = m_slabs.whole();
  for (Box const& part : m_parts) {
    if (part.is_empty()) continue;
    if (!is_run(whole, part) || values_before(whole, part) != values) return false;
    values += part.shape_in(whole).size();
  }
  return true;
}

std::uint64_t FramePlan::rounds() const {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i + 1 < m_first.size(); ++i) {
    most = std::max(most, m_first[i + 1] - m_first[i]);
  }
  return most;
}

std::optional<std::uint64_t> FramePlan::frame(std::size_t rank, std::uint64_t round) const {
  std::uint64_t const frame = m_first[rank] + round;
  if (frame >= m_first[rank + 1]) return std::nullopt;
  return frame;
}

bool FramePlan::has_all(std::size_t rank, std::uint64_t frame) const {
  Box const box = m_slabs.box(frame), common = box.common_with(m_parts[rank]);
  return common.begin == box.begin && common.end == box.end;
}

bool FramePlan::moves_values(std::uint64_t round) const {
  for (std::size_t rank = 0; rank < m_parts.size(); ++rank) {
    std::optional<std::uint64_t> const one = frame(rank, round);
    if (one && !has_all(rank, *one)) return true;
  }
  return false;
}

}  // namespace kompakt::mpi
