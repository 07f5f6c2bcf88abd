#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_files.hpp>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <kompakt/slabs.hpp>
#include <string>
#include <vector>

// Writing one field from many ranks by MPI-IO, beside compressing it on the same ranks without writing, in turns.
// Each field is a file of its own in the place of the one before, so that a file system in memory has pages to give.
// usage: mpiexec -n 4 bench_mpi_files [FOLDER [MiB of each rank [repetitions [PIPELINE]]]]

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Cube = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace>;

double seconds(auto const& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  auto const begin = std::chrono::steady_clock::now();
  work();
  MPI_Barrier(MPI_COMM_WORLD);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

Cube make_part(std::size_t planes, std::size_t first) {
  Cube const part(Kokkos::view_alloc("part", Kokkos::WithoutInitializing), planes, 512, 512);
  Kokkos::parallel_for(
      "kompakt::bench::fill",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>({0, 0, 0},
                                                   {static_cast<std::int64_t>(planes), 512, 512}),
      KOKKOS_LAMBDA(std::size_t z, std::size_t y, std::size_t x) {
        double const t = 0.02 * static_cast<double>(z + first);
        part(z, y, x) =
            static_cast<float>(Kokkos::sin(0.05 * static_cast<double>(x) + t) +
                               Kokkos::cos(0.03 * static_cast<double>(y) - t) +
                               0.01 * static_cast<double>((x * 7919 + y * 104729) % 97));
      });
  Exec().fence();
  return part;
}

/// The frames that write() makes of it, compressed and dropped.
void compress_frames(kompakt::AnyCodec& codec, Cube const& part, kompakt::Options const& options,
                     std::vector<std::byte>& room) {
  kompakt::Slabs const slabs(kompakt::shape_of(part), kompakt::mpi::FileOptions().frame_bytes);
  room.resize(kompakt::max_compressed_bytes(slabs.shape(0), options));
  for (std::uint64_t k = 0; k < slabs.count(); ++k) {
    auto const* const values = part.data() + slabs.values_before(k);
    codec.compress(kompakt::ConstFieldData(values, slabs.shape(k)), kompakt::MemoryOf::host,
                   options, room, kompakt::MemoryOf::host);
  }
}

void measure(std::filesystem::path const& folder, std::size_t mebibytes, int repetitions,
             kompakt::Pipeline pipeline) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Cube const part = make_part(mebibytes, mebibytes * static_cast<std::size_t>(rank));
  kompakt::FramePart place;
  place.origin = {mebibytes * static_cast<std::size_t>(rank), 0, 0};
  place.total = {mebibytes * static_cast<std::size_t>(ranks), 512, 512};
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  options.pipeline = pipeline;
  auto const path = folder / "bench_mpi_files.kpk";
  kompakt::AnyCodec codec{Exec()};
  std::vector<std::byte> room;
  std::vector<double> alone, written;
  std::uint64_t stream_bytes = 0;
  for (int i = 0; i <= repetitions; ++i) {
    double const compressing = seconds([&] { compress_frames(codec, part, options, room); });
    kompakt::mpi::ArchiveWriter archive(Exec(), MPI_COMM_WORLD, path, kompakt::Overwrite::yes);
    double const writing =
        seconds([&] { stream_bytes = archive.write("field", {}, part, place, options).bytes; });
    archive.commit();
    if (i == 0) continue;  // memory is new
    alone.push_back(compressing);
    written.push_back(writing);
  }
  if (rank != 0) return;
  double const gigabytes = static_cast<double>(mebibytes << 20) * ranks / 1e9;
  double const ratio = gigabytes * 1e9 / static_cast<double>(stream_bytes);
  std::printf(
      "%d ranks, %s, %.3g GB, ratio %.3g: compressing %.3g GB/s, into the file %.3g GB/s, %.0f "
      "%%\n",
      ranks, to_string(pipeline), gigabytes, ratio, gigabytes / median(alone),
      gigabytes / median(written), 100 * median(alone) / median(written));
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    measure(argc > 1 ? argv[1] : "/dev/shm", argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 512,
            argc > 3 ? std::atoi(argv[3]) : 5,
            kompakt::parse_pipeline(argc > 4 ? argv[4] : "fixedlength"));
  }
  MPI_Finalize();
}
