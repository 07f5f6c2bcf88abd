#include <kompakt/mpi.hpp>
#include <new>
#include <stdexcept>

#include "ranks.hpp"

namespace kompakt::test {

TEST(Agree, NobodyFailed_Returns) {
  EXPECT_NO_THROW(mpi::agree(MPI_COMM_WORLD));
  EXPECT_EQ(mpi::together(MPI_COMM_WORLD, [] { return rank_of() + 1; }), rank_of() + 1);
}

TEST(Agree, OneRankFailed_AllThrowItsMessageAndNumber) {
  for (int bad = 0; bad < ranks_of(); ++bad) {
    std::string const words = "rank " + std::to_string(bad) + ": bound -1 is not positive";
    expect_error(Status::bad_argument, words, [&] {
      mpi::together(MPI_COMM_WORLD, [&] {
        if (rank_of() == bad) throw Error(Status::bad_argument, "bound -1 is not positive");
      });
    });
  }
}

TEST(Agree, SeveralFailed_TheLowestSpeaks) {
  int const lowest = ranks_of() / 2;
  expect_error(Status::device, "rank " + std::to_string(lowest) + ": of " + std::to_string(lowest),
               [&] {
                 mpi::together(MPI_COMM_WORLD, [&] {
                   if (rank_of() < lowest) return;
                   throw std::runtime_error("of " + std::to_string(rank_of()));
                 });
               });
}

TEST(Agree, AfterAFailure_TheCommunicatorCanBeUsed) {
  EXPECT_THROW(mpi::together(MPI_COMM_WORLD, [] { throw std::bad_alloc(); }), Error);
  EXPECT_NO_THROW(mpi::agree(MPI_COMM_WORLD));
}

}  // namespace kompakt::test
