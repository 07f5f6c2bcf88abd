#include "saver_state.hpp"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <io/temporary_folder.hpp>
#include <string>
#include <support/random.hpp>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// Programs that are stopped while they save. A child is a program of its own: threads do not survive a fork.

namespace kompakt::test {
namespace {

struct Child {
  pid_t process = 0;
  int output = -1;  // a byte comes before its first save
};

Child start(std::filesystem::path const& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {KOMPAKT_CHECKPOINT_SAVER, folder.string()});
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  std::string const messages = (folder / "messages").string();
  pid_t const process = ::fork();
  if (process == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  return {process, ends[0]};
}

int end_of(Child const& child) {
  int status = 0;
  ::waitpid(child.process, &status, 0);
  ::close(child.output);
  return status;
}

int run(std::filesystem::path const& folder, std::vector<std::string> const& arguments) {
  return WEXITSTATUS(end_of(start(folder, arguments)));
}

std::size_t file_count(TemporaryFolder const& folder) { return folder.names().size(); }

TEST(CheckpointKilled, AtRandomPoints_GoesOnEachTimeFromASoundOne) {
  char const* const text = std::getenv("KOMPAKT_TEST_KILLS");
  int const kills = text == nullptr ? 20 : std::atoi(text);
  TemporaryFolder const folder;
  ASSERT_EQ(run(folder.path(), {"2"}), 0);
  SaverState const state;
  Random random(11);
  std::uint64_t before = 2;
  for (int i = 0; i < kills; ++i) {
    Child const child = start(folder.path(), {"1000000"});
    char byte = 0;
    ASSERT_EQ(::read(child.output, &byte, 1), 1);
    ::usleep(static_cast<useconds_t>(random.below(25000)));
    ::kill(child.process, SIGKILL);
    ASSERT_TRUE(WIFSIGNALED(end_of(child))) << contents(folder / "messages");
    state.compute(0);
    RestoredCheckpoint const restored = state.checkpoint(folder.path()).restore();
    ASSERT_TRUE(restored.skipped.empty()) << restored.text();
    ASSERT_GE(restored.step, before);
    ASSERT_TRUE(state.is_of(restored.step)) << restored.step;
    before = restored.step;
  }
  EXPECT_GT(before, 2u) << "no save was completed, so nothing was tested";
  ASSERT_EQ(run(folder.path(), {"1"}), 0);
  EXPECT_EQ(file_count(folder), 4u) << "two checkpoints, which is the newest, and messages";
}

TEST(CheckpointKilled, FullDisk_IsALineAndLosesNothing) {
  TemporaryFolder const folder;
  ASSERT_EQ(run(folder.path(), {"2"}), 0);
  auto const before = folder.names();
  EXPECT_EQ(run(folder.path(), {"1", "10000"}), static_cast<int>(Status::io));
  std::string const message = contents(folder / "messages");
  for (char const* words : {"step 3 was not saved", "stay", "free some space", ".kpk"}) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }
  EXPECT_EQ(folder.names(), before);
  ASSERT_EQ(run(folder.path(), {"1"}), 0) << contents(folder / "messages");
}

}  // namespace
}  // namespace kompakt::test
