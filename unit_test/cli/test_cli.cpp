#include "program.hpp"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <kompakt/codebooks.hpp>
#include <random>
#include <thread>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

TEST_F(CliTest, NoCommand_PrintsHelp) {
  Outcome const outcome = kompakt({});
  EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
  for (char const* verb : {"compress", "decompress", "info", "compare"}) {
    EXPECT_NE(outcome.out.find(verb), std::string::npos) << outcome;
  }
}

TEST_F(CliTest, Version_SaysVersionAndCommit) {
  Outcome const outcome = kompakt({"--version"});
  EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(outcome.out.substr(0, 8), "kompakt ") << outcome;
  EXPECT_NE(outcome.out.find('('), std::string::npos) << outcome;
}

template <class T>
double largest_error(std::string const& a, std::string const& b) {
  double largest = 0;
  for (std::size_t i = 0; i + sizeof(T) <= a.size(); i += sizeof(T)) {
    T x = 0, y = 0;
    std::memcpy(&x, a.data() + i, sizeof(T));
    std::memcpy(&y, b.data() + i, sizeof(T));
    largest = std::max(largest, std::abs(static_cast<double>(x) - static_cast<double>(y)));
  }
  return largest;
}

TEST_F(CliTest, RoundTripOfF32_StaysInTheBound) {
  Outcome const compress = kompakt(compress_words("f32", file("f.kpk"), {"--verbose"}));
  ASSERT_TRUE(compress.is(Status::ok)) << compress;
  EXPECT_TRUE(compress.err.empty()) << compress;
  EXPECT_NE(compress.out.find("20 x 30 x 40 slowest first (-l 40x30x20)"), std::string::npos);
  Outcome const decompress = kompakt({"decompress", "-i", file("f.kpk"), "-o", file("f.out")});
  ASSERT_TRUE(decompress.is(Status::ok)) << decompress;
  std::string const field = contents(file("f.out"));
  ASSERT_EQ(field.size(), raw<float>().size());
  EXPECT_LE(largest_error<float>(field, raw<float>()), 1e-3);
  EXPECT_EQ(names(), Names({"f.f32", "f.f64", "f.kpk", "f.out"}));
}

TEST_F(CliTest, RoundTripOfF64OnEverySpace_GivesTheSameStream) {
  std::string first;
  for (std::string const space : {"serial", "openmp", "cuda"}) {
    std::string const stream = file(space + ".kpk");
    Outcome const compress = kompakt(compress_words("f64", stream, {"--exec", space}));
    if (compress.is(Status::device)) continue;  // not in this build, or no such device here
    ASSERT_TRUE(compress.is(Status::ok)) << compress;
    if (first.empty()) first = contents(stream);
    EXPECT_EQ(contents(stream), first) << space;
    Outcome const decompress =
        kompakt({"decompress", "-i", stream, "-o", file(space), "--exec", space});
    ASSERT_TRUE(decompress.is(Status::ok)) << decompress;
    EXPECT_LE(largest_error<double>(contents(file(space)), raw<double>()), 1e-3);
  }
  EXPECT_FALSE(first.empty());
}

TEST_F(CliTest, ShapeAndLength_AreTheSameInBothDialects) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("a.kpk"))).is(Status::ok));
  Words words = with(compress_words("f32", file("b.kpk")), "-l", "20,30,40");
  std::replace(words.begin(), words.end(), std::string("-l"), std::string("--shape"));
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  EXPECT_EQ(contents(file("a.kpk")), contents(file("b.kpk")));
}

