// Fields between ranks: mpiexec -n 4 example_mpi. Exits with 0 if every value is within its bound.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <kompakt/mpi.hpp>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

/// A wave, a part of which begins at a row.
void fill(Field const& field, double first_row) {
  auto const host = Kokkos::create_mirror_view(field);
  for (std::size_t x = 0; x < field.extent(0); ++x)
    for (std::size_t y = 0; y < field.extent(1); ++y)
      for (std::size_t z = 0; z < field.extent(2); ++z)
        host(x, y, z) = static_cast<float>(std::sin(0.02 * (first_row + static_cast<double>(x)) +
                                                    0.01 * static_cast<double>(y + z)));
  Kokkos::deep_copy(field, host);
}

double largest_difference(Field const& a, Field const& b) {
  auto const left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::fmax(largest, std::fabs(static_cast<double>(left.data()[i]) - right.data()[i]));
  }
  return largest;
}

bool messages(int rank, int ranks) {
  int const next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  Field const field("field", 64, 64, 64), received("received", 64, 64, 64);
  Field const expected("expected", 64, 64, 64);
  fill(field, rank);
  fill(expected, before);
  // [mpi messages]
  kompakt::mpi::MessageOptions messages;
  messages.raw_below = 100'000;  // bytes; what is smaller goes as it is
  kompakt::mpi::Messenger messenger(Exec(), MPI_COMM_WORLD, messages);

  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  auto request = messenger.irecv(received, before, /*tag=*/7);
  messenger.send(field, next, 7, options);
  request.wait();
  // [/mpi]
  return largest_difference(received, expected) <= 1e-3;
}

bool collectives(int rank, int ranks) {
  Field const whole("whole", 256, 64, 64), back("back", 256, 64, 64);
  fill(whole, 0);
  kompakt::mpi::Messenger messenger(Exec(), MPI_COMM_WORLD);
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  // [mpi collectives]
  auto const parts = kompakt::mpi::slabs(whole, ranks);  // looked at on the root alone
  std::size_t const rows = parts[static_cast<std::size_t>(rank)].shape.extents[0];
  Field const mine("mine", rows, 64, 64);
  messenger.scatter(parts, mine, /*root=*/0, options);
  messenger.gather(mine, kompakt::mpi::slabs(back, ranks), 0, options);
  messenger.broadcast(back, 0, options);
  // [/mpi]
  return largest_difference(whole, back) <= 3e-3;  // compressed three times
}

bool one_bound(int rank) {
  Field const mine("mine", 64, 64, 64);
  fill(mine, 64 * rank);
  kompakt::mpi::Messenger messenger(Exec(), MPI_COMM_WORLD);
  // [mpi range]
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::relative_to_range(1e-3);
  options = messenger.agreed(mine, options);  // the range of all parts
  // [/mpi]
  kompakt::Workspace<Exec> workspace{Exec()};
  kompakt::CompressedStream<Exec::memory_space> stream;
  kompakt::compress(Exec(), mine, options, workspace, stream);
  return stream.info().abs_bound == messenger.range(mine).bound(1e-3);
}

bool halo(int ranks) {
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  // [mpi halo]
  int extents[3] = {0, 0, 0}, periodic[3] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Dims_create(ranks, 3, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 3, extents, periodic, 0, &grid);

  kompakt::mpi::MessageOptions messages;
  messages.raw_below = 0;  // compress all faces
  kompakt::mpi::Messenger messenger(Exec(), grid, messages);
  kompakt::mpi::HaloExchange exchange(messenger,
                                      {.width = 1, .neighbours = kompakt::mpi::Neighbours::all});

  Field const field("field", 34, 34, 34);  // 32 values and a ghost cell on both sides
  Kokkos::deep_copy(field, 1.5f);
  for (int step = 0; step < 3; ++step) exchange.exchange(field, options);
  // [/mpi]
  MPI_Comm_free(&grid);
  Field const expected("expected", 34, 34, 34);
  Kokkos::deep_copy(expected, 1.5f);
  return largest_difference(field, expected) <= 1e-3;
}

bool failure(int rank) {
  Field const field("field", 8, 8, 8);
  bool told = false;
  kompakt::mpi::Messenger messenger(Exec(), MPI_COMM_WORLD);
  // [mpi failure]
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(rank == 0 ? -1 : 1e-3);
  try {
    messenger.broadcast(field, 0, options);
  } catch (kompakt::Error const& error) {  // on every rank: "rank 0: …"
    told = error.status() == kompakt::Status::bad_argument;
  }
  // [/mpi]
  return told;
}

bool run_all() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool const results[] = {messages(rank, ranks), collectives(rank, ranks), one_bound(rank),
                          halo(ranks), failure(rank)};
  bool good = true;
  for (bool const result : results) good = good && result;
  if (!good) std::fprintf(stderr, "rank %d: a value is outside its bound\n", rank);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int good = 0;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    good = run_all() ? 1 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Finalize();
  return good == 1 ? 0 : 1;
}
