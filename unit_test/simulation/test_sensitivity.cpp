#include "case.hpp"
#include <gtest/gtest.h>
#include <sensitivity.hpp>
#include <states.hpp>

namespace kompakt::test {
namespace {

constexpr int steps = 12;

struct Derivatives {
  simulation::Sensitivity result;
  std::vector<double> by_u, by_v;
};

Derivatives derivatives_of(Case const& what, std::optional<Options> const& coding) {
  Problem problem(what);
  simulation::States states(problem.exec, problem.grid, coding, std::size_t{8} << 20);
  State gradient(problem.grid);
  auto const result = sensitivity_of(problem.exec, problem.grid, problem.solver, states, steps,
                                     problem.state, gradient);
  return {result, whole(problem.grid, gradient.u), whole(problem.grid, gradient.v)};
}

/// How far values are changed before a run, by their place.
double change_at(std::size_t n) { return std::sin(0.1 * static_cast<double>(n)); }

/// The mean of v at the end of a run, of which the beginning of v is changed.
double mean_v(Case const& what, double change) {
  Problem problem(what);
  std::size_t const first = problem.grid.first_plane() * problem.grid.plane_size();
  std::vector<double> values = values_of(problem.state.v);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] += change * change_at(first + n);
  Kokkos::deep_copy(problem.state.v.vector(),
                    Kokkos::View<double*, Kokkos::HostSpace>(values.data(), values.size()));
  problem.run(steps);
  return means_of(problem.exec, problem.grid, problem.state).v;
}

TEST(SimulationSensitivity, ByTheFeedRate_IsThatOfFiniteDifferences) {
  Case what;
  double const by_feed = derivatives_of(what, std::nullopt).result.by_feed;
  double const change = 1e-5;
  what.model.feed += change;
  double const more = mean_v(what, 0);
  what.model.feed -= 2 * change;
  double const less = mean_v(what, 0);
  EXPECT_GT(std::abs(by_feed), 1e-3) << "nothing depends on it, so nothing is tested";
  EXPECT_NEAR((more - less) / (2 * change), by_feed, 1e-6 * std::abs(by_feed));
}

TEST(SimulationSensitivity, ByTheBeginning_IsThatOfFiniteDifferences) {
  Case const what;
  Derivatives const derivatives = derivatives_of(what, std::nullopt);
  double along = 0;
  for (std::size_t n = 0; n < derivatives.by_v.size(); ++n) {
    along += change_at(n) * derivatives.by_v[n];
  }
  double const change = 1e-4;
  double const difference = (mean_v(what, change) - mean_v(what, -change)) / (2 * change);
  EXPECT_NEAR(difference, along, 1e-6 * std::abs(along));
}

TEST(SimulationSensitivity, LosslessStates_AreRawOnes) {
  Case const what;
  Derivatives const raw = derivatives_of(what, std::nullopt);
  Derivatives const stored = derivatives_of(what, Options{.bound = ErrorBound::lossless()});
  EXPECT_EQ(raw.result.by_feed, stored.result.by_feed);
  EXPECT_EQ(raw.by_u, stored.by_u);
  EXPECT_EQ(raw.by_v, stored.by_v);
}

TEST(SimulationSensitivity, LossyStates_CostWhatTheirBoundSays) {
  Case const what;
  Derivatives const raw = derivatives_of(what, std::nullopt);
  std::size_t bytes = raw.result.state_bytes;
  for (double const bound : {1e-7, 1e-5, 1e-3}) {
    Derivatives const stored = derivatives_of(what, Options{.bound = ErrorBound::absolute(bound),
                                                            .pipeline = Pipeline::bitshuffle,
                                                            .predictor = Predictor::interpolate});
    EXPECT_EQ(stored.result.mean_v, raw.result.mean_v) << "the way forward does not see it";
    double const error = std::abs(stored.result.by_feed - raw.result.by_feed);
    EXPECT_GT(error, 0);
    EXPECT_LE(error, 20 * bound * std::abs(raw.result.by_feed)) << bound;
    EXPECT_LT(stored.result.state_bytes, bytes) << bound;
    bytes = stored.result.state_bytes;
  }
}

TEST(SimulationSensitivity, StatesWithoutRoom_AreAnErrorOfAllRanks) {
  Problem problem(Case{});
  simulation::States states(problem.exec, problem.grid, Options{.bound = ErrorBound::lossless()},
                            std::size_t{1} << 16);
  State gradient(problem.grid);
  try {
    sensitivity_of(problem.exec, problem.grid, problem.solver, states, steps, problem.state,
                   gradient);
    FAIL() << "states of " << problem.grid.size() << " points have no room";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), Status::buffer_too_small) << error.what();
  }
}

}  // namespace
}  // namespace kompakt::test
