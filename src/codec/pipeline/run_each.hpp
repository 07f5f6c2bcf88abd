#ifndef KOMPAKT_PIPELINE_RUN_EACH_HPP
#define KOMPAKT_PIPELINE_RUN_EACH_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <container/copy_bytes.hpp>
#include <core/parallel_teams.hpp>
#include <kompakt/workspace.hpp>
#include <new>
#include <pipeline/backend_memory.hpp>
#include <pipeline/dispatch.hpp>
#include <span>
#include <type_traits>

// Kernels of a batch's calls in one launch.

namespace kompakt::impl {

/// Objects that a launch takes, made where the host's copy to the device begins.
template <class V>
class UploadList {
  static_assert(std::is_trivially_copyable_v<V>);

 public:
  UploadList(BatchMemory& memory, std::size_t most) {
    auto const [staging, device] = memory.take(most * sizeof(V));
    m_staging = reinterpret_cast<V*>(staging);
    m_device = reinterpret_cast<V*>(device);
  }
  void add(V const& object) { new (m_staging + m_count++) V(object); }
  std::span<V const> objects() const { return {m_staging, m_count}; }

  /// Brings them to memory of Exec, enqueued.
  template <class Exec>
  V const* upload(Exec const& exec) const {
    copy_bytes<typename Exec::memory_space, typename readback_space<Exec>::type>(
        exec, reinterpret_cast<std::byte*>(m_device), reinterpret_cast<std::byte const*>(m_staging),
        m_count * sizeof(V));
    return m_device;
  }

 private:
  V *m_staging, *m_device;
  std::size_t m_count = 0;
};

/// As many teams for each object as the one has that has most.
/// \tparam Step  has, for an object, teams(of); run(of, team, rank) for the rank-th of these; scratch_bytes(of) of a
///               team; and team_threads on a device
template <class Step, class V>
struct RunEach {
  V const* list;
  int teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    V const& of = list[team.league_rank() / teams];
    int const rank = team.league_rank() % teams;
    if (rank < Step::teams(of)) Step::run(of, team, rank);
  }
};

/// Takes a step for every object.
/// \param list  the objects where Exec reads them
template <class Step, class Exec, class V>
void run_each(char const* label, Exec const& exec, std::span<V const> objects, V const* list) {
  int teams = 0;
  std::size_t scratch = 0;
  for (V const& of : objects) {
    teams = std::max(teams, Step::teams(of));
    scratch = std::max(scratch, Step::scratch_bytes(of));
  }
  if (teams == 0) return;
  parallel_teams(label,
                 sized_team_policy<Step::team_threads>(
                     exec, static_cast<int>(objects.size()) * teams, scratch),
                 RunEach<Step, V>{list, teams});
}

}  // namespace kompakt::impl

#endif
