#include <kompakt/mpi.hpp>
#include <limits>

#include "failure.hpp"

namespace kompakt::mpi {

void agree(MPI_Comm comm, std::exception_ptr failure) {
  constexpr int nobody = std::numeric_limits<int>::max();
  int rank = 0;
  require_success(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  int const mine = failure ? rank : nobody;
  int first = nobody;
  require_success(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == nobody) return;

  Failure told;
  if (rank == first) told = Failure::of(failure);
  int numbers[] = {static_cast<int>(told.status), static_cast<int>(told.message.size())};
  require_success(MPI_Bcast(numbers, 2, MPI_INT, first, comm), "MPI_Bcast");
  told.status = static_cast<Status>(numbers[0]);
  told.message.resize(static_cast<std::size_t>(numbers[1]));
  require_success(MPI_Bcast(told.message.data(), numbers[1], MPI_CHAR, first, comm), "MPI_Bcast");
  throw_failure_of(first, told);
}

}  // namespace kompakt::mpi
