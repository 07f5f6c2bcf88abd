// A field that the ranks of MPI have slabs of, saved on all of them and restored on half as many.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <filesystem>
#include <kompakt/mpi_checkpoint.hpp>
#include <kompakt/options.hpp>

using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::size_t nx = 48, ny = 40, nz = 30;

struct Slab {
  std::size_t begin, count;
  Kokkos::View<float***, Kokkos::LayoutRight, Exec> values;

  explicit Slab(MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    begin = nx * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
    count = nx * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(ranks) - begin;
    values = decltype(values)("slab", count, ny, nz);
  }
};

void register_slab(kompakt::mpi::Checkpoint<Exec>& checkpoint, Slab const& slab) {
  kompakt::Options const options{.bound = kompakt::ErrorBound::relative_to_range(1e-3)};
  // [checkpoint ranks]
  kompakt::FramePart place;  // where this rank's part lies
  place.origin = {slab.begin, 0, 0};
  place.total = {nx, ny, nz};
  checkpoint.add("pressure", slab.values, place, options);
  // [/checkpoint]
}

bool restores_on(MPI_Comm comm, std::filesystem::path const& folder) {
  Slab const slab(comm);
  kompakt::mpi::Checkpoint<Exec> checkpoint(Exec(), comm, folder, "field");
  register_slab(checkpoint, slab);
  checkpoint.restore();
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), slab.values);
  bool good = true;
  for (std::size_t i = 0; i < slab.count; ++i) {
    double const exact = static_cast<double>(slab.begin + i);
    good = good && values(i, 3, 4) >= exact - 0.1 && values(i, 3, 4) <= exact + 0.1;
  }
  return good;
}

bool run(std::filesystem::path const& folder) {
  Slab const slab(MPI_COMM_WORLD);
  Kokkos::parallel_for(
      "ramp", Kokkos::RangePolicy<Exec>(0, slab.count), KOKKOS_LAMBDA(std::size_t i) {
        for (std::size_t j = 0; j < ny; ++j)
          for (std::size_t k = 0; k < nz; ++k)
            slab.values(i, j, k) = static_cast<float>(slab.begin + i);
      });
  {
    using kompakt::mpi::CheckpointFiles;
    kompakt::mpi::Checkpoint<Exec> checkpoint(Exec(), MPI_COMM_WORLD, folder, "field", {},
                                              CheckpointFiles::one_a_rank);
    register_slab(checkpoint, slab);
    checkpoint.save(1);
  }
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 2 * rank < ranks ? 0 : MPI_UNDEFINED, rank, &half);
  if (half == MPI_COMM_NULL) return true;
  bool const good = restores_on(half, folder);
  MPI_Comm_free(&half);
  return good;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 0;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    std::filesystem::path const folder = argc > 1 ? argv[1] : "mpi_checkpoints";
    std::filesystem::create_directories(folder);
    failed = run(folder) ? 0 : 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
