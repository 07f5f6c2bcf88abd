#include "case.hpp"
#include <gtest/gtest.h>

namespace kompakt::test {
namespace {

/// Values of u behind one another with those of v, at a time.
std::vector<double> result_of(Case what, double time, double dt, MPI_Comm comm = MPI_COMM_WORLD) {
  what.dt = dt;
  Problem problem(what, comm);
  problem.run(static_cast<int>(std::lround(time / dt)));
  std::vector<double> all = whole(problem.grid, problem.state.u);
  std::vector<double> const v = whole(problem.grid, problem.state.v);
  all.insert(all.end(), v.begin(), v.end());
  return all;
}

TEST(Simulation, TimeSteps_AreOfSecondOrder) {
  Case const what;
  std::vector<double> const exact = result_of(what, 32, 0.5);
  double const coarse = largest_difference(result_of(what, 32, 8), exact);
  double const middle = largest_difference(result_of(what, 32, 4), exact);
  double const fine = largest_difference(result_of(what, 32, 2), exact);
  EXPECT_GT(coarse, 1e-5) << "nothing happens, so nothing is tested";
  EXPECT_NEAR(std::log2(coarse / middle), 2, 0.3) << coarse << " " << middle;
  EXPECT_NEAR(std::log2(middle / fine), 2, 0.2) << middle << " " << fine;
}

TEST(Simulation, OnManyRanks_HasTheDigitsOfOne) {
  Case const what;
  EXPECT_LE(largest_difference(result_of(what, 20, 1), result_of(what, 20, 1, MPI_COMM_SELF)),
            1e-12);
}

TEST(Simulation, SameRanks_GiveTheSameBits) {
  Case const what;
  EXPECT_EQ(result_of(what, 10, 1), result_of(what, 10, 1));
}

TEST(Simulation, LosslessHalos_AreRawOnes) {
  Case what;
  std::vector<double> const raw = result_of(what, 10, 1);
  what.halo = Options{.bound = ErrorBound::lossless()};
  EXPECT_EQ(result_of(what, 10, 1), raw);
}

TEST(Simulation, CompressedHalos_ChangeTheResultAsTheirBoundDoes) {
  Case what;
  what.tolerance = 1e-10;
  std::vector<double> const raw = result_of(what, 10, 1);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (double const bound : {1e-3, 1e-6}) {
    what.halo = Options{.bound = ErrorBound::relative_to_range(bound)};
    double const difference = largest_difference(result_of(what, 10, 1), raw);
    EXPECT_LE(difference, 5 * bound);
    EXPECT_EQ(difference > 0, ranks > 1) << "what a rank sends to itself is raw";
  }
}

TEST(Simulation, GridThatCannotBeCut_IsRefused) {
  std::array<std::size_t, 3> const points = {0, 4, 4};
  EXPECT_THROW(Grid(MPI_COMM_WORLD, points, 1), Error);
}

}  // namespace
}  // namespace kompakt::test
