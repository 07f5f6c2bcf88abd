#include "program.hpp"
#include <algorithm>
#include <regex>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

/// Every test ends with the files it began with.
class CliBadInput : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
    m_stream = contents(file("f.kpk"));
  }
  void TearDown() override {
    EXPECT_EQ(names(), Names({"f.f32", "f.f64", "f.kpk"}));
    EXPECT_EQ(contents(file("f.f32")), raw<float>());
    EXPECT_EQ(contents(file("f.f64")), raw<double>());
    EXPECT_EQ(contents(file("f.kpk")), m_stream);
  }

  Words compress() const { return compress_words("f32", file("new.kpk")); }

  /// decompress of a stream of these bytes. Files that it leaves are removed.
  Outcome decompress(std::string const& bytes, std::string* field = nullptr) const {
    TemporaryFolder const folder;
    put(folder / "damaged.kpk", bytes);
    Outcome const outcome = kompakt({"decompress", "-i", (folder / "damaged.kpk").string(), "-o",
                                     (folder / "damaged.out").string()});
    EXPECT_EQ(std::filesystem::exists(folder / "damaged.out"), outcome.is(Status::ok)) << outcome;
    if (field != nullptr) *field = contents(folder / "damaged.out");
    return outcome;
  }

  std::string m_stream;
};

TEST_F(CliBadInput, UnusableExtents_AreNamed) {
  for (std::string const word :
       {"40x30x0", "0", "40x30x", "x40", "40x-30x20", "40x3.5", "abc", "99999999999999999999",
        "4294967296x4294967296", "1x1x1x1x1x1x40x30x20"}) {
    expect_refused(with(compress(), "-l", word), Status::bad_argument, {"-l " + word});
  }
}

TEST_F(CliBadInput, SizeOfFileDiffersFromExtents_NamesBoth) {
  expect_refused(with(compress(), "-l", "40x30x21"), Status::bad_argument,
                 {"kompakt: '" + file("f.f32") +
                      "' has 96000 bytes, but 21 x 30 x 40 values (-l 40x30x21) of f32 make 100800",
                  "--shape", "-t"});
  expect_refused(with(compress(), "-t", "f64"), Status::bad_argument, {"192000"});
}

TEST_F(CliBadInput, UnusableBound_IsNamed) {
  for (std::string const word :
       {"0", "-1", "-0.0", "nan", "inf", "-inf", "1e-3abc", "1e-400", "1e999", "abc", "0x10"}) {
    expect_refused(with(compress(), "-e", word), Status::bad_argument,
                   {"-e: '" + word + "'", "positive, finite"});
  }
  expect_refused(with(compress(), "-e", ""), Status::bad_argument, {"-e", "1e-3"});
}

TEST_F(CliBadInput, BoundInAnUnusableForm_GetsAdviceForIt) {
  struct Case {
    std::string mode, bound, said;
  };
  for (Case const& one :
       {Case{"abs", "1e-400", "-e: '1e-400' is not a bound, as f64 has numbers from 4.9e-324"},
        Case{"psnr", "", "-e is missing or empty; give the bound, such as -e 60\n"},
        Case{"psnr", "-60",
             "-e: '-60' is not a bound; give a positive, finite number such as 60\n"},
        Case{"mse", "", "mode: 'mse' is not known"},
        Case{"r2r:0.1", "", "-m r2r:0.1: mode and bound are two options; write -m r2r -e 0.1\n"},
        Case{"", "abs:2", "-e abs:2: mode and bound are two options; write -m abs -e 2\n"}}) {
    Words const words = with(with(compress(), "-m", one.mode), "-e", one.bound);
    expect_refused(words, Status::bad_argument, {one.said});
  }
}

