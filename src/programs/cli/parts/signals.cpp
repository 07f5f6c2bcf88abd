#include "signals.hpp"
#include <csignal>
#include <initializer_list>
#include <kompakt/files.hpp>
#include <string_view>
#include <unistd.h>

namespace kompakt::cli {

namespace {

extern "C" void remove_and_die(int signal) {
  kompakt::remove_partial_file();
  // SA_RESETHAND has restored the default, so that the parent sees the true cause of death.
  std::raise(signal);
}

extern "C" void tell_and_die(int signal) {
  static constexpr std::string_view line =
      "kompakt: crashed; the unfinished output is removed; an input of HDF5 or netCDF may be "
      "damaged "
      "so that its library crashes: try 'h5dump' with it; please report anything else\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) {
    // There is nobody to tell.
  }
  remove_and_die(signal);
}

/// Sets a handler of a signal with which nobody else, such as a sanitizer, does anything.
void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction old {};
  if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;  // nohup
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | flags;
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

}  // namespace

void install_signal_handlers() {
  for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) handle(signal, remove_and_die, 0);
  give_own_stack();
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    handle(signal, tell_and_die, SA_ONSTACK);
  }
  // A limit on the size of files becomes an error of write(), with a message.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace kompakt::cli