TEST_F(CliTest, EveryRank_ComesBack) {
  for (std::string const length : {"24000", "40x600", "40x30x20", "40x30x5x4", "40x30x5x2x2",
                                   "40x15x2x5x2x2", "20x2x15x2x5x2x2", "20x2x5x3x2x5x2x2"}) {
    Words const words = with(compress_words("f32", file("f.kpk"), {"--force"}), "-l", length);
    ASSERT_TRUE(kompakt(words).is(Status::ok)) << length;
    Outcome const compare =
        kompakt({"compare", "-i", file("f.f32"), file("f.kpk"), "-l", length, "-t", "f32"});
    EXPECT_TRUE(compare.is(Status::ok)) << length << compare;
    Outcome const bare =
        kompakt({"compare", file("f.f32"), file("f.kpk"), "-l", length, "-t", "f32"});
    EXPECT_EQ(bare.out, compare.out) << length << bare;
  }
}

TEST_F(CliTest, JsonOfCompressAndDecompress_HasItsKeys) {
  Outcome const compress = kompakt(compress_words("f32", file("f.kpk"), {"--json"}));
  nlohmann::json const json = compress.json();
  ASSERT_TRUE(json.is_object()) << compress;
  double const bytes = static_cast<double>(contents(file("f.kpk")).size());
  EXPECT_EQ(json.at("compressed_bytes"), bytes);
  EXPECT_EQ(json.at("original_bytes"), 4 * values);
  EXPECT_DOUBLE_EQ(json.at("ratio"), 4.0 * values / bytes);
  EXPECT_EQ(json.at("bound_abs"), 1e-3);
  EXPECT_TRUE(json.at("exceptions").is_number_unsigned());
  EXPECT_GT(json.at("compress_gbps"), 0);
  EXPECT_EQ(json.at("shape"), nlohmann::json({20, 30, 40}));

  Outcome const decompress =
      kompakt({"decompress", "-i", file("f.kpk"), "-o", file("f.out"), "--json"});
  ASSERT_TRUE(decompress.json().is_object()) << decompress;
  EXPECT_GT(decompress.json().at("decompress_gbps"), 0);
}

TEST_F(CliTest, JsonOfInfo_SaysWhatWasAskedFor) {
  Words words = compress_words("f64", file("f.kpk"), {"--variant", "plain", "--no-checksum"});
  words = with(with(words, "-m", "r2r"), "-e", "1e-4");
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  nlohmann::json const json = kompakt({"info", file("f.kpk"), "--json"}).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("dtype"), "f64");
  EXPECT_EQ(json.at("bound_mode"), "r2r");
  EXPECT_EQ(json.at("bound_value"), 1e-4);
  EXPECT_EQ(json.at("pipeline"), "fixedlength");
  EXPECT_EQ(json.at("variant"), "plain");
  EXPECT_EQ(json.at("checksum"), false);
  EXPECT_EQ(json.at("version"), 1);
}

TEST_F(CliTest, PackedStream_IsSmallerAndIsReadAsAnyOther) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("p.kpk"))).is(Status::ok));
  Outcome const packed = kompakt(compress_words("f32", file("q.kpk"), {"--pack"}));
  ASSERT_TRUE(packed.is(Status::ok)) << packed;
  EXPECT_NE(packed.out.find(", packed"), std::string::npos) << packed;
  nlohmann::json const plain = kompakt({"info", file("p.kpk"), "--json"}).json(),
                       info = kompakt({"info", file("q.kpk"), "--json"}).json();
  EXPECT_EQ(plain.at("packed"), false);
  EXPECT_EQ(info.at("packed"), true);
  EXPECT_LT(info.at("compressed_bytes"), plain.at("compressed_bytes"));
  for (char const* const stream : {"p", "q"}) {
    Outcome const outcome =
        kompakt({"decompress", "-i", file(stream + std::string(".kpk")), "-o", file(stream)});
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  }
  EXPECT_EQ(contents(file("p")), contents(file("q")));
}

