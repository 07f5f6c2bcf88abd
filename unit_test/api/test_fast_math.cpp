#include <gtest/gtest.h>

#include <cstring>
#include <kompakt/kompakt.hpp>

namespace kompakt::test {

// Written without floating-point comparisons of the test's own, which this file's flags would bend:
// the field is made of bit patterns and the library's compare says what was kept.
template <class Exec>
void compress_denormals() {
  Exec const exec;
  std::size_t const n = 50000;
  Kokkos::View<float*, Kokkos::HostSpace> const field("field", n), decoded("decoded", n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t const bits = static_cast<std::uint32_t>(i * 2654435761u) & 0x807fffffu;
    std::memcpy(&field(i), &bits, 4);  // denormals of both signs
  }
  double const bound = 2e-39;  // a sixth of the largest denormal
  Workspace<Exec> workspace(exec);
  CompressedStream<Kokkos::HostSpace> stream;
  compress(exec, field, {.bound = ErrorBound::absolute(bound)}, workspace, stream);
  decompress(exec, stream, workspace, decoded);
  EXPECT_EQ(error_stats(exec, field, decoded, bound).violations, 0u);
  EXPECT_LT(stream.info().bytes, n * 4);
  EXPECT_EQ(stream.info().exceptions, 0u);
}

TEST(FastMath, CallerWithDenormalsOff_KeepsPromiseForDenormals) {
  for (Space const space : compiled_spaces()) {
    with_space(space, []<class Exec>(Exec const&) {
      if constexpr (is_host_space<Exec>) compress_denormals<Exec>();
    });
  }
}

}  // namespace kompakt::test
