#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cuda/launch.hpp>
#include <cuda/ordered_scan.hpp>
#include <cuda/persistent.hpp>
#include <cuda/place_chunks.hpp>
#include <support/random.hpp>
#include <vector>

// The scan by itself: workers publish sizes that a hash makes up and keep the places they are told.

namespace kompakt::test {

/// How a worker misbehaves between its ticket and its size.
enum class Delay { none, some_sleep_long, all_sleep };

struct ScanKernel {
  struct Shared {
    impl::cuda::OrderedScan::Memory scanner;
    std::uint32_t ticket;
  };
  std::byte* persistent;
  std::size_t kept_bytes;
  std::int64_t first, chunks;
  std::uint64_t before;  // the place of the first
  Delay delay;
  std::uint64_t* places;  // as the scanner notes them, bytes
  std::uint64_t* told;    // as the workers are told
  std::uint64_t* total;

  __host__ __device__ static std::uint32_t size_of(std::uint32_t chunk) {
    std::uint32_t const hash = impl::checksum_word(chunk, 0, 1);
    return hash % 7 == 0 ? 0 : hash % 8196;
  }

  __device__ void operator()(Shared& shared, impl::cuda::Group group) const {
    auto& memory = *reinterpret_cast<impl::cuda::Persistent*>(persistent);
    impl::cuda::OrderedScan const scan(memory.scan, memory.words_of_turns());
    if (scan.take_role(shared.scanner)) {
      using Grid = impl::TileGrid<impl::Tile<TileShape::chain>>;
      impl::cuda::Turns<Grid> const rule{{places, nullptr, 0, false}};
      std::uint64_t const sum = scan.run(shared.scanner, first, chunks, before, rule);
      if (impl::warp::thread() == 0) *total = sum;
    } else {
      work(scan, shared);
    }
    scan.leave(group.blocks, impl::cuda::Persistent::room(kept_bytes));
  }

 private:
  __device__ void work(impl::cuda::OrderedScan const& scan, Shared& shared) const {
    while (true) {
      if (impl::warp::thread() == 0)
        shared.ticket = static_cast<std::uint32_t>(first) + scan.take_ticket();
      __syncthreads();
      std::uint32_t const chunk = shared.ticket;
      __syncthreads();
      if (chunk >= chunks) return;
      if (impl::warp::thread() != 0) continue;
      if (delay == Delay::all_sleep || (delay == Delay::some_sleep_long && chunk % 97 == 0)) {
        __nanosleep(delay == Delay::all_sleep ? 200 : 20000);
      }
      scan.publish_size(chunk, size_of(chunk));
      std::uint64_t word;
      do {
        word = scan.look(chunk);
      } while (!scan.is_place(word));
      told[chunk] = impl::cuda::OrderedScan::value_of(word);
    }
  }
};

namespace {

class OrderedScanTest : public testing::Test {
 protected:
  using Words = Kokkos::View<std::uint64_t*, Kokkos::CudaSpace>;

  void expect_places(std::int64_t chunks, std::int64_t blocks, Delay delay, std::int64_t first = 0,
                     std::uint64_t before = 0) {
    SCOPED_TRACE(std::to_string(first) + " to " + std::to_string(chunks) + " chunks, " +
                 std::to_string(blocks) + " blocks");
    std::size_t const bytes = impl::cuda::Persistent::bytes(chunks);
    if (persistent.extent(0) < bytes)
      persistent = Kokkos::View<std::byte*, Kokkos::CudaSpace>("persistent", bytes);
    auto const count = static_cast<std::size_t>(chunks);
    Words const places("places", count), told("told", count), total("total", 1);
    impl::cuda::launch<8>(exec, "scan", blocks,
                          ScanKernel{persistent.data(), persistent.extent(0), first, chunks, before,
                                     delay, places.data(), told.data(), total.data()});
    exec.fence();
    auto const noted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), places);
    auto const received = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), told);
    std::uint64_t sum = before;
    for (std::int64_t c = first; c < chunks; ++c) {
      ASSERT_EQ(noted(static_cast<std::size_t>(c)), sum * impl::word_bytes) << "chunk " << c;
      ASSERT_EQ(received(static_cast<std::size_t>(c)), sum) << "chunk " << c;
      sum += ScanKernel::size_of(static_cast<std::uint32_t>(c));
    }
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), total)(0), sum);
  }

  Kokkos::Cuda exec;
  Kokkos::View<std::byte*, Kokkos::CudaSpace> persistent{"persistent",
                                                         impl::cuda::Persistent::bytes(0)};
};

TEST_F(OrderedScanTest, AnyNumberOfChunks_GetsThePrefixSums) {
  for (std::int64_t const chunks : {1, 2, 3, 127, 128, 129, 511, 512, 513, 5000, 100000, 1000000}) {
    expect_places(chunks, 500, Delay::none);
  }
}

// One worker at a time: every wait must be for something that has already run.
TEST_F(OrderedScanTest, SomeOfTheChunks_GoOnWhereOthersEnded) {
  for (std::int64_t const first : {1, 127, 512, 4999}) {
    expect_places(5000, 500, Delay::none, first, std::uint64_t{1} << 33);
  }
}

TEST_F(OrderedScanTest, OneWorkerAlone_IsEnough) {
  expect_places(1, 2, Delay::none);
  expect_places(3000, 2, Delay::none);
}

// More blocks than the device holds: those that wait for a place on it have no ticket.
TEST_F(OrderedScanTest, MoreBlocksThanFit_DoNotHang) { expect_places(100000, 50000, Delay::none); }

TEST_F(OrderedScanTest, SleepingWorkers_OnlyDelay) {
  expect_places(20000, 500, Delay::some_sleep_long);
  expect_places(20000, 500, Delay::all_sleep);
}

}  // namespace
}  // namespace kompakt::test
