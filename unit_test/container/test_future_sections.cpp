#include <gtest/gtest.h>

#include <container/header.hpp>
#include <cstring>
#include <filesystem>
#include <kompakt/any_codec.hpp>
#include <kompakt/io.hpp>
#include <kompakt/option_keys.hpp>
#include <string>
#include <support/errors.hpp>
#include <vector>

// Streams of a later version of the format: a section that this library does not know. Without a feature bit the section is
// skipped. With a feature bit that is not known the stream is refused.

namespace kompakt::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t unknown_id = 4711;
constexpr std::size_t unknown_bytes = 20;
constexpr std::uint64_t unknown_feature = 1u << 9;

std::uint64_t number_at(Bytes const& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, count);
  return value;
}
void put_at(Bytes& bytes, std::size_t at, std::uint64_t value, int count) {
  impl::put(bytes.data() + at, value, count);
}
std::size_t aligned(std::size_t bytes) {
  return (bytes + impl::section_alignment - 1) / impl::section_alignment * impl::section_alignment;
}

void repair_table(Bytes& bytes) {
  put_at(bytes, impl::at::checksum, 0, 4);
  std::size_t const end = impl::table_end_of(bytes.data());
  put_at(bytes, impl::at::checksum, impl::checksum_bytes(bytes.data(), end, 0), 4);
}

/// The same stream with two sections of an unknown id and any bytes: between the section table and the shape, and at the end.
Bytes with_unknown_sections(Bytes const& stream, std::uint64_t id = unknown_id) {
  auto const sections = static_cast<std::size_t>(number_at(stream, impl::at::sections, 1));
  std::size_t const old_end = impl::table_end_of(stream.data()), old_begin = aligned(old_end),
                    new_end = old_end + 2 * impl::section_entry_bytes, front = aligned(new_end),
                    begin = aligned(front + unknown_bytes), shift = begin - old_begin,
                    back = aligned(stream.size() + shift);
  Bytes future(back + unknown_bytes);
  std::copy_n(stream.begin(), old_end, future.begin());
  std::copy(stream.begin() + static_cast<std::ptrdiff_t>(old_begin), stream.end(),
            future.begin() + static_cast<std::ptrdiff_t>(begin));
  for (std::size_t i = 0; i < sections; ++i) {
    std::size_t const offset = impl::header_bytes + i * impl::section_entry_bytes + 8;
    put_at(future, offset, number_at(future, offset, 8) + shift, 8);
  }
  std::size_t entry = old_end;
  for (std::size_t const place : {front, back}) {
    for (std::size_t i = 0; i < unknown_bytes; ++i) future[place + i] = std::byte{0xa5};
    auto const seed = static_cast<std::uint32_t>(id);
    put_at(future, entry, id, 4);
    put_at(future, entry + 4, impl::checksum_bytes(future.data() + place, unknown_bytes, seed), 4);
    put_at(future, entry + 8, place, 8);
    put_at(future, entry + 16, unknown_bytes, 8);
    entry += impl::section_entry_bytes;
  }
  put_at(future, impl::at::sections, sections + 2, 1);
  put_at(future, impl::at::bytes, future.size(), 8);
  repair_table(future);
  return future;
}

Bytes read_file(std::filesystem::path const& path) {
  InputFile file(path);
  Bytes bytes(*file.bytes());
  file.read(bytes);
  return bytes;
}

std::vector<std::filesystem::path> golden_streams() {
  std::vector<std::filesystem::path> paths;
  for (auto const& entry : std::filesystem::directory_iterator(KOMPAKT_GOLDEN_FOLDER)) {
    if (entry.path().extension() == ".kpk") paths.push_back(entry.path());
  }
  return paths;
}

Bytes values_of(AnyCodec& codec, Bytes const& stream) {
  FieldShape const shape = inspect(stream).shape;
  Bytes values(shape.size() * size_of(shape.dtype));
  codec.decompress(stream, MemoryOf::host, FieldData{values.data(), shape}, MemoryOf::host);
  return values;
}

