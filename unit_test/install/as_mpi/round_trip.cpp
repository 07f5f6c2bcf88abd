#include <Kokkos_Core.hpp>
#include <kompakt/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  kompakt::mpi::agree(MPI_COMM_WORLD);
  MPI_Finalize();
}
