#include <gtest/gtest.h>

#include <cfenv>
#include <cstdlib>
#include <kompakt/kompakt.hpp>

// A program that rounds downwards from its start on, and so do the threads that Kokkos starts.

namespace kompakt::test {

namespace {

[[maybe_unused]] int const before_main = std::fesetround(FE_DOWNWARD);

/// Integers that go through numbers between them on the way.
Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> integers() {
  Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> const field("field", 300, 200);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < 200; ++j) {
      field(i, j) = static_cast<int>((i * 200 + j) * 2654435761u % 997) - 500;
    }
  }
  return field;
}

template <class A, class B>
int worst_error(A const& a, B const& b) {
  int worst = 0;
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      worst = std::max(worst, std::abs(a(i, j) - b(i, j)));
    }
  }
  return worst;
}

template <class Exec>
void expect_bound(Limits const& limits) {
  Exec const exec;
  auto const field = integers();
  Workspace<Exec> workspace(exec);
  CompressedStream<Kokkos::HostSpace> stream;
  Options options{.bound = ErrorBound::absolute(2)};
  options.limits = limits;
  compress(exec, field, options, workspace, stream);
  Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace> const other("other", 300, 200);
  decompress(exec, stream, workspace, other);
  EXPECT_LE(worst_error(field, other), 2);
  Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> const region("region", 250, 150);
  decompress(exec, stream, workspace, region, Box{{50, 50}, {300, 200}});
  EXPECT_LE(worst_error(Kokkos::subview(field, std::pair(50, 300), std::pair(50, 200)), region), 2);
}

}  // namespace

TEST(Rounding, ThreadsThatRoundDown_KeepTheBoundOfIntegers) {
  ASSERT_EQ(std::fegetround(), FE_DOWNWARD);
  for (Space const space : compiled_spaces()) {
    with_space(space, []<class Exec>(Exec const&) {
      if constexpr (is_host_space<Exec>) {
        expect_bound<Exec>({});
        expect_bound<Exec>({-400, 400});
      }
    });
  }
}

}  // namespace kompakt::test
