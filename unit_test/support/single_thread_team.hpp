#ifndef KOMPAKT_UNIT_TEST_SUPPORT_SINGLE_THREAD_TEAM_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_SINGLE_THREAD_TEAM_HPP

#include <Kokkos_Macros.hpp>

namespace kompakt::test {

/// Stands in for a Kokkos team of one thread, so that what teams do can be tested without a kernel.
struct SingleThreadTeam {
  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
  KOKKOS_FUNCTION void team_barrier() const {}
  template <class Reducer>
  KOKKOS_FUNCTION void team_reduce(Reducer const&) const {}
};

}  // namespace kompakt::test

#endif
