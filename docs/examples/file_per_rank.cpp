// An HDF5 file of each rank, whose chunks are compressed where the field lies, and one with a virtual dataset over them:
// mpiexec -n 4 example_file_per_rank FOLDER. parallel_hdf5.py reads it.
#include <Kokkos_Core.hpp>
#include <kompakt/hdf5.hpp>
#include <kompakt/mpi.hpp>
#include <string>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

constexpr hsize_t planes = 24, rows = 48, columns = 64;  // of each rank

struct Waves {
  Field field;
  int first_plane;
  KOKKOS_FUNCTION void operator()(int k, int j, int i) const {
    field(k, j, i) = Kokkos::sin(0.1f * (k + first_plane)) * Kokkos::cos(0.07f * j) + 0.01f * i;
  }
};

void require(bool succeeded) {
  if (!succeeded) throw kompakt::Error(kompakt::Status::io, "HDF5 has failed");
}

// [mpi_files rank_file]
/// Writes the part of this rank into a file of its own.
void write_part(std::string const& path, Field const& part, kompakt::Options const& options) {
  hsize_t const extents[] = {part.extent(0), part.extent(1), part.extent(2)};
  hsize_t const chunk[] = {16, 48, 64};
  hid_t const file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t const space = H5Screate_simple(3, extents, nullptr);
  hid_t const dcpl = H5Pcreate(H5P_DATASET_CREATE);
  require(H5Pset_chunk(dcpl, 3, chunk) >= 0 && H5Pset_kompakt(dcpl, nullptr) >= 0);
  hid_t const dataset =
      H5Dcreate2(file, "t", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  require(dataset >= 0);
  kompakt::hdf5::write_chunks(Exec(), dataset, part, options);
  require(H5Dclose(dataset) >= 0 && H5Pclose(dcpl) >= 0 && H5Sclose(space) >= 0);
  require(H5Fclose(file) >= 0);
}

/// Writes a file that shows the parts of all ranks, slabs of the slowest index, as one dataset.
void write_whole(std::string const& path, hsize_t ranks) {
  hsize_t const extents[] = {planes * ranks, rows, columns}, count[] = {planes, rows, columns};
  hid_t const space = H5Screate_simple(3, extents, nullptr);
  hid_t const part = H5Screate_simple(3, count, nullptr);
  hid_t const dcpl = H5Pcreate(H5P_DATASET_CREATE);
  for (hsize_t rank = 0; rank < ranks; ++rank) {
    hsize_t const start[] = {planes * rank, 0, 0};
    std::string const file = "rank-" + std::to_string(rank) + ".h5";  // beside the one of the whole
    require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0);
    require(H5Pset_virtual(dcpl, space, file.c_str(), "t", part) >= 0);
  }
  hid_t const file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t const dataset =
      H5Dcreate2(file, "t", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  require(H5Dclose(dataset) >= 0 && H5Pclose(dcpl) >= 0 && H5Sclose(part) >= 0);
  require(H5Sclose(space) >= 0 && H5Fclose(file) >= 0);
}
// [/mpi_files]

void write(std::string const& folder, int rank, int ranks) {
  Field const part("part", planes, rows, columns);
  Kokkos::parallel_for("waves",
                       Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>({0, 0, 0}, {24, 48, 64}),
                       Waves{part, rank * static_cast<int>(planes)});
  // [mpi_files one_bound]
  kompakt::mpi::Messenger messenger(Exec(), MPI_COMM_WORLD);
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::relative_to_range(1e-3);
  options = messenger.agreed(part, options);  // of the range of all parts
  kompakt::mpi::together(MPI_COMM_WORLD, [&] {
    write_part(folder + "/rank-" + std::to_string(rank) + ".h5", part, options);
  });
  kompakt::mpi::together(MPI_COMM_WORLD, [&] {  // when all parts are there
    if (rank == 0) write_whole(folder + "/whole.h5", static_cast<hsize_t>(ranks));
  });
  // [/mpi_files]
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    write(argv[1], rank, ranks);
  }
  MPI_Finalize();
}
