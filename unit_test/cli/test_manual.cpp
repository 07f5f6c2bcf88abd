#include "program.hpp"
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <sstream>

// Manual page and completions: all that --help tells is in them.

namespace kompakt::test {
namespace {

/// The first words of the lines of a help that are indented by two: verbs, or names of options.
Words first_words(std::string const& help, std::string const& pattern) {
  Words found;
  std::istringstream lines(help);
  std::regex const indented("  (" + pattern + ")( .*)?");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, indented)) found.push_back(match[1]);
  }
  return found;
}

Words split(std::string const& names) {
  Words words;
  std::istringstream list(names);
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

/// What a shell prints; the exit code in front.
std::string shell(std::string const& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  char piece[4096];
  while (std::size_t const bytes = std::fread(piece, 1, sizeof piece, pipe)) {
    text.append(piece, bytes);
  }
  int const status = ::pclose(pipe);
  return std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + " " + text;
}

bool has_shell(std::string const& name) {
  return shell("command -v " + name + " 2> /dev/null").starts_with("0 ");
}

class ManualTest : public CliTest {
 protected:
  Words verbs() { return first_words(kompakt({"--help"}).out, "[a-z]+"); }
  /// All names of options of a verb, such as -c and --codebook.
  Words options(std::string const& verb) {
    Words names;
    for (std::string const& list : first_words(kompakt({verb, "--help"}).out, "-[-a-zA-Z,]+")) {
      for (std::string const& name : split(list)) names.push_back(name);
    }
    return names;
  }
  /// Writes the completions of a shell; returns their file.
  std::string completions(std::string const& of_shell) {
    Outcome const outcome = kompakt({"completion", of_shell});
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    put(file("completions"), outcome.out);
    return file("completions");
  }
  /// What bash offers for the last word of a line.
  Words offered(Words const& line) {
    std::string words;
    for (std::string const& word : line) words += " '" + word + "'";
    std::string const said = shell(
        "bash -c '. \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _kompakt; "
        "printf \"%s,\" \"${COMPREPLY[@]}\"' '" +
        completions("bash") + "'" + words);
    EXPECT_TRUE(said.starts_with("0 ")) << said;
    return split(said.substr(2));
  }
};

TEST_F(ManualTest, PageHasEveryVerbAndOptionOfTheHelp) {
  Outcome const outcome = kompakt({"man"});
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  Words const all = verbs();
  EXPECT_GT(all.size(), 12U);
  for (std::string const& verb : all) {
    EXPECT_NE(outcome.out.find(".SS kompakt " + verb + " "), std::string::npos) << verb;
    if (verb == "report") continue;  // the package's
    Words const names = options(verb);
    EXPECT_FALSE(names.empty()) << verb;
    for (std::string name : names) {
      name = std::regex_replace(name, std::regex("-"), "\\-");
      EXPECT_NE(outcome.out.find("\\fB" + name + "\\fR"), std::string::npos) << verb << name;
    }
  }
}

TEST_F(ManualTest, BashOffersVerbsOptionsAndWords) {
  if (!has_shell("bash")) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(offered({"kompakt", "comp"}), (Words{"compress", "compare", "compact", "completion"}));
  EXPECT_EQ(offered({"kompakt", "compress", "-c", "h"}), Words{"huffman"});
  EXPECT_EQ(offered({"kompakt", "compress", "--for", "s"}), (Words{"speed", "smallest"}));
  EXPECT_EQ(offered({"kompakt", "repack", "-m", "p"}), (Words{"pwr", "psnr"}));
  EXPECT_EQ(offered({"kompakt", "compress", "-t", "c"}), (Words{"c64", "c128"}));
  EXPECT_EQ(offered({"kompakt", "compress", "-e", ""}), Words{""});
  for (std::string const& verb : verbs()) {
    if (verb == "report") continue;
    Words const known = offered({"kompakt", verb, "-"});
    for (std::string const& name : options(verb)) {
      EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << verb << name;
    }
  }
}

TEST_F(ManualTest, EveryShellTakesItsScript) {
  std::pair<std::string, std::string> const shells[] = {
      {"bash", "bash -n"}, {"zsh", "zsh -n"}, {"fish", "fish --no-execute"}};
  std::string missing;
  for (auto const& [name, check] : shells) {
    std::string const script = completions(name);
    for (std::string const& verb : verbs()) {
      EXPECT_NE(contents(script).find(verb), std::string::npos) << name << verb;
    }
    if (!has_shell(name)) {
      missing += " " + name;
    } else {
      EXPECT_EQ(shell(check + " '" + script + "' 2>&1"), "0 ") << name;
    }
  }
  Outcome const other = kompakt({"completion", "tcsh"});
  EXPECT_TRUE(other.is(Status::bad_argument)) << other;
  EXPECT_EQ(other.err, "kompakt: 'tcsh' is no shell with completions; name bash, zsh or fish\n");
  if (!missing.empty()) GTEST_SKIP() << "not read by these shells, which are missing:" << missing;
}

}  // namespace
}  // namespace kompakt::test