TEST_F(CliBadInput, BoundOfANameInAnUnusableForm_GetsAdviceForIt) {
  std::string const whole = "; write MODE:BOUND, such as abs:0.01 or r2r:1e-3, or lossless\n";
  for (auto const& [text, said] : std::initializer_list<std::pair<std::string, std::string>>{
           {"r2r", "'r2r' is no mode with a bound" + whole},
           {"0.1", "'0.1' is no mode with a bound" + whole},
           {"abs:", "'' is not a bound; give a positive"},
           {"abs:1e-400", "'1e-400' is not a bound, as f64 has numbers from"},
           {"mse:1", "mode: 'mse' is not known"},
           {"pwr:2", "2 of each value would allow 0 for all; with the mode pwr give"},
           {"lossless:1", "lossless has no bound; leave ':1' out\n"}}) {
    expect_refused({"compress", file("f.npy"), "-o", file("new.kpk"), "--bound", "f=" + text},
                   Status::bad_argument, {"kompakt: --bound f=" + text + ": " + said});
  }
}

TEST_F(CliBadInput, UnknownWords_AreNamedWithTheKnownOnes) {
  expect_refused(with(compress(), "-t", "f8"), Status::bad_argument, {"f8", "f32, f64"});
  expect_refused(with(compress(), "-m", "lossless"), Status::bad_argument, {"-e", "lossless"});
  expect_refused(with(compress(), "-m", "mse"), Status::bad_argument,
                 {"mse", "abs", "pwr", "psnr"});
  expect_refused(with(compress(), "-c", "zip"), Status::bad_argument, {"zip", "fixedlength"});
  for (Words const& more :
       {Words{"--variant", "best", "plain"}, Words{"--predictor", "best", "chain"},
        Words{"--exec", "fpga", "serial"}}) {
    expect_refused(compress_words("f32", file("new.kpk"), {more[0], more[1]}), Status::bad_argument,
                   {more[1], more[2]});
  }
  for (std::string const radius : {"100", "-1", "many", "65536", "99999999999"}) {
    expect_refused(compress_words("f32", file("new.kpk"), {"--radius", radius}),
                   Status::bad_argument, {"radius", radius});
  }
  expect_refused({"squeeze"}, Status::bad_argument,
                 {"'squeeze' is no verb", "compress, decompress, extract, info, words, compare"});
  for (auto const& [typed, meant] : std::initializer_list<std::pair<std::string, std::string>>{
           {"compres", "compress?"}, {"decomprss", "decompress?"}, {"Info", "info?"}}) {
    expect_refused({typed, "x"}, Status::bad_argument, {"'" + typed, "did you mean " + meant});
  }
  expect_refused(compress_words("f32", file("new.kpk"), {"--fast"}), Status::bad_argument,
                 {"--fast"});
  expect_refused(compress_words("f32", file("new.kpk"), {"--threads", "0"}), Status::bad_argument,
                 {"--threads", "0"});
}

TEST_F(CliBadInput, Counts_AreDecimalDigits) {
  for (std::string const word : {"0x4", "4x", " 4", "+4", "1e1", "-1", "99999999999999999999"}) {
    Words const mentions = {"--threads: '" + word + "'", "digits only"};
    expect_refused(compress_words("f32", file("new.kpk"), {"--threads", word}),
                   Status::bad_argument, mentions);
    expect_refused({"verify", file("f.kpk"), "--threads", word}, Status::bad_argument, mentions);
  }
  // A zero in front makes no octal number, and an empty word is as no option.
  TemporaryFolder const folder;
  Words const words =
      compress_words("f32", (folder / "new.kpk").string(),
                     {"--threads", "", "--exec", "", "--range", "", "--radius", ""});
  Outcome const outcome = kompakt(with(words, "-l", "040x030x020"));
  EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
}

TEST_F(CliBadInput, HelpBesideABadWord_IsGiven) {
  for (Words const& words : {Words{"compress", "-t", "f8", "--help"},
                             {"compress", "--help", "--threads", "x"},
                             {"verify", "--threads", "0", "--help"}}) {
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_EQ(outcome.out, kompakt({words[0], "--help"}).out);
  }
}

TEST_F(CliBadInput, RangeThatIsNoneOrBesideAnAbsoluteBound_IsNamed) {
  for (std::string const range : {"0", "-1", "nan", "wide", "1e400"}) {
    Words const words =
        with(compress_words("f32", file("new.kpk"), {"--range", range}), "-m", "r2r");
    expect_refused(words, Status::bad_argument, {"--range", range});
  }
  expect_refused(compress_words("f32", file("new.kpk"), {"--range", "5"}), Status::bad_argument,
                 {"--range", "abs", "r2r"});
}

