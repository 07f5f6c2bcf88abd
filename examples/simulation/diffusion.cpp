#include "diffusion.hpp"
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <cmath>
#include <kompakt/error.hpp>

namespace simulation {
namespace {

// The fastest index comes first, for neighbours in memory to be neighbours among threads.
using Cells = Kokkos::MDRangePolicy<Exec, Kokkos::IndexType<int>,
                                    Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>>;

Cells cells_of(Exec const& exec, Grid const& grid) {
  Kokkos::Array<int, 3> const end = {static_cast<int>(grid.points()[2]),
                                     static_cast<int>(grid.points()[1]),
                                     static_cast<int>(grid.planes())};
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible) {
    return {exec, {0, 0, 0}, end};
  } else {
    return {exec, {0, 0, 0}, end, {64, 4, 1}};
  }
}

constexpr int max_iterations = 1000;

}  // namespace

void apply_stencil(Exec const& exec, Grid const& grid, double a, double b, Field const& in,
                   Field const& out) {
  auto const from = in.with_ghosts(), to = out.with_ghosts();
  int const last_j = static_cast<int>(grid.points()[1]) - 1;
  int const last_k = static_cast<int>(grid.points()[2]) - 1;
  double const around = b / (grid.spacing() * grid.spacing()), centre = a - 6 * around;
  Kokkos::parallel_for(
      "simulation::stencil", cells_of(exec, grid), KOKKOS_LAMBDA(int k, int j, int plane) {
        int const i = plane + 1;
        double const sum =
            from(i - 1, j, k) + from(i + 1, j, k) + from(i, j == 0 ? last_j : j - 1, k) +
            from(i, j == last_j ? 0 : j + 1, k) + from(i, j, k == 0 ? last_k : k - 1) +
            from(i, j, k == last_k ? 0 : k + 1);
        to(i, j, k) = centre * from(i, j, k) + around * sum;
      });
}

Diffusion::Diffusion(Exec const& exec, Grid const& grid, Halo& halo, double tolerance)
    : m_exec(exec),
      m_grid(grid),
      m_halo(halo),
      m_tolerance(tolerance),
      m_residual("simulation::residual", grid),
      m_direction("simulation::direction", grid),
      m_image("simulation::image", grid) {}

double Diffusion::dot(Field const& x, Field const& y) const {
  return m_grid.sum(KokkosBlas::dot(m_exec, x.vector(), y.vector()));
}

void Diffusion::step(double s, Field const& w) {
  // What w changes by solves (1 - s L) change = 2 s L w. No eigenvalue of the matrix is below 1, so the error is at most
  // the residual.
  double const own_norm = KokkosBlas::nrm2(m_exec, w.vector());
  double const enough = m_tolerance * std::sqrt(m_grid.sum(own_norm * own_norm));
  m_halo.exchange(w);
  apply_stencil(m_exec, m_grid, 0, 2 * s, w, m_residual);
  Kokkos::deep_copy(m_exec, m_direction.vector(), m_residual.vector());
  double square = dot(m_residual, m_residual);
  for (int iteration = 0; !(std::sqrt(square) <= enough); ++iteration) {
    if (iteration == max_iterations || !std::isfinite(square)) {
      throw kompakt::Error(kompakt::Status::bad_argument,
                           "conjugate gradients: a residual of " +
                               std::to_string(std::sqrt(square)) + " after " +
                               std::to_string(iteration) +
                               " iterations; try smaller time steps or a smaller --halo-bound");
    }
    m_halo.exchange(m_direction);
    apply_stencil(m_exec, m_grid, 1, -s, m_direction, m_image);
    double const length = square / dot(m_direction, m_image);
    KokkosBlas::axpby(m_exec, length, m_direction.vector(), 1.0, w.vector());
    KokkosBlas::axpby(m_exec, -length, m_image.vector(), 1.0, m_residual.vector());
    double const before = square;
    square = dot(m_residual, m_residual);
    KokkosBlas::axpby(m_exec, 1.0, m_residual.vector(), square / before, m_direction.vector());
    ++m_iterations;
  }
}

}  // namespace simulation
