// One dataset of an HDF5 file from many ranks, by parallel HDF5 and through the filter as a plugin:
// mpiexec -n 4 example_parallel_hdf5 FILE, with HDF5_PLUGIN_PATH. parallel_hdf5.py reads it.
#include <hdf5.h>
#include <kompakt/h5z_values.h>  // needs neither HDF5 nor kompakt to be linked
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr hsize_t planes = 24, rows = 48, columns = 64;  // of each rank

void require(bool succeeded) {
  if (succeeded) return;
  std::fprintf(stderr, "HDF5 has failed; its messages are above\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

std::vector<float> part_of_wave(hsize_t first_plane) {
  std::vector<float> values;
  for (hsize_t k = first_plane; k < first_plane + planes; ++k)
    for (hsize_t j = 0; j < rows; ++j)
      for (hsize_t i = 0; i < columns; ++i)
        values.push_back(static_cast<float>(std::sin(0.1 * static_cast<double>(k)) *
                                                std::cos(0.07 * static_cast<double>(j)) +
                                            0.01 * static_cast<double>(i)));
  return values;
}

hid_t create_file(char const* path) {
  // [mpi_files parallel_open]
  hid_t const access = H5Pcreate(H5P_FILE_ACCESS);
  require(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  hid_t const file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  // [/mpi_files]
  require(file >= 0 && H5Pclose(access) >= 0);
  return file;
}

/// \param compressed  by the filter
void write_part(hid_t file, char const* name, std::vector<float> const& part, hsize_t rank,
                hsize_t ranks, bool compressed) {
  hsize_t const extents[] = {planes * ranks, rows, columns};
  hid_t const space = H5Screate_simple(3, extents, nullptr);
  hid_t const dcpl = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t const chunk[] = {16, rows, columns};  // some are of two ranks
  require(H5Pset_chunk(dcpl, 3, chunk) >= 0);
  if (compressed) {
    // [mpi_files parallel_filter]
    unsigned words[KOMPAKT_H5Z_WORDS];
    kompakt_h5z_words_of_bound(kompakt_absolute(1e-3), words);
    require(H5Pset_filter(dcpl, KOMPAKT_H5Z_FILTER_ID, H5Z_FLAG_MANDATORY, KOMPAKT_H5Z_WORDS,
                          words) >= 0);
    // [/mpi_files]
  }
  hid_t const dataset =
      H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  require(dataset >= 0);
  // [mpi_files parallel_write]
  hsize_t const start[] = {planes * rank, 0, 0}, count[] = {planes, rows, columns};
  hid_t const memory = H5Screate_simple(3, count, nullptr);
  require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0);
  hid_t const together = H5Pcreate(H5P_DATASET_XFER);
  require(H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE) >= 0);  // a filter takes no other way
  require(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, together, part.data()) >= 0);
  // [/mpi_files]
  require(H5Pclose(together) >= 0 && H5Sclose(memory) >= 0 && H5Dclose(dataset) >= 0);
  require(H5Pclose(dcpl) >= 0 && H5Sclose(space) >= 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const own = static_cast<hsize_t>(rank), all = static_cast<hsize_t>(ranks);
  std::vector<float> const part = part_of_wave(planes * own);
  hid_t const file = create_file(argv[1]);
  write_part(file, "t", part, own, all, true);
  write_part(file, "original", part, own, all, false);
  require(H5Fclose(file) >= 0);
  MPI_Finalize();
}