TEST_F(CliBadInput, MissingOption_IsNamed) {
  for (std::string const option : {"-i", "-t", "-l", "-m", "-e", "-o"}) {
    Words words = compress();
    auto const found = std::find(words.begin(), words.end(), option);
    words.erase(found, found + 2);
    expect_refused(words, Status::bad_argument, {option});
  }
}

TEST_F(CliBadInput, MissingValueBeforeAnotherOption_IsNamed) {
  for (auto const& [option, next] :
       std::initializer_list<std::pair<std::string, std::string>>{{"-o", "--force"},
                                                                  {"-o", "-m"},
                                                                  {"-e", "--json"},
                                                                  {"--name", "--x"},
                                                                  {"--name=", "-o"},
                                                                  {"--fill", "--pack"},
                                                                  {"-i", "--"}}) {
    Words const words = with(compress_words("f32", file("new.kpk"), {option, next}), "-m", "abs");
    expect_refused(words, Status::bad_argument,
                   {option + " has no value", "'" + next + "' follows"});
  }
  expect_refused({"decompress", file("f.kpk"), "-o", "--force"}, Status::bad_argument,
                 {"-o has no value (FILE): '--force' follows", "write -o--force"});
  Outcome const help = kompakt({"compress", "-o", "--help"});
  EXPECT_TRUE(help.is(Status::ok)) << help;
  EXPECT_EQ(help.out, kompakt({"compress", "--help"}).out);
}

TEST_F(CliBadInput, ValuesThatBeginWithADash_StayPossible) {
  TemporaryFolder const folder;
  for (std::string const fill : {"-5", "-1e20", "-inf"}) {
    Words const words = compress_words("f32", (folder / ("new" + fill)).string(), {"--fill", fill});
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
  }
  Words const words =
      compress_words("f32", (folder / "a.kpka").string(), {"--name=--odd", "--attribute=-o=1"});
  Outcome const outcome = kompakt(words);
  EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_NE(kompakt({"info", (folder / "a.kpka").string()}).out.find("--odd"), std::string::npos);
}

TEST_F(CliBadInput, NoSuchFile_IsNamed) {
  expect_refused(with(compress(), "-i", "/nowhere/f.f32"), Status::io,
                 {"/nowhere/f.f32", "No such file"});
  expect_refused({"decompress", "-i", "/nowhere/f.kpk", "-o", file("new")}, Status::io,
                 {"/nowhere/f.kpk", "No such file"});
  expect_refused({"info", "/nowhere/f.kpk"}, Status::io, {"/nowhere/f.kpk", "No such file"});
  expect_refused({"compare", "-i", "/nowhere/f.f32", file("f.kpk")}, Status::io,
                 {"/nowhere/f.f32"});
}

TEST_F(CliBadInput, FolderAsInput_IsCalledOne) {
  std::string const folder = std::filesystem::path(file("f.f32")).parent_path().string();
  Words const mentions = {"'" + folder + "': it is a folder"};
  expect_refused(with(compress(), "-i", folder), Status::io, mentions);
  expect_refused(with(with(compress(), "-i", folder), "-m", "r2r"), Status::io, mentions);
  expect_refused({"decompress", "-i", folder, "-o", file("new")}, Status::io, mentions);
  expect_refused({"extract", "-i", folder, "--roi", "1", "-o", file("new")}, Status::io, mentions);
  expect_refused({"info", folder}, Status::io, mentions);
  expect_refused({"compare", "-i", folder, file("f.kpk")}, Status::io, mentions);
  expect_refused({"compare", "-i", file("f.f32"), folder}, Status::io, mentions);
}

