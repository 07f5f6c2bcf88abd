#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// A stream from anywhere is never trusted: whatever the bytes, decompress ends in an Error or in
// values, and writes nowhere but to the field (compute-sanitizer and the asan preset watch that).

namespace kompakt::test {

template <class Exec>
class Damage : public testing::Test {
 protected:
  FieldShape shape = shape_from<float>({13, 40, 70});
  Codec<Exec> codec;

  std::vector<std::byte> stream(bool checksum, Coding const& coding = all_codings[0],
                                Family family = Family::nan_islands) {
    return codec.compress(
        make_field<float>(family, shape), shape,
        coding.with(ErrorBound::relative_to_range(1e-3), Predictor::automatic, checksum));
  }

  /// Status of decompressing; ok if it accepted.
  Status decode(std::vector<std::byte> const& bytes) {
    try {
      codec.template decompress<float>(bytes, shape);
      return Status::ok;
    } catch (Error const& e) {
      return e.status();
    }
  }
};
TYPED_TEST_SUITE(Damage, Spaces, SpaceName);

TYPED_TEST(Damage, AnyBitFlippedWithChecksums_IsRefused) {
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    auto const good = this->stream(true, coding);
    ASSERT_EQ(this->decode(good), Status::ok);
    StreamInfo const info = this->codec.info();
    std::size_t const index_end = good.size() - 1;
    for (std::uint64_t i = 0; i < 1500; ++i) {
      std::size_t const at = hash(i) % index_end;
      auto bytes = good;
      bytes[at] ^= static_cast<std::byte>(1u << (hash(i + 999) % 8));
      // The padding between the shape and the index carries nothing.
      auto const original = this->codec.template decompress<float>(good, this->shape);
      Status const status = this->decode(bytes);
      if (status == Status::ok) {
        EXPECT_LT(at, 512u) << "a flipped bit at byte " << at << " of " << info.bytes
                            << " was accepted";
        EXPECT_EQ(std::memcmp(original.data(),
                              this->codec.template decompress<float>(bytes, this->shape).data(),
                              original.size() * 4),
                  0);
      }
    }
  }
}

TYPED_TEST(Damage, RandomBytesWithoutChecksums_NeverEscape) {
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    auto const good = this->stream(false, coding);
    std::size_t const front =
        360;  // behind header, table and shape, which have checksums of their own
    int refused = 0;
    for (std::uint64_t i = 0; i < 1500; ++i) {
      auto bytes = good;
      for (std::uint64_t k = 0; k < 1 + i % 4; ++k) {
        std::size_t const at = front + hash(8 * i + k) % (bytes.size() - front);
        bytes[at] = static_cast<std::byte>(hash(i + 7 * k));
      }
      refused += this->decode(bytes) == Status::corrupt;
    }
    EXPECT_GT(refused, 100);
  }
}

TYPED_TEST(Damage, TruncatedStream_IsRefused) {
  auto const good = this->stream(true);
  for (std::size_t size = 0; size < good.size(); size += size < 600 ? 1 : 509) {
    auto const bytes = std::vector<std::byte>(good.begin(), good.begin() + static_cast<long>(size));
    Status const status = this->decode(bytes);
    ASSERT_TRUE(status == Status::corrupt || status == Status::bad_magic) << "size " << size;
  }
}

TYPED_TEST(Damage, BytesBehindTheEnd_AreRefused) {
  auto bytes = this->stream(true);
  bytes.resize(bytes.size() + 4);
  EXPECT_EQ(this->decode(bytes), Status::corrupt);
}

TYPED_TEST(Damage, ChunksExchanged_AreRefused) {
  // Two equal-sized chunks of raw tiles in each other's place: every record is sound, the seeds of
  // the checksums are not.
  this->shape = shape_from<float>({8192});
  auto bytes = this->stream(true, all_codings[0], Family::noise);
  auto const good = this->codec.compress(make_field<float>(Family::bits, this->shape), this->shape,
                                         {.bound = ErrorBound::absolute(1e-30)});
  std::size_t const chunk = 3 * 4 + 4096 * 4;
  ASSERT_GT(good.size(), 2 * chunk);
  bytes = good;
  std::swap_ranges(bytes.end() - static_cast<long>(2 * chunk),
                   bytes.end() - static_cast<long>(chunk), bytes.end() - static_cast<long>(chunk));
  EXPECT_EQ(this->decode(good), Status::ok);
  EXPECT_EQ(this->decode(bytes), Status::corrupt);
}

}  // namespace kompakt::test