TEST_F(CliTest, GivenRange_StandsForThatOfTheField) {
  Words words = compress_words("f32", file("f.kpk"), {"--range", "8"});
  ASSERT_TRUE(kompakt(with(with(words, "-m", "r2r"), "-e", "1e-3")).is(Status::ok));
  nlohmann::json const info = kompakt({"info", file("f.kpk"), "--json"}).json();
  EXPECT_EQ(info.at("bound_mode"), "r2r");
  EXPECT_EQ(info.at("bound_abs"), 8e-3);
  Outcome const compare = kompakt({"compare", "-i", file("f.f32"), file("f.kpk"), "-m", "r2r", "-e",
                                   "1e-3", "--range", "8", "--json"});
  ASSERT_TRUE(compare.is(Status::ok)) << compare;
  EXPECT_EQ(compare.json().at("bound_abs"), 8e-3);
}

TEST_F(CliTest, BoundRelativeToEachValue_IsKeptAndReported) {
  Words words = compress_words("f32", file("f.kpk"), {"--json"});
  Outcome const compress = kompakt(with(with(words, "-m", "pwr"), "-e", "1e-2"));
  ASSERT_TRUE(compress.is(Status::ok)) << compress;
  EXPECT_EQ(compress.json().at("bound_mode"), "pwr");
  EXPECT_TRUE(compress.json().at("bound_abs").is_null()) << "it has no unit";
  nlohmann::json const json =
      kompakt({"compare", "-i", file("f.f32"), file("f.kpk"), "--json"}).json();
  EXPECT_EQ(json.at("violations"), 0);
  EXPECT_EQ(json.at("bound_pwr"), 1e-2);
  EXPECT_LE(json.at("max_rel_error"), 1e-2);
  EXPECT_TRUE(kompakt({"compare", "-i", file("f.f32"), file("f.kpk"), "-m", "pwr", "-e", "1e-4"})
                  .is(Status::bound_violated));
  Outcome const refused = kompakt(with(with(words, "-m", "pwr"), "-e", "1"));
  EXPECT_TRUE(refused.is(Status::bad_argument)) << refused;
  EXPECT_NE(refused.err.find("below 1"), std::string::npos) << refused;
}

TEST_F(CliTest, PsnrAsTheBound_IsReached) {
  Words words = compress_words("f32", file("f.kpk"), {"--json"});
  Outcome const compress = kompakt(with(with(words, "-m", "psnr"), "-e", "60"));
  ASSERT_TRUE(compress.is(Status::ok)) << compress;
  EXPECT_GT(compress.json().at("bound_abs"), 0);
  Words compare{"compare", "-i", file("f.f32"), file("f.kpk"), "--json", "-m", "psnr", "-e", "60"};
  Outcome const reached = kompakt(compare);
  ASSERT_TRUE(reached.is(Status::ok)) << reached;
  EXPECT_GE(reached.json().at("psnr_db"), 60);
  EXPECT_EQ(reached.json().at("bound_psnr"), 60);
  EXPECT_TRUE(reached.json().at("bound_abs").is_null()) << "no value has one";
  Outcome const text = kompakt(
      {"compare", "-i", file("f.f32"), file("f.kpk"), "-m", "psnr", "-e", "60", "--metrics"});
  EXPECT_NE(text.out.find("a PSNR of 60 dB"), std::string::npos) << text;
  EXPECT_EQ(text.out.find("e+308"), std::string::npos) << text;
  EXPECT_EQ(text.out.find("errors / bound"), std::string::npos) << text;
  Outcome const missed = kompakt(with(compare, "-e", "70"));
  EXPECT_TRUE(missed.is(Status::bound_violated)) << missed;
  EXPECT_NE(missed.err.find("below the 70 dB"), std::string::npos) << missed;
}

TEST_F(CliTest, Report_HasThreeLinesOrAll) {
  Words const words = compress_words("f32", file("r.kpk"), {"--force"});
  Words const all = compress_words("f32", file("r.kpk"), {"--force", "--verbose"});
  auto const lines = [](Outcome const& outcome) {
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    return std::count(outcome.out.begin(), outcome.out.end(), '\n');
  };
  EXPECT_EQ(lines(kompakt(words)), 3);
  EXPECT_GE(lines(kompakt(all)), 8);
  EXPECT_EQ(kompakt(all).out.find("GB/s"), std::string::npos) << "too small to be timed";
  Words const back{"decompress", "-i", file("r.kpk"), "-o", file("r.f32"), "--force"};
  EXPECT_EQ(lines(kompakt(back)), 3);
}

