#include "grid.hpp"
#include <kompakt/error.hpp>

namespace simulation {

Grid::Grid(MPI_Comm comm, std::array<std::size_t, 3> const& points, double spacing)
    : m_points(points), m_spacing(spacing) {
  MPI_Comm_size(comm, &m_ranks);
  auto const ranks = static_cast<std::size_t>(m_ranks);
  if (points[0] < ranks || points[1] == 0 || points[2] == 0) {
    throw kompakt::Error(kompakt::Status::bad_argument,
                         "a grid of " + std::to_string(points[0]) + " x " +
                             std::to_string(points[1]) + " x " + std::to_string(points[2]) +
                             " points cannot be cut into slabs for " + std::to_string(ranks) +
                             " ranks; the first extent must be at least their number");
  }
  int const periodic = 1;
  MPI_Cart_create(comm, 1, &m_ranks, &periodic, 0, &m_comm);
  MPI_Comm_rank(m_comm, &m_rank);
  MPI_Cart_shift(m_comm, 0, 1, &m_below, &m_above);
  auto const rank = static_cast<std::size_t>(m_rank);
  m_first = points[0] * rank / ranks;
  m_planes = points[0] * (rank + 1) / ranks - m_first;
}

Grid::~Grid() { MPI_Comm_free(&m_comm); }

kompakt::FramePart Grid::place() const {
  kompakt::FramePart place;
  place.origin = {m_first, 0, 0};
  place.total = {m_points[0], m_points[1], m_points[2]};
  return place;
}

double Grid::sum(double mine) const {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, m_comm);
  return mine;
}

}  // namespace simulation
