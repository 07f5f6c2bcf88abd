#include "checkpoint_case.hpp"
#include <kompakt/verify.hpp>

// What is saved comes back, from the checkpoint that is meant.

namespace kompakt::test {
namespace {

template <class Exec>
class CheckpointOn : public testing::Test {
 protected:
  Exec exec;
  TemporaryFolder folder;
  Simulation<Exec> simulation;

  Checkpoint<Exec> checkpoint(CheckpointOptions const& options = small_frames()) const {
    Checkpoint<Exec> result(exec, folder.path(), "flow", options);
    simulation.register_at(result);
    return result;
  }
  void save(Checkpoint<Exec>& checkpoint, std::uint64_t step) {
    simulation.compute(step);
    checkpoint.save(step);
  }
  std::vector<std::uint64_t> steps() const {
    std::vector<std::uint64_t> result;
    for (auto const& file : list_checkpoints(folder.path(), "flow")) result.push_back(file.step);
    return result;
  }
};
TYPED_TEST_SUITE(CheckpointOn, Spaces, SpaceName);

using Steps = std::vector<std::uint64_t>;

TYPED_TEST(CheckpointOn, SavedState_ComesBackWithinItsBounds) {
  auto checkpoint = this->checkpoint();
  this->save(checkpoint, 7);
  this->simulation.compute(8);
  RestoredCheckpoint const restored = checkpoint.restore();
  EXPECT_EQ(restored.step, 7u);
  EXPECT_TRUE(restored.skipped.empty());
  this->simulation.expect_state(7);
}

TYPED_TEST(CheckpointOn, AnotherProgramsCheckpoint_IsRestored) {
  {
    auto checkpoint = this->checkpoint();
    this->save(checkpoint, 7);
  }
  this->simulation.compute(8);
  auto checkpoint = this->checkpoint();
  EXPECT_EQ(checkpoint.restore().step, 7u);
  this->simulation.expect_state(7);
}

TYPED_TEST(CheckpointOn, OfEverySpace_IsRestoredAndHasTheSameBytes) {
  Kokkos::Serial const serial;
  TemporaryFolder const other;
  Simulation<Kokkos::Serial> reference(7);
  Checkpoint<Kokkos::Serial> saved(serial, other.path(), "flow", small_frames());
  reference.register_at(saved);
  SavedCheckpoint const of_serial = saved.save(7);

  this->simulation.compute(7);
  auto checkpoint = this->checkpoint();
  SavedCheckpoint const mine = checkpoint.save(7);
  EXPECT_EQ(contents(mine.file), contents(of_serial.file));
  reference.compute(0);
  Checkpoint<Kokkos::Serial> restored(serial, this->folder.path(), "flow", small_frames());
  reference.register_at(restored);
  restored.restore();
  reference.expect_state(7);
}

TYPED_TEST(CheckpointOn, File_IsAnIntactArchiveWithItsManifestLast) {
  auto checkpoint = this->checkpoint();
  this->simulation.compute(12);
  SavedCheckpoint const saved = checkpoint.save(12, {{"time", "0.5"}});
  EXPECT_EQ(saved.bytes, std::filesystem::file_size(saved.file));
  EXPECT_EQ(saved.file.filename(), "flow-000001-step-12.kpk");
  for (VerifiedStream const& stream : verify_file(saved.file)) EXPECT_TRUE(stream.is_intact());
  auto const entries = ArchiveReader(saved.file).entries();
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].name, "velocity");
  EXPECT_EQ(entries[3].name, "kompakt.checkpoint");
  RestoredCheckpoint const restored = checkpoint.restore();
  EXPECT_EQ(restored.attributes, (Attributes{{"time", "0.5"}}));
}

TYPED_TEST(CheckpointOn, AsynchronousSave_HasTheValuesOfItsCall) {
  auto checkpoint = this->checkpoint();
  for (std::uint64_t step = 1; step <= 5; ++step) {
    this->simulation.compute(step);
    checkpoint.save_async(step);
    this->simulation.compute(1000 + step);
  }
  EXPECT_EQ(checkpoint.wait()->step, 5u);
  EXPECT_FALSE(checkpoint.wait().has_value());
  EXPECT_EQ(this->steps(), (Steps{5, 4}));
  checkpoint.restore(4);
  this->simulation.expect_state(4);
  checkpoint.restore();
  this->simulation.expect_state(5);
}

TYPED_TEST(CheckpointOn, WithoutWaiting_IsCompleteWhenTheObjectIsGone) {
  {
    auto checkpoint = this->checkpoint();
    this->simulation.compute(3);
    checkpoint.save_async(3);
  }
  auto checkpoint = this->checkpoint();
  EXPECT_EQ(checkpoint.restore().step, 3u);
}

TYPED_TEST(CheckpointOn, LastOnes_StayAndOlderOnesGo) {
  CheckpointOptions options = small_frames();
  options.keep = 3;
  auto checkpoint = this->checkpoint(options);
  for (std::uint64_t step : {10, 20, 30, 40}) this->save(checkpoint, step);
  EXPECT_EQ(this->steps(), (Steps{40, 30, 20}));
  EXPECT_EQ(this->folder.names().size(), 4u);  // and which is the newest
}