TEST_F(CliTest, PipelineForAGoal_IsChosenAndSaid) {
  for (std::string const goal : {"ratio", "balanced", "speed", "smallest"}) {
    Words const words =
        without(compress_words("f32", file("f.kpk"), {"--json", "--force", "--for", goal}), "-c");
    Outcome const compress = kompakt(words);
    ASSERT_TRUE(compress.is(Status::ok)) << compress;
    EXPECT_EQ(compress.json().at("chosen_for"), goal);
    std::string const pipeline = compress.json().at("pipeline");
    EXPECT_EQ(compress.json().at("chosen_by").get<std::string>().find(pipeline), 0u) << compress;
    EXPECT_EQ(compress.json().at("sample_ratios").empty(), goal == "speed");
    nlohmann::json const info = kompakt({"info", file("f.kpk"), "--json"}).json();
    EXPECT_EQ(info.at("chosen_for"), goal);
    EXPECT_EQ(info.at("chosen_by"), compress.json().at("chosen_by"));
    Outcome const table = kompakt({"info", file("f.kpk")});
    std::string const line = "for " + goal + ", " + info.at("chosen_by").get<std::string>() + "\n";
    EXPECT_NE(table.out.find(line), std::string::npos) << table;
    EXPECT_TRUE(kompakt({"compare", "-i", file("f.f32"), file("f.kpk")}).is(Status::ok));
  }
  Words const words = compress_words("f32", file("a.kpk"));
  ASSERT_TRUE(kompakt(with(words, "-c", "auto")).is(Status::ok));
  ASSERT_TRUE(kompakt(without(compress_words("f32", file("b.kpk"), {"--for", "balanced"}), "-c"))
                  .is(Status::ok));
  EXPECT_EQ(contents(file("a.kpk")), contents(file("b.kpk")));
  ASSERT_TRUE(kompakt(compress_words("f32", file("c.kpk"))).is(Status::ok));
  Outcome const given = kompakt({"info", file("c.kpk"), "--json"});
  EXPECT_FALSE(given.json().contains("chosen_for")) << given;
}

TEST_F(CliTest, WithoutAPipeline_OneIsChosen) {
  Words const words = compress_words("f32", file("a.kpk"));
  ASSERT_TRUE(kompakt(without(words, "-c")).is(Status::ok));
  ASSERT_TRUE(kompakt(with(with(words, "-c", "auto"), "-o", file("b.kpk"))).is(Status::ok));
  EXPECT_EQ(contents(file("a.kpk")), contents(file("b.kpk")));
  nlohmann::json const info = kompakt({"info", file("a.kpk"), "--json"}).json();
  EXPECT_EQ(info.at("chosen_for"), "balanced");
}

TEST_F(CliTest, VariantOfOnePipeline_IsAChoiceOfIt) {
  for (auto const& [variant, pipeline] : std::initializer_list<std::pair<std::string, std::string>>{
           {"plain", "fixedlength"}, {"fz", "bitshuffle"}, {"custom", "huffman"}}) {
    Outcome const outcome = kompakt(without(
        compress_words("f32", file("f.kpk"), {"--variant", variant, "--force", "--json"}), "-c"));
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_EQ(outcome.json().at("pipeline"), pipeline);
    EXPECT_EQ(outcome.json().at("variant"), variant);
    EXPECT_FALSE(outcome.json().contains("chosen_for"));
  }
}

TEST_F(CliTest, ChoiceThatIsMadeAlready_IsRefused) {
  for (Words const& more : {Words{"--for", "ratio"}, Words{"--variant", "deep"},
                            Words{"--predictor", "chain"}, Words{"--for", "size"}}) {
    Words words = compress_words("f32", file("f.kpk"), more);
    if (more[0] != "--for") words = with(words, "-c", "auto");
    if (more[1] == "size") words = without(words, "-c");
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
    EXPECT_NE(outcome.err.find(more[1] == "size" ? "size" : more[0]), std::string::npos) << outcome;
  }
}

