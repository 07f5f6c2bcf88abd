#include "slabs.hpp"

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

class CliPipes : public CliSlabs {
 protected:
  void SetUp() override {
    m_field = smooth_field<float>({61, 66, 67});
    m_words = " -t f32 --shape 61,66,67 --exec serial ";
    put(file("x"), m_field.bytes);
  }

  LargeField m_field;
  std::string m_words;
};

TEST_F(CliPipes, BothWays_GiveWhatFilesGive) {
  for (std::string const limit : {"", "--memory 33M"}) {
    std::string const how = m_words + "-m abs -e 1e-3 " + limit;
    Outcome const files = shell("$K compress -i x -o x.kpk --force" + how +
                                " && $K decompress -i x.kpk -o y --force");
    ASSERT_TRUE(files.is(Status::ok)) << files;
    Outcome const pipes = shell("cat x | $K compress -i - -o -" + how +
                                " 2>report | tee z.kpk | $K decompress -i - -o - 2>report2 >z");
    ASSERT_TRUE(pipes.is(Status::ok)) << pipes;
    EXPECT_EQ(contents(file("z.kpk")), contents(file("x.kpk")));
    EXPECT_EQ(contents(file("z")), contents(file("y")));
    expect_promise(values_of<float>(m_field.bytes), values_of<float>(contents(file("z"))), 1e-3);
    EXPECT_TRUE(pipes.out.empty() && pipes.err.empty()) << pipes;
    for (char const* report : {"report", "report2"}) {
      EXPECT_NE(contents(file(report)).find("ratio"), std::string::npos);
    }
  }
}

TEST_F(CliPipes, FieldWithoutDashI_IsTheSame) {
  std::string const how = m_words + "-m r2r -e 1e-3 ";
  ASSERT_TRUE(shell("$K compress -i x -o named" + how).is(Status::ok));
  Outcome const alone = shell("$K compress x -o alone" + how);
  ASSERT_TRUE(alone.is(Status::ok)) << alone;
  Outcome const piped = shell("cat x | $K compress - -o -" + how + " >piped");
  ASSERT_TRUE(piped.is(Status::ok)) << piped;
  EXPECT_EQ(contents(file("alone")), contents(file("named")));
  EXPECT_EQ(contents(file("piped")), contents(file("named")));
  Outcome const two = shell("$K compress x x -o two" + how);
  EXPECT_TRUE(two.is(Status::bad_argument)) << two;
}

TEST_F(CliPipes, WhatSaysNothingOfItself_IsRefused) {
  Outcome const outcome = shell("cat x | $K compress - -m abs -e 1e-3 -o new");
  EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
  EXPECT_NE(outcome.err.find("standard input is not an array of .npy"), std::string::npos);
  EXPECT_NE(outcome.err.find("give -t and -l"), std::string::npos);
}

TEST_F(CliPipes, ExtentsThatNoMemoryHolds_AreRefused) {
  // Every call reserves what memory there is, which takes its time: not each shape with each way.
  std::string const shapes[] = {"70368744177664", "140737488355328", "1152921504606846976",
                                "1073741824,1073741824", "2,562949953421312"};
  std::string const ways[] = {"-t f32", "-t f64 --pack",
                              "-t f32 -c bitshuffle --predictor interpolate",
                              "-t f64 -c huffman --predictor interpolate --pack"};
  for (std::size_t i = 0; i < 2 * std::size(shapes); ++i) {
    std::string const& shape = shapes[i % std::size(shapes)];
    std::string const how = ways[i % std::size(ways)] + " --exec serial --shape " + shape;
    Outcome const outcome = shell("cat x | $K compress -i - -o z.kpk -m abs -e 1e-3 " + how);
    EXPECT_TRUE(outcome.is(Status::bad_argument)) << how << outcome;
    EXPECT_NE(outcome.err.find("check -l / --shape"), std::string::npos) << outcome;
    EXPECT_FALSE(std::filesystem::exists(file("z.kpk")));
  }
}

TEST_F(CliPipes, FieldThatFits_HasARangeAndAPipelineOfItsOwn) {
  for (std::string const mode : {"-m r2r -e 1e-3", "-m psnr -e 60", "-m abs -e 1e-3"}) {
    for (std::string const pipeline : {"", "-c huffman", "-c auto", "--for ratio"}) {
      std::string const how = m_words + mode + " " + pipeline;
      Outcome const outcome = shell("$K compress -i x -o x.kpk --force" + how +
                                    " && cat x | $K compress -i - -o z.kpk --force" + how);
      ASSERT_TRUE(outcome.is(Status::ok)) << how << outcome;
      EXPECT_EQ(contents(file("z.kpk")), contents(file("x.kpk"))) << how;
    }
  }
}

