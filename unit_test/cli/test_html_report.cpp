#include "program.hpp"
#include <cstdlib>
#include <fstream>

// What the verb `report` hands to Python. What Python does is tested by python/tests/test_report.py.

namespace kompakt::test {

namespace {

class HtmlReport : public CliTest {
 protected:
  /// A program that prints its arguments behind the text of -c, a line each.
  std::string python() const {
    std::string const path = file("python");
    std::ofstream(path) << "#!/bin/sh\n[ \"$1\" = -c ] || exit 9\nshift 2\n"
                           "printf '%s\\n' \"$KOMPAKT_REPORT_COMMAND\" \"$@\"\nexit 20\n";
    ::chmod(path.c_str(), 0700);
    return path;
  }
};

TEST_F(HtmlReport, HandsAllWordsInOrderToPython_AndItsExitCodeBack) {
  Outcome const outcome =
      kompakt({"report", "a.nc:t", "--bounds", "1e-2,1e-3", "info", "-l", "4x5", "--python",
               python(), "-e", "1e-3", "--help", "-o", "page with blanks.html", "--force"});
  EXPECT_TRUE(outcome.is(Status::bound_violated)) << outcome;
  EXPECT_EQ(outcome.out,
            "kompakt report\na.nc:t\n--bounds\n1e-2,1e-3\ninfo\n-l\n4x5\n-e\n1e-3\n--help\n-o\n"
            "page with blanks.html\n--force\n");
}

TEST_F(HtmlReport, TakesThePythonOfTheEnvironment_AndQuiet) {
  ::setenv("KOMPAKT_PYTHON", python().c_str(), 1);
  Outcome const outcome = kompakt({"report", "a", "b", "--quiet"});
  ::unsetenv("KOMPAKT_PYTHON");
  EXPECT_EQ(outcome.out, "kompakt report\n--quiet\na\nb\n") << outcome;
}

TEST_F(HtmlReport, NamesThePythonThatIsNotThere) {
  expect_refused({"report", "--python", "/nowhere/python3", "a", "b"}, Status::io,
                 {"/nowhere/python3", "--python", "KOMPAKT_PYTHON"});
}

TEST_F(HtmlReport, SaysThatThePackageIsMissing) {
  if (std::system("python3 -S -c '' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  // Without its folders of packages no Python has one.
  std::string const path = file("bare");
  std::ofstream(path) << "#!/bin/sh\nexec python3 -S -E \"$@\"\n";
  ::chmod(path.c_str(), 0700);
  expect_refused({"report", "--python", path, "a", "b", "-o", file("page.html")},
                 Status::bad_argument, {"no Python package kompakt", "pip install", "--python"});
  EXPECT_FALSE(names().contains("page.html"));
}

}  // namespace

}  // namespace kompakt::test
