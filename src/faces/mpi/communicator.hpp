#ifndef KOMPAKT_MPI_COMMUNICATOR_HPP
#define KOMPAKT_MPI_COMMUNICATOR_HPP

#include <mpi.h>

#include <utility>

namespace kompakt::mpi {

/// A duplicate of a communicator, with errors returned.
class Communicator {
 public:
  /// Collective.
  /// \throws Error device if MPI fails
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;

  operator MPI_Comm() const { return m_comm; }
  int rank() const { return m_rank; }
  int ranks() const { return m_ranks; }
  /// The largest tag that MPI takes.
  int max_tag() const { return m_max_tag; }

 private:
  MPI_Comm m_comm = MPI_COMM_NULL;
  int m_rank = 0, m_ranks = 1, m_max_tag = 32767;
};

}  // namespace kompakt::mpi

#endif
