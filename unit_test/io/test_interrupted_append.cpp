#include "temporary_folder.hpp"
#include <atomic>
#include <chrono>
#include <cli/parts/signals.hpp>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <io/appended_file.hpp>
#include <kompakt/files.hpp>
#include <support/child.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

// What every call of write() waits for before it writes.
std::atomic<std::chrono::milliseconds> g_pause{0ms};
// Whether it is interrupted there, in its own thread.
std::atomic<bool> g_interrupts{false};

}  // namespace

// In place of the one of the C library, so that something happens in front of it.
extern "C" ssize_t write(int fd, void const* bytes, size_t count) {
  if (g_pause.load() > 0ms) std::this_thread::sleep_for(g_pause.load());
  if (g_interrupts) {
    kompakt::cli::undo_unfinished_files();
    ::_exit(7);
  }
  return ::syscall(SYS_write, fd, bytes, count);
}

namespace kompakt::test {
namespace {

TEST(AppendedFile, SignalHandlerDuringAWrite_LeavesTheOldLength) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  status_of_child([&] {
    cli::install_signal_handlers();
    impl::AppendedFile file(folder / "x");
    g_pause = 100ms;
    std::thread writer([&] {
      for (;;) file.write(bytes_of(std::string(1000, 'x')));
    });
    std::this_thread::sleep_for(250ms);  // in the middle of a pause
    cli::undo_unfinished_files();
    std::this_thread::sleep_for(250ms);
    ::_exit(0);
    return 0;
  });
  EXPECT_EQ(contents(folder / "x"), "old");
}

TEST(AppendedFile, SignalHandlerInTheThreadThatWrites_DoesNotWaitForIt) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  int const status = status_of_child([&] {
    cli::install_signal_handlers();
    std::signal(SIGALRM, SIG_DFL);
    ::alarm(20);
    impl::AppendedFile file(folder / "x");
    file.write(bytes_of("new"));
    g_interrupts = true;
    file.write(bytes_of(" and more"));
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(contents(folder / "x"), "old");
}

/// What is thrown at the end of an append during which a file becomes something else.
std::string refusal_after(std::filesystem::path const& path, std::function<void()> const& change) {
  impl::AppendedFile file(path);
  file.write(bytes_of("new"));
  change();
  file.write(bytes_of(" and more"));
  try {
    file.commit();
  } catch (Error const& error) {
    return error.status() == Status::io ? error.what() : "another status";
  }
  return "";
}

TEST(AppendedFile, FileThatOthersRemoveReplaceOrChange_IsNotCommitted) {
  TemporaryFolder const folder;
  auto const path = folder / "x";
  put(path, "a long text");
  std::string what = refusal_after(path, [&] { std::filesystem::remove(path); });
  EXPECT_NE(what.find("was removed or replaced"), std::string::npos) << what;
  put(path, "a long text");
  what = refusal_after(path, [&] {
    put(folder / "y", "another");
    std::filesystem::rename(folder / "y", path);
  });
  EXPECT_NE(what.find("was removed or replaced"), std::string::npos) << what;
  EXPECT_EQ(contents(path), "another");
  put(path, "a long text");
  what = refusal_after(path, [&] { std::filesystem::resize_file(path, 3); });
  EXPECT_NE(what.find("it has 12 bytes instead of 23"), std::string::npos) << what;
  put(path, "a long text");
  what = refusal_after(path, [&] { std::ofstream(path, std::ios::app) << "!"; });
  EXPECT_NE(what.find("it has 24 bytes instead of 23"), std::string::npos) << what;
  EXPECT_EQ(contents(path), "a long text");
}

TEST(AppendedFile, OfARelativePath_IsCommittedWhereverTheProcessGoes) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  auto const before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  impl::AppendedFile file("x");
  file.write(bytes_of(" and new"));
  std::filesystem::current_path(before);
  file.commit();
  EXPECT_EQ(contents(folder / "x"), "old and new");
}

Status status_of(std::function<void()> const& call) {
  try {
    call();
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("locked"), std::string::npos) << error.what();
    return error.status();
  }
  return Status::ok;
}

