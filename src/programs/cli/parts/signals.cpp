#include "signals.hpp"
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <kompakt/error.hpp>
#include <kompakt/files.hpp>
#include <string_view>
#include <unistd.h>

namespace kompakt::cli {

namespace {

bool g_is_working = false, g_may_break_pipes = false;

extern "C" void remove_and_die(int signal) {
  kompakt::remove_partial_file();
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
  kompakt::remove_partial_file();
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

void end_of_work() { g_is_working = false; }

void end_by_broken_pipe() {
  if (!g_may_break_pipes) return;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

}  // namespace kompakt::cli
