#ifndef KOMPAKT_UNIT_TEST_SIMULATION_CASE_HPP
#define KOMPAKT_UNIT_TEST_SIMULATION_CASE_HPP

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <gray_scott.hpp>
#include <grid.hpp>
#include <halo.hpp>
#include <optional>
#include <solver.hpp>
#include <vector>

// The solver on a small grid, as examples/simulation runs it, and values of all ranks on each of them.

namespace kompakt::test {

using simulation::Exec;
using simulation::Field;
using simulation::Grid;
using simulation::State;

struct Case {
  std::array<std::size_t, 3> points = {24, 20, 16};
  double spacing = 0.02;
  double dt = 1;
  double tolerance = 1e-13;
  simulation::Model model{};
  std::optional<Options> halo{};
};

/// A solver, a state at the beginning, and what both need.
struct Problem {
  explicit Problem(Case const& what, MPI_Comm comm = MPI_COMM_WORLD)
      : grid(comm, what.points, what.spacing),
        halo(exec, grid, what.halo),
        solver(exec, grid, halo, what.model, what.dt, what.tolerance),
        state(grid) {
    set_initial(exec, grid, state);
  }
  void run(int steps) {
    for (int step = 0; step < steps; ++step) solver.step(state);
  }

  Exec exec{};
  Grid grid;
  simulation::Halo halo;
  simulation::Solver solver;
  State state;
};

/// This rank's values, in the order of the file.
inline std::vector<double> values_of(Field const& field) {
  auto const vector = field.vector();
  std::vector<double> values(vector.extent(0));
  Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace>(values.data(), values.size()), vector);
  return values;
}

/// The values of all ranks, on each of them.
inline std::vector<double> whole(Grid const& grid, Field const& field) {
  std::vector<double> const mine = values_of(field);
  auto const count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(grid.ranks()));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, grid.comm());
  std::vector<int> places(counts.size(), 0);
  for (std::size_t i = 1; i < places.size(); ++i) places[i] = places[i - 1] + counts[i - 1];
  std::vector<double> all(grid.size());
  MPI_Allgatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(), places.data(),
                 MPI_DOUBLE, grid.comm());
  return all;
}

inline double largest_difference(std::vector<double> const& a, std::vector<double> const& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    largest = std::fmax(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

}  // namespace kompakt::test

#endif
