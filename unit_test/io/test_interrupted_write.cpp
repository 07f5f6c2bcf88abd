#include "temporary_folder.hpp"
#include <cli/parts/signals.hpp>
#include <csignal>
#include <gtest/gtest.h>
#include <io/appended_file.hpp>
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
    cli::install_signal_handlers();
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
    cli::undo_unfinished_files();
    ::_exit(99);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 99);
  EXPECT_EQ(contents(folder / "x"), "old");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

/// What a watcher hears, in a word each.
struct Heard final : FileWatcher {
  std::string words;

  void create_begins(char const* name) noexcept override {
    words += std::filesystem::exists(name) ? "late " : "create ";
  }
  void create_ends(char const* name) noexcept override {
    words += std::filesystem::exists(name) ? "early " : "created ";
  }
  void append_begins(int, std::uint64_t bytes) noexcept override {
    words += "append" + std::to_string(bytes) + " ";
  }
  void append_ends(int) noexcept override { words += "appended "; }
  void change_begins(int) noexcept override { words += "( "; }
  void change_ends() noexcept override { words += ") "; }
};

TEST(FileWatcher, HearsBeforeAndBehindWhatItWouldUndo) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  status_of_child([&] {
    static Heard heard;
    watch_files(heard);
    { OutputFile const given_up(folder / "y", Overwrite::no); }
    write_file(folder / "y", bytes_of("new"), Overwrite::no);
    try {
      OutputFile const refused(folder / "none" / "y", Overwrite::no);
    } catch (Error const&) {
      heard.words += "refused ";
    }
    { impl::AppendedFile(folder / "x").write(bytes_of("given up")); }
    impl::AppendedFile file(folder / "x");
    file.write(bytes_of("new"));
    file.commit();
    put(folder / "heard", heard.words);
    return 0;
  });
  EXPECT_EQ(contents(folder / "heard"),
            "create created create created create created refused "
            "append3 ( ) ( appended ) append3 ( ) ( appended ) ");
  EXPECT_EQ(contents(folder / "x"), "oldnew");
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
