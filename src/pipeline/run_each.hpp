#ifndef KOMPAKT_PIPELINE_RUN_EACH_HPP
#define KOMPAKT_PIPELINE_RUN_EACH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <container/copy_bytes.hpp>
#include <cstring>
#include <kompakt/workspace.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/dispatch.hpp>
#include <span>
#include <type_traits>
#include <vector>

// Kernels of a batch's calls in one launch.

namespace kompakt::impl {

/// Brings objects to memory of Exec, enqueued.
template <class Exec, class V>
V const* upload(Exec const& exec, std::span<V const> objects, BatchMemory& memory) {
  static_assert(std::is_trivially_copyable_v<V>);
  auto const [staging, device] = memory.take(objects.size_bytes());
  std::memcpy(staging, objects.data(), objects.size_bytes());
  copy_bytes<typename Exec::memory_space, typename readback_space<Exec>::type>(
      exec, device, staging, objects.size_bytes());
  return reinterpret_cast<V const*>(device);
}

/// As many teams for each kernel as the one has that has most.
/// \tparam Kernel  has teams(); run(team, rank) for the rank-th of these; scratch_bytes() of a team; team_threads on a device
template <class Kernel>
struct RunEach {
  Kernel const* list;
  int teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    Kernel const& kernel = list[team.league_rank() / teams];
    int const rank = team.league_rank() % teams;
    if (rank < kernel.teams()) kernel.run(team, rank);
  }
};

template <class Exec, class Kernel>
void run_each(char const* label, Exec const& exec, std::vector<Kernel> const& kernels,
              BatchMemory& memory) {
  int teams = 0;
  std::size_t scratch = 0;
  for (Kernel const& kernel : kernels) {
    teams = std::max(teams, kernel.teams());
    scratch = std::max(scratch, kernel.scratch_bytes());
  }
  if (teams == 0) return;
  auto const* const list = upload(exec, std::span<Kernel const>(kernels), memory);
  Kokkos::parallel_for(label,
                       sized_team_policy<Kernel::team_threads>(
                           exec, static_cast<int>(kernels.size()) * teams, scratch),
                       RunEach<Kernel>{list, teams});
}

}  // namespace kompakt::impl

#endif
