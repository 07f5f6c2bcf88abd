#include "status.hpp"
#include <exception>
#include <kompakt/version.hpp>
#include <new>

namespace kompakt::c {

namespace {

/// A text, or where there is no memory for it a shorter one.
class LastMessage {
 public:
  void set(std::string const& text) noexcept {
    try {
      m_text = text;
      m_shown = m_text.c_str();
    } catch (...) {
      set_literal("out of memory");
    }
  }
  void set_literal(char const* text) noexcept { m_shown = text; }
  char const* shown() const noexcept { return m_shown; }

 private:
  std::string m_text;
  char const* m_shown = "";
};
thread_local LastMessage last_message;

void set_message(char const* function, char const* what) noexcept {
  try {
    last_message.set(std::string(function) + ": " + what);
  } catch (...) {
    last_message.set_literal("out of memory");
  }
}

}  // namespace

kompakt_status status_of_exception(char const* function) noexcept {
  try {
    throw;
  } catch (Error const& error) {
    last_message.set(error.what());
    return static_cast<kompakt_status>(error.status());
  } catch (std::bad_alloc const&) {
    set_message(function, "there is no memory left");
  } catch (std::exception const& error) {
    set_message(function, error.what());
  } catch (...) {
    set_message(function, "failed, and does not say why");
  }
  return KOMPAKT_DEVICE;
}

void refuse(char const* function, std::string const& message) {
  throw Error(Status::bad_argument, std::string(function) + ": " + message);
}

}  // namespace kompakt::c

char const* kompakt_status_string(kompakt_status status) {
  return kompakt::to_string(static_cast<kompakt::Status>(status));
}
char const* kompakt_last_message() { return kompakt::c::last_message.shown(); }
char const* kompakt_version_string() { return KOMPAKT_VERSION_STRING; }
char const* kompakt_git_commit() { return kompakt::git_commit(); }
