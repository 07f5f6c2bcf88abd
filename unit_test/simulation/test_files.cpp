#include "case.hpp"
#include <checkpoints.hpp>
#include <filesystem>
#include <gtest/gtest.h>
#include <kompakt/kompakt.hpp>
#include <snapshots.hpp>
#include <string>
#include <unistd.h>

namespace kompakt::test {
namespace {

using mpi::CheckpointFiles;

/// A folder of all ranks.
class SharedFolder {
 public:
  SharedFolder() {
    int process = ::getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    m_path =
        std::filesystem::temp_directory_path() / ("kompakt-simulation-" + std::to_string(process));
    MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
    if (m_rank == 0) {
      std::filesystem::remove_all(m_path);
      std::filesystem::create_directories(m_path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (m_rank == 0) std::filesystem::remove_all(m_path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  SharedFolder(SharedFolder const&) = delete;
  SharedFolder& operator=(SharedFolder const&) = delete;
  std::filesystem::path const& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
  int m_rank = 0;
};

Options lossless() { return {.bound = ErrorBound::lossless()}; }
Options within(double bound) {
  return {.bound = ErrorBound::absolute(bound),
          .pipeline = Pipeline::bitshuffle,
          .predictor = Predictor::interpolate};
}

void save(Problem& problem, std::filesystem::path const& folder, Options const& coding,
          CheckpointFiles files) {
  simulation::Checkpoints checkpoints(problem.exec, problem.grid, problem.state, folder, coding,
                                      files);
  checkpoints.save();
  checkpoints.wait();
}

void restore(Problem& problem, std::filesystem::path const& folder) {
  simulation::Checkpoints checkpoints(problem.exec, problem.grid, problem.state, folder, lossless(),
                                      CheckpointFiles::one);
  checkpoints.restore(std::nullopt);
}

class SimulationRestart : public testing::TestWithParam<CheckpointFiles> {};

TEST_P(SimulationRestart, OnTheSameRanks_GoesOnBitForBit) {
  SharedFolder const folder;
  Problem problem(Case{});
  problem.run(5);
  save(problem, folder.path(), lossless(), GetParam());
  problem.run(5);
  Problem again(Case{});
  restore(again, folder.path());
  EXPECT_EQ(again.state.step, 5u);
  EXPECT_EQ(again.state.time, 5);
  again.run(5);
  EXPECT_EQ(whole(again.grid, again.state.u), whole(problem.grid, problem.state.u));
  EXPECT_EQ(whole(again.grid, again.state.v), whole(problem.grid, problem.state.v));
}

TEST_P(SimulationRestart, OnOneRank_BeginsBitForBitAndGoesOnWithinTheTolerance) {
  SharedFolder const folder;
  Problem problem(Case{});
  problem.run(5);
  save(problem, folder.path(), lossless(), GetParam());
  Problem alone(Case{}, MPI_COMM_SELF);
  restore(alone, folder.path());
  EXPECT_EQ(values_of(alone.state.u), whole(problem.grid, problem.state.u));
  EXPECT_EQ(values_of(alone.state.v), whole(problem.grid, problem.state.v));
  problem.run(5);
  alone.run(5);
  EXPECT_LE(largest_difference(values_of(alone.state.u), whole(problem.grid, problem.state.u)),
            1e-12);
}

TEST_P(SimulationRestart, Lossy_IsWithinTheBound) {
  SharedFolder const folder;
  Problem problem(Case{});
  problem.run(5);
  for (double const bound : {1e-2, 1e-5}) {
    save(problem, folder.path(), within(bound), GetParam());
    Problem again(Case{});
    restore(again, folder.path());
    EXPECT_LE(
        largest_difference(whole(again.grid, again.state.u), whole(problem.grid, problem.state.u)),
        bound);
    EXPECT_LE(
        largest_difference(whole(again.grid, again.state.v), whole(problem.grid, problem.state.v)),
        bound);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SimulationRestart,
                         testing::Values(CheckpointFiles::one, CheckpointFiles::one_a_rank),
                         [](auto const& files) {
                           return files.param == CheckpointFiles::one ? "One" : "OneARank";
                         });

TEST(SimulationFiles, CheckpointOfManyRanks_IsRestoredByOneProcessOnAnotherSpace) {
  SharedFolder const folder;
  Problem problem(Case{});
  problem.run(3);
  save(problem, folder.path(), lossless(), CheckpointFiles::one);
  auto const [nx, ny, nz] = problem.grid.points();
  Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::HostSpace> const u("u", nx, ny, nz);
  Checkpoint<Kokkos::Serial> checkpoint({}, folder.path(), "gray-scott",
                                        {.schema = "gray-scott 1"});
  checkpoint.add_lossless("u", u);
  EXPECT_EQ(checkpoint.restore().step, 3u);
  std::vector<double> const expected = whole(problem.grid, problem.state.u);
  for (std::size_t n = 0; n < expected.size(); ++n) {
    ASSERT_EQ(u(n / (ny * nz), n % (ny * nz) / nz, n % nz), expected[n]) << n;
  }
}

/// The failure of restoring what a checkpoint with another schema or another View has saved.
template <class View>
Error refusal_of(Problem& problem, std::filesystem::path const& folder, std::string const& schema) {
  mpi::Checkpoint<Exec> other(problem.exec, problem.grid.comm(), folder, "gray-scott",
                              {.schema = schema});
  View const view("u", problem.grid.planes(), problem.grid.points()[1], problem.grid.points()[2]);
  other.add_lossless("u", view, problem.grid.place());
  other.add_lossless("v", view, problem.grid.place());
  other.save(1);
  try {
    restore(problem, folder);
  } catch (Error const& error) {
    return error;
  }
  return Error(Status::ok, "nothing was thrown");
}

TEST(SimulationFiles, CheckpointOfAnotherVersionOrType_IsRefusedAndTheStateStays) {
  SharedFolder const folder;
  Problem problem(Case{});
  std::vector<double> const before = values_of(problem.state.u);
  using Doubles = Kokkos::View<double***, Exec>;
  using Floats = Kokkos::View<float***, Exec>;
  Error const version = refusal_of<Doubles>(problem, folder.path(), "gray-scott 0");
  EXPECT_EQ(version.status(), Status::bad_argument);
  EXPECT_NE(std::string(version.what()).find("gray-scott 0"), std::string::npos) << version.what();
  Error const type = refusal_of<Floats>(problem, folder.path(), "gray-scott 1");
  EXPECT_EQ(type.status(), Status::type_mismatch);
  EXPECT_NE(std::string(type.what()).find("'u'"), std::string::npos) << type.what();
  EXPECT_EQ(values_of(problem.state.u), before);
}

/// A field of an archive, read without MPI.
std::vector<double> field_of(std::filesystem::path const& archive, std::string const& name,
                             std::array<std::size_t, 3> const& points) {
  std::vector<double> values(points[0] * points[1] * points[2]);
  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> const field(
      values.data(), points[0], points[1], points[2]);
  Workspace<Kokkos::Serial> workspace{Kokkos::Serial()};
  FrameReader frames(ArchiveReader(archive).open(name));
  std::vector<std::byte> bytes;
  while (frames.next()) {
    std::size_t const begin = frames.frame().part.origin[0];
    std::size_t const count = frames.frame().shape.extents[0];
    frames.read(bytes);
    decompress(
        Kokkos::Serial(), CompressedStream<Kokkos::HostSpace>::from_host(bytes), workspace,
        Kokkos::subview(field, std::make_pair(begin, begin + count), Kokkos::ALL, Kokkos::ALL));
  }
  return values;
}

TEST(SimulationFiles, Snapshots_AreReadByOneProcessWithinTheBound) {
  SharedFolder const folder;
  std::filesystem::path const file = folder.path() / "run.kpk";
  double const bound = 1e-4;
  Problem problem(Case{});
  std::vector<std::vector<double>> expected;
  {
    simulation::Snapshots snapshots(problem.exec, problem.grid, file, within(bound));
    for (int step = 1; step <= 6; ++step) {
      problem.run(1);
      snapshots.go_on();
      if (step % 3 != 1) {  // two of them right behind each other
        snapshots.put(problem.state);
        expected.push_back(whole(problem.grid, problem.state.u));
        expected.push_back(whole(problem.grid, problem.state.v));
      }
    }
    snapshots.finish();
    EXPECT_EQ(snapshots.count(), 4u);
  }
  std::size_t next = 0;
  for (int const step : {2, 3, 5, 6}) {
    for (std::string const field : {"u", "v"}) {
      std::string const name = field + " step 00000" + std::to_string(step);
      double const difference =
          largest_difference(field_of(file, name, problem.grid.points()), expected[next++]);
      EXPECT_GT(difference, 0);
      EXPECT_LE(difference, bound) << name;
    }
  }
}

TEST(SimulationFiles, SnapshotOfAStepThatIsThere_IsReplaced) {
  SharedFolder const folder;
  std::filesystem::path const file = folder.path() / "run.kpk";
  Problem problem(Case{});
  for (int run = 0; run < 2; ++run) {
    simulation::Snapshots snapshots(problem.exec, problem.grid, file, lossless());
    snapshots.put(problem.state);
    snapshots.finish();
    if (run == 0) Kokkos::deep_copy(problem.state.u.vector(), 0.25);
  }
  EXPECT_EQ(ArchiveReader(file).entries().size(), 2u);
  EXPECT_EQ(field_of(file, "u step 000000", problem.grid.points()).front(), 0.25);
}

TEST(SimulationFiles, SnapshotsThatCannotBeWritten_AreAnErrorOfAllRanks) {
  SharedFolder const folder;
  Problem problem(Case{});
  simulation::Snapshots snapshots(problem.exec, problem.grid, folder.path() / "no" / "run.kpk",
                                  lossless());
  snapshots.put(problem.state);
  try {
    snapshots.finish();
    FAIL() << "there is no such folder";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), Status::io) << error.what();
    EXPECT_NE(std::string(error.what()).find("run.kpk"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kompakt::test
