#ifndef KOMPAKT_C_STATUS_HPP
#define KOMPAKT_C_STATUS_HPP

#include <kompakt/error.hpp>
#include <kompakt/kompakt.h>
#include <string>

// What a call of the C interface ends with.

namespace kompakt::c {

/// The status of the exception that is being handled, whose message becomes the last one of this thread.
/// \param where  the function of the C interface that failed
kompakt_status status_of_exception(char const* where) noexcept;

/// Calls body(): no exception leaves.
template <class Body>
kompakt_status call(char const* where, Body const& body) noexcept {
  try {
    body();
    return KOMPAKT_OK;
  } catch (...) {
    return status_of_exception(where);
  }
}

/// Throws Error bad_argument.
[[noreturn]] void refuse(std::string const& problem, std::string_view advice = {});

}  // namespace kompakt::c

#endif
