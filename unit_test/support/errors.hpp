#ifndef KOMPAKT_TEST_SUPPORT_ERRORS_HPP
#define KOMPAKT_TEST_SUPPORT_ERRORS_HPP

#include <gtest/gtest.h>

#include <kompakt/error.hpp>

namespace kompakt::test {

/// The Error that call() throws. The test fails if there is none.
template <class Call>
Error error_of(Call const& call) {
  try {
    call();
  } catch (Error const& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error(Status::ok, "");
}

}  // namespace kompakt::test

#endif
