#include <support/spaces.hpp>

#include <kompakt/kompakt.hpp>

// A field with more than 2^31 values, in the lane `long`: 9 GB for the field, as much again for the
// reconstruction and, worst case, for the stream.

namespace kompakt::test {

template <class Memory>
struct FillSawtooth {
  Kokkos::View<float*, Memory> field;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const noise = static_cast<std::uint32_t>(i) * 2654435761u >> 24;
    field(i) = static_cast<float>(i % 100003) + 0.01f * static_cast<float>(noise);
  }
};

template <class Memory>
Kokkos::View<float*, Memory> try_allocate(std::size_t size) {
  try {
    return Kokkos::View<float*, Memory>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kompakt::test::large"), size);
  } catch (std::runtime_error const&) {
    return {};
  }
}

TEST(LargeField, OfMoreThanTwoToThe31Values_KeepsPromise) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Memory = Exec::memory_space;
  Exec const exec;
  std::size_t const size = (std::size_t{1} << 31) + 12345;
  auto const field = try_allocate<Memory>(size), decoded = try_allocate<Memory>(size);
  if (field.extent(0) == 0 || decoded.extent(0) == 0) GTEST_SKIP() << "needs 27 GB of memory";
  Kokkos::parallel_for("kompakt::test::fill",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(size)),
                       FillSawtooth<Memory>{field});
  Workspace<Exec> workspace(exec);
  CompressedStream<Memory> stream;
  compress(exec, field, {.bound = ErrorBound::absolute(0.5)}, workspace, stream);
  EXPECT_LT(stream.info().bytes, size);
  decompress(exec, stream, workspace, decoded);
  ErrorStats const stats = error_stats(exec, field, decoded, 0.5);
  EXPECT_EQ(stats.values, size);
  EXPECT_EQ(stats.violations, 0u);
}

/// Bits that no coder makes smaller: a mixture of those of a place (after MurmurHash3).
KOKKOS_FUNCTION inline std::uint32_t bits_of(std::int64_t place) {
  std::uint32_t bits = static_cast<std::uint32_t>(place) * 2654435761u;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}
template <class Memory>
struct FillBits {
  Kokkos::View<float*, Memory> field;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    field(i) = Kokkos::bit_cast<float>(bits_of(i));
  }
};
template <class Memory>
struct CountOtherBits {
  Kokkos::View<float*, Memory> field;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& others) const {
    others += Kokkos::bit_cast<std::uint32_t>(field(i)) != bits_of(i);
  }
};

TEST(LargeField, StreamOfMoreThan4GiB_ComesBackBitForBit) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Memory = Exec::memory_space;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Exec const exec;
  std::size_t const size = (std::size_t{1} << 30) + (std::size_t{1} << 24) + 7;
  auto const field = try_allocate<Memory>(size);
  Options const options{.bound = ErrorBound::lossless()};
  auto const memory = try_allocate<Memory>(max_compressed_bytes(shape_of(field), options) / 4 + 1);
  if (field.extent(0) == 0 || memory.extent(0) == 0) GTEST_SKIP() << "needs 9 GB of memory";
  Policy const all(exec, 0, static_cast<std::int64_t>(size));
  Kokkos::parallel_for("kompakt::test::fill", all, FillBits<Memory>{field});
  Workspace<Exec> workspace(exec);
  Kokkos::View<std::byte*, Memory> const stream(reinterpret_cast<std::byte*>(memory.data()),
                                                4 * memory.extent(0));
  StreamInfo const info = compress(exec, field, options, workspace, stream);
  EXPECT_GT(info.bytes, std::uint64_t{1} << 32);
  Kokkos::deep_copy(exec, field, 0.0f);
  decompress(exec, Kokkos::View<std::byte const*, Memory>(stream.data(), info.bytes), workspace,
             field);
  std::int64_t others = 0;
  Kokkos::parallel_reduce("kompakt::test::count", all, CountOtherBits<Memory>{field}, others);
  EXPECT_EQ(others, 0);
}

}  // namespace kompakt::test
