#include "coder_case.hpp"

// Records that no encoder writes: read() returns false, or writes only inside the tile. Run with
// the address sanitizer to see it bite.

namespace kompakt::test {
namespace {

template <class CoderAndTile>
class DamagedRecord : public testing::Test, public CoderCase<CoderAndTile> {
 public:
  using Case = CoderCase<CoderAndTile>;
  // Bits of the head that the coder leaves 0.
  static constexpr Pipeline pipeline = Case::Coder::Seat::row.pipeline;
  static constexpr int reserved_from = pipeline == Pipeline::rans          ? 13
                                       : pipeline == Pipeline::fixedlength ? 11
                                                                           : 6;

  static typename Case::Record sound_record(Random& random) {
    auto residuals = Case::zeros();
    for (int lane = 0; lane < impl::tile_lanes; ++lane) {
      auto const rest = static_cast<int>(random.below(12));
      Case::fill_lane(random, residuals, lane, rest + static_cast<int>(random.below(14)), rest);
    }
    return Case::write(Case::random_variant(random), residuals);
  }
};
TYPED_TEST_SUITE_P(DamagedRecord);

TYPED_TEST_P(DamagedRecord, EveryHeadWithRandomWords_IsRefusedOrStaysInside) {
  KOMPAKT_TRACE_SEED(111);
  Random random(111);
  typename TestFixture::Residuals residuals;
  for (std::uint32_t coder_bits = 0; coder_bits < 1u << 13; ++coder_bits) {
    typename TestFixture::Record record{coder_bits, {}, TestFixture::random_variant(random)};
    record.words.resize(random.below(random.one_in(2) ? 12 : 2100));
    for (auto& word : record.words) {
      word = static_cast<std::uint32_t>(random.one_in(2) ? 0 : random.bits());
    }
    TestFixture::read(record, residuals);
  }
}

TYPED_TEST_P(DamagedRecord, AnyOtherLength_IsRefused) {
  KOMPAKT_TRACE_SEED(112);
  Random random(112);
  typename TestFixture::Residuals residuals;
  for (int round = 0; round < 20; ++round) {
    auto const sound = TestFixture::sound_record(random);
    for (std::size_t length = 0; length < sound.words.size() + 40; ++length) {
      auto record = sound;
      record.words.resize(length, 0xffffffff);
      ASSERT_EQ(TestFixture::read(record, residuals), length == sound.words.size()) << length;
    }
  }
}

TYPED_TEST_P(DamagedRecord, FlippedHeadBits_AreRefusedOrStayInside) {
  KOMPAKT_TRACE_SEED(113);
  Random random(113);
  typename TestFixture::Residuals residuals;
  for (int round = 0; round < 300; ++round) {
    auto const sound = TestFixture::sound_record(random);
    for (int bit = 0; bit < 13; ++bit) {
      auto record = sound;
      record.coder_bits ^= 1u << bit;
      bool const taken = TestFixture::read(record, residuals);
      if (bit >= TestFixture::reserved_from) {
        ASSERT_FALSE(taken) << "reserved bit " << bit;
      }
    }
  }
}

TYPED_TEST_P(DamagedRecord, FlippedWordBits_AreRefusedOrStayInside) {
  KOMPAKT_TRACE_SEED(114);
  Random random(114);
  typename TestFixture::Residuals residuals;
  for (int round = 0; round < 20000; ++round) {
    auto record = TestFixture::sound_record(random);
    if (record.words.empty()) continue;
    // The widths and the mask of outliers are in front; damage there is what matters.
    std::size_t const front =
        random.one_in(2) ? std::min<std::size_t>(8, record.words.size()) : record.words.size();
    for (std::uint64_t flips = random.below(3) + 1; flips > 0; --flips) {
      record.words[random.below(front)] ^= 1u << random.below(32);
    }
    TestFixture::read(record, residuals);
  }
}

REGISTER_TYPED_TEST_SUITE_P(DamagedRecord, EveryHeadWithRandomWords_IsRefusedOrStaysInside,
                            AnyOtherLength_IsRefused, FlippedHeadBits_AreRefusedOrStayInside,
                            FlippedWordBits_AreRefusedOrStayInside);
INSTANTIATE_TYPED_TEST_SUITE_P(FixedLength, DamagedRecord, TilesOf<impl::FixedLength>,
                               ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(BitshuffleNested, DamagedRecord, TilesOf<impl::BitshuffleNested>,
                               ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(BitshuffleFz, DamagedRecord, TilesOf<impl::BitshuffleFz>,
                               ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(Huffman, DamagedRecord, TilesOf<impl::Huffman>, ShapeAndValueName);
INSTANTIATE_TYPED_TEST_SUITE_P(Rans, DamagedRecord, TilesOf<impl::Rans>, ShapeAndValueName);

template <class CoderAndTile>
class DamagedFixedLength : public testing::Test, public CoderCase<CoderAndTile> {};
TYPED_TEST_SUITE(DamagedFixedLength, TilesOf<impl::FixedLength>, ShapeAndValueName);

// Sizes that come to the number of words by accident, with lanes wider than a word.
TYPED_TEST(DamagedFixedLength, LanesWiderThanAWord_AreRefused) {
  constexpr int widest_sound = CoderCase<TypeParam>::max_width;
  typename TestFixture::Residuals residuals;
  for (int width = widest_sound + 1; width <= 63 + 127; ++width) {
    int const smallest = width < 63 ? width : 63;
    int const excess = width - smallest;
    int const width_planes = impl::bit_width(static_cast<std::uint32_t>(excess));
    typename TestFixture::Record record{
        static_cast<std::uint32_t>(smallest | width_planes << 6), {}, Variant::automatic};
    for (int bit = 0; bit < width_planes; ++bit)
      record.words.push_back((excess >> bit & 1) != 0 ? ~0u : 0u);
    record.words.resize(record.words.size() + static_cast<std::size_t>(32 * width));
    ASSERT_FALSE(TestFixture::read(record, residuals)) << width;
  }
}

}  // namespace
}  // namespace kompakt::test