TEST_F(CliPipes, FieldThatDoesNotFit_IsLookedAtByItsFirstSlab) {
  for (std::string const pipeline : {"", "--for ratio"}) {
    std::string const how = m_words + "-m abs -e 1e-3 --memory 33M " + pipeline;
    Outcome const outcome = shell("$K compress -i x -o x.kpk --force" + how +
                                  " && cat x | $K compress -i - -o z.kpk --force" + how);
    ASSERT_TRUE(outcome.is(Status::ok)) << how << outcome;
    EXPECT_EQ(contents(file("z.kpk")), contents(file("x.kpk"))) << how;
    EXPECT_GE(info("z.kpk").at("frames"), 4);
    EXPECT_TRUE(info("z.kpk").contains("chosen_by"));
  }
}

TEST_F(CliPipes, GivenRange_IsThatOfTheField) {
  std::string const how = m_words + "-m r2r -e 1e-3 ";
  Outcome const outcome = shell("cat x | $K compress -i - -o x.kpk --range 4 --memory 33M" + how);
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(info("x.kpk").at("bound_abs"), 4e-3);
  EXPECT_GE(info("x.kpk").at("frames"), 4);
  for (std::string const mode : {"-m r2r -e 1e-3", "-m psnr -e 60"}) {
    Outcome const none =
        shell("cat x | $K compress -i - -o z.kpk --memory 33M " + m_words + mode + " -c huffman");
    EXPECT_TRUE(none.is(Status::bad_argument)) << none;
    EXPECT_NE(none.err.find("give --range"), std::string::npos) << none;
    EXPECT_NE(none.err.find("34603008 bytes of memory allowed by --memory"), std::string::npos)
        << none;
  }
  Outcome const compare =
      shell("mkfifo p && (cat x >p & $K compare -i p x.kpk -m r2r -e 1e-3); rm p");
  EXPECT_NE(compare.err.find("give --range"), std::string::npos) << compare;
  Outcome const given = shell("mkfifo p && (cat x >p & $K compare -i p x.kpk) && rm p");
  EXPECT_TRUE(given.is(Status::ok)) << given;
  EXPECT_EQ(names(), Names({"x", "x.kpk"}));
}

TEST_F(CliPipes, FileAsStandardInput_IsReadTwice) {
  std::string const how = m_words + "-m r2r -e 1e-3 --memory 33M ";
  Outcome const outcome =
      shell("$K compress -i x -o x.kpk" + how + " && $K compress -i - -o z.kpk <x" + how);
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(contents(file("z.kpk")), contents(file("x.kpk")));
  ASSERT_TRUE(shell("$K decompress -i - -o y < x.kpk && $K info - < x.kpk").is(Status::ok));
  EXPECT_EQ(contents(file("y")).size(), m_field.bytes.size());
  // Also one of which something has been read before.
  Outcome const rest = shell(
      "(echo 12345678901; cat x) >w; (dd bs=12 count=1 status=none >/dev/null; $K compress -i - "
      "-o w.kpk" +
      how + ") <w");
  ASSERT_TRUE(rest.is(Status::ok)) << rest;
  EXPECT_EQ(contents(file("w.kpk")), contents(file("x.kpk")));
}

TEST_F(CliPipes, StreamThatDoesNotFit_IsReadByPiecesOfAFileAsStandardInput) {
  // Bits that no coder makes smaller, in one frame.
  LargeField const large = random_field<float>({130, 150, 200});
  put(file("x"), large.bytes);
  Outcome const made = shell("$K compress -i x -o x.kpk -t f32 --shape 130,150,200 -m lossless");
  ASSERT_TRUE(made.is(Status::ok)) << made;
  ASSERT_EQ(info("x.kpk").at("frames"), 1);
  std::string const how = "$K decompress -i - -o y --exec serial --force --memory 33M ";
  Outcome const whole = shell(how + "<x.kpk");
  ASSERT_TRUE(whole.is(Status::ok)) << whole;
  EXPECT_EQ(contents(file("y")), large.bytes);
  Outcome const rest =
      shell("(echo 123456789012345; cat x.kpk) >w; (dd bs=16 count=1 status=none >/dev/null; " +
            how + ") <w");
  ASSERT_TRUE(rest.is(Status::ok)) << rest;
  EXPECT_EQ(contents(file("y")), large.bytes);
  Outcome const compared = shell("$K compare -i x - --exec serial --memory 33M <x.kpk");
  EXPECT_TRUE(compared.is(Status::ok)) << compared;
  Outcome const pipe = shell("cat x.kpk | " + how);
  EXPECT_TRUE(pipe.is(Status::bad_argument)) << pipe;
  EXPECT_NE(pipe.err.find("in a pipe needs a --memory of at least"), std::string::npos) << pipe;
}