TYPED_TEST(CheckpointOn, RunThatWentBack_IsTheNewest) {
  auto checkpoint = this->checkpoint();
  for (std::uint64_t step : {100, 200}) this->save(checkpoint, step);
  checkpoint.restore(100);
  this->save(checkpoint, 150);
  EXPECT_EQ(checkpoint.restore().step, 150u);
  this->simulation.expect_state(150);
  EXPECT_EQ(this->steps(), (Steps{150, 200}));
}

TYPED_TEST(CheckpointOn, StepThatWasSavedTwice_ComesBackFromTheNewer) {
  auto checkpoint = this->checkpoint();
  this->simulation.compute(1);
  checkpoint.save(5);
  this->simulation.compute(2);
  checkpoint.save(5);
  checkpoint.restore(5);
  this->simulation.expect_state(2);
}

TYPED_TEST(CheckpointOn, ReboundView_IsSavedAndRestored) {
  auto checkpoint = this->checkpoint();
  Simulation<TypeParam> const other(9);
  this->simulation.compute(9);
  checkpoint.rebind("velocity", other.velocity());
  checkpoint.save(9);
  checkpoint.rebind("velocity", this->simulation.velocity());
  this->simulation.compute(1);
  checkpoint.restore();
  this->simulation.expect_state(9);
}

TYPED_TEST(CheckpointOn, ViewsOfTheHostAndOfNoValues_ComeBack) {
  Kokkos::View<double*, Kokkos::HostSpace> const host("host", 5000);
  Kokkos::View<float**, typename TypeParam::memory_space> const nothing("nothing", 0, 4);
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = static_cast<double>(i);
  Checkpoint<TypeParam> checkpoint(this->exec, this->folder.path(), "h", small_frames());
  checkpoint.add_lossless("host", host);
  checkpoint.add("nothing", nothing, {});
  checkpoint.save(1);
  Kokkos::deep_copy(host, 0);
  checkpoint.restore();
  for (std::size_t i = 0; i < host.extent(0); ++i) ASSERT_EQ(host(i), static_cast<double>(i));
}

TYPED_TEST(CheckpointOn, BoundRelativeToTheRange_IsThatOfTheWholeViewInAllFrames) {
  using Field = Kokkos::View<double*, typename TypeParam::memory_space>;
  Field const field("field", 40000);
  auto const values = Kokkos::create_mirror_view(field);
  for (std::size_t i = 0; i < 40000; ++i) values(i) = static_cast<double>(i) * 1e-3;
  Kokkos::deep_copy(field, values);
  Checkpoint<TypeParam> checkpoint(this->exec, this->folder.path(), "r", small_frames());
  checkpoint.add("field", field, Options{.bound = ErrorBound::relative_to_range(1e-2)});
  SavedCheckpoint const saved = checkpoint.save(1);
  ArchiveReader const archive(saved.file);
  FrameReader frames(archive.open("field"));
  std::size_t count = 0;
  for (; frames.next(); frames.skip(), ++count) {
    EXPECT_NEAR(frames.frame().abs_bound, 0.4, 1e-3);
  }
  EXPECT_GT(count, 10u);
}

// Each part would keep the whole bound if it were a number of its own.
TYPED_TEST(CheckpointOn, ComplexNumbers_KeepTheBoundOfTheirMagnitude) {
  Wave<TypeParam> const wave(20000);
  Checkpoint<TypeParam> checkpoint(this->exec, this->folder.path(), "c", small_frames());
  checkpoint.add("absolute", wave.view, Options{.bound = ErrorBound::absolute(wave.bound)});
  checkpoint.save(1);
  wave.clear();
  checkpoint.restore();
  EXPECT_GT(wave.largest_error(), 0);
  EXPECT_LE(wave.largest_error(), wave.bound);
}

TYPED_TEST(CheckpointOn, TwoNamesInAFolder_DoNotTouchEachOther) {
  auto flow = this->checkpoint();
  Checkpoint<TypeParam> other(this->exec, this->folder.path(), "flow-2", small_frames());
  this->simulation.register_at(other);
  this->simulation.compute(1);
  flow.save(1);
  for (std::uint64_t step : {2, 3, 4}) {
    this->simulation.compute(step);
    other.save(step);
  }
  EXPECT_EQ(this->steps(), Steps{1});
  EXPECT_EQ(flow.restore().step, 1u);
}

TYPED_TEST(CheckpointOn, LeftoversOfKilledPrograms_AreRemovedAndNothingElse) {
  auto checkpoint = this->checkpoint();
  pid_t const gone = 999999999;  // beyond what Linux gives
  std::string const left = ".flow-000009-step-3.kpk.partial-" + std::to_string(gone) + "-0";
  std::string const alive = ".flow-000009-step-4.kpk.partial-" + std::to_string(::getpid()) + "-0";
  std::string const of_others = ".other-000009-step-3.kpk.partial-" + std::to_string(gone) + "-0";
  for (auto const& name : {left, alive, of_others}) put(this->folder / name, "x");
  // As if a tick of time() were still to come.
  auto const now = std::filesystem::last_write_time(this->folder / left);
  std::filesystem::last_write_time(this->folder / left, now + std::chrono::seconds(2));
  put(this->folder / "flow-000001-step-3.rank-0.kpk", "of a checkpoint that was not completed");
  this->save(checkpoint, 5);
  EXPECT_EQ(this->folder.names(),
            (std::set<std::string>{alive, of_others, "flow.latest", "flow-000001-step-5.kpk"}));
}

}  // namespace
}  // namespace kompakt::test
