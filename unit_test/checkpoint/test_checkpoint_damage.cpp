#include "checkpoint_case.hpp"

// Checkpoints that are not what they should be, and calls that cannot be meant.

namespace kompakt::test {
namespace {

namespace fs = std::filesystem;

using Exec = Kokkos::DefaultHostExecutionSpace;

class CheckpointFaults : public testing::Test {
 protected:
  Exec exec;
  TemporaryFolder folder;
  Simulation<Exec> simulation;
  Checkpoint<Exec> checkpoint{exec, folder.path(), "flow", small_frames()};

  void SetUp() override { simulation.register_at(checkpoint); }
  fs::path save(std::uint64_t step) {
    simulation.compute(step);
    return checkpoint.save(step).file;
  }
  /// Restores step 1 although there was a step 2, whose file is named with these words.
  void expect_the_one_before(fs::path const& bad, std::string const& words) {
    simulation.compute(50);
    RestoredCheckpoint const restored = checkpoint.restore();
    EXPECT_EQ(restored.step, 1u);
    simulation.expect_state(1);
    ASSERT_EQ(restored.skipped.size(), 1u);
    EXPECT_EQ(restored.skipped[0].file, bad);
    expect_words(restored.skipped[0].reason, {words});
    EXPECT_NE(restored.text().find("skipped '" + bad.string()), std::string::npos);
  }
  /// Expects an error, and that no value has been touched.
  template <class Call>
  void expect_refused(Status status, std::vector<std::string> const& words, Call const& call) {
    auto const before = simulation.bytes();
    Error const error = error_of(call);
    EXPECT_EQ(error.status(), status) << error.what();
    expect_words(error.what(), words);
    EXPECT_EQ(simulation.bytes(), before);
  }
};

TEST_F(CheckpointFaults, MissingNewest_IsNamedAndTheOneBeforeIsUsed) {
  save(1);
  fs::path const newest = save(2);
  fs::remove(newest);
  expect_the_one_before(newest, "missing");
}

TEST_F(CheckpointFaults, TruncatedNewest_IsNamedAndTheOneBeforeIsUsed) {
  save(1);
  fs::path const newest = save(2);
  std::string const whole = contents(newest);
  for (std::uint64_t i = 0; i < 40; ++i) {
    std::size_t const length = i < 3 ? i : hash(i) % whole.size();
    put(newest, whole.substr(0, length));
    SCOPED_TRACE(length);
    expect_the_one_before(newest, "flow-000002-step-2.kpk");
  }
}

TEST_F(CheckpointFaults, AlteredNewest_IsNamedAndTheOneBeforeIsUsed) {
  save(1);
  fs::path const newest = save(2);
  std::string const whole = contents(newest);
  int skipped = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::string altered = whole;
    std::size_t const at = hash(i) % whole.size();
    altered[at] = static_cast<char>(altered[at] ^ (1 + hash(i + 1000) % 255));
    put(newest, altered);
    simulation.compute(50);
    RestoredCheckpoint const restored = checkpoint.restore();
    skipped += static_cast<int>(restored.skipped.size());
    simulation.expect_state(restored.step);  // either is right, and neither is a mixture
  }
  EXPECT_GT(skipped, 250) << "padding and older blocks are all that nobody reads";
}

TEST_F(CheckpointFaults, OnlyOneAltered_TouchesNothingEvenWithoutChecksumsOfChunks) {
  Options options{.bound = ErrorBound::lossless()};
  options.checksum = false;
  Checkpoint<Exec> bare(exec, folder.path(), "bare", small_frames());
  bare.add("numbers", simulation.numbers, options);
  bare.add("velocity", simulation.velocity(), options);
  simulation.compute(1);
  fs::path const file = bare.save(1).file;
  std::string const whole = contents(file);
  simulation.compute(50);
  int refused = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::string altered = whole;
    std::size_t const at = hash(i) % whole.size();
    altered[at] = static_cast<char>(altered[at] ^ (1 + hash(i + 1000) % 255));
    put(file, altered);
    auto const before = simulation.bytes();
    try {
      bare.restore();
      simulation.compute(50);
    } catch (Error const& error) {
      EXPECT_EQ(error.status(), Status::corrupt) << error.what();
      ASSERT_EQ(simulation.bytes(), before);
      ++refused;
    }
  }
  EXPECT_GT(refused, 180);
}

TEST_F(CheckpointFaults, StrangersFileUnderTheName_IsSkipped) {
  save(1);
  fs::path const newest = save(2);
  put(newest, std::string(100000, 'x'));
  expect_the_one_before(newest, "not an archive");
}

TEST_F(CheckpointFaults, ArchiveThatIsNoCheckpoint_IsSkipped) {
  save(1);
  fs::path const newest = save(2);
  fs::remove(newest);
  ArchiveWriter(newest, Overwrite::no).commit();
  expect_the_one_before(newest, "kompakt.checkpoint");
}

TEST_F(CheckpointFaults, AllDamaged_NamesAllAndTouchesNothing) {
  for (std::uint64_t step : {1, 2}) put(save(step), "damaged");
  expect_refused(Status::corrupt, {"flow-000001-step-1.kpk", "flow-000002-step-2.kpk", "copy"},
                 [&] { checkpoint.restore(); });
}

