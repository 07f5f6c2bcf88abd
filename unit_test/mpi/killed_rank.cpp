#include <kompakt/archive.hpp>
#include <kompakt/mpi_files.hpp>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdio>
#include <string>

// Adds a field of all ranks to an archive and is killed on the last rank in front of a call of MPI, as by a machine that
// loses its power.
// usage: mpiexec -n RANKS killed_rank ARCHIVE NAME none|write|sync|commit|repair
// repair is none behind kompakt::repair_archive().

namespace {

std::string killed_at;

void die_at(char const* where) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == ranks - 1 && killed_at == where) std::raise(SIGKILL);
}

}  // namespace

extern "C" {

int MPI_File_write_at(MPI_File file, MPI_Offset offset, void const* bytes, int count,
                      MPI_Datatype type, MPI_Status* status) {
  die_at("write");
  return PMPI_File_write_at(file, offset, bytes, count, type, status);
}
int MPI_File_sync(MPI_File file) {
  die_at("sync");
  return PMPI_File_sync(file);
}

}  // extern "C"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) return 2;
  killed_at = argv[3];
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    using Exec = Kokkos::DefaultHostExecutionSpace;
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    constexpr std::size_t planes = 32, rows = 64;
    Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> const part("part", planes, rows,
                                                                              rows);
    for (std::size_t i = 0; i < part.size(); ++i) part.data()[i] = static_cast<float>(i % 97);
    kompakt::FramePart place;
    place.origin = {planes * static_cast<std::size_t>(rank), 0, 0};
    place.total = {planes * static_cast<std::size_t>(ranks), rows, rows};
    if (rank == 0 && killed_at == "repair") kompakt::repair_archive(argv[1]);
    bool is_there = false;
    MPI_Barrier(MPI_COMM_WORLD);
    if (std::FILE* const file = std::fopen(argv[1], "rb")) is_there = std::fclose(file) == 0;
    MPI_Barrier(MPI_COMM_WORLD);
    using Writer = kompakt::mpi::ArchiveWriter<Exec>;
    kompakt::mpi::FileOptions const frames{.frame_bytes = 1 << 17};
    Writer archive = is_there
                         ? Writer::append_to(Exec(), MPI_COMM_WORLD, argv[1], {}, frames)
                         : Writer(Exec(), MPI_COMM_WORLD, argv[1], kompakt::Overwrite::no, frames);
    archive.write(argv[2], {}, part, place, {});
    die_at("commit");
    archive.commit();
    kompakt::mpi::FieldReader(Exec(), MPI_COMM_WORLD, argv[1], argv[2])
        .read(part, kompakt::Box::at(place.origin, kompakt::shape_of(part)));
  }
  MPI_Finalize();
}
