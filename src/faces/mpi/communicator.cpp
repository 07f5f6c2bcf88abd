#include "communicator.hpp"

#include "failure.hpp"

namespace kompakt::mpi {

Communicator::Communicator(MPI_Comm comm) {
  require_success(MPI_Comm_dup(comm, &m_comm), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(m_comm, MPI_ERRORS_RETURN);
  require_success(MPI_Comm_rank(m_comm, &m_rank), "MPI_Comm_rank");
  require_success(MPI_Comm_size(m_comm, &m_ranks), "MPI_Comm_size");
  int* largest = nullptr;
  int found = 0;
  MPI_Comm_get_attr(m_comm, MPI_TAG_UB, &largest, &found);
  if (found != 0) m_max_tag = *largest;
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && m_comm != MPI_COMM_NULL) MPI_Comm_free(&m_comm);
}

}  // namespace kompakt::mpi
