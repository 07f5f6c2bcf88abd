#include "slabs.hpp"

namespace kompakt::test {
namespace {

/// Files that say what is in them. Those of netCDF and HDF5 are tested beside the packages that write them.
class CliFieldFiles : public CliSlabs {
 protected:
  static std::string npy(std::string const& dtype, std::string const& order,
                         std::string const& shape, std::string const& values) {
    std::string text =
        "{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    text += std::string(117 - text.size(), ' ') + "\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text +
           values;
  }
  static Words compress(std::string const& input, std::string const& output,
                        Words const& more = {}) {
    Words words = {"compress", "-i",   input, "-o",          output,   "-m",    "abs",
                   "-e",       "1e-3", "-c",  "fixedlength", "--exec", "serial"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void put_array() const {
    put(file("f.f32"), raw<float>());
    put(file("f.npy"), npy("<f4", "False", "(20, 30, 40)", raw<float>()));
    put(file("r.npy"), npy("<f4", "True", "(40, 30, 20)", raw<float>()));
  }
};

TEST_F(CliFieldFiles, OfNumPy_HasTheStreamOfItsRawValues) {
  put_array();
  ASSERT_TRUE(kompakt(compress(file("f.npy"), file("n.kpk"))).is(Status::ok));
  ASSERT_TRUE(kompakt(compress(file("f.f32"), file("f.kpk"), {"-t", "f32", "-l", "40x30x20"}))
                  .is(Status::ok));
  EXPECT_EQ(contents(file("n.kpk")), contents(file("f.kpk")));
  Outcome const compared = kompakt({"compare", "-i", file("f.npy"), file("n.kpk")});
  EXPECT_TRUE(compared.is(Status::ok)) << compared;
}

TEST_F(CliFieldFiles, InEitherOrder_ComeBackInIt) {
  put_array();
  for (std::string const name : {"f", "r"}) {
    ASSERT_TRUE(kompakt(compress(file(name + ".npy"), file("s.kpk"), {"--force"})).is(Status::ok));
    Words const words = {"decompress", "-i", file("s.kpk"), "-o", file("o.npy"), "--force"};
    ASSERT_TRUE(kompakt(words).is(Status::ok));
    ASSERT_TRUE(kompakt(with(words, "-o", file("o.f32"))).is(Status::ok));
    EXPECT_EQ(contents(file("o.npy")).substr(0, 128), contents(file(name + ".npy")).substr(0, 128));
    EXPECT_EQ(contents(file("o.npy")).substr(128), contents(file("o.f32")));
  }
}

TEST_F(CliFieldFiles, TooLargeForTheMemory_GiveTheSameBytesInEitherOrderSlabBySlab) {
  LargeField const field = smooth_field<float>({50, 200, 300});
  put(file("x"), field.bytes);
  put(file("c.npy"), npy("<f4", "False", "(50, 200, 300)", field.bytes));
  put(file("r.npy"), npy("<f4", "True", "(300, 200, 50)", field.bytes));
  Words const little = {"--memory", little_memory};
  Words raw_words = little;
  raw_words.insert(raw_words.end(), {"-t", "f32", "--shape", "50,200,300"});
  ASSERT_TRUE(kompakt(compress(file("x"), file("x.kpk"), raw_words)).is(Status::ok));
  ASSERT_TRUE(kompakt(compress(file("c.npy"), file("c.kpk"), little)).is(Status::ok));
  EXPECT_EQ(contents(file("c.kpk")), contents(file("x.kpk")));
  ASSERT_TRUE(kompakt(compress(file("r.npy"), file("r.kpk"), little)).is(Status::ok));
  EXPECT_GT(info("r.kpk")["frames"], 1);
  EXPECT_EQ(info("r.kpk")["shape"], info("x.kpk")["shape"]);
  for (Words const& more : {Words{}, little}) {
    Words words = {"decompress", "-i", file("r.kpk"), "-o", file("o.npy"), "--force"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_TRUE(kompakt(words).is(Status::ok));
    words = {"compare", "-i", file("r.npy"), file("r.kpk")};
    words.insert(words.end(), more.begin(), more.end());
    Outcome const compared = kompakt(words);
    EXPECT_TRUE(compared.is(Status::ok)) << compared;
    EXPECT_TRUE(kompakt({"compare", "-i", file("r.npy"), file("o.npy"), "-m", "abs", "-e", "1e-3"})
                    .is(Status::ok));
  }
}

TEST_F(CliFieldFiles, ThatContradictTheArguments_AreRefused) {
  put_array();
  for (Words const& more :
       {Words{"-t", "f64"}, Words{"-l", "40x30x21"}, Words{"--shape", "40,30,20"}}) {
    expect_refused(compress(file("f.npy"), file("n.kpk"), more), Status::type_mismatch,
                   {"f.npy", "20 x 30 x 40", "leave them out"});
  }
  Words const words = compress(file("f.npy"), file("n.kpk"), {"-t", "f32", "-l", "40x30x20"});
  EXPECT_TRUE(kompakt(words).is(Status::ok));
}

TEST_F(CliFieldFiles, ThatCannotBeRead_AreRefusedInALine) {
  put_array();
  std::string const whole = contents(file("f.npy"));
  put(file("cut.npy"), whole.substr(0, 5000));
  put(file("none.npy"), raw<float>());
  put(file("complex.npy"), npy("<c32", "False", "(20, 30, 20)", raw<float>()));
  put(file("empty.npy"), "");
  std::set<std::string> const before = names();
  expect_refused(compress(file("cut.npy"), file("n.kpk")), Status::corrupt, {"cut.npy", "5000"});
  expect_refused(compress(file("none.npy"), file("n.kpk")), Status::bad_magic, {"none.npy"});
  expect_refused(compress(file("empty.npy"), file("n.kpk")), Status::bad_magic, {"empty.npy"});
  expect_refused(compress(file("complex.npy"), file("n.kpk")), Status::bad_argument,
                 {"complex.npy", "'<c32'"});
  expect_refused(compress(file("f.npy") + ":x", file("n.kpk")), Status::bad_argument,
                 {"leave out ':x'"});
  expect_refused(compress(file("gone.npy"), file("n.kpk")), Status::io, {"gone.npy"});
  expect_refused(compress(file("f.f32"), file("n.kpk")), Status::bad_argument, {"-t is missing"});
  expect_refused(compress(file("f.npy"), file("f.npy"), {"--force"}), Status::io, {"input"});
  EXPECT_EQ(names(), before);
}

TEST_F(CliFieldFiles, ThatAreCompressedAlready_SayWhatToDo) {
  put_array();
  ASSERT_TRUE(kompakt(compress(file("f.npy"), file("s.kpk"))).is(Status::ok));
  ASSERT_TRUE(kompakt(compress(file("f.npy"), file("a.kpk"), {"--name", "f"})).is(Status::ok));
  put(file("f.grib"), "GRIB of something");
  std::set<std::string> const before = names();
  struct Case {
    std::string name, what;
  };
  for (Case const& one : {Case{"s.kpk",
                               "is a stream of kompakt, which is compressed already; give "
                               "the original, or restore it first"},
                          Case{"a.kpk", "is an archive of kompakt, which"},
                          Case{"f.grib", "is a file of GRIB; convert it first"}}) {
    Words const said = {"'" + file(one.name) + "' " + one.what};
    expect_refused(compress(file(one.name), file("n.kpk")), Status::bad_magic, said);
    Words const whole = {"compress", file(one.name), "-o", file("n.kpk"), "-m", "abs", "-e", "1"};
    expect_refused(whole, Status::bad_magic, said);
    expect_refused({"repack", file(one.name), file("n.h5")}, Status::bad_magic, said);
    Outcome const piped = shell("$K compress - -o n.kpk -m abs -e 1 < " + one.name);
    EXPECT_TRUE(piped.is(Status::bad_magic)) << piped;
    EXPECT_NE(piped.err.find("standard input " + one.what), std::string::npos) << piped;
  }
  EXPECT_EQ(names(), before);
  Words raw_words = compress(file("s.kpk"), file("n.kpk"), {"-t", "u8", "-l"});
  raw_words.push_back(std::to_string(contents(file("s.kpk")).size()));
  Outcome const noted = kompakt(raw_words);
  EXPECT_TRUE(noted.is(Status::ok)) << noted;
  EXPECT_NE(noted.err.find("s.kpk' is compressed already; its bytes are taken for values\n"),
            std::string::npos)
      << noted;
}

TEST_F(CliFieldFiles, ThatAreToBeWrittenWhereTheyCannot_LeaveNothing) {
  put_array();
  ASSERT_TRUE(kompakt(compress(file("f.npy"), file("n.kpk"))).is(Status::ok));
  Words const words = {"decompress", "-i", file("n.kpk"), "-o", file("f.npy")};
  std::string const whole = contents(file("f.npy"));
  std::set<std::string> const before = names();
  expect_refused(words, Status::io, {"f.npy", "--force"});
  expect_refused(with(words, "-o", file("no/f.npy")), Status::io, {"no"});
  EXPECT_EQ(contents(file("f.npy")), whole);
  EXPECT_EQ(names(), before);
  // A limit of the system stands for a full disk.
  for (std::string const name : {"o.npy", "o.nc", "o.h5"}) {
    Outcome const outcome = shell("trap '' XFSZ; ulimit -f 20; $K decompress -i n.kpk -o " + name);
    EXPECT_TRUE(outcome.is(Status::io) || outcome.err.find("built without") != std::string::npos)
        << outcome;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome;
    EXPECT_EQ(names(), before) << name;
  }
}

TEST_F(CliFieldFiles, InPlaceOfOne_AreAllInTheArchiveOrNone) {
  put_array();
  Words const words = {"compress", file("f.npy"), file("r.npy"), "-o",      file("a.kpk"), "-m",
                       "abs",      "-e",          "1",           "--bound", "r=r2r:1e-4"};
  nlohmann::json const report = [&] {
    Words with_json = words;
    with_json.push_back("--json");
    return kompakt(with_json).json();
  }();
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["fields"][0]["name"], "f");
  EXPECT_EQ(report["fields"][0]["bound_mode"], "abs");
  EXPECT_EQ(report["fields"][1]["bound_mode"], "r2r");
  Words again = with(words, "-o", file("b.kpk"));
  put(file("cut.npy"), contents(file("f.npy")).substr(0, 500));
  again.push_back(file("cut.npy"));
  std::set<std::string> const before = names();
  expect_refused(again, Status::corrupt, {"cut.npy"});
  expect_refused({"compress", file("f.npy"), "-i", file("r.npy"), "-o", file("b.kpk")},
                 Status::bad_argument, {"-i"});
  expect_refused({"compress", file("f.f32"), "-o", file("b.kpk"), "-m", "abs", "-e", "1"},
                 Status::bad_argument, {"f.f32", "-i"});
  EXPECT_EQ(names(), before);
}

}  // namespace
}  // namespace kompakt::test
