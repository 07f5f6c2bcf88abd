#include <gtest/gtest.h>
#include <kompakt/printable.hpp>

namespace kompakt::test {

namespace {

TEST(Printable, TextOfAnyLanguage_StaysAsItIs) {
  for (std::string const text : {"", "a b", "°C \\ $x^2$", "温度", "\xf0\x9f\x8c\x8a"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_TRUE(is_text(text));
  }
}

TEST(Printable, ControlCharacters_AreEscapes) {
  EXPECT_EQ(printable("a\x1b[2J\n\r\tb\x7f"), "a\\x1b[2J\\n\\r\\tb\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\\xc2\\x9b1m");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Printable, BytesThatAreNotUtf8_AreEscapes) {
  EXPECT_EQ(printable("\xfc"
                      "ber"),
            "\\xfcber");
  EXPECT_EQ(printable("\xe6\xb8"), "\\xe6\\xb8");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // longer than it need be
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last letter
}

TEST(Printable, BreaksOfLines_AreTextThatTakesOneLine) {
  EXPECT_TRUE(is_text("a\r\n\tb"));
  EXPECT_FALSE(is_text("a\x0b"));
  EXPECT_EQ(printable("a\r\n\tb"), "a\\r\\n\\tb");
}

}  // namespace

}  // namespace kompakt::test
