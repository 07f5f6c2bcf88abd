#ifndef SIMULATION_SENSITIVITY_HPP
#define SIMULATION_SENSITIVITY_HPP

#include "solver.hpp"
#include "states.hpp"

namespace simulation {

/// What the mean of v at the end of a run depends on.
struct Sensitivity {
  double mean_v = 0;
  double by_feed = 0;           ///< derivative by the feed rate
  std::size_t state_bytes = 0;  ///< that the states took, of all ranks
  double forward_s = 0, backward_s = 0;
};

/// Runs forward and keeps all states, then backward through the discrete adjoint of each step. Collective.
/// \param state     where it begins; the end of the run comes back
/// \param gradient  derivatives by each value of the beginning come back
/// \throws kompakt::Error buffer_too_small, on all ranks, if the states have no room
Sensitivity sensitivity_of(Exec const& exec, Grid const& grid, Solver& solver, States& states,
                           int steps, State& state, State& gradient);

}  // namespace simulation

#endif
