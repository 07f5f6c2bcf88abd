#ifndef KOMPAKT_UNIT_TEST_DEVICE_TILE_KERNELS_HPP
#define KOMPAKT_UNIT_TEST_DEVICE_TILE_KERNELS_HPP

#include <kompakt/device.hpp>

namespace kompakt::test {

/// Team sizes to try: one thread of a host's, a warp of a device's, and more.
template <class Exec>
std::vector<int> team_sizes() {
  if (!is_host_space<Exec>) return {32, 64, 256};
  int const most = std::min(Exec().concurrency(), 2);
  return most > 1 ? std::vector<int>{1, most} : std::vector<int>{1};
}

/// A league of teams with scratch memory for Scratch and so many values.
template <class Exec, class Codec, class T>
auto tile_policy(Exec const& exec, std::int64_t league, int team_size, std::size_t values) {
  std::size_t const bytes = Codec::scratch_bytes + values * sizeof(T) + 64;
  return Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), team_size)
      .set_scratch_size(is_host_space<Exec> ? 1 : 0, Kokkos::PerTeam(static_cast<int>(bytes)));
}

/// Scratch memory for values of a team.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION T* scratch_values(Team const& team, std::size_t count) {
  return static_cast<T*>(team.team_scratch(0).get_shmem_aligned(count * sizeof(T), 16));
}

/// Copies a tile, by all threads of a team.
template <class Team, class T, class U>
KOKKOS_INLINE_FUNCTION void copy_tile(Team const& team, device::TileExtents const& place,
                                      device::TileValues<T> const& from,
                                      device::TileValues<U> const& to) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, place.size()), [&](int i) {
    int const x = i % place.nx, y = i / place.nx % place.ny, z = i / (place.nx * place.ny);
    to.data[z * to.slab_pitch + y * to.row_pitch + x] =
        from.data[z * from.slab_pitch + y * from.row_pitch + x];
  });
}

}  // namespace kompakt::test

#endif
