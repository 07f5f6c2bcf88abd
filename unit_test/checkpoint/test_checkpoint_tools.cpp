#include "checkpoint_case.hpp"
#include <algorithm>
#include <kompakt/snapshot_store.hpp>
#include <support/tools_recorder.hpp>

// What Kokkos Tools see of checkpoints and stores.

namespace kompakt::test {
namespace {

template <class Exec>
class CheckpointTools : public testing::Test {
 protected:
  Exec exec;
  TemporaryFolder folder;
  Simulation<Exec> simulation;
  Checkpoint<Exec> checkpoint{exec, folder.path(), "flow"};

  void SetUp() override { simulation.register_at(checkpoint); }
  void save_and_restore() {
    checkpoint.save_async(1);
    checkpoint.wait();
    checkpoint.restore();
  }
};
TYPED_TEST_SUITE(CheckpointTools, Spaces, SpaceName);

TYPED_TEST(CheckpointTools, Recorder_TellsGlobalFencesFromOthers) {
  ToolsRecorder const recorder;
  this->exec.fence("one instance");
  expect_no_global_fence(recorder);
  Kokkos::fence("all");
  EXPECT_FALSE(recorder.global_fences.empty());
}

TYPED_TEST(CheckpointTools, SecondSave_AllocatesNothingAndFencesNoOtherInstance) {
  this->save_and_restore();
  ToolsRecorder const recorder;
  this->save_and_restore();
  EXPECT_TRUE(recorder.allocations.empty()) << recorder.allocations.front();
  expect_no_global_fence(recorder);
  for (char const* region :
       {"kompakt::checkpoint::save", "kompakt::checkpoint::wait", "kompakt::checkpoint::restore"}) {
    EXPECT_TRUE(recorder.regions.contains(region)) << region;
  }
}

TYPED_TEST(CheckpointTools, Labels_NameTheLibrary) {
  ToolsRecorder const recorder;
  this->save_and_restore();
  expect_labels_of_the_library(recorder);
  EXPECT_FALSE(recorder.allocations.empty());
}

TYPED_TEST(CheckpointTools, StoreWithRoom_NeitherAllocatesNorFencesInPut) {
  auto const view = this->simulation.velocity();
  SnapshotStore<TypeParam> store(this->exec, 8 * view.size() * sizeof(double));
  store.put(0, view);
  store.get(0, view);
  ToolsRecorder const recorder;
  store.put(1, view);
  EXPECT_TRUE(recorder.fences.empty() || is_host_space<TypeParam>) << recorder.fences.front();
  store.get(1, view);
  EXPECT_TRUE(recorder.allocations.empty()) << recorder.allocations.front();
  expect_no_global_fence(recorder);
}

}  // namespace
}  // namespace kompakt::test
