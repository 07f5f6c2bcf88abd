#ifndef SIMULATION_GRID_HPP
#define SIMULATION_GRID_HPP

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <kompakt/stream.hpp>
#include <string>
#include <utility>

// Where values lie: a periodic grid, cut into slabs, and fields on it.

namespace simulation {

/// Everything is computed there: OpenMP or CUDA, as Kokkos was built.
using Exec = Kokkos::DefaultExecutionSpace;

/// A periodic grid of points with the same distance along all three indices, cut into slabs of the first index: rank r has
/// the planes first_plane() to first_plane() + planes() - 1. Values of a slab lie side by side, and so do those that a
/// neighbour needs.
class Grid {
 public:
  /// Collective.
  /// \param comm     whose ranks get a slab each
  /// \param points   along each index; at least as many along the first one as there are ranks
  /// \param spacing  distance of two points
  /// \throws kompakt::Error bad_argument on all ranks for a grid that cannot be cut
  Grid(MPI_Comm comm, std::array<std::size_t, 3> const& points, double spacing);
  ~Grid();
  Grid(Grid const&) = delete;
  Grid& operator=(Grid const&) = delete;

  /// A Cartesian communicator of one dimension.
  MPI_Comm comm() const { return m_comm; }
  int rank() const { return m_rank; }
  int ranks() const { return m_ranks; }
  /// Ranks of the slabs before and behind this one.
  int below() const { return m_below; }
  int above() const { return m_above; }

  std::array<std::size_t, 3> const& points() const { return m_points; }
  std::size_t size() const { return m_points[0] * m_points[1] * m_points[2]; }
  double spacing() const { return m_spacing; }
  std::size_t first_plane() const { return m_first; }
  std::size_t planes() const { return m_planes; }
  std::size_t plane_size() const { return m_points[1] * m_points[2]; }
  /// Where the slab lies in the grid: how archives and checkpoints know it.
  kompakt::FramePart place() const;

  /// Sum over all ranks, on all of them.
  double sum(double mine) const;

 private:
  std::array<std::size_t, 3> m_points;
  double m_spacing;
  MPI_Comm m_comm = MPI_COMM_NULL;
  int m_rank = 0, m_ranks = 1, m_below = 0, m_above = 0;
  std::size_t m_first = 0, m_planes = 0;
};

/// Values at the points of a rank's slab, with a ghost plane on both sides. The last index is the fastest on all
/// backends, so that their files have the same bytes. Copies refer to the same values.
class Field {
 public:
  using Values = Kokkos::View<double***, Kokkos::LayoutRight, Exec>;
  using Vector = Kokkos::View<double*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Field() = default;
  /// Zeros.
  Field(std::string const& label, Grid const& grid)
      : m_values(label, grid.planes() + 2, grid.points()[1], grid.points()[2]) {}

  Values const& with_ghosts() const { return m_values; }
  /// Some of the planes, of which 0 and the last one are ghosts.
  auto planes(std::size_t begin, std::size_t end) const {
    return Kokkos::subview(m_values, std::make_pair(begin, end), Kokkos::ALL, Kokkos::ALL);
  }
  /// Planes of the slab alone: what is compressed and saved.
  auto interior() const { return planes(1, m_values.extent(0) - 1); }
  /// The same as one vector, for KokkosBlas.
  Vector vector() const {
    std::size_t const plane = m_values.extent(1) * m_values.extent(2);
    return Vector(m_values.data() + plane, m_values.size() - 2 * plane);
  }

 private:
  Values m_values;
};

}  // namespace simulation

#endif
