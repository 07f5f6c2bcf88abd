#ifndef SIMULATION_SOLVER_HPP
#define SIMULATION_SOLVER_HPP

#include "diffusion.hpp"
#include "gray_scott.hpp"
#include "grid.hpp"
#include "halo.hpp"

namespace simulation {

/// Time steps of the model, of second order: half a step of reaction, one of diffusion, half a step of reaction (Strang, 1968).
class Solver {
 public:
  Solver(Exec const& exec, Grid const& grid, Halo& halo, Model const& model, double dt,
         double tolerance);

  /// One time step. Collective.
  /// \throws kompakt::Error bad_argument, on all ranks, if the diffusion does not converge
  /// \note waits for what it has enqueued
  void step(State& state);

  /// The step's adjoint: takes derivatives by the state behind it to those by the state before it. Collective.
  /// \param before  where the step began
  /// \param middle  memory that is lost: the state in front of the second reaction is computed again
  /// \returns       derivative by the feed rate, as far as this step and rank add to it
  double adjoint_step(State const& before, State& middle, State const& adjoint);

  long iterations() const { return m_diffusion.iterations(); }

 private:
  void diffuse(State const& state);

  Exec m_exec;
  Model m_model;
  double m_dt;
  Diffusion m_diffusion;
};

}  // namespace simulation

#endif
