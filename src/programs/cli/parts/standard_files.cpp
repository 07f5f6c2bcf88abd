#include "standard_files.hpp"
#include "signals.hpp"
#include <fcntl.h>
#include <kompakt/files.hpp>
#include <optional>
#include <poll.h>
#include <span>
#include <unistd.h>

namespace kompakt::cli {

namespace {

std::optional<Error> g_unprinted;
bool g_is_complete = false;

bool has_lost_reader() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

}  // namespace

void open_standard_files() {
  for (int const fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest number that is free is this one. Using it fails, as it does when it is closed.
    [[maybe_unused]] int const same = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void print(std::string const& text, std::FILE* file) {
  if (file != stdout) {
    std::fputs(text.c_str(), file);
    return;
  }
  try {
    // Unlike standard streams of C and C++ this waits for a pipe that is full and non-blocking.
    OutputFile output = OutputFile::standard_output();
    output.write(std::as_bytes(std::span(text)));
    output.commit();
  } catch (Error const& error) {
    if (!g_unprinted) g_unprinted = error;
  }
}

void output_is_complete() { g_is_complete = true; }

std::string about_output(std::string const& message) {
  return g_is_complete ? "the output is complete, but its report is not: " + message : message;
}

std::string unprinted() {
  if (!g_unprinted) return "";
  if (!g_is_complete) end_without_reader(*g_unprinted);
  return about_output(std::string(g_unprinted->text()));
}

void end_without_reader(Error const& error) {
  bool const is_output = error.problem().starts_with("cannot write 'standard output'");
  if (is_output && has_lost_reader()) end_by_broken_pipe();
}

}  // namespace kompakt::cli