TEST_F(CliBadInput, Messages_SpeakOfNoFunctionOfTheLibrary) {
  std::regex const function(
      "kompakt: ('[^']*': )?([A-Z]\\w*|[a-z]+_\\w+|compress|decompress): .*\n");
  std::string damaged = m_stream;
  damaged[damaged.size() - 100] ^= 1;
  TemporaryFolder const folder;
  std::string const stream = (folder / "damaged.kpk").string();
  put(stream, damaged);
  for (Words const& words :
       {with(compress(), "-l", "40x30x21"), with(compress(), "-i", "/nowhere/f"),
        with(compress(), "-o", "/dev/full"), with(compress(), "-o", "/proc/new.kpk"),
        Words{"decompress", "-i", "/nowhere/f", "-o", file("new")},
        Words{"decompress", "-i", stream, "-o", file("new")},
        Words{"extract", "-i", stream, "--roi", "15:20,:,:", "-o", file("new")},
        Words{"compare", "-i", file("f.f32"), stream}, Words{"info", "/nowhere/f"}}) {
    Outcome const outcome = kompakt(words);
    EXPECT_NE(outcome.exit_code, 0) << outcome;
    EXPECT_FALSE(std::regex_match(outcome.err, function)) << outcome;
  }
}

TEST_F(CliBadInput, UnwritablePlace_IsNamed) {
  expect_refused(with(compress(), "-o", file("no/new.kpk")), Status::io,
                 {file("no/new.kpk"), "no folder '" + file("no") + "'"});
  expect_refused(with(compress(), "-o", file("")), Status::io, {file(""), "folder"});
  expect_refused(with(compress(), "-o", file("f.f64/new.kpk")), Status::io, {"not a folder"});
  expect_refused(with(compress(), "-o", "/proc/new.kpk"), Status::io, {"/proc/new.kpk"});
  expect_refused(with(compress(), "-o", "/dev/full"), Status::io, {"/dev/full", "No space left"});
  expect_refused(with(compress(), "-o", ""), Status::io, {"-o is empty"});
}

TEST_F(CliBadInput, ExistingOutput_NeedsForce) {
  expect_refused(compress_words("f64", file("f.kpk")), Status::io, {file("f.kpk"), "--force"});
  expect_refused({"decompress", "-i", file("f.kpk"), "-o", file("f.f32")}, Status::io,
                 {file("f.f32"), "--force"});
  // Refused before any work: the input need not even be readable.
  expect_refused(with(compress_words("f32", file("f.kpk")), "-i", "/nowhere"), Status::io,
                 {"--force"});
  Outcome const forced = kompakt(compress_words("f32", file("f.kpk"), {"--force"}));
  EXPECT_TRUE(forced.is(Status::ok)) << forced;
}

TEST_F(CliBadInput, OutputIsTheInput_IsRefusedEvenWithForce) {
  expect_refused(with(compress_words("f32", file("f.f32"), {"--force"}), "-e", "1"), Status::io,
                 {file("f.f32"), "it is the input"});
}

TEST_F(CliBadInput, OtherFileThanAStream_IsNamed) {
  expect_refused({"info", file("f.f32")}, Status::bad_magic,
                 {file("f.f32"), "not a kompakt stream"});
  expect_refused({"decompress", "-i", file("f.f32"), "-o", file("new")}, Status::bad_magic,
                 {file("f.f32"), "not a kompakt stream"});
}

TEST_F(CliBadInput, TruncatedStream_IsCorruptAtEveryLength) {
  for (std::size_t size = 0; size < m_stream.size();
       size += size < 300 ? 17 : m_stream.size() / 13) {
    Outcome const outcome = decompress(m_stream.substr(0, size));
    EXPECT_TRUE(outcome.is(size < 8 ? Status::bad_magic : Status::corrupt)) << size << outcome;
    EXPECT_NE(outcome.err.find("damaged.kpk"), std::string::npos) << outcome;
  }
  EXPECT_TRUE(decompress(m_stream + "x").is(Status::corrupt));
}

TEST_F(CliBadInput, FlippedBit_IsFoundOrHarmless) {
  std::string intact;
  ASSERT_TRUE(decompress(m_stream, &intact).is(Status::ok));
  for (std::size_t i = 0; i < m_stream.size(); i += i < 300 ? 7 : m_stream.size() / 31) {
    std::string damaged = m_stream;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    std::string field;
    Outcome const outcome = decompress(damaged, &field);
    bool const found = outcome.is(Status::bad_magic) || outcome.is(Status::unsupported_version) ||
                       outcome.is(Status::corrupt);
    EXPECT_TRUE(found || field == intact) << "byte " << i << ": " << outcome;
  }
}

