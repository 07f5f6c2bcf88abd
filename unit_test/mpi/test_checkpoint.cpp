#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <kompakt/mpi_checkpoint.hpp>
#include <kompakt/verify.hpp>
#include <optional>
#include <sys/resource.h>

#include "messages_case.hpp"

// Checkpoints of fields whose parts the ranks have.

namespace kompakt::test {
namespace {

namespace fs = std::filesystem;
using mpi::CheckpointFiles;

constexpr std::size_t nx = 24, ny = 18, nz = 20;

/// A folder that all ranks see.
class SharedFolder {
 public:
  SharedFolder() {
    if (rank_of() == 0) {
      std::string const name = (fs::temp_directory_path() / "kompakt-test-XXXXXX").string();
      std::copy(name.begin(), name.end(), m_name.begin());
      if (::mkdtemp(m_name.data()) == nullptr) m_name[0] = 0;
    }
    MPI_Bcast(m_name.data(), static_cast<int>(m_name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    std::error_code ignored;
    if (rank_of() == 0) fs::remove_all(m_name.data(), ignored);
  }
  fs::path path() const { return m_name.data(); }

 private:
  std::array<char, 500> m_name{};
};

/// Some of the ranks, which the others wait for.
class SomeRanks {
 public:
  explicit SomeRanks(int count) {
    MPI_Comm_split(MPI_COMM_WORLD, rank_of() < count ? 0 : MPI_UNDEFINED, rank_of(), &m_comm);
  }
  ~SomeRanks() {
    if (m_comm != MPI_COMM_NULL) MPI_Comm_free(&m_comm);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  template <class Call>
  void call(Call const& call) const {
    if (m_comm != MPI_COMM_NULL) call(m_comm);
  }

 private:
  MPI_Comm m_comm = MPI_COMM_NULL;
};

double value_at(std::uint64_t step, std::size_t i, std::size_t j, std::size_t k) {
  return std::sin(0.2 * static_cast<double>(i)) * static_cast<double>(j + 1) +
         0.1 * static_cast<double>(k) + static_cast<double>(step);
}

/// What a rank has of a field cut along an axis, with a layer of ghost cells, and a list that only the last rank has values of.
template <class Exec>
struct Part {
  using Memory = typename Exec::memory_space;
  using Field = Kokkos::View<double***, Kokkos::LayoutRight, Memory>;

  Part(MPI_Comm comm, std::size_t axis) : last(rank_of(comm) + 1 == ranks_of(comm)) {
    std::array<std::size_t, 3> const total{nx, ny, nz};
    std::copy(total.begin(), total.end(), place.total.begin());
    extents = total;
    auto const share = [&](int rank) {
      return total[axis] * static_cast<std::size_t>(rank) /
             static_cast<std::size_t>(ranks_of(comm));
    };
    place.origin[axis] = share(rank_of(comm));
    extents[axis] = share(rank_of(comm) + 1) - place.origin[axis];
    with_ghosts = Field("part", extents[0] + 2, extents[1] + 2, extents[2] + 2);
    list = Kokkos::View<int*, Memory>("list", last ? 5 : 0);
    list_place.origin[0] = last ? 0 : 5;
    list_place.total[0] = 5;
  }
  auto field() const {
    auto const inner = [&](std::size_t axis) {
      return std::pair<std::size_t, std::size_t>(1, 1 + extents[axis]);
    };
    return Kokkos::subview(with_ghosts, inner(0), inner(1), inner(2));
  }
  /// Calls use(value, exact) for each value of a step.
  template <class Use>
  void for_each(std::uint64_t step, Use const& use) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), with_ghosts);
    for (std::size_t i = 0; i < extents[0]; ++i)
      for (std::size_t j = 0; j < extents[1]; ++j)
        for (std::size_t k = 0; k < extents[2]; ++k)
          use(host(i + 1, j + 1, k + 1),
              value_at(step, i + place.origin[0], j + place.origin[1], k + place.origin[2]));
    Kokkos::deep_copy(with_ghosts, host);
  }
  void compute(std::uint64_t step) const {
    for_each(step, [](double& value, double exact) { value = exact; });
    Kokkos::deep_copy(list, static_cast<int>(step));
  }
  void expect_state(std::uint64_t step) const {
    for_each(step, [](double value, double exact) { EXPECT_TRUE(within(value, exact, bound)); });
    auto const numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list);
    for (std::size_t i = 0; i < numbers.extent(0); ++i)
      EXPECT_EQ(numbers(i), static_cast<int>(step));
  }
  void register_at(mpi::Checkpoint<Exec>& checkpoint) const {
    checkpoint.add("field", field(), place, Options{.bound = ErrorBound::absolute(bound)});
    checkpoint.add_lossless("list", list, list_place);
  }