TEST_F(CliTest, CodebookOfInfo_IsInTheTable) {
  ASSERT_TRUE(kompakt(with(compress_words("f32", file("f.kpk")), "-c", "huffman")).is(Status::ok));
  Outcome const header = kompakt({"info", file("f.kpk")});
  Outcome const outcome = kompakt({"info", "--codebooks", file("f.kpk")});
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_TRUE(outcome.err.empty()) << outcome;
  EXPECT_EQ(outcome.out.substr(0, header.out.size()), header.out);
  for (char const* word : {"codebook", "radius 512", "symbols", "masks", "quads"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << outcome;
  }
}

TEST_F(CliTest, CodebookOfSymbolsOnly_IsSaid) {
  std::vector<float> noise(values);
  std::uint32_t random = 1;
  for (float& value : noise) {
    random = 1664525 * random + 1013904223;
    value = static_cast<float>(random >> 8) * 0x1p-24f;
  }
  put(file("f.f32"), {reinterpret_cast<char const*>(noise.data()), 4 * values});
  for (bool const custom : {false, true}) {
    Words const more = {"--codebook", custom ? "custom" : "dictionary", "--force"};
    Words const words = with(compress_words("f32", file("f.kpk"), more), "-c", "huffman");
    ASSERT_TRUE(kompakt(with(words, "-e", "1e-2")).is(Status::ok));
    Outcome const outcome = kompakt({"info", "--codebooks", file("f.kpk")});
    char const* const said =
        custom ? "made for the field, symbols only; radius 512" : " of symbols only; radius 512";
    EXPECT_NE(outcome.out.find(said), std::string::npos) << outcome;
    nlohmann::json const json = kompakt({"info", file("f.kpk"), "--codebooks", "--json"}).json();
    EXPECT_EQ(json.at("codebook").at("symbols_only"), true);
    nlohmann::json const& books = json.at("codebook").at("books");
    std::string const stream = contents(file("f.kpk"));
    int const book = inspect_codebook(bytes_of(stream)).books[0];
    EXPECT_EQ(books, custom ? nlohmann::json() : nlohmann::json::array({book}));
  }
}

TEST_F(CliTest, JsonOfInfoWithACodebookOfTheDictionary_HasItsBooks) {
  Words const more = {"--codebook", "dictionary"};
  Words const words = with(compress_words("f64", file("f.kpk"), more), "-c", "huffman");
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  nlohmann::json const json = kompakt({"info", file("f.kpk"), "--codebooks", "--json"}).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("pipeline"), "huffman");
  EXPECT_EQ(json.at("codebook").at("dictionary"), 1);
  EXPECT_EQ(json.at("codebook").at("symbols_only"), false);
  EXPECT_EQ(json.at("codebook").at("radius"), 512);
  EXPECT_EQ(json.at("codebook").at("section_bytes"), 16);
  std::string const stream = contents(file("f.kpk"));
  EXPECT_EQ(json.at("codebook").at("books"), inspect_codebook(bytes_of(stream)).books);
}

TEST_F(CliTest, JsonOfInfoWithACodebookOfAnotherRadius_HasNoDictionary) {
  Words const more = {"--radius", "64"};
  Words const words = with(compress_words("f32", file("f.kpk"), more), "-c", "huffman");
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  nlohmann::json const json = kompakt({"info", file("f.kpk"), "--codebooks", "--json"}).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(json.at("codebook").at("dictionary").is_null());
  EXPECT_TRUE(json.at("codebook").at("books").is_null());
  EXPECT_EQ(json.at("codebook").at("radius"), 64);
}

