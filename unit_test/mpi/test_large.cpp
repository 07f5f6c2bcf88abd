#include <filesystem>
#include <kompakt/mpi_files.hpp>
#include <limits>
#include <unistd.h>

#include "messages_case.hpp"

// Fields of more bytes than MPI's counts can tell, which are of type int.

namespace kompakt::test {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using View = Cube<Exec>;

constexpr std::size_t side = 8192, planes = 9;
static_assert(planes * side * side * sizeof(float) >
              std::size_t{std::numeric_limits<int>::max()} + (std::size_t{1} << 28));

KOKKOS_INLINE_FUNCTION float value_at(std::size_t i) {
  return 0.25f * static_cast<float>(i % 4099) + static_cast<float>(i >> 24);
}

/// Values of a field from a number on.
void fill(View const& view, std::size_t first) {
  float* const values = view.data();
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, view.size()),
      KOKKOS_LAMBDA(std::size_t i) { values[i] = value_at(first + i); });
}
std::size_t wrong_values(View const& view, std::size_t first, double abs_bound) {
  float const* const values = view.data();
  std::size_t wrong = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, view.size()),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) {
        double const error =
            static_cast<double>(values[i]) - static_cast<double>(value_at(first + i));
        sum += error >= -abs_bound && error <= abs_bound ? 0 : 1;
      },
      wrong);
  return wrong;
}

void pass_with(mpi::MessageOptions const& options, double abs_bound) {
  mpi::Messenger messenger(Exec(), MPI_COMM_WORLD, options);
  View const view("view", planes, side, side);
  if (rank_of() == 0) {
    fill(view, 0);
    messenger.send(view, 1, 0, absolute_options());
  } else {
    messenger.recv(view, 0, 0);
    EXPECT_EQ(wrong_values(view, 0, abs_bound), 0u);
  }
}

TEST(MpiLarge, CompressedMessageBeyondInt_Arrives) { pass_with({}, bound); }

TEST(MpiLarge, RawMessageBeyondInt_Arrives) {
  mpi::MessageOptions options;
  options.raw_below = std::numeric_limits<std::size_t>::max();
  options.piece_bytes = std::size_t{1} << 30;  // the largest there is
  pass_with(options, 0);
}

TEST(MpiLarge, FileOfAFieldBeyondInt_IsRead) {
  int number = static_cast<int>(::getpid());
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  auto const path = std::filesystem::temp_directory_path() /
                    ("kompakt-mpi-large-" + std::to_string(number) + ".kpk");
  auto const rank = static_cast<std::size_t>(rank_of());
  FramePart place;
  place.origin = {5 * rank, 0, 0};
  place.total = {planes, side, side};
  View const part("part", rank == 0 ? 5 : planes - 5, side, side);
  std::size_t const first = 5 * rank * side * side;
  fill(part, first);
  mpi::ArchiveWriter archive(Exec(), MPI_COMM_WORLD, path, Overwrite::no,
                             {.frame_bytes = std::size_t{1} << 30});
  archive.write("a", {}, part, place, absolute_options());
  archive.commit();
  Kokkos::deep_copy(part, 0.0f);
  mpi::FieldReader(Exec(), MPI_COMM_WORLD, path, "a")
      .read(part, Box::at(place.origin, shape_of(part)));
  EXPECT_EQ(wrong_values(part, first, bound), 0u);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::filesystem::remove(path);
}

}  // namespace

}  // namespace kompakt::test
