// What docs/integrations/hdf5.md shows of the filter as a library: the code between "[hdf5 NAME]" and "[/hdf5]" is
// printed there, letter by letter.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/hdf5.hpp>
#include <stdexcept>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;  // Kokkos::Serial, Kokkos::OpenMP or Kokkos::Cuda
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

struct Waves {
  Field field;
  KOKKOS_FUNCTION void operator()(int k, int j, int i) const {
    field(k, j, i) = Kokkos::sin(0.1f * k) * Kokkos::cos(0.07f * j) + 0.01f * i;
  }
};

void require(bool succeeded) {
  if (!succeeded) throw std::runtime_error("HDF5 has failed");
}

void write_values(hid_t file, hid_t space, std::vector<float> const& values) {
  // [hdf5 library]
  hsize_t const chunk[] = {32, 32, 32};
  hid_t const dcpl = H5Pcreate(H5P_DATASET_CREATE);
  require(H5Pset_chunk(dcpl, 3, chunk) >= 0);
  require(H5Pset_kompakt_absolute(dcpl, 0.001) >= 0);  // <kompakt/h5z.h>, of C
  hid_t const dataset =
      H5Dcreate2(file, "from_host", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  require(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  // [/hdf5]
  require(H5Dclose(dataset) >= 0);
  require(H5Pclose(dcpl) >= 0);
}

void write_view(Exec const& exec, hid_t dataset, Field const& field) {
  // [hdf5 chunks]
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::relative_to_range(1e-3);  // of the whole field
  options.pipeline = kompakt::Pipeline::bitshuffle;
  kompakt::hdf5::write_chunks(exec, dataset, field, options);  // <kompakt/hdf5.hpp>
  // [/hdf5]
}

bool round_trip(char const* path) {
  Exec const exec;
  Field const field("field", 64, 80, 96);
  Kokkos::parallel_for("waves",
                       Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {64, 80, 96}),
                       Waves{field});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field);
  std::vector<float> const values(host.data(), host.data() + host.size());

  hid_t const file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hsize_t const extents[] = {64, 80, 96};
  hid_t const space = H5Screate_simple(3, extents, nullptr);
  write_values(file, space, values);

  hid_t const dcpl = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t const chunk[] = {32, 32, 32};
  require(H5Pset_chunk(dcpl, 3, chunk) >= 0);
  require(H5Pset_kompakt_relative_to_range(dcpl, 1e-3) >= 0);
  hid_t const dataset =
      H5Dcreate2(file, "from_view", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  write_view(exec, dataset, field);
  std::vector<float> restored(values.size());
  require(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, restored.data()) >= 0);
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(double(values[i]) - double(restored[i])));
  }
  std::printf("%llu bytes instead of %zu, largest error %g\n",
              static_cast<unsigned long long>(H5Dget_storage_size(dataset)),
              values.size() * sizeof(float), largest);
  require(H5Dclose(dataset) >= 0 && H5Pclose(dcpl) >= 0 && H5Sclose(space) >= 0);
  require(H5Fclose(file) >= 0);
  return largest < 0.003;  // the range is less than 3
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return argc == 2 && round_trip(argv[1]) ? 0 : 1;
}
