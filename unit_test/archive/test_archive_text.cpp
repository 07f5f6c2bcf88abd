#include "archive_case.hpp"

#include <archive/names.hpp>
#include <archive/stream_checksum.hpp>

namespace kompakt::test {
namespace {

Status status_of(std::string_view name, Attributes const& attributes = {}) {
  return refusal_of([&] { impl::require_usable(name, attributes); }).status;
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

TEST(ArchiveText, TabsAndEndsOfLines_AreForValuesAlone) {
  for (std::string const text : {"a\tb", "a\nb", "a\r\nb", "\n"}) {
    EXPECT_EQ(status_of("x", {{"k", text}}), Status::ok);
    EXPECT_EQ(status_of("x", {{text, ""}}), Status::bad_argument);
    EXPECT_EQ(status_of(text), Status::bad_argument);
  }
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
  for (std::string const& value : {"\0"s, "\x1f"s, "\x7f"s, "\xc2\x85"s, "\v"s, "\f"s}) {
    EXPECT_EQ(status_of("x", {{"k", value}}), Status::bad_argument);
  }
  EXPECT_EQ(status_of("x", {{"k", std::string(65536, 'v')}}), Status::bad_argument);
  EXPECT_EQ(status_of("x", {{"k", "1"}, {"l", "2"}, {"k", "3"}}), Status::bad_argument);
  Attributes many;
  for (int i = 0; i < 1025; ++i) many.emplace_back(std::to_string(i), "");
  EXPECT_EQ(status_of("x", many), Status::bad_argument);
  many.pop_back();
  EXPECT_EQ(status_of("x", many), Status::ok);
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
  std::uint32_t sum = 0;  // of parts that begin at any word
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t const count = std::min<std::size_t>(bytes.size() - at, 4 * random.below(50));
    impl::StreamChecksum part(static_cast<std::uint32_t>(at / 4));
    part.add(std::span(bytes).subspan(at, count));
    sum += part.value();
    at += count;
  }
  EXPECT_EQ(sum, whole.value());
}

}  // namespace
}  // namespace kompakt::test
