#include "temporary_folder.hpp"
#include <csignal>
#include <gtest/gtest.h>
#include <io/partial_file.hpp>
#include <kompakt/files.hpp>
#include <support/child.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

/// write_file() of 16 MiB in a child process in which no file may grow beyond 1 MiB: the system stops
/// it in the middle, with SIGXFSZ. Returns what waitpid() says.
int write_stopped_in_the_middle(std::filesystem::path const& path, void (*on_signal)(int)) {
  return status_of_child([&] {
    rlimit const no_core{0, 0};
    rlimit const limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, on_signal);
    try {
      write_file(path, bytes_of(std::string(16 << 20, 'x')), Overwrite::yes);
    } catch (Error const& error) {
      return error.status();
    }
    return Status::ok;
  });
}

TEST(WriteFile, NoRoomInTheMiddle_LeavesWhatWasThere) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  int const status = write_stopped_in_the_middle(folder / "x", SIG_IGN);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Status::io));
  EXPECT_EQ(contents(folder / "x"), "old");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(WriteFile, KilledInTheMiddle_LeavesWhatWasThereUnderTheRealName) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  int const status = write_stopped_in_the_middle(folder / "x", SIG_DFL);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(contents(folder / "x"), "old");
}

TEST(WriteFile, SignalHandlerInTheMiddle_CanRemoveThePartialFile) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  int const status = write_stopped_in_the_middle(folder / "x", [](int) {
    remove_partial_file();
    ::_exit(99);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 99);
  EXPECT_EQ(contents(folder / "x"), "old");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

// A process that is forked has the file as well, and comes to the end of its scope too.
TEST(OutputFile, InAForkedProcess_RefusesAndLeavesTheFileAlone) {
  TemporaryFolder const folder;
  std::optional<OutputFile> file(std::in_place, folder / "x", Overwrite::no);
  file->write(bytes_of("of the "));
  int const status = status_of_child([&] {
    Status found = Status::ok;
    try {
      file->write(bytes_of("child"));
    } catch (Error const& error) {
      found = error.status();
    }
    file.reset();
    return found;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Status::io));
  file->write(bytes_of("parent"));
  file->commit();
  EXPECT_EQ(contents(folder / "x"), "of the parent");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(OutputFile, OfARelativePath_GetsItsNameWhereverTheProcessGoes) {
  TemporaryFolder const folder;
  auto const before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  OutputFile file("x", Overwrite::no);
  file.write(bytes_of("text"));
  std::filesystem::current_path(before);
  file.commit();
  EXPECT_EQ(contents(folder / "x"), "text");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

}  // namespace
}  // namespace kompakt::test
