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

}  // namespace kompakt::test
