// The first C++ example: README.md and docs/api.md show the lines between marks.
#include <Kokkos_Core.hpp>
#include <iostream>
#include <kompakt/kompakt.hpp>

using Exec = Kokkos::DefaultExecutionSpace;  // Serial, OpenMP or Cuda, as your Kokkos has it

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;

  Kokkos::View<float***, Exec> const field("field", 64, 96, 128);
  Kokkos::parallel_for(
      "fill", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {64, 96, 128}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        field(i, j, k) = Kokkos::sin(0.1f * i) + Kokkos::cos(0.07f * j) * Kokkos::sin(0.05f * k);
      });

  // [api round trip]
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Exec::memory_space> stream;

  // [readme]
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::relative_to_range(1e-3);  // 1e-3 * (max - min)
  kompakt::compress(exec, field, options, workspace, stream);
  // [/readme]

  Kokkos::View<float***, Exec> const restored("restored", 64, 96, 128);
  kompakt::decompress(exec, stream, workspace, restored);

  double const bound = stream.info().abs_bound;
  kompakt::ErrorStats const stats = kompakt::error_stats(exec, field, restored, bound);
  std::cout << "ratio " << 4.0 * field.size() / stream.info().bytes << ", largest error "
            << stats.max_abs_error << " of " << bound << ", " << stats.violations << " of "
            << stats.values << " values outside the bound\n";
  // [/api]
  return stats.violations == 0 ? 0 : 1;
}