TEST_F(CliPipes, PipeOfAnotherLength_IsRefused) {
  for (std::string const limit : {"", "--memory 33M"}) {
    std::string const how = m_words + "-m abs -e 1e-3 -i - -o new " + limit;
    for (std::string const size : {"0", "1", "300000", "1078967"}) {
      Outcome const outcome = shell("head -c " + size + " x | $K compress" + how);
      EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
      EXPECT_NE(outcome.err.find("standard input' has " + size + " bytes"), std::string::npos)
          << outcome;
    }
    Outcome const longer = shell("(cat x; echo) | $K compress" + how);
    EXPECT_TRUE(longer.is(Status::bad_argument)) << longer;
    EXPECT_NE(longer.err.find("more than 1078968 bytes"), std::string::npos) << longer;
  }
  EXPECT_EQ(names(), Names({"x"}));
}

TEST_F(CliPipes, PipeOfAnotherLength_SendsNoCompleteField) {
  for (std::string const limit : {"", "--memory 33M"}) {
    std::string const how = m_words + "-m abs -e 1e-3 -i - " + limit;
    for (std::string const input : {"cat x; echo", "cat x x", "head -c 1078964 x", "head -c 9 x"}) {
      Outcome const outcome = shell("(" + input + ") | $K compress -o - " + how + " >z");
      EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
      Outcome const back = shell("$K decompress -i z -o new");
      EXPECT_FALSE(back.is(Status::ok)) << input << limit << back;
      EXPECT_TRUE(!limit.empty() || contents(file("z")).empty()) << input;
    }
  }
  EXPECT_EQ(names(), Names({"x", "z"}));
}

TEST_F(CliPipes, WhatIsNoStream_IsRefused) {
  Outcome const field = shell("cat x | $K decompress -i - -o new");
  EXPECT_TRUE(field.is(Status::bad_magic)) << field;
  Outcome const nothing = shell("$K decompress -i - -o new </dev/null");
  EXPECT_TRUE(nothing.is(Status::bad_magic)) << nothing;
  EXPECT_EQ(names(), Names({"x"}));
}

TEST_F(CliPipes, FullDevice_IsSaid) {
  Outcome const outcome = shell("$K compress -i x -o - -m abs -e 1e-3" + m_words + ">/dev/full");
  EXPECT_TRUE(outcome.is(Status::io)) << outcome;
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome;
}

/// A terminal on which nobody looks.
class Terminal {
 public:
  Terminal() : m_master(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (m_master < 0 || ::grantpt(m_master) != 0 || ::unlockpt(m_master) != 0) return;
    m_slave = ::open(name().c_str(), O_RDWR | O_NOCTTY);  // what is written stays while it is open
  }
  Terminal(Terminal const&) = delete;
  Terminal& operator=(Terminal const&) = delete;
  ~Terminal() {
    if (m_slave >= 0) ::close(m_slave);
    if (m_master >= 0) ::close(m_master);
  }
  /// Whether the system has one to give: a root or a container without devpts has none.
  bool exists() const { return m_slave >= 0; }
  std::string name() const { return ::ptsname(m_master); }
  std::string text() const {
    std::string text(1 << 16, '\0');
    ssize_t const size = ::read(m_master, text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  int m_master;
  int m_slave = -1;
};

TEST_F(CliPipes, TerminalAsStandardError_ShowsHowFarTheWorkIs) {
  Terminal const terminal;
  if (!terminal.exists()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  Outcome const outcome = shell(
      "(head -c 600000 x; sleep 1.6; tail -c +600001 x) | $K compress -i - -o x.kpk -m abs -e 1e-3 "
      "--memory 33M" +
      m_words + "2>" + terminal.name());
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  std::string const text = terminal.text();
  for (char const* word : {"compressing 1.08 MB [=", "] 55 %", "/s  ", " s left"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
  }
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST_F(CliPipes, TerminalAsStandardOutput_IsSpared) {
  Terminal const terminal;
  if (!terminal.exists()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  Outcome const outcome =
      shell("$K compress -i x -o - -m abs -e 1e-3" + m_words + ">" + terminal.name());
  EXPECT_TRUE(outcome.is(Status::io)) << outcome;
  EXPECT_NE(outcome.err.find("it is a terminal"), std::string::npos) << outcome;
  EXPECT_EQ(terminal.text(), "");
}

TEST_F(CliPipes, FileThatIsCalledMinus_HasAPath) {
  Outcome const outcome = shell("cp x ./- && $K compress -i ./- -o z.kpk -m abs -e 1e-3" + m_words);
  EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
}

}  // namespace
}  // namespace kompakt::test
