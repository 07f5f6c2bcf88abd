#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "front.hpp"

// Headers with sound checksums that no writer writes.

namespace kompakt::test {
namespace {

namespace at = impl::at;
using Member = Front::Member;

constexpr int shape = 0, index = 1, payload = 2, coder = 3;  // places in the section table

Front example() { return Front(example_fields()); }

TEST(UntrustedHeader, RepairedWithoutChange_IsAccepted) {
  EXPECT_EQ(example().repair().status(), Status::ok);
}

TEST(UntrustedHeader, UnknownVersion_IsUnsupported) {
  for (std::uint64_t version : {0u, 2u, 3u, 255u, 256u, 65535u}) {
    EXPECT_EQ(example().put(at::version, version, 2).repair().status(),
              Status::unsupported_version);
  }
}

TEST(UntrustedHeader, UnknownFeature_IsUnsupported) {
  for (int bit = 0; bit < 32; ++bit) {
    if ((impl::feature::known >> bit & 1u) != 0) continue;
    std::uint64_t const features =
        (impl::feature::known | std::uint64_t{1} << bit) & ~std::uint64_t{impl::feature::fill};
    EXPECT_EQ(example().put(at::features, features, 4).repair().status(),
              Status::unsupported_version);
  }
}

TEST(UntrustedHeader, UnknownChoice_IsUnsupported) {
  struct Choice {
    std::size_t offset;
    std::uint64_t first_unknown;
  };
  for (Choice const& c : {Choice{at::dtype, 12}, Choice{at::mode, 5}, Choice{at::variant, 7},
                          Choice{at::tiling, 3}, Choice{at::pipeline, 5}}) {
    for (std::uint64_t value = c.first_unknown; value < 256; ++value) {
      bool const interpolated = c.offset == at::tiling && value / 16 == 1 && value % 16 < 3;
      Status const expected = interpolated ? Status::corrupt : Status::unsupported_version;
      ASSERT_EQ(example().put(c.offset, value, 1).repair().status(), expected)
          << "byte " << c.offset << " value " << value;
    }
  }
  EXPECT_EQ(example().put(at::pipeline, 0, 1).repair().status(), Status::unsupported_version);
}

TEST(UntrustedHeader, PartsOfComplexNumbersThatAreNotTwo_AreCorrupt) {
  EXPECT_EQ(example().put(at::features + 1, 1, 1).repair().status(), Status::corrupt);
}

// Layouts count the bytes of these sections: read_region() would make memory of a length that wrapped around.
TEST(UntrustedHeader, SectionThatTheCoderOrPredictorDoesNotHave_IsCorrupt) {
  for (impl::SectionId const id : {impl::SectionId::coder, impl::SectionId::predictor}) {
    for (std::uint64_t const bytes : {std::uint64_t{16}, ~std::uint64_t{15}}) {
      impl::Header fields = example_fields();
      fields.extra.predictor = id == impl::SectionId::predictor ? 16 : 0;
      fields.extra.coder = id == impl::SectionId::coder ? 16 : 0;
      Front front(fields);
      int const entry = impl::section_count;
      front.put(front.entry(entry, Member::bytes), bytes, 8).repair(impl::section_count + 1);
      std::string const text = front.refusal();
      EXPECT_NE(text.find("no such section"), std::string::npos) << text;
    }
  }
}

TEST(UntrustedHeader, HuffmanWithoutCodebook_IsCorrupt) {
  EXPECT_EQ(example().put(at::pipeline, 1, 1).put(at::variant, 2, 1).repair().status(),
            Status::corrupt);
}

TEST(UntrustedHeader, VariantOfAnotherPipeline_IsCorrupt) {
  EXPECT_EQ(example().put(at::variant, 3, 1).repair().status(), Status::corrupt);
  EXPECT_EQ(example().put(at::pipeline, 2, 1).put(at::variant, 1, 1).repair().status(),
            Status::corrupt);
}

// Bins of levels are coarser than bits, whatever the coder.
TEST(UntrustedHeader, LevelsWithoutLoss_AreCorrupt) {
  auto const text_of = [](std::uint64_t mode) -> std::string {
    Front front = example();
    front.put(at::pipeline, 4, 1).put(at::variant, 2, 1).put(at::tiling, 16, 1);
    return front.put(at::mode, mode, 1)
        .put(at::abs_bound, 0, 8)
        .put(at::bound_value, 0, 8)
        .put(at::constant, 0, 8)
        .put(at::features, impl::feature::chunk_checksum, 4)
        .repair()
        .refusal();
  };
  EXPECT_NE(text_of(4).find("without loss"), std::string::npos) << text_of(4);
  EXPECT_EQ(text_of(0).find("without loss"), std::string::npos) << text_of(0);
}

TEST(UntrustedHeader, IndicesThatThereAreNot_AreCorrupt) {
  // The order of a field of three indices: the highest number of each that names one.
  for (auto const [byte, shift, most] : {std::array{1, 4, 2}, {1, 1, 1}, {0, 4, 0}}) {
    for (int number = 0; number < (shift == 4 ? 16 : 8); ++number) {
      Front front = example();
      std::size_t const at = front.layout().shape + static_cast<std::size_t>(byte);
      auto const rank_or_order = static_cast<std::uint64_t>(byte == 0 ? 3 : 1);
      front.put(at, rank_or_order | static_cast<std::uint64_t>(number) << shift, 1).repair();
      // Another order of bricks may have other chunks than the index.
      bool const has_indices = front.refusal().find("indices first") == std::string::npos;
      EXPECT_EQ(has_indices, number <= most) << front.refusal();
    }
  }
}

TEST(UntrustedHeader, WidthThatDoesNotFitTheBound_IsCorrupt) {
  auto const bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  impl::Header fields = example_fields();
  fields.constant = false;
  fields.constant_bits = bits(0.4);
  auto const status_with = [&](std::size_t offset, std::uint64_t value, int bytes) {
    return Front(fields).put(offset, value, bytes).repair().status();
  };
  std::uint64_t const features = Front(fields).read().features;
  EXPECT_EQ(features >> impl::feature::steps_shift & 7u, impl::feature::width_of_bins);
  // Twice the bound, and more, as values that are steps have it.
  for (double const width : {0.5, 0.500001}) {
    EXPECT_EQ(status_with(at::constant, bits(width), 8), Status::ok) << width;
  }
  for (double const width : {0., -0.4, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(status_with(at::constant, bits(width), 8), Status::corrupt) << width;
  }
  for (ErrorBound::Mode const mode :
       {ErrorBound::Mode::pwr, ErrorBound::Mode::psnr, ErrorBound::Mode::lossless}) {
    EXPECT_EQ(status_with(at::mode, static_cast<std::uint64_t>(mode), 1), Status::corrupt);
  }
  for (Dtype const dtype : {Dtype::f32, Dtype::i32, Dtype::f16}) {
    EXPECT_EQ(status_with(at::dtype, static_cast<std::uint64_t>(dtype), 1), Status::corrupt);
  }
  EXPECT_EQ(status_with(at::features, features | impl::feature::constant, 4), Status::corrupt);
  // Without the number there is nothing that a constant could be, of any type.
  std::uint64_t const without = features & ~std::uint64_t{impl::feature::steps};
  for (Dtype const dtype : {Dtype::f64, Dtype::f32, Dtype::i32, Dtype::i64}) {
    Front front(fields);
    front.put(at::dtype, static_cast<std::uint64_t>(dtype), 1).put(at::features, without, 4);
    EXPECT_EQ(front.repair().status(), Status::corrupt) << to_string(dtype);
  }
}

TEST(UntrustedHeader, ReasonThatIsNone_IsCorrupt) {
  // What follows the goal are finite ratios of 11 bits, 0 of pipelines that were not compared.
  constexpr std::uint64_t ratio = 1, speed = 2, balanced = 3, smallest = 4;
  constexpr std::uint64_t ratios = 0x480u << 3 | 0x440u << 14 | std::uint64_t{0x400} << 25;
  auto const status_with = [](std::uint64_t reason) {
    Front front = example();
    return front.put(front.layout().shape + 2, reason, 6).repair().status();
  };
  for (std::uint64_t const sound :
       {std::uint64_t{0}, ratio, speed, balanced, smallest, ratios | ratio, ratios | balanced,
        ratios | std::uint64_t{0x4c0} << 36 | smallest}) {
    EXPECT_EQ(status_with(sound), Status::ok) << sound;
  }
  for (int bit = 3; bit < 48; ++bit) {
    EXPECT_EQ(status_with(std::uint64_t{1} << bit | speed), Status::corrupt) << bit;
    EXPECT_EQ(status_with(std::uint64_t{1} << bit), Status::corrupt) << bit;
  }
  for (std::uint64_t const goal : {5, 6, 7}) {
    EXPECT_EQ(status_with(goal), Status::corrupt);
    EXPECT_EQ(status_with(ratios | goal), Status::corrupt);
  }
  EXPECT_EQ(status_with(ratios), Status::corrupt) << "of no goal";
  EXPECT_EQ(status_with(ratios | speed), Status::corrupt);
  for (int shift : {3, 14, 25, 36}) {
    std::uint64_t const one = std::uint64_t{0x7ff} << shift;
    EXPECT_EQ(status_with((ratios & ~one) | ratio), Status::ok) << "one that was not compared";
    for (std::uint64_t code : {0x7c0u, 0x7c1u, 0x7ffu}) {
      EXPECT_EQ(status_with((ratios & ~one) | code << shift | ratio), Status::corrupt) << code;
    }
    EXPECT_EQ(status_with((ratios & ~one) | std::uint64_t{0x7bf} << shift | ratio), Status::ok);
  }
  EXPECT_EQ(status_with(ratios | ratio | std::uint64_t{1} << 47), Status::corrupt);
}

TEST(UntrustedHeader, PartOutsideOfTheWhole_IsCorrupt) {
  Front const sound = example();  // 50 values of index 1
  std::uint64_t const largest = ~std::uint64_t{0};
  for (auto const& [origin, total] : std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{
           {5, 50},
           {1, 50},
           {0, 49},
           {0, 1},
           {6, 55},
           {largest, 50},
           {largest - 49, 50},
           {largest, largest},
           {largest, 0},
           {std::uint64_t{1} << 60, 0}}) {
    Front const bent =
        Front(sound).put(sound.axis(1, 1), origin, 8).put(sound.axis(1, 2), total, 8).repair();
    EXPECT_EQ(bent.status(), Status::corrupt) << origin << " of " << total;
  }
  // 100 x 20 values beside it: the whole must be countable.
  EXPECT_EQ(Front(sound).put(sound.axis(1, 2), std::uint64_t{1} << 59, 8).repair().status(),
            Status::corrupt);
}

TEST(UntrustedHeader, ImpossibleBound_IsCorrupt) {
  for (double bound : {-1.0, -5e-324, std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto const bits = std::bit_cast<std::uint64_t>(bound);
    EXPECT_EQ(example().put(at::abs_bound, bits, 8).repair().status(), Status::corrupt) << bound;
  }
  auto const relative = static_cast<std::uint64_t>(ErrorBound::Mode::pwr);
  for (double bound : {0.0, 1.0, 7.5}) {
    auto const bits = std::bit_cast<std::uint64_t>(bound);
    EXPECT_EQ(example().put(at::mode, relative, 1).put(at::abs_bound, bits, 8).repair().status(),
              Status::corrupt)
        << bound;
  }
}

TEST(UntrustedHeader, OtherLengthOfTheStream_IsCorrupt) {
  std::size_t const size = example().bytes().size();
  for (std::size_t claimed : {std::size_t{0}, size - 1, size + 1, ~std::size_t{0}}) {
    EXPECT_EQ(example().put(at::bytes, claimed, 8).repair().status(), Status::corrupt) << claimed;
  }
  EXPECT_EQ(example().resize(size + 4).status(), Status::corrupt);
}

TEST(UntrustedHeader, SectionOutsideTheStream_IsCorrupt) {
  std::size_t const size = example().bytes().size();
  for (int section : {shape, index, payload}) {
    for (std::uint64_t offset : {std::uint64_t{size}, std::uint64_t{size} + 16,
                                 ~std::uint64_t{0} - 15, std::uint64_t{1} << 63}) {
      EXPECT_EQ(example().put(Front::entry(section, Member::offset), offset, 8).repair().status(),
                Status::corrupt)
          << section << " at " << offset;
    }
    for (std::uint64_t bytes : {std::uint64_t{size}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      EXPECT_EQ(example().put(Front::entry(section, Member::bytes), bytes, 8).repair().status(),
                Status::corrupt)
          << section << " of " << bytes;
    }
  }
}

TEST(UntrustedHeader, UnalignedSection_IsCorrupt) {
  for (int section : {shape, index, payload}) {
    for (std::uint64_t skew = 1; skew < impl::section_alignment; ++skew) {
      Front front = example();
      std::size_t const offset = section == shape   ? front.layout().shape
                                 : section == index ? front.layout().index
                                                    : front.layout().payload;
      front.put(Front::entry(section, Member::offset), offset - skew, 8);
      EXPECT_EQ(front.repair().status(), Status::corrupt) << section << " " << skew;
    }
  }
}

TEST(UntrustedHeader, OverlappingSections_AreCorrupt) {
  auto const layout = example().layout();
  auto const refusal = [&](int section, std::size_t offset) {
    Front front = example();
    // Short, so that it overlaps nothing else than what lies at `offset`.
    if (section == payload) front.put(Front::entry(payload, Member::bytes), 16, 8);
    return front.put(Front::entry(section, Member::offset), offset, 8).repair().refusal();
  };
  for (std::string const& text : {refusal(index, layout.shape), refusal(index, layout.payload),
                                  refusal(payload, layout.shape), refusal(payload, layout.index)}) {
    EXPECT_NE(text.find("overlap"), std::string::npos) << text;
  }
  EXPECT_EQ(example().put(Front::entry(shape, Member::offset), 0, 8).repair().status(),
            Status::corrupt);
}

TEST(UntrustedHeader, SectionsOverTheHeader_AreCorrupt) {
  EXPECT_EQ(example()
                .put(Front::entry(payload, Member::offset), 0, 8)
                .put(Front::entry(payload, Member::bytes), 64, 8)
                .repair()
                .status(),
            Status::corrupt);
  // An index so short that it fits into the header: one chunk and the end.
  impl::Header fields = example_fields();
  fields.shape.extents = {2, 3, 4};
  EXPECT_EQ(Front(fields).put(Front::entry(index, Member::offset), 16, 8).repair().status(),
            Status::corrupt);
}

TEST(UntrustedHeader, MissingSection_IsCorrupt) {
  for (int section : {shape, index, payload}) {
    EXPECT_EQ(example().put(Front::entry(section, Member::id), 99, 4).repair().status(),
              Status::corrupt);
  }
}

TEST(UntrustedHeader, IndexOfAnotherSizeThanTheExtentsNeed_IsCorrupt) {
  Front const sound = example();
  std::size_t const bytes = sound.layout().index_bytes;
  for (std::size_t other :
       {std::size_t{0}, bytes - 8, bytes - 4, bytes - 1, bytes + 1, bytes + 4}) {
    EXPECT_EQ(Front(sound).put(Front::entry(index, Member::bytes), other, 8).repair().status(),
              Status::corrupt)
        << other;
  }
  // More values than the stream's index speaks of.
  for (std::uint64_t extent : {100000u, 1000000u}) {
    Front front = sound;
    front.put(front.axis(0, 0), extent, 8).put(front.axis(0, 2), extent, 8);
    EXPECT_EQ(front.repair().status(), Status::corrupt) << extent;
  }
}

// What a packed stream is restored from lies in front of its index, and is kept when that and the payload change.
TEST(UntrustedHeader, PackedWithItsCodebookBehindTheIndex_IsCorrupt) {
  impl::Header fields = example_fields();
  fields.pipeline = Pipeline::huffman;
  fields.variant = Variant::custom;
  fields.constant = false;
  fields.constant_bits = 0;
  fields.extra = extra_of(Pipeline::huffman);
  fields.extra.packing = 48;
  Front front(fields);
  std::size_t const moved = front.layout().payload, bytes = fields.extra.coder;
  front.put(Front::entry(coder, Member::offset), moved, 8)
      .put(Front::entry(payload, Member::offset), moved + bytes, 8)
      .put(Front::entry(payload, Member::bytes), fields.payload_bytes - bytes, 8);
  // What is left where the codebook was belongs to no section.
  for (std::size_t at = 0; at < bytes; at += 8) front.put(front.layout().coder + at, 0, 8);
  front.put(moved, codebook_head().word(), 8);
  std::string const text = front.repair(impl::section_count + 2).refusal();
  EXPECT_NE(text.find("behind its index"), std::string::npos) << text;
}

Front with_extents(std::array<std::uint64_t, 3> const& extents) {
  Front front = example();
  for (int i = 0; i < 3; ++i) {
    for (int number : {0, 2})
      front.put(front.axis(i, number), extents[static_cast<std::size_t>(i)], 8);
  }
  return front.repair();
}

TEST(UntrustedHeader, OverflowingExtents_AreCorrupt) {
  using Extents = std::array<std::uint64_t, 3>;
  constexpr std::uint64_t big = std::uint64_t{1} << 32, all = ~std::uint64_t{0};
  for (Extents const& extents :
       {Extents{all, 1, 1}, Extents{1, 1, all}, Extents{big, big, 1}, Extents{big, big, big},
        Extents{all, all, all}, Extents{big << 31, 2, 1}, Extents{(big << 28) + 1, 1, 1}}) {
    std::string const text = with_extents(extents).refusal();
    EXPECT_NE(text.find("60 bits"), std::string::npos) << text;
  }
  EXPECT_EQ(with_extents({big << 28, 1, 1}).status(), Status::corrupt);  // fits, but not its index
}

// Refused, or taken as the empty field it is; a build with the undefined behaviour sanitizer sees
// whether a product of extents overflows on the way.
TEST(UntrustedHeader, HugeExtentsBesideAZero_DoNotOverflow) {
  constexpr std::uint64_t big = std::uint64_t{1} << 40;
  impl::Header fields = example_fields();
  fields.shape.rank = 5;
  fields.shape.order = Order::last_fastest;
  fields.shape.extents = {0, big, big, big, big};
  Status const status = Front(fields).status();
  EXPECT_TRUE(status == Status::ok || status == Status::corrupt) << to_string(status);
}

TEST(UntrustedHeader, ImpossibleRank_IsCorrupt) {
  for (std::uint64_t rank : {0u, 1u, 2u, 4u, 8u, 9u, 255u}) {
    Front front = example();
    EXPECT_EQ(front.put(front.layout().shape, rank, 1).repair().status(), Status::corrupt) << rank;
  }
}

TEST(UntrustedHeader, AnyNumberOfSections_IsReadOrCorrupt) {
  for (int sections = 0; sections < 256; ++sections) {
    Front front = example();
    front.resize(8192).put(at::bytes, 8192, 8);
    front.put(at::sections, static_cast<std::uint64_t>(sections), 1);
    EXPECT_EQ(front.repair(sections).status(),
              sections == impl::section_count ? Status::ok : Status::corrupt)
        << sections;
  }
}

}  // namespace
}  // namespace kompakt::test
