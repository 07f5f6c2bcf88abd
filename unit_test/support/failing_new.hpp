#ifndef KOMPAKT_UNIT_TEST_SUPPORT_FAILING_NEW_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_FAILING_NEW_HPP

namespace kompakt::test {

/// Makes allocations of 200 bytes or more of this thread fail after so many that succeed; below 0: none fails.
/// \returns how many were left
long fail_after(long allocations);

}  // namespace kompakt::test

#endif
