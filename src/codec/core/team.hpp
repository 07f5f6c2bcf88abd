#ifndef KOMPAKT_CORE_TEAM_HPP
#define KOMPAKT_CORE_TEAM_HPP

#include <Kokkos_Core.hpp>
#include <core/tile.hpp>
#include <cstdint>

// How a team of threads shares the work on one tile. On a device the threads of a team stride over
// it; on a host a team is one thread, and plain loops with constant bounds let the compiler
// vectorise. `team` is any Kokkos team member. Every value of an index always goes to the same
// thread, so consecutive loops over the same range need no barrier between them.

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__)
#define KOMPAKT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define KOMPAKT_INDEPENDENT
#endif

// A function apart: on a device its registers are not held by all that call it.
#if defined(__CUDACC__)
#define KOMPAKT_APART __noinline__
#else
#define KOMPAKT_APART __attribute__((noinline))
#endif
// A function apart on a host alone, where the body around it leaves it too few registers.
#if defined(__CUDACC__)
#define KOMPAKT_APART_ON_HOST KOKKOS_FORCEINLINE_FUNCTION
#else
#define KOMPAKT_APART_ON_HOST __attribute__((noinline))
#endif

namespace kompakt::impl {

/// Stands in for a Kokkos team of one thread, for what teams do outside of kernels.
struct SingleThreadTeam {
  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
  KOKKOS_FUNCTION void team_barrier() const {}
  template <class Reducer>
  KOKKOS_FUNCTION void team_reduce(Reducer const&) const {}
};

/// Where a thread of the team starts in a range, and how far it strides; constants on a host.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION int team_first([[maybe_unused]] Team const& team) {
  KOKKOS_IF_ON_HOST((return 0;))
  KOKKOS_IF_ON_DEVICE((return team.team_rank();))
}
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION int team_step([[maybe_unused]] Team const& team) {
  KOKKOS_IF_ON_HOST((return 1;))
  KOKKOS_IF_ON_DEVICE((return team.team_size();))
}

/// body(i) for 0 <= i < count, in parallel.
template <class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void team_for(Team const& team, int count, Body const& body) {
  KOMPAKT_INDEPENDENT
  for (int i = team_first(team); i < count; i += team_step(team)) body(i);
}

/// A team_for() in a short program: for kernels of one block, most of whose time is spent on fetching theirs.
template <class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void team_for_rolled(Team const& team, int count, Body const& body) {
  KOKKOS_IF_ON_HOST((team_for(team, count, body);))
  KOKKOS_IF_ON_DEVICE(
      (KOMPAKT_ROLL for (int i = team.team_rank(); i < count; i += team.team_size()) body(i);))
}

/// body(i, load(i)) for i = first, first + step, … below `end`. A device loads some ahead, which a compiler
/// does not do by itself for a long body, or cannot for one that stores.
template <class Load, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_loaded(std::int64_t first, std::int64_t end, int step,
                                            Load const& load, Body const& body) {
  std::int64_t i = first;
  KOKKOS_IF_ON_DEVICE(
      (constexpr int ahead = 4; for (; i + (ahead - 1) * step < end; i += ahead * step) {
        decltype(load(i)) loaded[ahead];
        KOMPAKT_UNROLL
        for (int k = 0; k < ahead; ++k) loaded[k] = load(i + k * step);
        KOMPAKT_UNROLL
        for (int k = 0; k < ahead; ++k) body(i + k * step, loaded[k]);
      }))
  for (; i < end; i += step) body(i, load(i));
}

/// body(row, x) for 0 <= row < rows and 0 <= x < X, in parallel.
template <int X, class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void team_for_rows([[maybe_unused]] Team const& team, int rows,
                                               Body const& body) {
  KOKKOS_IF_ON_HOST((for (int row = 0; row < rows; ++row) {
    KOMPAKT_INDEPENDENT
    for (int x = 0; x < X; ++x) body(row, x);
  }))
  KOKKOS_IF_ON_DEVICE(
      (for (int i = team.team_rank(); i < rows * X; i += team.team_size()) body(i / X, i % X);))
}

/// body(place, index) for every value of a tile that lies inside the field, in parallel: its
/// natural place in the tile and its index in the field.
template <class Shape, class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void team_for_values([[maybe_unused]] Team const& team,
                                                 TileBox const& box, Body const& body) {
  constexpr int X = Shape::X, Y = Shape::Y;
  KOKKOS_IF_ON_HOST((for (int z = 0; z < box.nz; ++z) for (int y = 0; y < box.ny; ++y) {
    std::int64_t const start = box.origin + z * box.slab_pitch + y * box.row_pitch;
    int const place = (z * Y + y) * X;
    if (box.nx == X) {
      KOMPAKT_INDEPENDENT
      for (int x = 0; x < X; ++x) body(place + x, start + x);
    } else {
      KOMPAKT_INDEPENDENT
      for (int x = 0; x < box.nx; ++x) body(place + x, start + x);
    }
  }))
  KOKKOS_IF_ON_DEVICE(
      (for (int place = team.team_rank(); place < tile_values; place += team.team_size()) {
        int const x = place % X;
        int const y = place / X % Y;
        int const z = place / (X * Y);
        if (x < box.nx && y < box.ny && z < box.nz) {
          body(place, box.origin + z * box.slab_pitch + y * box.row_pitch + x);
        }
      }))
}

/// Largest of the team's numbers; known to all threads.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION int team_max(Team const& team, int number) {
  int most = number;
  team.team_reduce(Kokkos::Max<int>(most));
  return most;
}

/// Whether `condition` holds on any thread of the team; known to all of them.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION bool team_any(Team const& team, bool condition) {
  return team_max(team, condition ? 1 : 0) != 0;
}

/// A Kokkos reducer of what has join(), and is nothing when it is made of {}.
template <class V>
struct Joined {
  using reducer = Joined;
  using value_type = V;
  using result_view_type = Kokkos::View<V, Kokkos::AnonymousSpace, Kokkos::MemoryUnmanaged>;
  V& result;

  KOKKOS_FORCEINLINE_FUNCTION void init(V& value) const { value = V{}; }
  KOKKOS_FORCEINLINE_FUNCTION void join(V& value, V const& other) const { value.join(other); }
  KOKKOS_FORCEINLINE_FUNCTION V& reference() const { return result; }
};

/// What the threads of a team have, joined in one reduction; known to all of them.
template <class Team, class V>
KOKKOS_FORCEINLINE_FUNCTION V team_joined(Team const& team, V part) {
  V whole = part;
  team.team_reduce(Joined<V>{whole});
  return whole;
}

/// Several sums, for one reduction.
template <class V, int N>
struct Sums {
  V of[N];

  KOKKOS_FORCEINLINE_FUNCTION void join(Sums const& other) {
    KOMPAKT_UNROLL
    for (int i = 0; i < N; ++i) of[i] += other.of[i];
  }
};

/// Sum over the team; known to all threads.
template <class Team, class V>
KOKKOS_FORCEINLINE_FUNCTION V team_sum(Team const& team, V part) {
  V sum = part;
  team.team_reduce(Kokkos::Sum<V>(sum));
  return sum;
}

}  // namespace kompakt::impl

#endif
