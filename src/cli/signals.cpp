#include "signals.hpp"
#include <csignal>
#include <initializer_list>
#include <kompakt/files.hpp>

namespace kompakt::cli {

namespace {

extern "C" void remove_and_die(int signal) {
  kompakt::remove_partial_file();
  // SA_RESETHAND has restored the default, so that the parent sees the true cause of death.
  std::raise(signal);
}

}  // namespace

void install_signal_handlers() {
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;  // nohup
    struct sigaction action {};
    action.sa_handler = remove_and_die;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
  // A limit on the size of files becomes an error of write(), with a message.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace kompakt::cli
