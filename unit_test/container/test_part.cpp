#include "front.hpp"

#include <limits>
#include <support/codings.hpp>

namespace kompakt::test {
namespace {

using impl::Header;

FramePart part_of(FieldShape const& shape) {
  FramePart part;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
    part.origin[i] = 3 * i + 1;
    part.total[i] = shape.extents[i] + 5 * i + 1;
  }
  return part;
}

Header fields_of(int rank, Coding const& coding) {
  Header fields = example_fields();
  fields.pipeline = coding.pipeline;
  fields.variant = coding.variant;
  fields.extra = extra_of(coding.pipeline);
  fields.shape.rank = rank;
  fields.shape.extents = {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) fields.shape.extents[i] = i + 2;
  return fields;
}

TEST(Part, MarkedStream_SaysSoAndDiffersInNothingElse) {
  for (Coding const& coding : all_codings) {
    for (int rank = 1; rank <= max_rank; ++rank) {
      Header const fields = fields_of(rank, coding);
      Front const front(fields);
      EXPECT_FALSE(front.read_info().is_part());
      std::vector<std::byte> marked = front.bytes();
      FramePart const part = part_of(fields.shape);
      StreamInfo const info = mark_part(marked, part);
      EXPECT_EQ(info.part, part);
      EXPECT_TRUE(info.is_part());
      EXPECT_EQ(info.shape, fields.shape);
      EXPECT_EQ(inspect(marked).part, part);
      for (std::size_t at = 0; at < marked.size(); ++at) {
        bool const checksum = (at >= impl::at::checksum && at < impl::at::checksum + 4) ||
                              (at >= impl::header_bytes + 4 && at < impl::header_bytes + 8);
        bool const axis =
            at >= front.axis(0, 0) && at < front.axis(rank, 0) && (at - front.axis(0, 0)) % 24 >= 8;
        if (!checksum && !axis) {
          ASSERT_EQ(marked[at], front.bytes()[at]) << "byte " << at;
        }
      }
      mark_part(marked, FramePart::whole(fields.shape));
      EXPECT_EQ(marked, front.bytes());
    }
  }
}

TEST(Part, TotalThatIsNotYetKnown_IsAccepted) {
  Front const front(example_fields());
  std::vector<std::byte> marked = front.bytes();
  FramePart part = FramePart::whole(example_fields().shape);
  part.total[0] = 0;
  part.origin[0] = 1234567;
  EXPECT_EQ(mark_part(marked, part).part, part);
}

TEST(Part, OutsideOfTheWhole_IsRefused) {
  Front const front(example_fields());
  FramePart const whole = FramePart::whole(example_fields().shape);
  FramePart beyond = whole, smaller = whole, overflowing = whole, huge = whole;
  beyond.origin[2] = 1;
  smaller.total[1] -= 1;
  overflowing.origin[0] = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < 3; ++i) huge.total[i] = std::uint64_t{1} << 30;
  for (FramePart const& part : {beyond, smaller, overflowing, huge}) {
    std::vector<std::byte> marked = front.bytes();
    try {
      mark_part(marked, part);
      FAIL() << "accepted";
    } catch (Error const& error) {
      EXPECT_EQ(error.status(), Status::bad_argument) << error.what();
    }
    EXPECT_EQ(marked, front.bytes()) << "the caller has no other stream";
  }
}

TEST(Part, StreamWithOthersBehindIt_IsInspectedAlone) {
  Header fields = fields_of(1, all_codings[0]);
  fields.payload_bytes = 0;
  Front const front(fields);
  std::vector<std::byte> bytes = front.bytes();
  ASSERT_LT(2 * bytes.size(), impl::inspect_bytes);
  bytes.insert(bytes.end(), front.bytes().begin(), front.bytes().end());
  EXPECT_EQ(inspect_next(bytes).bytes, front.bytes().size());
  EXPECT_EQ(Front::status_of([&] { inspect(bytes); }), Status::corrupt);
  for (std::size_t size = 0; size < front.bytes().size(); ++size) {
    std::vector<std::byte> const start(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(Front::status_of([&] { inspect_next(start); }), Status::ok) << size;
  }
}

}  // namespace
}  // namespace kompakt::test
