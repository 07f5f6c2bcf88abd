#ifndef KOMPAKT_UNIT_TEST_SUPPORT_CHILD_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_CHILD_HPP

#include <sys/wait.h>
#include <unistd.h>

namespace kompakt::test {

/// What waitpid() says of a forked process that does work() and exits with what that returns, a number or a Status.
template <class Work>
int status_of_child(Work const& work) {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(static_cast<int>(work()));
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace kompakt::test

#endif
