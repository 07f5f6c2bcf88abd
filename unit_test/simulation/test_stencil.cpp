#include "case.hpp"
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <diffusion.hpp>
#include <gtest/gtest.h>

// The stencil against the same matrix, assembled.

namespace kompakt::test {
namespace {

using Matrix = KokkosSparse::CrsMatrix<double, int, Exec, void, int>;

/// Rows of a rank of a + b L, with the columns of all.
Matrix assembled(Grid const& grid, double a, double b) {
  auto const [nx, ny, nz] = grid.points();
  std::vector<int> ends = {0}, columns;
  std::vector<double> values;
  double const around = b / (grid.spacing() * grid.spacing());
  auto const add = [&](std::size_t i, std::size_t j, std::size_t k, double value) {
    columns.push_back(static_cast<int>((i % nx * ny + j % ny) * nz + k % nz));
    values.push_back(value);
  };
  for (std::size_t i = grid.first_plane(); i < grid.first_plane() + grid.planes(); ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      for (std::size_t k = 0; k < nz; ++k) {
        add(i, j, k, a - 6 * around);
        for (std::size_t const step : {1, -1}) {
          add(i + nx + step, j, k, around);
          add(i, j + ny + step, k, around);
          add(i, j, k + nz + step, around);
        }
        ends.push_back(static_cast<int>(columns.size()));
      }
    }
  }
  return Matrix("matrix", static_cast<int>(ends.size()) - 1, static_cast<int>(grid.size()),
                static_cast<int>(values.size()), values.data(), ends.data(), columns.data());
}

/// Values of all points, on every rank.
Kokkos::View<double*, Exec> made_values(Exec const& exec, Grid const& grid) {
  Kokkos::View<double*, Exec> const all("all", grid.size());
  Kokkos::parallel_for(
      "values", Kokkos::RangePolicy<Exec>(exec, 0, grid.size()), KOKKOS_LAMBDA(std::size_t n) {
        all(n) = Kokkos::sin(0.7 * static_cast<double>(n)) + 0.01 * static_cast<double>(n % 17);
      });
  return all;
}

TEST(SimulationStencil, IsTheAssembledMatrixOfKokkosSparse) {
  Grid const grid(MPI_COMM_WORLD, {9, 7, 5}, 0.3);
  Exec const exec;
  Field const in("in", grid), out("out", grid);
  Kokkos::View<double*, Exec> const all = made_values(exec, grid);
  std::size_t const begin = grid.first_plane() * grid.plane_size();
  auto const mine =
      Kokkos::subview(all, std::make_pair(begin, begin + grid.planes() * grid.plane_size()));
  Kokkos::deep_copy(in.vector(), mine);

  simulation::Halo halo(exec, grid);
  halo.exchange(in);
  double const a = 1, b = -0.4;
  apply_stencil(exec, grid, a, b, in, out);

  Kokkos::View<double*, Exec> const expected("expected", mine.extent(0));
  KokkosSparse::spmv(exec, "N", 1.0, assembled(grid, a, b), all, 0.0, expected);
  exec.fence();
  auto const product = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  std::vector<double> const values = values_of(out);
  for (std::size_t n = 0; n < values.size(); ++n) {
    // Seven products of at most 30, summed up in another order.
    ASSERT_NEAR(values[n], product(n), 1e-13 * 30) << n;
  }
}

}  // namespace
}  // namespace kompakt::test
