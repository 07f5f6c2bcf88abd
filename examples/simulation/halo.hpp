#ifndef SIMULATION_HALO_HPP
#define SIMULATION_HALO_HPP

#include "grid.hpp"
#include <Kokkos_Core.hpp>
#include <kompakt/mpi_halo.hpp>
#include <kompakt/options.hpp>
#include <memory>
#include <optional>

namespace simulation {

/// Fills ghost planes with the neighbours' values: as they are, or compressed.
class Halo {
 public:
  /// Collective.
  /// \param coding  of planes, each within a bound relative to its own range unless it is absolute; none: they go as they are
  Halo(Exec const& exec, Grid const& grid, std::optional<kompakt::Options> const& coding = {});

  /// Collective. Waits for the neighbours.
  void exchange(Field const& field);

  /// Bytes of values that went to other ranks, and bytes that were sent for them.
  kompakt::mpi::Traffic traffic() const;

 private:
  using HostPlanes = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

  void exchange_raw(Field const& field);
  void copy_around(Field const& field) const;

  Exec m_exec;
  Grid const& m_grid;
  std::optional<kompakt::Options> m_coding;
  std::unique_ptr<kompakt::mpi::Messenger<Exec>> m_messenger;
  std::unique_ptr<kompakt::mpi::HaloExchange<Exec>> m_compressed;
  HostPlanes m_sent, m_received;  // two planes each, of a device
  kompakt::mpi::Traffic m_raw;
};

}  // namespace simulation

#endif
