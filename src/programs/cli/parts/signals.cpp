#include "signals.hpp"
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <kompakt/error.hpp>
#include <kompakt/files.hpp>
#include <mutex>
#include <string_view>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace kompakt::cli {

namespace {

/// Unfinished files in plain memory, because signal handlers may touch nothing else. One new file and one that is appended
/// to are enough for a program that writes one at a time. Others stay if a signal ends the program; destructors undo them
/// otherwise.
class UnfinishedFiles final : public FileWatcher {
 public:
  void create_begins(char const* name) noexcept override {
    std::lock_guard const lock(m_entry);
    if (m_has_name || std::strlen(name) >= sizeof m_name) return;
    std::strcpy(m_name, name);
    m_has_name = true;
  }
  void create_ends(char const* name) noexcept override {
    std::lock_guard const lock(m_entry);
    if (std::strcmp(m_name, name) == 0) m_has_name = false;
  }
  void append_begins(int fd, std::uint64_t bytes) noexcept override {
    // Of two threads the length of one must not stand beside the file of the other.
    std::lock_guard const lock(m_entry);
    if (m_fd >= 0) return;
    m_old_bytes = static_cast<off_t>(bytes);
    m_fd = fd;
  }
  void append_ends(int fd) noexcept override { m_fd.compare_exchange_strong(fd, -1); }
  /// Waits for the end of the process if another thread undoes the append: this one would write behind the old end, or
  /// close a descriptor that the other one holds.
  void change_begins(int fd) noexcept override {
    if (fd == m_fd) m_changing = ::gettid();
    pid_t const by = m_undone_by;
    if (by == 0 || by == ::gettid()) return;
    change_ends();
    for (;;) ::pause();
  }
  void change_ends() noexcept override {
    pid_t mine = ::gettid();
    m_changing.compare_exchange_strong(mine, 0);
  }
  void undo() noexcept {
    if (m_has_name) ::unlink(m_name);
    m_undone_by = ::gettid();
    // Bytes that a change writes behind the old end would stay. In the thread of a change it is over, or has not begun.
    timespec const nap{0, 1'000'000};
    for (pid_t by = m_changing; by != 0 && by != ::gettid(); by = m_changing) {
      ::nanosleep(&nap, nullptr);
    }
    int const fd = m_fd;  // none, if the change was the last one
    off_t const bytes = m_old_bytes;
    struct stat file {};
    // Never longer: if somebody has cut it off, there would be zeros.
    if (fd < 0 || ::fstat(fd, &file) != 0 || file.st_size <= bytes) return;
    [[maybe_unused]] int const ignored = ::ftruncate(fd, bytes);
  }

 private:
  std::mutex m_entry;  // of threads, never of a handler
  std::atomic<bool> m_has_name{false};
  char m_name[4096] = {};
  std::atomic<int> m_fd{-1};
  std::atomic<off_t> m_old_bytes{0};
  std::atomic<pid_t> m_undone_by{0};  // the thread of the handler
  std::atomic<pid_t> m_changing{0};   // the thread that changes the file at this moment
  static_assert(std::atomic<off_t>::is_always_lock_free, "a signal handler reads it");
};

constinit UnfinishedFiles g_unfinished;
bool g_is_working = false, g_may_break_pipes = false;

extern "C" void remove_and_die(int signal) {
  undo_unfinished_files();
  // The parent sees the true cause of death. Not before: a second signal would not wait for the removal.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void tell(std::string_view line) {
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) {
    // There is nobody to tell.
  }
}

extern "C" void tell_and_die(int signal) {
  static constexpr std::string_view line =
      "kompakt: crashed; the unfinished output is removed; an input of HDF5 or netCDF may be "
      "damaged so that its library crashes: try 'h5dump' with it; please report anything else\n";
  tell(line);
  remove_and_die(signal);
}

// Libraries of OpenMP, HDF5 and netCDF call exit() when they get no memory.
extern "C" void remove_at_exit() {
  if (!g_is_working) return;
  tell(
      "kompakt: a library has ended the program, often because there is not enough memory; give a "
      "smaller --memory or fewer threads\n");
  undo_unfinished_files();
  ::_exit(static_cast<int>(Status::device));
}

/// Sets a handler of a signal with which nobody else, such as a sanitizer, does anything.
void handle(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction old {};
  if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;  // nohup
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

/// A stack for the handler of a stack that is full, as damaged files make it.
void give_own_stack() {
  alignas(16) static char memory[64 << 10];
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  ::sigaltstack(&stack, nullptr);
}

/// What ends a program that does not handle it.
void handle_ends() {
  for (int const signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
                           SIGPROF, SIGIO, SIGPWR, SIGXCPU, SIGSTKFLT, SIGSYS, SIGTRAP}) {
    handle(signal, remove_and_die);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) handle(signal, remove_and_die);
}

}  // namespace

void install_signal_handlers() {
  watch_files(g_unfinished);
  handle_ends();
  give_own_stack();
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    handle(signal, tell_and_die, SA_ONSTACK | static_cast<int>(SA_RESETHAND));
  }
  // A limit on the size of files becomes an error of write(), with a message, and so does a reader that is gone. A note
  // that nobody reads must not end the work.
  std::signal(SIGXFSZ, SIG_IGN);
  g_may_break_pipes = std::signal(SIGPIPE, SIG_IGN) == SIG_DFL;
  std::atexit(remove_at_exit);
  g_is_working = true;
}

void undo_unfinished_files() noexcept { g_unfinished.undo(); }

void end_of_work() { g_is_working = false; }

void end_by_broken_pipe() {
  if (!g_may_break_pipes) return;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

}  // namespace kompakt::cli
