#include <array>

#include "front.hpp"

// One front of a stream, byte for byte as docs/format.md describes it; the bytes were put together
// from that page by other means than the library's writer. If this test fails, streams written
// before can no longer be read, or others than before are written: both need a new format version.

namespace kompakt::test {
namespace {

// clang-format off
constexpr std::array<unsigned char, 208> golden{
    0x89, 0x4b, 0x50, 0x4b, 0x0d, 0x0a, 0x1a, 0x0a,  // magic: 89 K P K 0d 0a 1a 0a
    0x01, 0x00,  // format version 1
    0x03,  // pipeline 3: fixedlength
    0x00,  // dtype 0: f32
    0x01,  // mode 1: r2r
    0x02,  // variant 2: automatic
    0x01,  // tile kind 1: square
    0x03,  // 3 sections
    0x01, 0x00, 0x00, 0x00,  // features 1: checksums of chunks
    0xc7, 0x40, 0x17, 0xb9,  // checksum of header (these bytes 0) and table
    0x24, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 292 bytes in all
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x3f,  // resolved bound 0.5
    0x7b, 0x14, 0xae, 0x47, 0xe1, 0x7a, 0x84, 0x3f,  // bound as asked 0.01
    0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 7 exceptions
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // constant: not used
    0x01, 0x00, 0x00, 0x00,  // section 1: shape
    0xd3, 0xea, 0xb7, 0x1f,  //   checksum of the shape
    0x90, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   at byte 144
    0x38, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   56 bytes
    0x02, 0x00, 0x00, 0x00,  // section 2: chunk index
    0x00, 0x00, 0x00, 0x00,  //   no checksum of its own
    0xd0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   at byte 208
    0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   40 bytes: 4 chunks and the end
    0x03, 0x00, 0x00, 0x00,  // section 3: payload
    0x00, 0x00, 0x00, 0x00,  //   no checksum of its own
    0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   at byte 256
    0x24, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   36 bytes
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // padding to 16
    0x02,  // rank 2
    0x00,  // order 0: last index fastest
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // reserved
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // index 0: extent 3
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   origin 0
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   whole 3
    0xf4, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // index 1: extent 500
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   origin 0
    0xf4, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //   whole 500
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // padding to 16
};
// clang-format on

impl::Header golden_fields() {
  impl::Header h;
  h.shape.dtype = Dtype::f32;
  h.shape.rank = 2;
  h.shape.extents = {3, 500};
  h.bound = ErrorBound::relative_to_range(1e-2);
  h.tile_shape = TileShape::square;
  h.abs_bound = 0.5;
  h.exceptions = 7;
  h.payload_bytes = 36;
  return h;
}

TEST(GoldenHeader, WrittenFields_GiveTheGoldenBytes) {
  Front const front(golden_fields());
  ASSERT_EQ(front.layout().index, golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(front.bytes()[i]), golden[i]) << "byte " << i;
  }
}

TEST(GoldenHeader, ReasonOfAChoice_IsSixBytesOfTheShape) {
  // Goal 4; then 0x480, 0x440, 0x400, 0x4c0 with 11 bits each, which are 8, 4, 2 and 16 in binary16, shortened.
  constexpr std::array<unsigned char, 6> reason{0x04, 0x24, 0x10, 0x01, 0x08, 0x4c};
  impl::Header fields = golden_fields();
  ChoiceRecord chosen(Goal::smallest);
  chosen.add(Pipeline::huffman, 8);
  chosen.add(Pipeline::bitshuffle, 4);
  chosen.add(Pipeline::fixedlength, 2);
  chosen.add(Pipeline::rans, 16);
  fields.reason_bits = chosen.bits();
  Front const front(fields);
  for (std::size_t i = 0; i < golden.size(); ++i) {
    bool const checksum = (i >= 20 && i < 24) || (i >= 68 && i < 72);
    if (checksum) continue;
    bool const of_reason = i >= 146 && i < 152;
    EXPECT_EQ(std::to_integer<int>(front.bytes()[i]), of_reason ? reason[i - 146] : golden[i])
        << "byte " << i;
  }
}

TEST(GoldenHeader, GoldenBytes_GiveTheFields) {
  std::vector<std::byte> stream(292);
  for (std::size_t i = 0; i < golden.size(); ++i) stream[i] = static_cast<std::byte>(golden[i]);
  impl::Header const h = impl::read_header(stream, stream.size());
  EXPECT_EQ(h.shape, golden_fields().shape);
  EXPECT_EQ(h.bound, golden_fields().bound);
  EXPECT_EQ(h.abs_bound, 0.5);
  EXPECT_EQ(h.exceptions, 7u);
  EXPECT_EQ(h.chunks(), 4);
  EXPECT_TRUE(h.checksum);
  EXPECT_FALSE(h.constant);
  EXPECT_EQ(h.tile_shape, TileShape::square);
  EXPECT_EQ(h.sections[impl::SectionId::chunk_index].offset, 208u);
  EXPECT_EQ(h.sections[impl::SectionId::payload].offset, 256u);
  EXPECT_EQ(h.payload_bytes, 36u);
}

}  // namespace
}  // namespace kompakt::test