TEST_F(CheckpointFaults, DamagedStep_IsNotReplacedByAnother) {
  save(1);
  put(save(2), "damaged");
  expect_refused(Status::corrupt, {"flow-000002-step-2.kpk"}, [&] { checkpoint.restore(2); });
}

TEST_F(CheckpointFaults, DamagedNewest_DoesNotPushSoundOnesOut) {
  save(1);
  put(save(2), "damaged");
  checkpoint.restore();
  save(3);
  EXPECT_EQ(checkpoint.restore(1).step, 1u);
  save(4);
  EXPECT_EQ(list_checkpoints(folder.path(), "flow").size(), 2u);
}

TEST_F(CheckpointFaults, None_SaysSo) {
  expect_refused(Status::bad_argument, {"no checkpoint 'flow'", folder.path().string()},
                 [&] { checkpoint.restore(); });
}

TEST_F(CheckpointFaults, StepThatIsNotThere_NamesThoseThatAre) {
  save(1);
  save(2);
  expect_refused(Status::bad_argument, {"of step 3", "2, 1"}, [&] { checkpoint.restore(3); });
}

TEST_F(CheckpointFaults, OtherSchema_NamesBoth) {
  save(1);
  CheckpointOptions options = small_frames();
  options.schema = "test 2";
  Checkpoint<Exec> newer(exec, folder.path(), "flow", options);
  simulation.register_at(newer);
  expect_refused(Status::bad_argument, {"'test 1'", "'test 2'", "CheckpointOptions::schema"},
                 [&] { newer.restore(); });
}

TEST_F(CheckpointFaults, OtherExtentsTypeOrRank_NamesTheValue) {
  save(1);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const other_type("t", 33, 20);
  Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> const other_extents("t", 20, 33);
  Kokkos::View<float*, Kokkos::HostSpace> const other_rank("t", 660);
  auto const expect = [&](auto const& view, std::string const& words) {
    checkpoint.rebind("temperature", view);
    expect_refused(Status::type_mismatch,
                   {"'temperature'", "33 x 20 values of f32", words, "register a View"},
                   [&] { checkpoint.restore(); });
  };
  expect(other_type, "33 x 20 values of f64");
  expect(other_extents, "20 x 33 values of f32");
  expect(other_rank, "660 values of f32");
}

TEST_F(CheckpointFaults, ValueThatIsNotInTheFile_IsNamed) {
  save(1);
  checkpoint.add_lossless("more", simulation.numbers);
  expect_refused(Status::bad_argument, {"no value 'more'", "'velocity'"},
                 [&] { checkpoint.restore(); });
}

TEST_F(CheckpointFaults, CallsThatCannotBeMeant_AreRefused) {
  auto const refused = [&](std::vector<std::string> const& words, auto const& call) {
    expect_refused(Status::bad_argument, words, call);
  };
  refused({"'velocity' is taken"},
          [&] { checkpoint.add_lossless("velocity", simulation.numbers); });
  refused({"kompakt.checkpoint"},
          [&] { checkpoint.add_lossless("kompakt.checkpoint", simulation.numbers); });
  refused({"'n'", "i32", "add_lossless"},
          [&] { checkpoint.add("n", simulation.numbers, within(1)); });
  refused({"'n'", "-1"}, [&] { checkpoint.add("n", simulation.temperature, within(-1)); });
  refused({"'n' is registered", "'velocity', 'temperature', 'numbers'"},
          [&] { checkpoint.rebind("n", simulation.numbers); });
  refused({"'kompakt.step'"}, [&] { checkpoint.save(1, {{"kompakt.step", "3"}}); });
  for (char const* name : {"", "a/b", "../a", ".a", "-a", "a b"}) {
    refused({"the name '" + std::string(name) + "'"},
            [&] { Checkpoint<Exec>(exec, folder.path(), name); });
  }
  refused({"keep of 0"}, [&] { Checkpoint<Exec>(exec, folder.path(), "a", {.keep = 0}); });
  refused({"frame_bytes of 3"},
          [&] { Checkpoint<Exec>(exec, folder.path(), "a", {.frame_bytes = 3}); });
  Checkpoint<Exec> empty(exec, folder.path(), "a");
  refused({"no value is registered"}, [&] { empty.save(1); });
  refused({"no value is registered"}, [&] { empty.restore(); });
  empty.add("n", simulation.numbers, {});  // nobody has chosen a bound, so integers are lossless
  expect_refused(Status::io, {"nowhere", "create the folder"},
                 [&] { Checkpoint<Exec>(exec, folder / "nowhere", "a"); });
}

TEST_F(CheckpointFaults, FolderThatIsGone_IsToldByWaitAndTheNextSaveWorks) {
  fs::path const place = folder / "place", aside = folder / "aside";
  fs::create_directory(place);
  Checkpoint<Exec> moved(exec, place, "flow", small_frames());
  simulation.register_at(moved);
  fs::rename(place, aside);
  expect_refused(Status::io, {place.string()}, [&] { moved.save(1); });
  fs::rename(aside, place);
  EXPECT_EQ(moved.save(1).step, 1u);
}

}  // namespace
}  // namespace kompakt::test
