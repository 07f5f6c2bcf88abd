#include "slabs.hpp"
#include <cli/parts/signals.hpp>
#include <kompakt/files.hpp>
#include <kompakt/threads.hpp>
#include <support/child.hpp>
#include <support/failing_new.hpp>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

/// Standard files that are closed, full, without a reader or the input itself.
class CliStandardFiles : public CliSlabs {
 protected:
  void SetUp() override {
    put(file("f"), raw<float>());
    ASSERT_TRUE(shell("$K compress -o whole" + how).is(Status::ok));
  }
  /// The first `words` of the program are behind `front`, and its exit code is in the file "code".
  Outcome with_code(std::string const& words, std::string const& behind) const {
    return shell("( sleep 0.3; $K " + words + "; echo $? >code ) " + behind);
  }
  int code() const { return std::stoi(contents(file("code"))); }
  void expect_whole(std::string const& name) const {
    EXPECT_EQ(contents(file(name)), contents(file("whole")));
  }

  std::string const how = " -i f -t f32 -l 40x30x20 -m rel -e 1e-3 --exec serial ";  // with a note
};

TEST_F(CliStandardFiles, ThatAreClosed_AreNoOtherFiles) {
  for (std::string const number : {"1", "2"}) {
    Outcome const outcome =
        shell("mkfifo p; $K info - <p " + number + ">&- & pid=$!; exec 7>p; sleep 0.3; readlink " +
              "/proc/$pid/fd/" + number + "; exec 7>&-; rm p");
    EXPECT_EQ(outcome.out, "/dev/null\n") << outcome;
  }
  Outcome const outcome = shell("$K compress -o x" + how + "0<&- 1>&-");
  EXPECT_TRUE(outcome.is(Status::io)) << outcome;
  EXPECT_NE(outcome.err.find("the output is complete, but its report is not"), std::string::npos)
      << outcome;
  expect_whole("x");
  EXPECT_TRUE(shell("$K compress -o y" + how + "2>&-").is(Status::ok));
  expect_whole("y");
  EXPECT_TRUE(shell("$K compress -o -" + how + ">&-").is(Status::io));
}

TEST_F(CliStandardFiles, FullDiskBehindAReport_IsAnError) {
  for (std::string const words :
       {"--version", "--help", "info --help", "man", "completion bash", "words -m abs -e 1",
        "info whole", "info whole --json", "verify whole", "compare f whole"}) {
    Outcome const outcome = shell("$K " + words + " >/dev/full");
    EXPECT_TRUE(outcome.is(Status::io)) << words << outcome;
    EXPECT_EQ(outcome.err.rfind("kompakt: cannot write 'standard output'", 0), 0u) << outcome;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome;
  }
  Outcome const outcome = shell("$K compress -o x" + how + ">/dev/full");
  EXPECT_TRUE(outcome.is(Status::io)) << outcome;
  EXPECT_NE(outcome.err.find("the output is complete, but its report is not"), std::string::npos)
      << outcome;
  expect_whole("x");
  Outcome const verdict = shell("$K compare f whole -m abs -e 1e-9 >/dev/full");
  EXPECT_TRUE(verdict.is(Status::bound_violated)) << verdict;
}

TEST_F(CliStandardFiles, LostReader_EndsNoWorkOnFiles) {
  with_code("compress -o x" + how + "2>&1", "| true");
  EXPECT_EQ(code(), static_cast<int>(Status::io));
  expect_whole("x");
  // As programs in pipes end; where the signal is ignored it is an error.
  for (std::string const& words :
       Words{"info whole", "compress -o -" + how, "decompress whole -o -"}) {
    with_code(words, "| true");
    EXPECT_TRUE(code() == 128 + SIGPIPE || code() == static_cast<int>(Status::io)) << code();
  }
  EXPECT_EQ(names(), Names({"code", "f", "whole", "x"}));
}

TEST_F(CliStandardFiles, StandardOutputThatIsTheInput_IsRefused) {
  std::string const field = contents(file("f")), stream = contents(file("whole"));
  for (std::string const& line : Words{
           "$K compress -o -" + how + "1<>f", "$K decompress whole -o - >>whole",
           "$K extract whole --roi 1,:,: -o - >>whole", "$K decompress -i - -o - <whole >>whole"}) {
    Outcome const outcome = shell(line);
    EXPECT_TRUE(outcome.is(Status::io)) << line << outcome;
    EXPECT_NE(outcome.err.find("'standard output': it is the input"), std::string::npos) << outcome;
  }
  EXPECT_EQ(contents(file("f")), field);
  EXPECT_EQ(contents(file("whole")), stream);
}

TEST(CliExit, OfALibraryInTheMiddle_LeavesNothingAndHasACodeOfItsOwn) {
  TemporaryFolder const folder;
  int const status = status_of_child([&] {
    ::close(STDERR_FILENO);
    cli::install_signal_handlers();
    OutputFile const file(folder / "x", Overwrite::no);
    std::exit(1);
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(Status::device));
  EXPECT_TRUE(folder.names().empty());
}

TEST(CliHostThreads, WithoutMemoryToStartThem_AreRefused) {
  int const status = status_of_child([] {
    ::alarm(60);  // a thread that waits for ever
    int refusals = 0;
    for (long allocations = 0; allocations < 40; ++allocations) {
      fail_after(allocations);
      try {
        host_threads(100);
      } catch (Error const& error) {
        if (error.status() == Status::device) ++refusals;
      } catch (std::bad_alloc const&) {
      }
      fail_after(-1);
    }
    return refusals > 0 ? 0 : 1;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace kompakt::test
