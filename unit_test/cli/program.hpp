#ifndef KOMPAKT_TEST_CLI_PROGRAM_HPP
#define KOMPAKT_TEST_CLI_PROGRAM_HPP

#include "../io/temporary_folder.hpp"
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <kompakt/error.hpp>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace kompakt::test {

using Words = std::vector<std::string>;

/// How the program ended and what it said.
struct Outcome {
  int exit_code = -1;  ///< -1 if a signal ended it
  int signal = 0;
  std::string out, err;

  bool is(Status status) const { return exit_code == static_cast<int>(status); }
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

inline std::ostream& operator<<(std::ostream& stream, Outcome const& outcome) {
  return stream << "exit code " << outcome.exit_code << ", signal " << outcome.signal
                << "\nstdout: " << outcome.out << "\nstderr: " << outcome.err;
}

/// The program under test, running; its output goes to files in `folder`.
class Program {
 public:
  Program(TemporaryFolder const& folder, Words words) : m_folder(folder) {
    words.insert(words.begin(), KOMPAKT_CLI_PATH);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    int const create = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, (folder / "out").c_str(), create, 0600);
    ::posix_spawn_file_actions_addopen(&actions, 2, (folder / "err").c_str(), create, 0600);
    int const error =
        ::posix_spawn(&m_pid, KOMPAKT_CLI_PATH, &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start " KOMPAKT_CLI_PATH);
  }

  pid_t pid() const { return m_pid; }

  Outcome wait() {
    int status = 0;
    ::waitpid(m_pid, &status, 0);
    Outcome outcome;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    outcome.out = contents(m_folder / "out");
    outcome.err = contents(m_folder / "err");
    return outcome;
  }

 private:
  TemporaryFolder const& m_folder;
  pid_t m_pid = -1;
};

/// A folder for the files of a test, with a smooth field of 20 x 30 x 40 values in it.
class CliTest : public ::testing::Test {
 protected:
  static constexpr std::size_t values = 20 * 30 * 40;

  void SetUp() override {
    put(file("f.f32"), raw<float>());
    put(file("f.f64"), raw<double>());
  }

  std::string file(std::string const& name) const { return (m_files / name).string(); }
  std::set<std::string> names() const { return m_files.names(); }

  Outcome kompakt(Words const& words) const { return Program(m_output, words).wait(); }

  /// compress of f.f32 or f.f64 with an absolute bound, and `more` words.
  Words compress_words(std::string const& type, std::string const& output,
                       Words const& more = {}) const {
    Words words = {"compress", "-i",   file("f." + type),
                   "-t",       type,   "-l",
                   "40x30x20", "-m",   "abs",
                   "-e",       "1e-3", "-o",
                   output,     "-c",   "fixedlength"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// `words` with the word behind `option` replaced.
  static Words with(Words words, std::string const& option, std::string const& word) {
    auto const found = std::find(words.begin(), words.end(), option);
    if (found == words.end() || found + 1 == words.end()) throw std::runtime_error("no " + option);
    *(found + 1) = word;
    return words;
  }

  /// `words` without `option` and the word behind it.
  static Words without(Words words, std::string const& option) {
    auto const found = std::find(words.begin(), words.end(), option);
    if (found == words.end() || found + 1 == words.end()) throw std::runtime_error("no " + option);
    words.erase(found, found + 2);
    return words;
  }

  /// The words must be refused: one line on stderr that has all of `mentions`, nothing on stdout.
  void expect_refused(Words const& words, Status status, Words const& mentions) const {
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(status)) << outcome;
    EXPECT_EQ(outcome.err.substr(0, 9), "kompakt: ") << outcome;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome;
    EXPECT_TRUE(outcome.out.empty()) << outcome;
    for (std::string const& mention : mentions) {
      EXPECT_NE(outcome.err.find(mention), std::string::npos)
          << "no " << mention << ": " << outcome;
    }
  }

  template <class T>
  static std::string raw() {
    std::vector<T> field(values);
    for (std::size_t i = 0; i < values; ++i) {
      double const x = static_cast<double>(i % 40), y = static_cast<double>(i / 40);
      field[i] = static_cast<T>(std::sin(0.1 * x) * std::cos(0.01 * y) + 0.001 * y);
    }
    return {reinterpret_cast<char const*>(field.data()), field.size() * sizeof(T)};
  }

  TemporaryFolder const m_files;
  TemporaryFolder const m_output;  // apart, so that names() are the program's doing alone
};

}  // namespace kompakt::test

#endif
