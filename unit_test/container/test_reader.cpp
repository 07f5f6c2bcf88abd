#include "front.hpp"

#include <support/codings.hpp>

namespace kompakt::test {
namespace {

using impl::Header;

void expect_same(Header const& h, Header const& fields, std::size_t stream_bytes) {
  EXPECT_EQ(h.version, 1);
  EXPECT_EQ(h.pipeline, fields.pipeline);
  EXPECT_EQ(h.variant, fields.variant);
  EXPECT_EQ(h.method, fields.method);
  EXPECT_EQ(h.shape, fields.shape);
  EXPECT_EQ(h.part, FramePart::whole(fields.shape));
  EXPECT_EQ(h.reason_bits, fields.reason_bits);
  EXPECT_EQ(h.bound, fields.bound);
  EXPECT_EQ(h.abs_bound, fields.abs_bound);
  EXPECT_EQ(h.exceptions, fields.exceptions);
  EXPECT_EQ(h.checksum, fields.checksum);
  EXPECT_EQ(h.bytes, stream_bytes);
  EXPECT_EQ(h.coded, fields.coded);
  EXPECT_EQ(h.tile_shape, fields.tile_shape);
  EXPECT_EQ(h.constant, fields.constant);
  EXPECT_EQ(h.constant_bits, fields.constant_bits);
  EXPECT_EQ(h.payload_bytes, fields.payload_bytes);
  impl::StreamLayout const layout = fields.layout();
  EXPECT_EQ(h.extra.coder, fields.extra.coder);
  if (fields.extra.coder > 0) {
    EXPECT_EQ(h.sections[impl::SectionId::coder].offset, layout.coder);
    EXPECT_EQ(h.coder_checksum, fields.coder_checksum);
    EXPECT_EQ(h.coder_head, codebook_head().word());
    EXPECT_EQ(impl::info_of(h).codebook.bytes, fields.extra.coder);
  }
  EXPECT_EQ(h.sections[impl::SectionId::chunk_index].offset, layout.index);
  EXPECT_EQ(h.sections[impl::SectionId::payload].offset, layout.payload);
}

Header lossless_fields(Dtype dtype) {
  Header fields = example_fields();
  fields.pipeline = Pipeline::fixedlength;
  fields.variant = Variant::automatic;
  fields.shape.dtype = dtype;
  fields.bound = ErrorBound::lossless();
  fields.abs_bound = 0;
  fields.constant = false;
  fields.constant_bits = 0;
  fields.extra = {};
  fields.coder_checksum = 0;
  return fields;
}

TEST(Reader, ExampleHeader_ComesBackMemberByMember) {
  Header const fields = example_fields();
  Front const front(fields);
  expect_same(front.read(), fields, front.bytes().size());
  EXPECT_STREQ(front.read_info().predictor_word(), "constant");
}

TEST(Reader, EveryChoice_ComesBack) {
  for (Coding const& coding : all_codings) {
    for (int tile = 0; tile < tile_shapes; ++tile) {
      for (bool const flag : {false, true}) {
        Header fields = example_fields();
        fields.pipeline = coding.pipeline;
        fields.extra = extra_of(coding.pipeline);
        fields.coder_checksum = fields.extra.coder > 0 ? 0x12345678 : 0;
        fields.variant = coding.variant;
        fields.tile_shape = static_cast<TileShape>(tile);
        fields.checksum = flag;
        fields.constant = !flag;
        if (flag) fields.constant_bits = 0;  // or it was a width of bins
        fields.bound = flag ? ErrorBound::absolute(0.5) : ErrorBound::relative_to_range(0.1);
        fields.shape.dtype = flag ? Dtype::f32 : Dtype::f64;
        fields.shape.order = flag ? Order::last_fastest : Order::first_fastest;
        fields.coded.lead = static_cast<std::int16_t>(tile);
        fields.coded.second = flag ? 1 : 0;
        Front const front(fields);
        expect_same(front.read(), fields, front.bytes().size());
      }
    }
  }
}

// Of complex numbers a header has the type of the parts.
TEST(Reader, Lossless_ComesBackOfEveryType) {
  for (int i = 0; i < static_cast<int>(Dtype::c64); ++i) {
    Front const front(lossless_fields(static_cast<Dtype>(i)));
    expect_same(front.read(), lossless_fields(static_cast<Dtype>(i)), front.bytes().size());
    EXPECT_EQ(front.read_info().resolved(), ErrorBound::lossless());
    EXPECT_EQ(front.read().shape.dtype, static_cast<Dtype>(i));
  }
}

TEST(Reader, LosslessThatCannotBe_IsCorrupt) {
  auto const expect_corrupt = [](Header const& fields) {
    try {
      Front(fields).read();
      ADD_FAILURE() << "it was read";
    } catch (Error const& error) {
      EXPECT_EQ(error.status(), Status::corrupt) << error.what();
    }
  };
  Header bounded = lossless_fields(Dtype::f32);
  bounded.abs_bound = 1;
  expect_corrupt(bounded);
  Header constant = lossless_fields(Dtype::f64);
  constant.constant = true;
  expect_corrupt(constant);
  Header shuffled = lossless_fields(Dtype::i32);
  shuffled.pipeline = Pipeline::bitshuffle;
  expect_corrupt(shuffled);
  Header masked = lossless_fields(Dtype::u8);
  masked.has_fill = true;
  expect_corrupt(masked);
}

TEST(Reader, EveryRank_ComesBackAndLiesInTheFirstKilobyte) {
  for (int rank = 1; rank <= max_rank; ++rank) {
    Header fields = example_fields();
    fields.shape.rank = rank;
    fields.shape.extents = {};
    for (int i = 0; i < rank; ++i)
      fields.shape.extents[static_cast<std::size_t>(i)] = static_cast<std::size_t>(i) + 2;
    Front const front(fields);
    expect_same(front.read(), fields, front.bytes().size());
    EXPECT_LE(front.layout().index, impl::inspect_bytes);
  }
}

TEST(Reader, FieldWithoutValues_HasNoChunks) {
  Header fields = example_fields();
  fields.shape.extents = {100, 0, 20};
  fields.payload_bytes = 0;
  Front const front(fields);
  expect_same(front.read(), fields, front.bytes().size());
}

TEST(Reader, TruncatedAtEveryByte_IsRefused) {
  Front const front(example_fields());
  std::span<std::byte const> const all = front.bytes();
  for (std::size_t size = 0; size < all.size(); ++size) {
    // A copy of exactly this size, so that an access beyond is seen by the address sanitizer.
    std::vector<std::byte> const start(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(size));
    Status const expected = size < 8 ? Status::bad_magic : Status::corrupt;
    ASSERT_EQ(Front::status_of([&] { impl::read_header(start, start.size()); }),
              size == 0 ? Status::bad_magic : expected)
        << size;
    if (size < impl::inspect_bytes) {
      ASSERT_EQ(Front::status_of([&] { inspect(start); }), expected) << size;
    }
  }
}

TEST(Reader, FirstKilobyteOfALongStream_IsEnoughToInspect) {
  Header fields = example_fields();
  Front const front(fields);
  std::span<std::byte const> const start(front.bytes().data(), impl::inspect_bytes);
  EXPECT_EQ(inspect(start).bytes, front.bytes().size());
  EXPECT_EQ(inspect(start).shape, fields.shape);
}

TEST(Reader, FrontOfUnknownLengthTruncatedAtEveryByte_IsRefused) {
  Front const front(example_fields());
  std::size_t const needed = front.layout().shape + front.shape_bytes();
  for (std::size_t size = 0; size < needed; ++size) {
    std::vector<std::byte> const start(front.bytes().begin(),
                                       front.bytes().begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(Front::status_of([&] { impl::read_header(start, 0); }),
              size < 8 ? Status::bad_magic : Status::corrupt)
        << size;
  }
}

TEST(Reader, EachBitOfHeaderTableAndShapeFlipped_IsRefused) {
  Front const sound(example_fields());
  std::size_t const shape_end = sound.layout().shape + sound.shape_bytes();
  for (std::size_t bit = 0; bit < shape_end * 8; ++bit) {
    Status const status = Front(sound).flip(bit).status();
    Status const expected = bit / 8 < impl::at::version    ? Status::bad_magic
                            : bit / 8 < impl::at::pipeline ? Status::unsupported_version
                                                           : Status::corrupt;
    ASSERT_EQ(status, expected) << "byte " << bit / 8 << " bit " << bit % 8;
  }
}

// A device must not leave a stream to the host because somebody chose its pipeline.
TEST(Reader, FrontWithAnyReason_IsAsExpected) {
  for (std::uint64_t const reason : {std::uint64_t{0}, std::uint64_t{2}, 0x400088012001ul}) {
    Header fields = example_fields();
    fields.reason_bits = reason;
    Front const front(fields);
    auto const expected = [&](FieldShape const& shape) {
      std::size_t const bytes = front.bytes().size();
      impl::Header header;
      impl::parse_header(front.bytes().data(), impl::front_bytes(bytes), header);
      return impl::is_as_written(header, shape, bytes, true);
    };
    EXPECT_TRUE(expected(fields.shape)) << reason;
    FieldShape other = fields.shape;
    other.order = Order::last_fastest;
    EXPECT_FALSE(expected(other)) << reason;
  }
}

TEST(Reader, WhatIsNotAStream_IsRefusedByItsMagic) {
  for (std::size_t size : {0u, 1u, 7u, 8u, 64u, 4096u}) {
    for (std::byte const filler : {std::byte{0}, std::byte{0xff}, std::byte{'K'}}) {
      std::vector<std::byte> const bytes(size, filler);
      EXPECT_EQ(Front::status_of([&] { inspect(bytes); }), Status::bad_magic) << size;
    }
  }
}

}  // namespace
}  // namespace kompakt::test
