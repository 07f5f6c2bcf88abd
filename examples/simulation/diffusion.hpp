#ifndef SIMULATION_DIFFUSION_HPP
#define SIMULATION_DIFFUSION_HPP

#include "grid.hpp"
#include "halo.hpp"

namespace simulation {

/// out = a in + b L in on a rank's slab, where L is the Laplacian of seven points; ghost planes of `in` are there.
void apply_stencil(Exec const& exec, Grid const& grid, double a, double b, Field const& in,
                   Field const& out);

/// Steps of the heat equation by Crank and Nicolson's scheme, solved by conjugate gradients. Vectors are
/// KokkosBlas's, the matrix is a stencil.
class Diffusion {
 public:
  /// \param tolerance  of the solution, relative to its Euclidean norm
  Diffusion(Exec const& exec, Grid const& grid, Halo& halo, double tolerance);

  /// w = (1 - s L)^-1 (1 + s L) w; s is half a time step times the diffusivity. The step is its own adjoint. Collective.
  /// \throws kompakt::Error bad_argument, on all ranks, if it does not converge
  void step(double s, Field const& w);

  /// Iterations of all steps so far.
  long iterations() const { return m_iterations; }

 private:
  double dot(Field const& x, Field const& y) const;

  Exec m_exec;
  Grid const& m_grid;
  Halo& m_halo;
  double m_tolerance;
  Field m_residual, m_direction, m_image;
  long m_iterations = 0;
};

}  // namespace simulation

#endif