TEST(OutputFile, OfAFileThatSomebodyAppendsTo_IsRefused) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  auto const replace = [&] { write_file(folder / "x", bytes_of("other"), Overwrite::yes); };
  OutputFile begun_before(folder / "x", Overwrite::yes);
  {
    impl::AppendedFile file(folder / "x");
    EXPECT_EQ(status_of(replace), Status::io);
    EXPECT_EQ(status_of([&] { begun_before.commit(); }), Status::io);
    file.write(bytes_of(" and new"));
    file.commit();
  }
  EXPECT_EQ(contents(folder / "x"), "old and new");
  EXPECT_EQ(status_of(replace), Status::ok);
  EXPECT_EQ(contents(folder / "x"), "other");
}

TEST(OutputFile, OfAFileThatSomebodyReadsWithALock_TakesItsPlace) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  impl::Descriptor const reader(::open((folder / "x").c_str(), O_RDONLY));
  ASSERT_EQ(::flock(reader.get(), LOCK_SH | LOCK_NB), 0);
  EXPECT_EQ(status_of([&] { write_file(folder / "x", bytes_of("new"), Overwrite::yes); }),
            Status::ok);
  EXPECT_EQ(contents(folder / "x"), "new");
}

TEST(OutputFile, OfAFileOfSomebodyElse_KeepsItsOwnerAndRights) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser gives files away";
  TemporaryFolder const folder;
  auto const path = folder / "x";
  for (mode_t const mode : {mode_t{0600}, mode_t{0664}}) {
    put(path, "old");
    if (::chown(path.c_str(), 1234, 2345) != 0) GTEST_SKIP() << "not in this namespace";
    ::chmod(path.c_str(), mode);
    OutputFile file(path, Overwrite::yes);
    struct stat partial {};
    ASSERT_EQ(::stat(file.partial_path()->c_str(), &partial), 0);
    EXPECT_EQ(partial.st_mode & 07777, 0600u);
    file.commit();
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_uid, 1234u);
    EXPECT_EQ(found.st_gid, 2345u);
    EXPECT_EQ(found.st_mode & 07777, mode);
  }
}

TEST(OutputFile, WithoutTheRightToTheGroup_LetsItsOwnGroupNoMoreThanAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser becomes somebody else";
  TemporaryFolder const folder;
  auto const path = folder / "x";
  put(path, "old");
  ::chmod(path.c_str(), 0664);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  int const status = status_of_child([&] {
    if (::setgid(2345) != 0 || ::setuid(1234) != 0) return Status::device;
    write_file(path, bytes_of("new"), Overwrite::yes);
    return Status::ok;
  });
  if (WEXITSTATUS(status) == static_cast<int>(Status::device)) GTEST_SKIP() << "no other user";
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 1234u);
  EXPECT_EQ(found.st_mode & 07777, 0644u);
}

/// A pipe whose ends do not block.
struct NonBlockingPipe {
  int ends[2] = {-1, -1};

  NonBlockingPipe() { EXPECT_EQ(::pipe2(ends, O_NONBLOCK), 0); }
};

TEST(OutputFile, NonBlockingPipe_IsWaitedFor) {
  NonBlockingPipe pipe;
  std::string const sent(std::size_t{1} << 20, 'x');
  std::string received;
  std::thread reader([&] {
    std::string piece(std::size_t{1} << 16, '\0');
    for (int quiet = 0; quiet < 500 && received.size() < sent.size();) {
      ssize_t const n = ::read(pipe.ends[0], piece.data(), piece.size());
      if (n > 0) received.append(piece, 0, static_cast<std::size_t>(n));
      quiet = n > 0 ? 0 : quiet + 1;
      std::this_thread::sleep_for(10ms);
    }
  });
  int const status = status_of_child([&] {
    ::dup2(pipe.ends[1], STDOUT_FILENO);
    try {
      OutputFile::standard_output().write(bytes_of(sent));
    } catch (Error const& error) {
      return error.status();
    }
    return Status::ok;
  });
  reader.join();
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(received, sent);
}

TEST(InputFile, NonBlockingPipe_IsWaitedFor) {
  NonBlockingPipe pipe;
  std::thread writer([&] {
    for (char const* piece : {"abc", "def"}) {
      std::this_thread::sleep_for(50ms);
      EXPECT_EQ(::syscall(SYS_write, pipe.ends[1], piece, 3), 3);
    }
  });
  int const status = status_of_child([&] {
    ::dup2(pipe.ends[0], STDIN_FILENO);
    try {
      std::string found(6, '\0');
      InputFile::standard_input().read(std::as_writable_bytes(std::span(found)));
      return found == "abcdef" ? Status::ok : Status::corrupt;
    } catch (Error const& error) {
      return error.status();
    }
  });
  writer.join();
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace kompakt::test
