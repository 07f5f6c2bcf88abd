#include "archive_case.hpp"

#include <archive/blocks.hpp>

namespace kompakt::test {
namespace {

using impl::Block;
using impl::BlockKind;

Status status_of(std::string_view name, Attributes const& attributes = {}) {
  return refusal_of([&] { impl::require_usable("test", name, attributes); }).status;
}

TEST(ArchiveText, NamesInUtf8_AreTaken) {
  for (std::string const& name :
       {std::string("x"), std::string("sea surface/temperature"), std::string("Größe"),
        std::string("温度"), std::string("🌊"), std::string("\xc2\xa0"), std::string("\xed\x9f\xbf"),
        std::string("\xf4\x8f\xbf\xbf"), std::string(255, 'n')}) {
    EXPECT_EQ(status_of(name), Status::ok) << name;
    EXPECT_EQ(status_of("x", {{name, name}}), Status::ok) << name;
  }
  EXPECT_EQ(status_of("x", {{"k", ""}, {"l", std::string(65535, 'v')}}), Status::ok);
}

TEST(ArchiveText, WhatIsNotUtf8OrTooLong_IsRefused) {
  using namespace std::string_literals;
  for (std::string const& name : {""s,
                                  std::string(256, 'n'),
                                  "a\nb"s,
                                  "\0"s,
                                  "\x1f"s,
                                  "\x7f"s,
                                  "\xc2\x80"s,
                                  "\xc2\x9f"s,
                                  "\x80"s,
                                  "\xc0\xaf"s,
                                  "\xc1\xbf"s,
                                  "\xe0\x9f\xbf"s,
                                  "\xf0\x8f\xbf\xbf"s,
                                  "\xed\xa0\x80"s,
                                  "\xf4\x90\x80\x80"s,
                                  "\xf8\x88\x80\x80\x80"s,
                                  "\xff"s,
                                  "\xc3"s,
                                  "\xe6\xb8"s,
                                  "\xc3("s}) {
    EXPECT_EQ(status_of(name), Status::bad_argument) << name;
    EXPECT_EQ(status_of("x", {{name, ""}}), Status::bad_argument) << name;
  }
  EXPECT_EQ(status_of("x", {{"k", "a\tb"}}), Status::bad_argument);
  EXPECT_EQ(status_of("x", {{"k", std::string(65536, 'v')}}), Status::bad_argument);
  EXPECT_EQ(status_of("x", {{"k", "1"}, {"l", "2"}, {"k", "3"}}), Status::bad_argument);
  Attributes many;
  for (int i = 0; i < 1025; ++i) many.emplace_back(std::to_string(i), "");
  EXPECT_EQ(status_of("x", many), Status::bad_argument);
  many.pop_back();
  EXPECT_EQ(status_of("x", many), Status::ok);
}

/// What reading an index of these entries at byte 4096 ends with.
Status status_of_index(std::vector<ArchiveEntry> const& entries) {
  std::vector<std::byte> const bytes =
      impl::make_block(BlockKind::index, 4096, impl::index_body(entries));
  EXPECT_TRUE(impl::is_sound(bytes));
  Block const block{1, BlockKind::index, 4096, bytes.size()};
  return refusal_of([&] { EXPECT_EQ(impl::read_entries(block, bytes), entries); }).status;
}

TEST(ArchiveIndex, StreamsThatOverlapOrLieOutside_AreCorrupt) {
  ArchiveEntry const a{"a", {{"k", "v"}}, 32, 100, 1}, b{"b", {}, 144, 3952, 2};
  EXPECT_EQ(status_of_index({a, b}), Status::ok);
  EXPECT_EQ(status_of_index({b, a}), Status::corrupt);
  EXPECT_EQ(status_of_index({a, a}), Status::corrupt);
  auto const with = [&](std::uint64_t offset, std::uint64_t bytes) {
    return std::vector<ArchiveEntry>{a, {"b", {}, offset, bytes, 2}};
  };
  for (auto const& [offset, bytes] : {std::pair<std::uint64_t, std::uint64_t>{128, 100},
                                      {144, 3953},
                                      {145, 16},
                                      {144, 0},
                                      {4096, 16},
                                      {8192, 16},
                                      {144, ~std::uint64_t{0}},
                                      {~std::uint64_t{15}, 32}}) {
    EXPECT_EQ(status_of_index(with(offset, bytes)), Status::corrupt) << offset << " " << bytes;
  }
  EXPECT_EQ(status_of_index({a, {"a", {}, 144, 16, 2}}), Status::corrupt);
  EXPECT_EQ(status_of_index({{"a\n", {}, 32, 16, 2}}), Status::corrupt);
  EXPECT_EQ(status_of_index({{"a", {{"k", "1"}, {"k", "2"}}, 32, 16, 2}}), Status::corrupt);
}

TEST(ArchiveIndex, CountsAndLengthsBeyondTheBlock_AreCorrupt) {
  ArchiveEntry const a{"a", {{"k", "v"}}, 32, 100, 1};
  std::vector<std::byte> const sound =
      impl::make_block(BlockKind::index, 4096, impl::index_body({a}));
  Block const block{1, BlockKind::index, 4096, sound.size()};
  // docs/format.md: count, then of the record the lengths of name and attribute and their number.
  for (std::size_t const at :
       {32u + 0u, 32u + 7u, 32u + 28u, 32u + 29u, 32u + 30u, 32u + 33u, 32u + 35u}) {
    std::vector<std::byte> bytes = sound;
    bytes[at] = std::byte{0xff};
    EXPECT_EQ(refusal_of([&] { impl::read_entries(block, bytes); }).status, Status::corrupt) << at;
  }
}

TEST(ArchiveChecksum, AnyPieces_MakeTheSame) {
  Random random(3);
  std::vector<std::byte> bytes(999);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits());
  impl::StreamChecksum whole;
  whole.add(bytes);
  for (int trial = 0; trial < 100; ++trial) {
    impl::StreamChecksum pieces;
    for (std::span<std::byte const> rest = bytes; !rest.empty();) {
      std::size_t const count = std::min<std::size_t>(rest.size(), random.below(20));
      pieces.add(rest.first(count));
      rest = rest.subspan(count);
    }
    ASSERT_EQ(pieces.value(), whole.value());
  }
  bytes.resize(1000);  // zeros fill the last word
  impl::StreamChecksum padded;
  padded.add(bytes);
  EXPECT_EQ(padded.value(), whole.value());
}

}  // namespace
}  // namespace kompakt::test
