#include "halo.hpp"
#include <array>

namespace simulation {
namespace {

constexpr bool values_are_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

}  // namespace

Halo::Halo(Exec const& exec, Grid const& grid, std::optional<kompakt::Options> const& coding)
    : m_exec(exec), m_grid(grid), m_coding(coding) {
  if (m_coding) {
    kompakt::mpi::MessageOptions messages;
    messages.raw_below = 0;  // planes of small grids too
    m_messenger = std::make_unique<kompakt::mpi::Messenger<Exec>>(exec, grid.comm(), messages);
    m_compressed = std::make_unique<kompakt::mpi::HaloExchange<Exec>>(*m_messenger);
  } else if (!values_are_on_host && grid.ranks() > 1) {
    m_sent = HostPlanes("simulation::planes sent", 2, grid.points()[1], grid.points()[2]);
    m_received = HostPlanes("simulation::planes received", 2, grid.points()[1], grid.points()[2]);
  }
}

void Halo::exchange(Field const& field) {
  if (m_compressed) {
    m_compressed->exchange(field.with_ghosts(), *m_coding);
  } else if (m_grid.ranks() == 1) {
    copy_around(field);
  } else {
    exchange_raw(field);
  }
}

void Halo::copy_around(Field const& field) const {
  std::size_t const last = m_grid.planes();
  Kokkos::deep_copy(m_exec, field.planes(0, 1), field.planes(last, last + 1));
  Kokkos::deep_copy(m_exec, field.planes(last + 1, last + 2), field.planes(1, 2));
}

void Halo::exchange_raw(Field const& field) {
  std::size_t const last = m_grid.planes(), plane = m_grid.plane_size();
  double* const values = field.with_ghosts().data();
  std::array<double*, 2> to = {values + plane, values + last * plane};
  std::array<double*, 2> from = {values, values + (last + 1) * plane};
  // Not every MPI takes pointers to the memory of a device.
  auto const host_plane = [](HostPlanes const& planes, std::size_t i) {
    return Kokkos::subview(planes, std::make_pair(i, i + 1), Kokkos::ALL, Kokkos::ALL);
  };
  if constexpr (!values_are_on_host) {
    Kokkos::deep_copy(m_exec, host_plane(m_sent, 0), field.planes(1, 2));
    Kokkos::deep_copy(m_exec, host_plane(m_sent, 1), field.planes(last, last + 1));
    to = {m_sent.data(), m_sent.data() + plane};
    from = {m_received.data(), m_received.data() + plane};
  }
  m_exec.fence("simulation: planes for the neighbours are there");
  std::array<MPI_Request, 4> requests;
  auto const count = static_cast<int>(plane);
  // Tags say to which side a plane goes: with two ranks both neighbours are the same one.
  MPI_Irecv(from[0], count, MPI_DOUBLE, m_grid.below(), 1, m_grid.comm(), &requests[0]);
  MPI_Irecv(from[1], count, MPI_DOUBLE, m_grid.above(), 0, m_grid.comm(), &requests[1]);
  MPI_Isend(to[0], count, MPI_DOUBLE, m_grid.below(), 0, m_grid.comm(), &requests[2]);
  MPI_Isend(to[1], count, MPI_DOUBLE, m_grid.above(), 1, m_grid.comm(), &requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  if constexpr (!values_are_on_host) {
    Kokkos::deep_copy(m_exec, field.planes(0, 1), host_plane(m_received, 0));
    Kokkos::deep_copy(m_exec, field.planes(last + 1, last + 2), host_plane(m_received, 1));
  }
  m_raw.messages += 2;
  m_raw.raw_messages += 2;
  m_raw.value_bytes += 2 * plane * sizeof(double);
  m_raw.sent_bytes += 2 * plane * sizeof(double);
}

kompakt::mpi::Traffic Halo::traffic() const { return m_messenger ? m_messenger->traffic() : m_raw; }

}  // namespace simulation