TEST_F(CliTest, CompareWithStream_NeedsNothingElse) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  Outcome const outcome = kompakt({"compare", "-i", file("f.f32"), file("f.kpk"), "--json"});
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  nlohmann::json const json = outcome.json();
  EXPECT_LE(json.at("max_abs_error"), 1e-3);
  EXPECT_EQ(json.at("bound_abs"), 1e-3);
  EXPECT_EQ(json.at("violations"), 0);
  EXPECT_GT(json.at("psnr_db"), 30);
  EXPECT_GT(json.at("nrmse"), 0);
  EXPECT_GT(json.at("ratio"), 1);
}

TEST_F(CliTest, CompareWithEqualRawField_HasNoPsnrAndNoRatio) {
  Outcome const outcome = kompakt({"compare", "-i", file("f.f32"), "-t", "f32", "-l", "40x30x20",
                                   file("f.f32"), "-m", "r2r", "-e", "1e-6", "--json"});
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(outcome.json().at("max_abs_error"), 0);
  EXPECT_TRUE(outcome.json().at("psnr_db").is_null());
  EXPECT_TRUE(outcome.json().at("ratio").is_null());
}

TEST_F(CliTest, CompareWithMetrics_ReportsAllOfThem) {
  ASSERT_TRUE(kompakt(compress_words("f64", file("f.kpk"))).is(Status::ok));
  Words words = {"compare", "-i", file("f.f64"), file("f.kpk"), "--metrics"};
  Outcome const text = kompakt(words);
  ASSERT_TRUE(text.is(Status::ok)) << text;
  for (char const* label : {"SSIM", "Pearson", "entropy", "autocorrelation", "errors / bound"}) {
    EXPECT_NE(text.out.find(label), std::string::npos) << label << text;
  }
  words.push_back("--json");
  nlohmann::json const json = kompakt(words).json();
  EXPECT_GT(json.at("max_rel_error"), 0);
  EXPECT_LT(std::fabs(json.at("mean_error").get<double>()), 1e-3);
  EXPECT_GT(json.at("pearson"), 0.999);
  EXPECT_GT(json.at("ssim"), 0.9);
  EXPECT_LT(json.at("ssim"), 1);
  EXPECT_EQ(json.at("ssim_windows"), (20 - 6) * (30 - 6) * (40 - 6));
  EXPECT_EQ(json.at("autocorrelation").size(), 10u);
  std::uint64_t sum = 0;
  for (auto const& count : json.at("error_histogram").at("counts")) {
    sum += count.get<std::uint64_t>();
  }
  EXPECT_EQ(sum, values);
  EXPECT_EQ(json.at("error_histogram").at("below"), 0);
  EXPECT_EQ(json.at("error_histogram").at("above"), 0);
  EXPECT_GT(json.at("entropy_original"), json.at("entropy_reconstructed"));
}

TEST_F(CliTest, CompareWithoutMetrics_HasTheBasicOnesOnly) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  Outcome const outcome = kompakt({"compare", "-i", file("f.f32"), file("f.kpk"), "--json"});
  EXPECT_GT(outcome.json().at("pearson"), 0.999);
  EXPECT_GT(outcome.json().at("rmse"), 0);
  EXPECT_FALSE(outcome.json().contains("ssim"));
  EXPECT_FALSE(outcome.json().contains("error_histogram"));
}

TEST_F(CliTest, MetricsThatAreNotDefined_AreNull) {
  put(file("c.f32"), std::string(4 * 24, '\0'));
  Words words = {"compare", "-i", file("c.f32"), file("c.f32"), "-t", "f32",      "-l",
                 "24",      "-m", "abs",         "-e",          "1",  "--metrics"};
  Outcome const text = kompakt(words);
  EXPECT_TRUE(text.is(Status::ok)) << text;
  EXPECT_NE(text.out.find("not defined"), std::string::npos) << text;
  EXPECT_EQ(text.out.find("nan"), std::string::npos) << text;
  words.push_back("--json");
  nlohmann::json const json = kompakt(words).json();
  EXPECT_TRUE(json.at("ssim").is_null());
  EXPECT_TRUE(json.at("pearson").is_null());
  EXPECT_TRUE(json.at("autocorrelation").at(9).is_null());
  EXPECT_EQ(json.at("entropy_original"), 0);
}