  bool last;
  FramePart place, list_place;
  std::array<std::size_t, 3> extents;
  Field with_ghosts;
  Kokkos::View<int*, Memory> list;
};

CheckpointOptions small_frames() { return {.schema = "s", .keep = 2, .frame_bytes = 8 << 10}; }

template <class Exec>
class MpiCheckpoint : public testing::Test {
 protected:
  Exec exec;
  SharedFolder folder;

  mpi::Checkpoint<Exec> open(MPI_Comm comm, CheckpointFiles files) const {
    return {exec, comm, folder.path(), "flow", small_frames(), files};
  }
  void save(MPI_Comm comm, CheckpointFiles files, std::size_t axis,
            std::vector<std::uint64_t> const& steps) {
    Part<Exec> const part(comm, axis);
    auto checkpoint = open(comm, files);
    part.register_at(checkpoint);
    for (std::uint64_t const step : steps) {
      part.compute(step);
      checkpoint.save_async(step, {{"time", "0.5"}});
      part.compute(step + 1000);
    }
    EXPECT_EQ(checkpoint.wait()->step, steps.back());
  }
  template <class Other = Exec>
  RestoredCheckpoint restore(MPI_Comm comm, std::size_t axis,
                             std::optional<std::uint64_t> step = {}) {
    Part<Other> const part(comm, axis);
    mpi::Checkpoint<Other> checkpoint(Other(), comm, folder.path(), "flow", small_frames());
    part.register_at(checkpoint);
    RestoredCheckpoint const restored = step ? checkpoint.restore(*step) : checkpoint.restore();
    EXPECT_EQ(restored.attributes, (Attributes{{"time", "0.5"}}));
    part.expect_state(restored.step);
    return restored;
  }
};
TYPED_TEST_SUITE(MpiCheckpoint, Spaces, SpaceName);

constexpr CheckpointFiles both[] = {CheckpointFiles::one, CheckpointFiles::one_a_rank};

TYPED_TEST(MpiCheckpoint, OnAnyNumberOfRanksAndAnotherSpace_ComesBack) {
  for (CheckpointFiles const files : both) {
    for (int savers = 1; savers <= ranks_of(); ++savers) {
      SCOPED_TRACE(savers);
      SomeRanks(savers).call([&](MPI_Comm comm) { this->save(comm, files, 0, {7, 8}); });
      for (int readers = 1; readers <= ranks_of(); readers += 1) {
        SomeRanks(readers).call([&](MPI_Comm comm) {
          EXPECT_EQ(this->restore(comm, 1).step, 8u);
          EXPECT_EQ(this->restore(comm, 2, 7).step, 7u);
          this->template restore<Kokkos::Serial>(comm, 0);
        });
      }
    }
  }
}

TYPED_TEST(MpiCheckpoint, OneFile_IsThatOfOneProcess) {
  this->save(MPI_COMM_WORLD, CheckpointFiles::one, 2, {3});
  SomeRanks(1).call([&](MPI_Comm comm) {
    Part<TypeParam> const part(comm, 0);
    Checkpoint<TypeParam> alone(this->exec, this->folder.path(), "flow", small_frames());
    alone.add("field", part.field(), Options{.bound = ErrorBound::absolute(bound)});
    alone.add_lossless("list", part.list);
    EXPECT_EQ(alone.restore().step, 3u);
    part.expect_state(3);
    for (auto const& stream : verify_file(alone.restore().file)) EXPECT_TRUE(stream.is_intact());
    part.compute(4);
    alone.save(4, {{"time", "0.5"}});
  });
  EXPECT_EQ(this->restore(MPI_COMM_WORLD, 1).step, 4u);
}

TYPED_TEST(MpiCheckpoint, SecondSaveAndRestore_FenceNoOtherInstance) {
  for (CheckpointFiles const files : both) {
    Part<TypeParam> const part(MPI_COMM_WORLD, 0);
    auto checkpoint = this->open(MPI_COMM_WORLD, files);
    part.register_at(checkpoint);
    checkpoint.save(1);
    checkpoint.restore();
    ToolsRecorder const recorder;
    checkpoint.save(2);
    checkpoint.restore();
    EXPECT_TRUE(recorder.global_fences.empty()) << recorder.global_fences.front();
  }
}

TYPED_TEST(MpiCheckpoint, LastOnes_StayWithTheirFiles) {
  this->save(MPI_COMM_WORLD, CheckpointFiles::one_a_rank, 0, {1, 2, 3, 4});
  std::size_t files = 0;
  for ([[maybe_unused]] auto const& file : fs::directory_iterator(this->folder.path())) ++files;
  EXPECT_EQ(files, 2u * (1 + static_cast<std::size_t>(ranks_of())) + 1);
}

TYPED_TEST(MpiCheckpoint, MissingOrAlteredFile_IsNamedAndTheOneBeforeIsUsed) {
  for (CheckpointFiles const files : both) {
    for (bool const missing : {true, false}) {
      this->save(MPI_COMM_WORLD, files, 0, {1, 2});
      std::string const last = ".rank-" + std::to_string(ranks_of() - 1) + ".kpk";
      auto const newest = list_checkpoints(this->folder.path(), "flow").front().path;
      std::string name = newest.filename().string();
      if (files == CheckpointFiles::one_a_rank) name.replace(name.size() - 4, 4, last);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank_of() == 0) {
        fs::path const file = this->folder.path() / name;
        if (missing) {
          fs::remove(file);
        } else {
          fs::resize_file(file, fs::file_size(file) / 2);
        }
      }
      MPI_Barrier(MPI_COMM_WORLD);
      RestoredCheckpoint const restored = this->restore(MPI_COMM_WORLD, 1);
      EXPECT_EQ(restored.step, 1u);
      ASSERT_EQ(restored.skipped.size(), 1u) << restored.text();
      EXPECT_NE(restored.text().find(name), std::string::npos) << restored.text();
      std::string const words = missing ? "missing" : name;
      EXPECT_NE(restored.text().find(words), std::string::npos) << restored.text();
    }
  }
}

