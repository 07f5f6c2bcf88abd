#include "run.hpp"
#include <cstdio>
#include <exception>
#include <kompakt/error.hpp>

// gray_scott: --help tells what it does. A failure is one line; its number is the exit code.

namespace {

int fail(kompakt::Status status, char const* message, bool prints) {
  if (prints) std::fprintf(stderr, "gray_scott: error: %s\n", message);
  return static_cast<int>(status);
}

int guarded_run(int argc, char** argv, bool prints) {
  try {
    auto const settings = simulation::read_settings(argc, argv, prints);
    if (settings) simulation::run(MPI_COMM_WORLD, *settings);
    return 0;
  } catch (kompakt::Error const& error) {
    return fail(error.status(), error.what(), prints);
  } catch (std::exception const& error) {  // such as no memory
    // Perhaps on this rank alone, and the others wait for it.
    int const code = fail(kompakt::Status::device, error.what(), true);
    MPI_Abort(MPI_COMM_WORLD, code);
    return code;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, exit_code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    exit_code = guarded_run(argc, argv, rank == 0);
  }
  MPI_Finalize();
  return exit_code;
}