TEST_F(CliTest, CompareWithOneWrongValue_NamesItAndExitsWith20) {
  std::string field = raw<float>();
  float const wrong = 77.25f;
  std::memcpy(field.data() + 4 * (1200 * 3 + 40 * 2 + 1), &wrong, 4);
  put(file("f.out"), field);
  Outcome const outcome = kompakt({"compare", "-i", file("f.f32"), "-t", "f32", "-l", "40x30x20",
                                   file("f.out"), "-m", "abs", "-e", "0.5", "--json"});
  EXPECT_TRUE(outcome.is(Status::bound_violated)) << outcome;
  EXPECT_EQ(outcome.json().at("violations"), 1);
  EXPECT_EQ(outcome.json().at("first_violation"), 3681);
  EXPECT_NE(outcome.err.find("1 of 24000 values"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("3681 (3, 2, 1)"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("77.25"), std::string::npos) << outcome;
}

TEST_F(CliTest, CompareWithStreamAndSmallerBound_FindsViolations) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  Words const words = {"compare", "-i", file("f.f32"), file("f.kpk"), "-m", "abs", "-e", "1e-6"};
  EXPECT_TRUE(kompakt(words).is(Status::bound_violated));
}

TEST_F(CliTest, Quiet_PrintsErrorsAlone) {
  Words const words = with(compress_words("f32", file("f.kpk"), {"--quiet"}), "-m", "rel");
  for (Words const& quiet :
       {words, Words{"decompress", "-i", file("f.kpk"), "-o", file("y"), "--quiet"},
        Words{"extract", "-i", file("f.kpk"), "--roi", "1,:,:", "-o", file("z"), "--quiet"},
        Words{"info", file("f.kpk"), "--quiet"},
        Words{"compare", "-i", file("f.f32"), file("f.kpk"), "--quiet", "--json"}}) {
    Outcome const outcome = kompakt(quiet);
    EXPECT_TRUE(outcome.is(Status::ok)) << quiet[0] << outcome;
    EXPECT_TRUE(outcome.out.empty() && outcome.err.empty()) << quiet[0] << outcome;
  }
  Outcome const refused = kompakt(words);
  EXPECT_TRUE(refused.is(Status::io)) << refused;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused;
}

TEST_F(CliTest, ModeRel_IsTakenAsR2rWithANote) {
  Outcome const outcome =
      kompakt(with(compress_words("f32", file("f.kpk"), {"--json"}), "-m", "rel"));
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(outcome.json().at("bound_mode"), "r2r");
  EXPECT_NE(outcome.err.find("r2r"), std::string::npos) << outcome;
}

TEST_F(CliTest, OutputToStandardOutput_HasTheStreamAlone) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  // Standard output is a file here, which exists; the report must not be mixed into it.
  Outcome const outcome = kompakt(compress_words("f32", "/dev/stdout", {"--force"}));
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome.err;
  EXPECT_EQ(outcome.out, contents(file("f.kpk")));
  EXPECT_NE(outcome.err.find("ratio"), std::string::npos) << outcome.err;
}

