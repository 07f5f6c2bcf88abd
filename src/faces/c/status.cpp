#include "status.hpp"
#include <exception>
#include <kompakt/version.hpp>
#include <new>

namespace kompakt::c {

namespace {

/// The last failure of a thread; where there is no memory for its texts, a shorter one.
class LastFailure {
 public:
  void set(Error const& error) noexcept {
    try {
      m_where = error.where();
      m_problem = error.problem();
      m_advice = error.advice();
      m_message = error.what();
      m_shown = {m_message.c_str(), m_where.c_str(), m_problem.c_str(), m_advice.c_str()};
    } catch (...) {
      m_shown = {"out of memory", "", "out of memory", ""};
    }
  }
  void set(char const* where, char const* problem) noexcept {
    try {
      set(Error(Status::device, where, problem, ""));
    } catch (...) {
      m_shown = {"out of memory", "", "out of memory", ""};
    }
  }

  struct Shown {
    char const *message = "", *where = "", *problem = "", *advice = "";
  };
  Shown const& shown() const noexcept { return m_shown; }

 private:
  std::string m_message, m_where, m_problem, m_advice;
  Shown m_shown;
};
thread_local LastFailure last_failure;

/// Keeps an error of the library, which learns the name of the function unless another one of the library's failed.
kompakt_status keep(char const* where, Error const& error) noexcept {
  try {
    last_failure.set(error.named(where));
  } catch (...) {
    last_failure.set(error);
  }
  return static_cast<kompakt_status>(error.status());
}

}  // namespace

kompakt_status status_of_exception(char const* where) noexcept {
  try {
    throw;
  } catch (Error const& error) {
    return keep(where, error);
  } catch (std::bad_alloc const&) {
    last_failure.set(where, "there is no memory left");
  } catch (std::exception const& error) {
    last_failure.set(where, error.what());
  } catch (...) {
    last_failure.set(where, "failed, and does not say why");
  }
  return KOMPAKT_DEVICE;
}

void refuse(std::string const& problem, std::string_view advice) {
  throw Error(Status::bad_argument, problem, advice);
}

}  // namespace kompakt::c

char const* kompakt_status_string(kompakt_status status) {
  return kompakt::to_string(static_cast<kompakt::Status>(status));
}
char const* kompakt_last_message() { return kompakt::c::last_failure.shown().message; }
char const* kompakt_last_where() { return kompakt::c::last_failure.shown().where; }
char const* kompakt_last_problem() { return kompakt::c::last_failure.shown().problem; }
char const* kompakt_last_advice() { return kompakt::c::last_failure.shown().advice; }
char const* kompakt_version_string() { return KOMPAKT_VERSION_STRING; }
char const* kompakt_git_commit() { return kompakt::git_commit(); }
