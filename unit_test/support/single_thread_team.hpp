#ifndef KOMPAKT_UNIT_TEST_SUPPORT_SINGLE_THREAD_TEAM_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_SINGLE_THREAD_TEAM_HPP

#include <core/team.hpp>

namespace kompakt::test {

// What teams do is tested without a kernel.
using impl::SingleThreadTeam;

}  // namespace kompakt::test

#endif