/// Compresses 32 MiB of noise, which take a while to write, and sends `signal` as soon as a file
/// appears.
Outcome signalled_while_writing(TemporaryFolder const& files, int signal) {
  TemporaryFolder const output;
  std::mt19937 random(1);
  std::string noise(std::size_t{32} << 20, '\0');
  for (std::size_t i = 0; i < noise.size(); i += 4) {
    float const value = static_cast<float>(random()) * 1e-9f;
    std::memcpy(noise.data() + i, &value, 4);
  }
  TemporaryFolder const input;
  put(input / "noise.f32", noise);
  Program program(
      output, {"compress", "-i", (input / "noise.f32").string(), "-t", "f32", "-l", "8388608", "-m",
               "abs", "-e", "1e-30", "-o", (files / "x.kpk").string()});
  for (int i = 0; i < 60000 && files.names().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(program.pid(), signal);
  return program.wait();
}

TEST(CliSignal, KilledWhileWriting_LeavesNothingUnderTheRealName) {
  TemporaryFolder const files;
  Outcome const outcome = signalled_while_writing(files, SIGKILL);
  // If it was quicker than the signal, the file is complete.
  EXPECT_EQ(files.names().contains("x.kpk"), outcome.exit_code == 0) << outcome;
}

TEST(CliSignal, EndedWhileWriting_LeavesNothingAtAll) {
  for (int const signal : {SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
                           SIGPWR, SIGXCPU, SIGRTMIN + 1}) {
    SCOPED_TRACE(signal);
    TemporaryFolder const files;
    Outcome const outcome = signalled_while_writing(files, signal);
    EXPECT_EQ(outcome.signal, outcome.exit_code == 0 ? 0 : signal) << outcome;
    // The signal may come between the rename and the end of the program: then the file is complete.
    EXPECT_TRUE(files.names().empty() || files.names() == Names({"x.kpk"})) << outcome;
  }
}

TEST(CliSignal, CrashedWhileWriting_LeavesNothingAndSaysSo) {
  for (int const signal : {SIGSEGV, SIGBUS, SIGABRT}) {
    SCOPED_TRACE(signal);
    TemporaryFolder const files;
    Outcome const outcome = signalled_while_writing(files, signal);
    if (outcome.exit_code == 0) continue;  // it was quicker than the signal
    EXPECT_EQ(outcome.signal, signal) << outcome;
    EXPECT_TRUE(files.names().empty() || files.names() == Names({"x.kpk"})) << outcome;
    EXPECT_EQ(outcome.err.rfind("kompakt: crashed", 0), 0u) << outcome;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome;
  }
}

// The bytes of a text, as integers of any size.
TEST_F(CliTest, Integers_ComeBackByteForByte) {
  std::string bytes = contents(file("f.f32"));
  std::size_t const words = bytes.size() / 4;
  for (std::string const type : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32"}) {
    SCOPED_TRACE(type);
    std::size_t const count = bytes.size() * 8 / std::stoul(type.substr(1));
    Outcome const outcome =
        kompakt({"compress", "-i", file("f.f32"), "-t", type, "-l", std::to_string(count), "-m",
                 "lossless", "-o", file("i.kpk"), "--force", "--json"});
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_EQ(outcome.json().at("dtype"), type);
    EXPECT_EQ(outcome.json().at("bound_mode"), "lossless");
    ASSERT_TRUE(
        kompakt({"decompress", "-i", file("i.kpk"), "-o", file("back"), "--force"}).is(Status::ok));
    EXPECT_TRUE(contents(file("back")) == bytes);
    Outcome const compare = kompakt({"compare", "-i", file("f.f32"), file("i.kpk"), "--json"});
    EXPECT_TRUE(compare.is(Status::ok)) << compare;
    EXPECT_EQ(compare.json().at("violations"), 0);
  }
  // A value that is not what it was.
  ASSERT_TRUE(kompakt({"compress", "-i", file("f.f32"), "-t", "u32", "-l", std::to_string(words),
                       "-m", "lossless", "-o", file("i.kpk"), "--force"})
                  .is(Status::ok));
  bytes[4 * 11] = static_cast<char>(bytes[4 * 11] ^ 1);
  put(file("other"), bytes);
  Outcome const outcome = kompakt({"compare", "-i", file("other"), file("i.kpk"), "--json"});
  EXPECT_TRUE(outcome.is(Status::bound_violated)) << outcome;
  EXPECT_EQ(outcome.json().at("violations"), 1);
  EXPECT_EQ(outcome.json().at("first_violation"), 11);
}

}  // namespace
}  // namespace kompakt::test
