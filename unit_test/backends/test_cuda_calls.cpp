#include <cuda/launch.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/tools_recorder.hpp>
#include <thread>

namespace kompakt::test {
namespace {

/// What one call costs beside its kernels' time: launches, of Kokkos and raw, fences, allocations.
struct CallCost {
  std::size_t launches, fences, allocations;
};

template <class Call>
CallCost cost_of(Call const& call) {
  ToolsRecorder const recorder;
  std::uint64_t const before = impl::cuda::raw_launches;
  call();
  return {recorder.kernels.size() + (impl::cuda::raw_launches - before), recorder.fences.size(),
          recorder.allocations.size()};
}

class CudaCall : public testing::Test {
 protected:
  Kokkos::Cuda exec;
  Workspace<Kokkos::Cuda> workspace{exec};
  CompressedStream<Kokkos::CudaSpace> stream;
  Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::CudaSpace> field{"field", 64, 64, 64};

  void compress_with(Options const& options) { compress(exec, field, options, workspace, stream); }
};

TEST_F(CudaCall, Compress_TakesAtMostThreeLaunchesAndOneFence) {
  struct {
    Options options;
    std::size_t launches;
  } const cases[] = {
      {{.bound = ErrorBound::absolute(1e-3), .predictor = Predictor::chain}, 1},
      {{.bound = ErrorBound::absolute(1e-3)}, 2},
      {{.bound = ErrorBound::relative_to_range(1e-3), .predictor = Predictor::chain}, 2},
      {{.bound = ErrorBound::relative_to_range(1e-3)}, 3},
  };
  for (auto const& c : cases) {
    compress_with(c.options);
    CallCost const cost = cost_of([&] { compress_with(c.options); });
    EXPECT_EQ(cost.launches, c.launches);
    EXPECT_EQ(cost.fences, 1u);
    EXPECT_EQ(cost.allocations, 0u);
  }
}

TEST_F(CudaCall, Decompress_TakesOneLaunch) {
  compress_with({});
  decompress(exec, stream, workspace, field);
  CallCost const cost = cost_of([&] { decompress(exec, stream, workspace, field); });
  EXPECT_EQ(cost.launches, 1u);
  EXPECT_EQ(cost.allocations, 0u);
}

// The words of the scan are told apart by a number of 14 bits that every call advances.
TEST_F(CudaCall, MoreCallsThanEpochs_GiveTheSameBytes) {
  Options const options{.bound = ErrorBound::absolute(1e-3), .predictor = Predictor::chain};
  compress_with(options);
  StreamInfo const first = stream.info();
  for (int call = 0; call < (1 << 14) + 100; ++call) {
    compress_with(options);
    ASSERT_EQ(stream.info().bytes, first.bytes) << "call " << call;
  }
}

TEST(CudaInstances, EightAtOnce_GiveTheSameBytesAsOneAlone) {
  constexpr int instances = 8;
  auto const execs =
      Kokkos::Experimental::partition_space(Kokkos::Cuda(), std::vector<int>(instances, 1));
  FieldShape const shape = shape_from<float>({96, 96, 96});
  std::vector<std::vector<float>> fields;
  std::vector<std::vector<std::byte>> expected(instances);
  for (int i = 0; i < instances; ++i) {
    fields.push_back(make_field<float>(all_families[i], shape));
    expected[i] = Codec<Kokkos::Cuda>().compress(fields[i], shape, {});
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < instances; ++i) {
    threads.emplace_back([&, i] {
      Codec<Kokkos::Cuda> codec(execs[i]);
      for (int round = 0; round < 20; ++round) {
        expect_same_bytes(codec.compress(fields[i], shape, {}), expected[i],
                          name_of(all_families[i]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kompakt::test