TYPED_TEST(MpiCheckpoint, FullDiskOnARank_IsToldOnAllAndLosesNothing) {
  this->save(MPI_COMM_WORLD, CheckpointFiles::one_a_rank, 0, {1});
  {
    Part<TypeParam> const part(MPI_COMM_WORLD, 0);
    auto checkpoint = this->open(MPI_COMM_WORLD, CheckpointFiles::one_a_rank);
    part.register_at(checkpoint);
    part.compute(2);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit const small{100, before.rlim_max};
    if (rank_of() + 1 == ranks_of()) ::setrlimit(RLIMIT_FSIZE, &small);
    expect_error(Status::io, "step 2 was not saved", [&] { checkpoint.save(2); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(this->restore(MPI_COMM_WORLD, 1).step, 1u);
}

TYPED_TEST(MpiCheckpoint, WhatCannotBeMeant_IsRefusedOnAll) {
  this->save(MPI_COMM_WORLD, CheckpointFiles::one_a_rank, 0, {1});
  Part<TypeParam> const part(MPI_COMM_WORLD, 0);
  auto checkpoint = this->open(MPI_COMM_WORLD, CheckpointFiles::one);
  expect_error(Status::bad_argument, "no value is registered", [&] { checkpoint.save(2); });
  FramePart beyond = part.place;
  beyond.total[0] = 3;
  expect_error(Status::bad_argument, "'field'",
               [&] { checkpoint.add_lossless("field", part.field(), beyond); });
  FramePart wide = part.place;
  wide.total[1] = ny + 1;
  checkpoint.add_lossless("field", part.field(), wide);
  expect_error(Status::bad_argument, "step 2 was not saved", [&] { checkpoint.save(2); });
  expect_error(Status::type_mismatch, "24 x 19 x 20", [&] { checkpoint.restore(); });
  SomeRanks(1).call([&](MPI_Comm comm) {
    Part<TypeParam> const all(comm, 0);
    Checkpoint<TypeParam> alone(this->exec, this->folder.path(), "flow", small_frames());
    alone.add_lossless("field", all.field());
    expect_error(Status::bad_argument, "kompakt::mpi::Checkpoint", [&] { alone.restore(); });
  });
}

}  // namespace
}  // namespace kompakt::test
