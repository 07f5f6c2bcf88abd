#include "program.hpp"

namespace kompakt::test {
namespace {

/// A region of the field of 20 x 30 x 40 values.
struct Slice {
  std::string ranges;
  std::size_t begin[3], end[3];
};

class CliExtract : public CliTest {
 protected:
  Outcome extract(std::string const& ranges, Words const& more = {}) const {
    Words words = {"extract", "-i",         file("f.kpk"), "--roi", ranges,
                   "-o",      file("part"), "--force",     "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return kompakt(words);
  }
  template <class T>
  void expect_slices(std::string const& type) const {
    Words const words = {"decompress", "-i", file("f.kpk"), "-o", file("whole"), "--force"};
    ASSERT_TRUE(kompakt(words).is(Status::ok));
    std::string const whole = contents(file("whole"));
    Slice const slices[] = {
        {"3:7,:,5", {3, 0, 5}, {7, 30, 6}},     {"0,0,0", {0, 0, 0}, {1, 1, 1}},
        {":,:,:", {0, 0, 0}, {20, 30, 40}},     {"19,29,39", {19, 29, 39}, {20, 30, 40}},
        {"18:,:2,7:9", {18, 0, 7}, {20, 2, 9}}, {":20,5:6,0:", {0, 5, 0}, {20, 6, 40}},
    };
    for (Slice const& s : slices) {
      Outcome const outcome = extract(s.ranges);
      ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
      std::string expected;
      for (std::size_t z = s.begin[0]; z < s.end[0]; ++z) {
        for (std::size_t y = s.begin[1]; y < s.end[1]; ++y) {
          expected += whole.substr(((z * 30 + y) * 40 + s.begin[2]) * sizeof(T),
                                   (s.end[2] - s.begin[2]) * sizeof(T));
        }
      }
      EXPECT_EQ(contents(file("part")), expected) << s.ranges;
      nlohmann::json const json = outcome.json();
      ASSERT_TRUE(json.is_object()) << outcome;
      EXPECT_EQ(json.at("dtype"), type);
      EXPECT_EQ(json.at("roi"), s.ranges);
      EXPECT_EQ(json.at("shape"), nlohmann::json({s.end[0] - s.begin[0], s.end[1] - s.begin[1],
                                                  s.end[2] - s.begin[2]}));
      EXPECT_EQ(json.at("field_shape"), nlohmann::json({20, 30, 40}));
      EXPECT_EQ(json.at("region_bytes"), expected.size());
    }
  }
};

TEST_F(CliExtract, AnyRegion_IsTheSliceOfTheField) {
  for (std::string const pipeline : {"fixedlength", "bitshuffle", "huffman", "rans"}) {
    for (std::string const predictor : {"chain", "tile"}) {
      SCOPED_TRACE(pipeline + " " + predictor);
      Words const more = {"--predictor", predictor, "--force"};
      ASSERT_TRUE(
          kompakt(with(compress_words("f32", file("f.kpk"), more), "-c", pipeline)).is(Status::ok));
      expect_slices<float>("f32");
    }
  }
  ASSERT_TRUE(kompakt(compress_words("f64", file("f.kpk"), {"--force"})).is(Status::ok));
  expect_slices<double>("f64");
}

TEST_F(CliExtract, RegionOfAFieldWithCoordinates_TellsThatTheyAreApart) {
  auto const add = [&](Words const& more) {
    EXPECT_TRUE(kompakt(compress_words("f32", file("a.kpk"), more)).is(Status::ok));
  };
  add({"--name", "g/t", "--attribute", "_dimensions=z/y/x"});
  for (std::string const name : {"y", "g/x", "h/z"}) add({"--append", "--name", name});
  Words const words = {"extract", "-i",    file("a.kpk"), "--name", "g/t",
                       "--roi",   "3,:,:", "-o",          file("o")};
  Outcome const of_values = kompakt(words);
  EXPECT_TRUE(of_values.is(Status::ok)) << of_values;
  EXPECT_EQ(of_values.err.find("coordinates"), std::string::npos) << of_values;
  Outcome const of_names = kompakt(with(words, "-o", file("o.h5")));
  if (of_names.err.find("built without") != std::string::npos) GTEST_SKIP() << of_names;
  EXPECT_NE(of_names.err.find("note: '" + file("o.h5") + "' has no coordinates: extract 'y', " +
                              "'g/x' from '" + file("a.kpk") + "', too, each with --name"),
            std::string::npos)
      << of_names;
}

TEST_F(CliExtract, OnEverySpace_IsTheSame) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  std::string first;
  for (std::string const space : {"serial", "openmp", "cuda"}) {
    Outcome const outcome = extract("2:9,3:,20", {"--exec", space});
    if (outcome.is(Status::device)) continue;
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_EQ(outcome.json().at("exec"), space);
    if (first.empty()) first = contents(file("part"));
    EXPECT_EQ(contents(file("part")), first);
  }
  EXPECT_EQ(first.size(), 7u * 27 * 4);
}

TEST_F(CliExtract, SmallRegion_ReadsLittleOfTheFile) {
  std::string large;
  for (int i = 0; i < 40; ++i) large += raw<float>();
  put(file("large.f32"), large);
  ASSERT_TRUE(kompakt({"compress", "-i", file("large.f32"), "-t", "f32", "--shape", "800,30,40",
                       "-m", "abs", "-e", "1e-5", "-o", file("f.kpk"), "-c", "fixedlength",
                       "--predictor", "chain"})
                  .is(Status::ok));
  nlohmann::json const json = extract("400,3,5").json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("compressed_bytes"), contents(file("f.kpk")).size());
  // The first KiB, two entries of the index and a chunk, at most raw.
  EXPECT_LE(json.at("read_bytes"), 1024 + 2 * 8 + 3 * 4 + 4096 * 4);
  EXPECT_GT(json.at("compressed_bytes"), 50 * json.at("read_bytes").get<double>());
}

TEST_F(CliExtract, SmallStream_IsReadOnceAtMost) {
  put(file("small.f32"), raw<float>().substr(0, 400));
  for (std::string const goal : {"speed", "ratio"}) {
    ASSERT_TRUE(kompakt({"compress", "-i", file("small.f32"), "-t", "f32", "--shape", "10,10", "-m",
                         "abs", "-e", "1e-5", "-o", file("f.kpk"), "--force", "--for", goal})
                    .is(Status::ok));
    nlohmann::json const json = extract("2:9,3").json();
    ASSERT_TRUE(json.is_object());
    // All of it lies in the first KiB, some of which is read again.
    EXPECT_EQ(json.at("read_bytes"), json.at("compressed_bytes"));
  }
}

TEST_F(CliExtract, Damage_MattersOnlyInTheRegion) {
  ASSERT_TRUE(
      kompakt(compress_words("f32", file("f.kpk"), {"--predictor", "chain"})).is(Status::ok));
  std::string const good = contents(file("f.kpk"));
  ASSERT_TRUE(extract("0:2,:,:").is(Status::ok));
  std::string const expected = contents(file("part"));
  std::string bytes = good;
  bytes[good.size() - 100] ^= 1;
  put(file("f.kpk"), bytes);
  ASSERT_TRUE(extract("0:2,:,:").is(Status::ok));
  EXPECT_EQ(contents(file("part")), expected);
  std::filesystem::remove(file("part"));
  Outcome const outcome = extract("19,:,:");
  EXPECT_TRUE(outcome.is(Status::corrupt)) << outcome;
  EXPECT_NE(outcome.err.find("f.kpk"), std::string::npos) << outcome;
  EXPECT_FALSE(std::filesystem::exists(file("part")));
}

TEST_F(CliExtract, UnusableRegion_IsNamed) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  std::set<std::string> const before = names();
  for (std::string const ranges :
       {"3:7,:", "3:7,:,5,1", "", "20,:,:", ":,31:,:", ":,:,0:41", ":,:,7:7", ":,:,9:7",
        ":,:,0:4:2", "a,:,:", "-1,:,:", ":,:,1-2", ":,:,"}) {
    expect_refused({"extract", "-i", file("f.kpk"), "--roi", ranges, "-o", file("part")},
                   Status::bad_argument, {"--roi " + ranges});
  }
  expect_refused({"extract", "-i", file("f.kpk"), "--roi", "1,2,3", "-o", file("f.kpk"), "--force"},
                 Status::io, {"it is the input"});
  expect_refused({"extract", "-i", file("f.f32"), "--roi", "1,2,3", "-o", file("part")},
                 Status::bad_magic, {"f.f32"});
  expect_refused({"extract", "-i", file("none"), "--roi", "1,2,3", "-o", file("part")}, Status::io,
                 {"none"});
  EXPECT_EQ(names(), before);
}

}  // namespace
}  // namespace kompakt::test