TEST_F(CliBadInput, CodebookOfAnythingElseThanAHuffmanStream_IsRefused) {
  expect_refused({"info", "--codebooks", file("f.kpk")}, Status::bad_argument,
                 {file("f.kpk"), "fixedlength", "no codebook", "-c huffman"});
  expect_refused({"info", "--codebooks", file("f.f32")}, Status::bad_magic,
                 {file("f.f32"), "not a kompakt stream"});
  expect_refused({"info", "--codebooks", "/nowhere/f.kpk"}, Status::io, {"/nowhere/f.kpk"});
}

TEST_F(CliBadInput, DamagedCodebook_IsRefused) {
  TemporaryFolder const folder;
  std::string const name = (folder / "damaged.kpk").string();
  for (std::string const codebook : {"custom", "dictionary"}) {
    Words const words = compress_words("f32", name, {"--codebook", codebook, "--force"});
    ASSERT_TRUE(kompakt(with(words, "-c", "huffman")).is(Status::ok));
    std::string const stream = contents(name);
    std::size_t const section = 240;  // docs/format.md: behind four sections' entries and the shape
    for (std::size_t const at : {section + 3, section + 9}) {
      std::string damaged = stream;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      put(name, damaged);
      expect_refused({"info", "--codebooks", name}, Status::corrupt, {name, "altered"});
    }
    put(name, stream.substr(0, stream.size() / 2));
    expect_refused({"info", "--codebooks", name}, Status::corrupt, {name});
  }
}

TEST_F(CliBadInput, NewerVersion_IsSaid) {
  std::string newer = m_stream;
  newer[8] = 2;  // docs/format.md: u16 behind the eight bytes of the magic
  Outcome const outcome = decompress(newer);
  EXPECT_TRUE(outcome.is(Status::unsupported_version)) << outcome;
  EXPECT_NE(outcome.err.find("version 2"), std::string::npos) << outcome;
}

TEST_F(CliBadInput, FieldLargerThanAllowed_IsRefused) {
  expect_refused({"decompress", "-i", file("f.kpk"), "-o", file("new"), "--max-output", "95999"},
                 Status::buffer_too_small, {"96000", "--max-output 95999"});
  expect_refused({"decompress", "-i", file("f.kpk"), "-o", file("new"), "--max-output", "1GX"},
                 Status::bad_argument, {"1GX"});
  for (std::string const size : {"93K", "0.09M", "95.9kB", "0.095mb"}) {
    expect_refused({"decompress", "-i", file("f.kpk"), "-o", file("new"), "--max-output", size},
                   Status::buffer_too_small, {"96000", "--max-output " + size});
  }
  for (std::string const size : {"96000", "94K", "0.1M", "96kB", "0.096MB", "1G", "1gib"}) {
    TemporaryFolder const folder;
    EXPECT_TRUE(kompakt({"decompress", "-i", file("f.kpk"), "-o", (folder / "new").string(),
                         "--max-output", size})
                    .is(Status::ok))
        << size;
  }
}

TEST_F(CliBadInput, ComparisonOfDifferentThings_IsRefused) {
  expect_refused({"compare", file("f.kpk")}, Status::bad_argument, {"alone", "name two files"});
  expect_refused({"compare", "-i", file("f.f32"), file("f.kpk"), file("f.kpk")},
                 Status::bad_argument, {"two files follow"});
  expect_refused({"compare", "-i", file("f.f32"), "-t", "f32", "-l", "40x30x21", file("f.kpk")},
                 Status::type_mismatch, {"20 x 30 x 40", "21 x 30 x 40"});
  expect_refused({"compare", "-i", file("f.f64"), file("f.kpk")}, Status::bad_argument, {"192000"});
  expect_refused({"compare", "-i", file("f.f32"), file("f.f32")}, Status::bad_argument,
                 {"not a kompakt stream", "-t", "-l"});
  Words const raw = {"compare", "-i", file("f.f32"), "-t", "f32", "-l", "40x30x20"};
  Words words = raw;
  words.push_back(file("f.f32"));
  expect_refused(words, Status::bad_argument, {"-m", "-e"});
  words = raw;
  words.insert(words.end(), {file("f.f64"), "-m", "abs", "-e", "1"});
  expect_refused(words, Status::bad_argument, {"192000", "96000"});
}

}  // namespace
}  // namespace kompakt::test
