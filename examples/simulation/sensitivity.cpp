#include "sensitivity.hpp"
#include <kompakt/mpi_agree.hpp>

namespace simulation {

Sensitivity sensitivity_of(Exec const& exec, Grid const& grid, Solver& solver, States& states,
                           int steps, State& state, State& gradient) {
  Sensitivity result;
  std::uint64_t const first = state.step;
  Kokkos::Timer timer;
  for (int step = 0; step < steps; ++step) {
    kompakt::mpi::together(grid.comm(), [&] { states.put(state); });
    solver.step(state);
  }
  result.mean_v = means_of(exec, grid, state).v;
  result.forward_s = timer.seconds();

  timer.reset();
  Kokkos::deep_copy(exec, gradient.u.vector(), 0.0);
  Kokkos::deep_copy(exec, gradient.v.vector(), 1.0 / static_cast<double>(grid.size()));
  State before(grid), middle(grid);
  for (std::uint64_t step = state.step; step-- > first;) {
    kompakt::mpi::together(grid.comm(), [&] { states.get(step, first, before); });
    result.by_feed += solver.adjoint_step(before, middle, gradient);
  }
  result.by_feed = grid.sum(result.by_feed);
  result.backward_s = timer.seconds();
  result.state_bytes = static_cast<std::size_t>(grid.sum(static_cast<double>(states.bytes())));
  return result;
}

}  // namespace simulation
