#include <array>
#include <bit>
#include <cmath>
#include <cuda/launch.hpp>
#include <cuda/warp.hpp>
#include <optional>
#include <perf_test/support/graph.hpp>
#include <span>
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

// A search for a fill value adds one launch.
TEST_F(CudaCall, Compress_TakesAtMostThreeLaunchesASearchAndOneFence) {
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
    for (bool const searches : {false, true}) {
      Options options = c.options;
      options.fill = searches ? FillValue::automatic() : FillValue::none();
      compress_with(options);
      CallCost const cost = cost_of([&] { compress_with(options); });
      EXPECT_EQ(cost.launches, c.launches + (searches ? 1 : 0));
      EXPECT_EQ(cost.fences, 1u);
      EXPECT_EQ(cost.allocations, 0u);
    }
  }
}

TEST_F(CudaCall, Decompress_TakesOneLaunchAndOneFence) {
  compress_with({});
  decompress(exec, stream, workspace, field);
  CallCost const cost = cost_of([&] { decompress(exec, stream, workspace, field); });
  EXPECT_EQ(cost.launches, 1u);
  EXPECT_EQ(cost.fences, 1u);
  EXPECT_EQ(cost.allocations, 0u);
}

TEST_F(CudaCall, Async_NeitherFencesNorAllocates) {
  compress_with({});
  decompress(exec, stream, workspace, field);
  Workspace<Kokkos::Cuda> other(exec);
  decompress(exec, stream, other, field);
  CallCost const cost = cost_of([&] {
    auto const compressing = compress_async(exec, field, {}, workspace, stream);
    auto const decompressing = decompress_async(exec, stream, other, field);
  });
  EXPECT_EQ(cost.fences, 0u);
  EXPECT_EQ(cost.allocations, 0u);
  exec.fence();
}

// The header decides what there is to decode; the chunks are not waited for.
TEST_F(CudaCall, RegionAsync_FencesOnce) {
  std::array<std::size_t, 3> const begin{1, 2, 3}, end{40, 30, 20};
  Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::CudaSpace> const part("part", 39, 28, 17);
  auto const call = [&] {
    return decompress_async(exec, stream, workspace, part, Box{begin, end});
  };
  compress_with({});
  call().finish();
  std::optional<PendingDecompression<Kokkos::Cuda>> pending;
  CallCost const cost = cost_of([&] { pending = call(); });
  EXPECT_EQ(cost.fences, 1u);
  EXPECT_EQ(cost.allocations, 0u);
  pending->finish();
}

TEST_F(CudaCall, Batch_TakesThreeLaunchesAndOneFence) {
  std::vector<ConstFieldData> const fields(20, ConstFieldData(field.data(), shape_of(field)));
  std::vector<CompressedStream<Kokkos::CudaSpace>> streams(fields.size());
  Options options;
  options.fill = FillValue::none();
  auto const call = [&] {
    compress_batch(exec, std::span(fields), options, workspace, std::span(streams));
  };
  call();
  CallCost const cost = cost_of(call);
  EXPECT_EQ(cost.launches, 3u);
  EXPECT_EQ(cost.fences, 1u);
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

TEST(CudaGraph, CapturedRoundTrip_IsReplayedForOtherValues) {
  Kokkos::Cuda const exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
  FieldShape const shape = shape_from<float>({40, 50, 70});
  Kokkos::View<float*, Kokkos::CudaSpace> const field("field", shape.size());
  Kokkos::View<float*, Kokkos::CudaSpace> const decoded("decoded", shape.size());
  Workspace<Kokkos::Cuda> compressing(exec), decompressing(exec);
  CompressedStream<Kokkos::CudaSpace> stream;
  Options const options;
  ConstFieldData const data(field.data(), shape);
  compress(exec, data, options, compressing, stream);
  decompress(exec, stream, decompressing, FieldData{decoded.data(), shape});

  std::optional<PendingCompression<Kokkos::Cuda>> pending;
  std::optional<PendingDecompression<Kokkos::Cuda>> pending_back;
  perf::Graph<Kokkos::Cuda> const graph(exec, [&] {
    pending = compress_async(exec, data, options, compressing, stream);
    pending_back = decompress_async(exec, stream, decompressing, FieldData{decoded.data(), shape});
  });
  Codec<Kokkos::Cuda> alone;
  for (Family const family : all_families) {
    SCOPED_TRACE(name_of(family));
    auto const values = make_field<float>(family, shape);
    Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
        values.data(), values.size());
    Kokkos::deep_copy(field, host);
    graph.launch();
    StreamInfo const info = pending->finish();
    pending_back->finish();
    EXPECT_EQ(info.bytes, alone.compress(values, shape, options).size());
    auto const back = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), decoded);
    expect_promise(values, std::vector<float>(back.data(), back.data() + back.extent(0)),
                   info.abs_bound);
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

struct RootOfFloat {
  float* roots;
  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::int64_t i) const {
    KOKKOS_IF_ON_DEVICE(
        (float const x = Kokkos::bit_cast<float>(0x3f800000u + static_cast<unsigned>(i));
         roots[i] = impl::warp::root_of_1_to_4(x);))
  }
};

// Bins relative to each value go by it, on hosts by the correctly rounded one.
TEST(CudaWarp, RootsOfAllFloatsFrom1To4_AreCorrectlyRounded) {
  constexpr int count = 1 << 24;
  Kokkos::View<float*, Kokkos::CudaSpace> const roots("roots", count);
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(0, count),
                       RootOfFloat{roots.data()});
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), roots);
  for (unsigned i = 0; i < count; ++i) {
    float const x = std::bit_cast<float>(0x3f800000u + i);
    ASSERT_EQ(found(i), std::sqrt(x)) << x;
  }
}

}  // namespace
}  // namespace kompakt::test
