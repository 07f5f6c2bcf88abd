#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <io/temporary_folder.hpp>
#include <kompakt/codebooks.hpp>
#include <nlohmann/json.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <sys/wait.h>

// The program codebook_report, on streams that the library writes.

namespace kompakt::test {

namespace {

/// How the program ended and what it said.
struct Outcome {
  int exit_code = -1;  ///< -1 if a signal ended it
  std::string out, err;

  bool is(Status status) const { return exit_code == static_cast<int>(status); }
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

std::ostream& operator<<(std::ostream& stream, Outcome const& outcome) {
  return stream << "exit code " << outcome.exit_code << "\nstdout: " << outcome.out
                << "\nstderr: " << outcome.err;
}

class CodebookReportProgram : public testing::Test {
 protected:
  static constexpr std::size_t values = 20 * 30 * 40;

  std::string file(std::string const& name) const { return (m_folder / name).string(); }

  Outcome run(std::string const& arguments) const {
    std::string const out = file("out"), err = file("err");
    int const status = std::system(
        ("'" KOMPAKT_CODEBOOK_REPORT_PATH "' " + arguments + " > '" + out + "' 2> '" + err + "'")
            .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
  }
  Outcome report(std::vector<std::byte> const& stream, std::string const& flags = "") const {
    put(file("f.kpk"), {reinterpret_cast<char const*>(stream.data()), stream.size()});
    std::string const path = file("f.kpk");
    return run("'" + path + "' " + flags);
  }
  /// One line on stderr that names the file and has `mention`, nothing on stdout.
  void expect_refused(std::vector<std::byte> const& stream, Status status,
                      std::string const& mention) const {
    Outcome const outcome = report(stream);
    EXPECT_TRUE(outcome.is(status)) << outcome;
    EXPECT_TRUE(outcome.out.empty()) << outcome;
    EXPECT_EQ(outcome.err.rfind("codebook_report: '" + file("f.kpk") + "': ", 0), 0u) << outcome;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome;
    EXPECT_NE(outcome.err.find(mention), std::string::npos) << outcome;
  }

  template <class T>
  static std::vector<T> smooth() {
    std::vector<T> field(values);
    for (std::size_t i = 0; i < values; ++i) {
      double const x = static_cast<double>(i % 40), y = static_cast<double>(i / 40);
      field[i] = static_cast<T>(std::sin(0.1 * x) * std::cos(0.01 * y) + 0.001 * y);
    }
    return field;
  }
  static std::vector<float> noise() {
    std::vector<float> field(values);
    std::uint32_t random = 1;
    for (float& value : field) {
      random = 1664525 * random + 1013904223;
      value = static_cast<float>(random >> 8) * 0x1p-24f;
    }
    return field;
  }
  template <class T>
  std::vector<std::byte> compress(std::vector<T> const& field, double bound, Variant variant,
                                  int radius = 512) {
    return codec.compress(field, shape_from<T>({20, 30, 40}),
                          {.bound = ErrorBound::absolute(bound),
                           .pipeline = Pipeline::huffman,
                           .variant = variant,
                           .radius = radius});
  }

  Codec<Kokkos::DefaultHostExecutionSpace> codec;

 private:
  TemporaryFolder const m_folder;
};

/// Entries times bits per entry.
double bits_of(nlohmann::json const& alphabet, double bits_per_entry) {
  return bits_per_entry * alphabet.at("entries").get<double>();
}

}  // namespace

TEST_F(CodebookReportProgram, OfAStream_PrintsATable) {
  Outcome const outcome = report(compress(smooth<float>(), 1e-3, Variant::automatic));
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_TRUE(outcome.err.empty()) << outcome;
  for (char const* word : {"entropy", "own codes", "KL divergence", "symbols", "masks", "quads",
                           "\nvalues", "24000 values"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << outcome;
  }
}

TEST_F(CodebookReportProgram, OfBooksOfSymbolsOnly_SaysSo) {
  for (bool const custom : {false, true}) {
    auto const stream = compress(noise(), 1e-2, custom ? Variant::custom : Variant::dictionary);
    ASSERT_TRUE(inspect_codebook(stream).symbols_only);
    Outcome const outcome = report(stream);
    EXPECT_NE(outcome.out.find("own codes of symbols only +"), std::string::npos) << outcome;
    EXPECT_NE(outcome.out.find("dictionary of symbols only +"), std::string::npos) << outcome;
    nlohmann::json const json = report(stream, "--json").json();
    nlohmann::json const& of_values = json.at("values");
    EXPECT_EQ(json.at("own_symbols_only"), true);
    EXPECT_EQ(json.at("dictionary_symbols_only"), true);
    EXPECT_EQ(of_values.at("name"), "values");
    if (custom) {
      double const bits = bits_of(of_values, of_values.at("own_length"));
      EXPECT_NEAR(json.at("own_bits"), bits, 1e-6 * bits);
      continue;
    }
    int const chosen = of_values.at("chosen");
    EXPECT_EQ(inspect_codebook(stream).books[0], chosen);
    double const bits =
        bits_of(of_values, of_values.at("cross_entropy").at(static_cast<std::size_t>(chosen)));
    EXPECT_NEAR(json.at("dictionary_bits"), bits, 1e-6 * bits);
  }
}

TEST_F(CodebookReportProgram, JsonOfTheDictionary_HasEveryBook) {
  auto const stream = compress(smooth<double>(), 1e-3, Variant::dictionary);
  CodebookInfo const book = inspect_codebook(stream);
  nlohmann::json const json = report(stream, "--json").json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("predictor"), codec.info().predictor_word());
  EXPECT_EQ(json.at("sample_values"), values);
  EXPECT_EQ(json.at("sample_chunks"), codec.info().chunks);
  EXPECT_LE(json.at("ideal_bits"), json.at("own_bits"));
  double bits = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    nlohmann::json const& alphabet = json.at("alphabets").at(i);
    auto const cross_entropy = alphabet.at("cross_entropy").get<std::vector<double>>();
    ASSERT_EQ(cross_entropy.size(), 25u);
    auto const least = std::min_element(cross_entropy.begin(), cross_entropy.end());
    EXPECT_EQ(alphabet.at("chosen"), least - cross_entropy.begin());
    EXPECT_EQ(alphabet.at("chosen"), book.books[i]);
    EXPECT_EQ(alphabet.at("kl_divergence").at(3).get<double>(),
              cross_entropy[3] - alphabet.at("entropy").get<double>());
    bits += bits_of(alphabet, *least);
  }
  EXPECT_EQ(json.at("dictionary_symbols_only"), false);
  EXPECT_NEAR(json.at("dictionary_bits"), bits, 1e-6 * bits);
}

TEST_F(CodebookReportProgram, JsonOfAnotherRadius_HasNoDictionary) {
  auto const stream = compress(smooth<float>(), 1e-3, Variant::automatic, 64);
  nlohmann::json const json = report(stream, "--json").json();
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(json.at("dictionary_bits").is_null());
  EXPECT_TRUE(json.at("dictionary_symbols_only").is_null());
  EXPECT_TRUE(json.at("values").at("cross_entropy").is_null());
  EXPECT_TRUE(json.at("alphabets").at(0).at("cross_entropy").is_null());
  EXPECT_GT(json.at("alphabets").at(0).at("own_length"), 0);
}

TEST_F(CodebookReportProgram, AnythingElseThanAWholeHuffmanStream_IsRefused) {
  FieldShape const shape = shape_from<float>({20, 30, 40});
  expect_refused(codec.compress(smooth<float>(), shape, {.bound = ErrorBound::absolute(1e-3)}),
                 Status::bad_argument, "fixedlength");
  expect_refused(std::vector<std::byte>(1000), Status::bad_magic, "not a kompakt stream");
  expect_refused(
      codec.compress(std::vector<float>(), shape_from<float>({0}), {.pipeline = Pipeline::huffman}),
      Status::bad_argument, "no values");
  auto stream = compress(smooth<float>(), 1e-3, Variant::automatic);
  FramePart part = FramePart::whole(shape);
  part.total[0] = 100;
  mark_part(stream, part);
  expect_refused(stream, Status::bad_argument, "several frames");
  EXPECT_TRUE(run("/nowhere/f.kpk").is(Status::io));
  EXPECT_TRUE(run("").is(Status::bad_argument));
  EXPECT_TRUE(run("a b").is(Status::bad_argument));
}

TEST_F(CodebookReportProgram, ADamagedStream_IsRefused) {
  for (Variant const variant : {Variant::custom, Variant::dictionary}) {
    auto const stream = compress(smooth<float>(), 1e-3, variant);
    std::size_t const section = 240;  // docs/format.md: behind four sections' entries and the shape
    for (std::size_t const at : {section + 3, section + 9, stream.size() - 5}) {
      auto damaged = stream;
      damaged[at] ^= std::byte{1};
      expect_refused(damaged, Status::corrupt, "altered");
    }
    expect_refused({stream.begin(), stream.begin() + static_cast<long>(stream.size() / 2)},
                   Status::corrupt, "");
  }
}

}  // namespace kompakt::test
