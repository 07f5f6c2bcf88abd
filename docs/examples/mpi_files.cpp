// One file from many ranks: mpiexec -n 4 example_mpi_files FILE. Exits with 0 if every value is within its bound.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <kompakt/mpi.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

double wave(std::size_t x, std::size_t y, std::size_t z) {
  return std::sin(0.02 * static_cast<double>(x) + 0.01 * static_cast<double>(y + 2 * z));
}

/// A part of a wave.
Field part_of_wave(std::size_t first_plane, std::size_t planes) {
  Field const field("part", planes, 64, 64);
  auto const host = Kokkos::create_mirror_view(field);
  for (std::size_t x = 0; x < planes; ++x)
    for (std::size_t y = 0; y < 64; ++y)
      for (std::size_t z = 0; z < 64; ++z)
        host(x, y, z) = static_cast<float>(wave(first_plane + x, y, z));
  Kokkos::deep_copy(field, host);
  return field;
}

bool is_wave(Field const& field, kompakt::Box const& box, double bound) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field);
  double largest = 0;
  for (std::size_t x = 0; x < field.extent(0); ++x)
    for (std::size_t y = 0; y < field.extent(1); ++y)
      for (std::size_t z = 0; z < field.extent(2); ++z) {
        auto const original =
            static_cast<float>(wave(box.begin[0] + x, box.begin[1] + y, box.begin[2] + z));
        largest = std::fmax(
            largest, std::fabs(static_cast<double>(original) - static_cast<double>(host(x, y, z))));
      }
  return largest <= bound;
}

bool write_and_read(std::size_t rank, std::size_t ranks, char const* path) {
  std::size_t const first_plane = 40 * rank;
  Field const temperature = part_of_wave(first_plane, 40), pressure = temperature;
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  // [mpi_files write]
  kompakt::mpi::ArchiveWriter archive(Exec(), MPI_COMM_WORLD, path, kompakt::Overwrite::yes);
  kompakt::FramePart place;
  place.origin = {first_plane, 0, 0};  // of this rank's part
  place.total = {40 * ranks, 64, 64};  // of the field
  archive.write("temperature", {{"units", "K"}}, temperature, place, options);
  archive.write("pressure", {{"units", "Pa"}}, pressure, place, options);
  archive.commit();
  // [/mpi_files]
  // [mpi_files read]
  Field const mine("mine", 8, 16, 64);
  auto const box = kompakt::Box::at({8, 16 * rank, 0}, kompakt::shape_of(mine));
  kompakt::mpi::FieldReader reader(Exec(), MPI_COMM_WORLD, path, "temperature");
  reader.read(mine, box);
  // [/mpi_files]
  return is_wave(mine, box, 1e-3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 0;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool const right =
        write_and_read(static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks),
                       argc > 1 ? argv[1] : "run.kpk");
    if (!right) std::fprintf(stderr, "rank %d: a value is outside its bound\n", rank);
    failed = right ? 0 : 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
