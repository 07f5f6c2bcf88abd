#ifndef KOMPAKT_METRICS_PAIRS_HPP
#define KOMPAKT_METRICS_PAIRS_HPP

#include <Kokkos_Core.hpp>
#include <core/team.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

// What the reductions over two fields share.

namespace kompakt::impl {

template <class Exec>
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// How the values of a field are shared out to the indices of a range: so many `values` to each, of which
/// `turns` neighbouring indices take turns.
template <int values, int turns_>
struct Shares {
  static constexpr int turns = turns_, group = values * turns;

  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t indices(std::int64_t size) {
    return (size + group - 1) / group * turns;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t first(std::int64_t index) {
    return index / turns * group + index % turns;
  }
  /// Behind the last one, of a field of `size` values.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t end(std::int64_t index, std::int64_t size) {
    return Kokkos::min(size, (index / turns + 1) * group);
  }
};

/// On a host the floating-point environment is set once for many neighbours. On a device threads that run
/// side by side read side by side, and join what they found of some values once.
template <class Exec>
using ValueShares = std::conditional_t<on_host<Exec>, Shares<1024, 1>, Shares<128, 32>>;

/// A range with an index for each share of `size` values. With 64 registers a thread 43 % of the copy bandwidth of
/// an H200, with as many as the compiler likes 37 (docs/notebook.md).
template <class Exec>
auto value_shares(Exec const& exec, std::int64_t size) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<256, 4>>(
      exec, 0, ValueShares<Exec>::indices(size));
}

template <class Exec>
auto indices(Exec const& exec, std::int64_t count) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count);
}

/// Teams of `threads`, on a host of one, with scratch for a Buffer; there at level 1, of which Kokkos 5 gives more than 32 KiB.
template <class Buffer, class Exec>
auto teams_with(Exec const& exec, std::int64_t teams, int threads) {
  constexpr int largest_league = 1 << 30;
  auto const league = static_cast<int>(teams < largest_league ? teams : largest_league);
  return Kokkos::TeamPolicy<Exec>(exec, league, on_host<Exec> ? 1 : threads)
      .set_scratch_size(on_host<Exec> ? 1 : 0,
                        Kokkos::PerTeam(static_cast<int>(sizeof(Buffer)) + 8));
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

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_number(T value) {
  return Kokkos::fabs(value) <= std::numeric_limits<T>::max();
}

/// The values of both fields at a place.
template <class T>
struct ValuePair {
  T x, y;
};

/// body(i, x, y) for i = first, first + step, … below `end`, with the values of both fields there.
template <class T, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_pairs(FieldPair<T> const& fields, std::int64_t first,
                                           std::int64_t end, int step, Body const& body) {
  for_loaded(
      first, end, step,
      [&](std::int64_t i) {
        return ValuePair<T>{fields.original[i], fields.reconstructed[i]};
      },
      [&](std::int64_t i, ValuePair<T> const& pair) { body(i, pair.x, pair.y); });
}

/// Reconstruction minus original, in double; NaN where the original is not finite.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double error_of(T x, T y) {
  return is_number(x) ? static_cast<double>(y) - static_cast<double>(x)
                      : std::numeric_limits<double>::quiet_NaN();
}

/// The error of a value relative to the original; infinite for a 0 that is none any more.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double relative_error_of(T x, T y) {
  double const error = error_of(x, y);
  return error == 0 ? 0 : error / Kokkos::fabs(static_cast<double>(x));
}

}  // namespace kompakt::impl

#endif
