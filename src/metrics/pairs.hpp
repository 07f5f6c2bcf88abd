#ifndef KOMPAKT_METRICS_PAIRS_HPP
#define KOMPAKT_METRICS_PAIRS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

// What the reductions over two fields share.

namespace kompakt::impl {

template <class Exec>
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// How many neighbouring values one index of a range stands for: on a host the floating-point
/// environment is set once for many, on a device neighbouring threads have neighbouring values.
template <class Exec>
inline constexpr int values_per_index = on_host<Exec> ? 1024 : 1;

/// All values of a field, values_per_index<Exec> an index.
template <class Exec>
auto value_blocks(Exec const& exec, std::int64_t size) {
  constexpr int block = values_per_index<Exec>;
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                    (size + block - 1) / block);
}

/// Teams of `threads`, on a host of one, with scratch for a Buffer.
template <class Buffer, class Exec>
auto teams_with(Exec const& exec, std::int64_t teams, int threads) {
  constexpr int largest_league = 1 << 30;
  auto const league = static_cast<int>(teams < largest_league ? teams : largest_league);
  return Kokkos::TeamPolicy<Exec>(exec, league, on_host<Exec> ? 1 : threads)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(Buffer)) + 8));
}

/// The team's scratch; contents undefined.
template <class Buffer, class Team>
KOKKOS_FORCEINLINE_FUNCTION Buffer& scratch_of(Team const& team) {
  return *static_cast<Buffer*>(team.team_scratch(0).get_shmem(sizeof(Buffer)));
}

/// The fields that are compared.
template <class T>
struct FieldPair {
  T const* original;
  T const* reconstructed;
  std::int64_t size;
};

KOKKOS_FORCEINLINE_FUNCTION bool is_number(double value) {
  return Kokkos::fabs(value) <= std::numeric_limits<double>::max();
}

/// Reconstruction minus original, in double; NaN where the original is not finite.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double error_of(FieldPair<T> const& fields, std::int64_t i) {
  double const x = static_cast<double>(fields.original[i]);
  return is_number(x) ? static_cast<double>(fields.reconstructed[i]) - x
                      : std::numeric_limits<double>::quiet_NaN();
}

/// The same relative to the original; infinite for a 0 that is none any more.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double relative_error_of(FieldPair<T> const& fields, std::int64_t i) {
  double const error = error_of(fields, i);
  return error == 0 ? 0 : error / Kokkos::fabs(static_cast<double>(fields.original[i]));
}

}  // namespace kompakt::impl

#endif
