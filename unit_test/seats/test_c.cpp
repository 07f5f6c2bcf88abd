#include <cstdint>
#include <gtest/gtest.h>
#include <kompakt/kompakt.h>
#include <memory>
#include <string>
#include <support/fields.hpp>
#include <vector>

#include "toys.hpp"

// The C interface over a library with a coder and a predictor that it does not know: none of its sources is compiled again.

namespace kompakt::test {
namespace {

struct Destroy {
  void operator()(kompakt_context* context) const { kompakt_context_destroy(context); }
};

bool has_word(char const* key, std::string const& wanted) {
  for (std::int32_t i = 0; char const* const word = kompakt_option_word(key, i); ++i) {
    if (word == wanted) return true;
  }
  return false;
}

TEST(SeatsOfC, Words_AreThoseOfTheTables) {
  EXPECT_TRUE(has_word("pipeline", "toy"));
  EXPECT_TRUE(has_word("predictor", "offset"));
  EXPECT_STREQ(kompakt_option_help("pipeline", "toy"), "bytes of a test");
  EXPECT_STREQ(kompakt_option_word_of("pipeline", 200), "toy");
}

TEST(SeatsOfC, RoundTrip_IsWithinTheBound) {
  std::uint64_t const extents[] = {40, 50};
  kompakt_field const field = kompakt_field_of(KOMPAKT_F32, 2, extents);
  std::vector<float> const values = make_field<float>(Family::smooth, shape_from<float>({40, 50}));
  kompakt_options options = kompakt_options_default();
  ASSERT_EQ(kompakt_options_set_text(&options, "abs:1e-3,pipeline=toy,predictor=offset"),
            KOMPAKT_OK)
      << kompakt_last_message();
  kompakt_context* made = nullptr;
  ASSERT_EQ(kompakt_context_create(KOMPAKT_SPACE_DEFAULT, nullptr, &made), KOMPAKT_OK)
      << kompakt_last_message();
  std::unique_ptr<kompakt_context, Destroy> const context(made);
  std::uint64_t bytes = 0;
  ASSERT_EQ(kompakt_max_compressed_bytes(&field, &options, &bytes), KOMPAKT_OK);
  std::vector<std::byte> stream(bytes);
  kompakt_info info = kompakt_info_default();
  ASSERT_EQ(kompakt_compress(made, &field, values.data(), &options, stream.data(), stream.size(),
                             KOMPAKT_HOST, &info),
            KOMPAKT_OK)
      << kompakt_last_message();
  EXPECT_EQ(info.pipeline, 200);
  EXPECT_EQ(info.method, static_cast<kompakt_method>(impl::seat::toy_method));
  std::vector<float> found(values.size());
  ASSERT_EQ(kompakt_decompress(made, stream.data(), info.bytes, KOMPAKT_HOST, &field, found.data(),
                               nullptr),
            KOMPAKT_OK)
      << kompakt_last_message();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_LE(std::abs(values[i] - found[i]), 1e-3f);
  char text[200];
  ASSERT_EQ(kompakt_options_text(&options, text, sizeof text, nullptr), KOMPAKT_OK);
  EXPECT_NE(std::string(text).find("pipeline=toy"), std::string::npos) << text;
}

}  // namespace
}  // namespace kompakt::test
