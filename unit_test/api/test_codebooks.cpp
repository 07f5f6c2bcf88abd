#include <container/format.hpp>
#include <container/header.hpp>
#include <container/reader.hpp>
#include <kompakt/codebooks.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/stored_codebook.hpp>

// What inspect_codebook() tells, also of untrusted bytes.

namespace kompakt::test {

namespace {

Options with(ErrorBound bound, Variant variant, Predictor predictor = Predictor::automatic,
             int radius = 512) {
  return {bound, Pipeline::huffman, variant, predictor, true, radius};
}

class InspectCodebook : public testing::Test {
 protected:
  std::vector<std::byte> compress(Options const& options, std::size_t values = 20000) {
    FieldShape const shape = shape_from<float>({values});
    return m_codec.compress(make_field<float>(Family::walk, shape), shape, options);
  }
  std::vector<std::byte> compress(Variant variant, int radius = 512) {
    return compress(with(ErrorBound::absolute(0.01), variant, Predictor::chain, radius));
  }
  /// With a book of either kind.
  std::vector<std::byte> compress_with(Variant variant, bool symbols_only) {
    double const bound = symbols_only ? 0.01 : 1.0;
    auto stream = compress(with(ErrorBound::absolute(bound), variant, Predictor::chain));
    EXPECT_EQ(stored_symbols_only(stream), symbols_only);
    return stream;
  }
  static Status status_of(std::vector<std::byte> const& stream) {
    try {
      inspect_codebook(stream);
      return Status::ok;
    } catch (Error const& error) {
      EXPECT_EQ(std::string(error.what()).rfind("inspect_codebook: ", 0), 0u) << error.what();
      return error.status();
    }
  }
  static impl::Header front_of(std::vector<std::byte> const& stream) {
    return impl::read_header(stream, stream.size());
  }
  /// Makes the checksums of the codebook and of the section table right again.
  static void repair(std::vector<std::byte>& stream, impl::Header const& front) {
    constexpr std::size_t entry = impl::header_bytes + 3 * impl::section_entry_bytes;
    auto const seed = static_cast<std::uint32_t>(impl::SectionId::coder);
    impl::put(stream.data() + entry + 4,
              impl::checksum_bytes(stream.data() + front.sections[impl::SectionId::coder].offset,
                                   front.extra.coder, seed),
              4);
    impl::put(stream.data() + impl::at::checksum, 0, 4);
    impl::put(stream.data() + impl::at::checksum,
              impl::checksum_bytes(stream.data(), entry + impl::section_entry_bytes, 0), 4);
  }

 private:
  Codec<Kokkos::DefaultHostExecutionSpace> m_codec;
};

}  // namespace

TEST_F(InspectCodebook, OfEveryRadius_TellsRadiusAndSection) {
  for (int radius = 32; radius <= 32768; radius *= 2) {
    auto const stream = compress(Variant::custom, radius);
    CodebookInfo const info = inspect_codebook(stream);
    EXPECT_EQ(info.radius, radius);
    EXPECT_EQ(info.dictionary, 0);
    EXPECT_EQ(info.bytes, front_of(stream).extra.coder);
  }
}

TEST_F(InspectCodebook, OutOfTheDictionary_TellsItsBooks) {
  for (bool const symbols_only : {false, true}) {
    auto const stream = compress_with(Variant::dictionary, symbols_only);
    CodebookInfo const info = inspect_codebook(stream);
    EXPECT_EQ(info.radius, 512);
    EXPECT_EQ(info.dictionary, 1);
    EXPECT_EQ(info.symbols_only, symbols_only);
    EXPECT_EQ(info.bytes, 16u);
    for (std::size_t i = 0; i < 3; ++i) {
      int const stored = static_cast<int>(
          stream[front_of(stream).sections[impl::SectionId::coder].offset + 3 + i]);
      EXPECT_EQ(info.books[i], symbols_only && i > 0 ? 0 : stored);
    }
  }
}

TEST_F(InspectCodebook, MadeForTheField_TellsWhetherItIsOfSymbolsOnly) {
  for (bool const symbols_only : {false, true}) {
    CodebookInfo const info = inspect_codebook(compress_with(Variant::custom, symbols_only));
    EXPECT_EQ(info.dictionary, 0);
    EXPECT_EQ(info.symbols_only, symbols_only);
    EXPECT_EQ(info.books, (std::array<int, 3>{}));
  }
}

TEST_F(InspectCodebook, OfAFieldWithoutValues_IsNone) {
  EXPECT_EQ(inspect_codebook(compress(with(ErrorBound{}, Variant::automatic), 0)), CodebookInfo{});
}

TEST_F(InspectCodebook, OfAnotherPipeline_IsRefused) {
  EXPECT_EQ(status_of(compress(Options{})), Status::bad_argument);
}

TEST_F(InspectCodebook, AnyBitOfTheSectionFlipped_IsRefused) {
  for (int kind = 0; kind < 4; ++kind) {
    Variant const variant = kind < 2 ? Variant::custom : Variant::dictionary;
    auto stream = compress_with(variant, kind % 2 == 0);
    ASSERT_EQ(status_of(stream), Status::ok);
    impl::Header const front = front_of(stream);
    for (std::size_t bit = 0; bit < 8 * front.extra.coder; ++bit) {
      std::byte& byte = stream[front.sections[impl::SectionId::coder].offset + bit / 8];
      byte ^= std::byte{1} << (bit % 8);
      ASSERT_EQ(status_of(stream), Status::corrupt) << bit;
      byte ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST_F(InspectCodebook, LengthsOfNoCompleteCodeWithRightChecksums_AreRefused) {
  for (bool const symbols_only : {false, true}) {
    auto stream = compress_with(Variant::custom, symbols_only);
    impl::Header const front = front_of(stream);
    std::byte& escape = stream[front.sections[impl::SectionId::coder].offset + 8];
    escape ^= std::byte{1};
    repair(stream, front);
    EXPECT_EQ(status_of(stream), Status::corrupt);
    escape ^= std::byte{1};
    repair(stream, front);
    EXPECT_EQ(status_of(stream), Status::ok);
  }
}

TEST_F(InspectCodebook, TruncatedStream_IsRefused) {
  auto const stream = compress(Variant::custom);
  for (std::size_t size = 0; size < stream.size(); size += 7) {
    Status const status = status_of({stream.begin(), stream.begin() + static_cast<long>(size)});
    ASSERT_TRUE(status == Status::corrupt || status == Status::bad_magic) << size;
  }
}

}  // namespace kompakt::test
