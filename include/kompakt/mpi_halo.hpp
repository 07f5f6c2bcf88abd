#ifndef KOMPAKT_MPI_HALO_HPP
#define KOMPAKT_MPI_HALO_HPP

#include <kompakt/mpi_messages.hpp>
#include <memory>

// Ghost cells of fields on Cartesian grids.

namespace kompakt::mpi {

/// From which neighbours ghost cells come.
enum class Neighbours : std::uint8_t {
  faces = 0,  ///< those along one index: for stencils in the form of a star
  all = 1,    ///< also those across edges and corners
};

struct HaloOptions {
  int width = 1;  ///< ghost cells on each side
  Neighbours neighbours = Neighbours::faces;
};

/// Implementation of a HaloExchange, with execution space and types known only at run time.
class Halo {
 public:
  Halo(std::shared_ptr<Engine> engine, HaloOptions const& options);
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  void exchange(FieldTarget const& field, Options const& options);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Fills the ghost cells of fields on a Cartesian grid of ranks with values of the neighbours. All that a rank sends is
/// compressed in one batch, each value once: ghost cells hold what the owner has, within the bound. Where the grid
/// ends, ghost cells stay as they are.
template <SupportedSpace Exec>
class HaloExchange {
 public:
  /// Collective.
  /// \param messenger  made of a communicator of MPI_Cart_create(); its options count, such as raw_below for each face
  /// \throws Error on every rank: bad_argument if the communicator is not a Cartesian grid or an option cannot be used
  explicit HaloExchange(Messenger<Exec>& messenger, HaloOptions const& options = {})
      : m_halo(messenger.messages().engine(), options) {}

  /// Collective among all ranks of the grid.
  /// \param field    with ghost cells on both sides of the first indices, as many as the grid has dimensions; further ones
  ///                 have none. Extents without ghost cells are not smaller than the width; those across a face are the same on both sides
  /// \param options  bound and pipeline. A bound relative to the range is one of each face unless Options::range is
  ///                 given, see Messenger::agreed()
  /// \throws Error on every rank what any of them fails with, behind its number; ghost cells are then undefined
  /// \note a second call for a field of the same extents allocates nothing
  template <FieldLike F>
  void exchange(F const& field, Options const& options) {
    m_halo.exchange(impl::whole_target_of<Exec>(field), options);
  }

 private:
  Halo m_halo;
};

}  // namespace kompakt::mpi

#endif
