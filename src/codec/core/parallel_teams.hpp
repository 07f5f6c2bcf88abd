#ifndef KOMPAKT_CORE_PARALLEL_TEAMS_HPP
#define KOMPAKT_CORE_PARALLEL_TEAMS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kompakt/error.hpp>
#include <string>

// How kernels of teams are started.

namespace kompakt::impl {

/// A kernel of teams on a host, which counts those that have ended.
template <class Functor>
struct CountedTeams {
  Functor functor;
  std::int64_t* ended;

  template <class Team>
  void operator()(Team const& team) const {
    functor(team);
    if (team.team_rank() == 0) Kokkos::atomic_inc(ended);
  }
};

/// Starts a kernel of teams. On a host, where a runtime of threads may give fewer than Kokkos shares the teams among, it is
/// complete on return, and one that did not run as a whole is an error: what is missing would look like values. A grid of a
/// device runs as a whole, or waiting for it fails. (Counting costs less than can be measured: a team works for
/// microseconds.)
/// \throws Error device
template <class Policy, class Functor>
void parallel_teams(char const* label, Policy const& policy, Functor const& functor) {
  using Memory = typename Policy::execution_space::memory_space;
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible) {
    Kokkos::parallel_for(label, policy, functor);
  } else {
    std::int64_t ended = 0;
    Kokkos::parallel_for(label, policy, CountedTeams<Functor>{functor, &ended});
    if (ended != policy.league_size()) {
      throw Error(Status::device,
                  std::string(label) + ": only " + std::to_string(ended) + " of " +
                      std::to_string(policy.league_size()) +
                      " teams ran, because OpenMP gave fewer threads than Kokkos has",
                  "use the space serial");
    }
  }
}

}  // namespace kompakt::impl

#endif
