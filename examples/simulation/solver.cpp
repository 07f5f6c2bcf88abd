#include "solver.hpp"

namespace simulation {

Solver::Solver(Exec const& exec, Grid const& grid, Halo& halo, Model const& model, double dt,
               double tolerance)
    : m_exec(exec), m_model(model), m_dt(dt), m_diffusion(exec, grid, halo, tolerance) {}

void Solver::diffuse(State const& state) {
  m_diffusion.step(0.5 * m_dt * m_model.diffusivity_u, state.u);
  m_diffusion.step(0.5 * m_dt * m_model.diffusivity_v, state.v);
}

void Solver::step(State& state) {
  react(m_exec, m_model, 0.5 * m_dt, state);
  diffuse(state);
  react(m_exec, m_model, 0.5 * m_dt, state);
  m_exec.fence("simulation: the step is done");
  state.time += m_dt;
  ++state.step;
}

double Solver::adjoint_step(State const& before, State& middle, State const& adjoint) {
  copy(m_exec, before, middle);
  react(m_exec, m_model, 0.5 * m_dt, middle);
  diffuse(middle);
  double by_feed = react_adjoint(m_exec, m_model, 0.5 * m_dt, middle, adjoint);
  diffuse(adjoint);
  by_feed += react_adjoint(m_exec, m_model, 0.5 * m_dt, before, adjoint);
  return by_feed;
}

}  // namespace simulation
