#include "program.hpp"
#include <cstdlib>

// Options in one text: what info prints can be given to compress, by an option or by a variable.

namespace kompakt::test {
namespace {

/// -i FILE -t f32 -l …, without anything on how to compress.
Words plain_words(std::string const& input, std::string const& output) {
  return {"compress", "-i", input, "-t", "f32", "-l", "40x30x20", "-o", output};
}

TEST_F(CliTest, OptionsThatInfoPrints_MakeTheSameStreamAgain) {
  Words const ways[] = {{"-m", "r2r", "-e", "1e-4"},
                        {"-m", "abs", "-e", "0.01", "-c", "huffman", "--predictor", "interpolate"},
                        {"-m", "psnr", "-e", "50", "-c", "fixedlength", "--variant", "outlier"},
                        {"-m", "pwr", "-e", "1e-2", "-c", "bitshuffle", "--no-checksum"},
                        {"-m", "r2r", "-e", "1e-3", "-c", "huffman", "--pack", "--fill", "7"},
                        {"-m", "lossless"}};
  for (Words const& way : ways) {
    Words words = plain_words(file("f.f32"), file("a.kpk"));
    words.insert(words.end(), way.begin(), way.end());
    words.push_back("--force");
    ASSERT_TRUE(kompakt(words).is(Status::ok));
    std::string const text = kompakt({"info", file("a.kpk"), "--json"}).json().at("options");
    words = plain_words(file("f.f32"), file("b.kpk"));
    words.insert(words.end(), {"--options", text, "--force"});
    Outcome const again = kompakt(words);
    ASSERT_TRUE(again.is(Status::ok)) << text << again;
    // The reason of a choice is all that may differ.
    EXPECT_EQ(kompakt({"info", file("b.kpk"), "--json"}).json().at("options"), text);
    EXPECT_EQ(contents(file("b.kpk")).size(), contents(file("a.kpk")).size()) << text;
  }
}

TEST_F(CliTest, OptionsOfTheEnvironment_CountLessThanThoseOfTheLine) {
  ::setenv("KOMPAKT_OPTIONS", "abs:0.5,pipeline=huffman,pack", 1);
  Words words = plain_words(file("f.f32"), file("a.kpk"));
  Outcome const plain = kompakt(words);
  EXPECT_TRUE(plain.is(Status::ok)) << plain;
  nlohmann::json const found = kompakt({"info", file("a.kpk"), "--json"}).json();
  EXPECT_EQ(found.at("bound_value"), 0.5);
  EXPECT_EQ(found.at("pipeline"), "huffman");
  words = plain_words(file("f.f32"), file("b.kpk"));
  words.insert(words.end(), {"-m", "r2r", "-e", "1e-3", "-c", "fixedlength"});
  EXPECT_TRUE(kompakt(words).is(Status::ok));
  nlohmann::json const other = kompakt({"info", file("b.kpk"), "--json"}).json();
  EXPECT_EQ(other.at("bound_mode"), "r2r");
  EXPECT_EQ(other.at("pipeline"), "fixedlength");
  ::setenv("KOMPAKT_OPTIONS", "abs:0.5,pipline=huffman", 1);
  Outcome const wrong = kompakt(plain_words(file("f.f32"), file("c.kpk")));
  ::unsetenv("KOMPAKT_OPTIONS");
  EXPECT_TRUE(wrong.is(Status::bad_argument)) << wrong;
  EXPECT_NE(wrong.err.find("there is no option 'pipline'"), std::string::npos) << wrong;
}

TEST_F(CliTest, AMethodThatIsNamed_LeavesNothingToChoose) {
  struct Case {
    Words more;
    char const* pipeline;
  };
  Case const cases[] = {{{"--options", "r2r:1e-3,predictor=interpolate"}, "bitshuffle"},
                        {{"--options", "r2r:1e-3,variant=outlier"}, "fixedlength"},
                        {{"-m", "r2r", "-e", "1e-3", "--predictor", "tile"}, "bitshuffle"}};
  for (Case const& way : cases) {
    Words words = plain_words(file("f.f32"), file("a.kpk"));
    words.insert(words.end(), way.more.begin(), way.more.end());
    words.push_back("--force");
    Outcome const outcome = kompakt(words);
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_EQ(kompakt({"info", file("a.kpk"), "--json"}).json().at("pipeline"), way.pipeline);
  }
  Words const asking[] = {{"--options", "r2r:1e-3,predictor=tile,goal=ratio"},
                          {"--options", "r2r:1e-3,predictor=tile", "-c", "auto"},
                          {"-m", "r2r", "-e", "1e-3", "--variant", "plain", "--for", "speed"}};
  for (Words const& way : asking) {
    Words words = plain_words(file("f.f32"), file("b.kpk"));
    words.insert(words.end(), way.begin(), way.end());
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
    EXPECT_NE(outcome.err.find("name a pipeline such as bitshuffle"), std::string::npos) << outcome;
  }
}

TEST_F(CliTest, HalfOfABound_IsRefusedInATextOfOptions) {
  struct Case {
    char const* text;
    char const* said;
  };
  for (Case const& way :
       {Case{"0.01", "options '0.01': the bound 0.01 has no mode; write abs:0.01 or r2r:0.01"},
        Case{"bound=0.5,pack", "write abs:0.5 or r2r:0.5"},
        Case{"mode=r2r", "the mode r2r has no bound; write r2r:BOUND"}}) {
    Words words = plain_words(file("f.f32"), file("a.kpk"));
    words.insert(words.end(), {"--options", way.text});
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
    EXPECT_NE(outcome.err.find(way.said), std::string::npos) << outcome;
    words.insert(words.end(), {"-m", "abs", "-e", "1"});
    EXPECT_TRUE(kompakt(words).is(Status::bad_argument));
  }
  Words words = plain_words(file("f.f32"), file("a.kpk"));
  words.insert(words.end(), {"--options", "mode=abs,bound=0.5"});
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  EXPECT_EQ(kompakt({"info", file("a.kpk"), "--json"}).json().at("bound_mode"), "abs");
}

TEST_F(CliTest, OptionsWithoutABound_AskForOne) {
  Words words = plain_words(file("f.f32"), file("a.kpk"));
  words.insert(words.end(), {"--options", "pack"});
  Outcome const outcome = kompakt(words);
  EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
  EXPECT_NE(outcome.err.find("-m is missing"), std::string::npos) << outcome;
}

}  // namespace
}  // namespace kompakt::test
