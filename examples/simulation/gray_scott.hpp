#ifndef SIMULATION_GRAY_SCOTT_HPP
#define SIMULATION_GRAY_SCOTT_HPP

#include "grid.hpp"
#include <cstdint>

// Two substances that react, u + 2 v -> 3 v, are fed and removed, and diffuse (Gray and Scott, 1984; Pearson, 1993):
//   du/dt = Du L u - u v^2 + F (1 - u),   dv/dt = Dv L v + u v^2 - (F + k) v.

namespace simulation {

struct Model {
  double feed = 0.04, kill = 0.06;  // F, k
  double diffusivity_u = 2e-5, diffusivity_v = 1e-5;
};

/// Values of both substances at one time.
struct State {
  explicit State(Grid const& grid) : u("u", grid), v("v", grid) {}

  Field u, v;
  double time = 0;
  std::uint64_t step = 0;
};

/// to = from. Enqueues.
void copy(Exec const& exec, State const& from, State& to);

/// A few smooth spots of v in a sea of u; the same for any number of ranks.
void set_initial(Exec const& exec, Grid const& grid, State& state);

/// The reaction alone, over a time step, by Heun's scheme. Enqueues.
void react(Exec const& exec, Model const& model, double dt, State const& state);
/// Its adjoint: takes derivatives by the state behind the step to those by the state before it.
/// \param before   where the step began
/// \param adjoint  derivatives of a number by each value
/// \returns        derivative of that number by the feed rate, as far as this step and rank add to it
double react_adjoint(Exec const& exec, Model const& model, double dt, State const& before,
                     State const& adjoint);

/// Means over the grid.
struct Means {
  double u = 0, v = 0, reaction = 0;  // of u v^2
};
/// Collective.
Means means_of(Exec const& exec, Grid const& grid, State const& state);

}  // namespace simulation

#endif