/// The first half of the field along the first index.
Bytes part_of(AnyCodec& codec, Bytes const& stream) {
  FieldShape part = inspect(stream).shape;
  Box box;
  box.rank = part.rank;
  part.extents[0] = (part.extents[0] + 1) / 2;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.rank); ++i) {
    box.end[i] = part.extents[i];
  }
  Bytes values(part.size() * size_of(part.dtype));
  codec.decompress(stream, MemoryOf::host, FieldData{values.data(), part}, MemoryOf::host, box);
  return values;
}

/// All that a header says but its length.
void expect_same_info(StreamInfo const& found, StreamInfo const& expected) {
  EXPECT_EQ(found.version, expected.version);
  EXPECT_EQ(text_of(options_of(found)), text_of(options_of(expected)));
  EXPECT_EQ(found.reason.bits(), expected.reason.bits());
  EXPECT_EQ(found.shape, expected.shape);
  EXPECT_EQ(found.part, expected.part);
  EXPECT_EQ(found.resolved(), expected.resolved());
  EXPECT_STREQ(found.predictor_word(), expected.predictor_word());
  EXPECT_EQ(found.codebook, expected.codebook);
  EXPECT_EQ(found.exceptions, expected.exceptions);
  EXPECT_EQ(found.chunks, expected.chunks);
  EXPECT_EQ(found.packed, expected.packed);
}

TEST(FutureSection, WithoutFeature_IsSkippedByEveryReader) {
  auto const paths = golden_streams();
  ASSERT_GT(paths.size(), 100u);
  for (Space const space : {Space::serial, default_space()}) {
    AnyCodec codec(space);
    for (auto const& path : paths) {
      SCOPED_TRACE(path.filename().string() + " on " + to_string(space));
      Bytes const stream = read_file(path), future = with_unknown_sections(stream);
      EXPECT_EQ(inspect(future).bytes, future.size());
      expect_same_info(inspect(future), inspect(stream));
      ASSERT_EQ(values_of(codec, future), values_of(codec, stream));
      ASSERT_EQ(part_of(codec, future), part_of(codec, stream));
    }
  }
}

TEST(FutureSection, WithFeature_IsRefusedByItsNumber) {
  AnyCodec codec(Space::serial);
  for (auto const& path : golden_streams()) {
    SCOPED_TRACE(path.filename().string());
    Bytes future = with_unknown_sections(read_file(path));
    FieldShape const shape = inspect(future).shape;
    put_at(future, impl::at::features, number_at(future, impl::at::features, 4) | unknown_feature,
           4);
    repair_table(future);
    Bytes values(shape.size() * size_of(shape.dtype), std::byte{0x77});
    Bytes const before = values;
    for (Error const& error : {error_of([&] { inspect(future); }), error_of([&] {
                                 codec.decompress(future, MemoryOf::host,
                                                  FieldData{values.data(), shape}, MemoryOf::host);
                               })}) {
      EXPECT_EQ(error.status(), Status::unsupported_version);
      EXPECT_NE(std::string(error.what()).find("features 512"), std::string::npos) << error.what();
    }
    EXPECT_EQ(values, before) << "nothing is written";
  }
}

// A section that readers know never stands in for an unknown one.
TEST(FutureSection, OfAKnownIdWithoutItsFeature_ChangesNoValue) {
  AnyCodec codec(Space::serial);
  Bytes const stream = read_file(std::filesystem::path(KOMPAKT_GOLDEN_FOLDER) / "chain_1d_f32.kpk");
  for (impl::SectionId const id :
       {impl::SectionId::fill, impl::SectionId::packing, impl::SectionId::limits}) {
    Bytes const future = with_unknown_sections(stream, static_cast<std::uint64_t>(id));
    EXPECT_EQ(values_of(codec, future), values_of(codec, stream)) << static_cast<int>(id);
  }
}

}  // namespace
}  // namespace kompakt::test
