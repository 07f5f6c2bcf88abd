// A stencil over a compressed field, slab by slab: beside the result there is memory for three slabs instead of the field.

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <kompakt/kompakt.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

constexpr int nz = 96, ny = 64, nx = 80;

/// The second difference along the slowest index, of whatever is indexed as the field is.
template <class Values>
struct SecondDifference {
  Values values;
  Field result;

  KOKKOS_FUNCTION void operator()(int k, int j, int i) const {
    bool const inside = k > 0 && k + 1 < nz;
    result(k, j, i) =
        inside ? values(k - 1, j, i) - 2 * values(k, j, i) + values(k + 1, j, i) : 0.0f;
  }
};

int run() {
  Exec const exec;
  Field const field("field", nz, ny, nx), result("result", nz, ny, nx);
  Kokkos::parallel_for(
      "fill", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {nz, ny, nx}),
      KOKKOS_LAMBDA(int k, int j, int i) {
        field(k, j, i) = Kokkos::sin(0.05f * k) * Kokkos::cos(0.03f * j) + 0.001f * i;
      });
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-4);
  options.pipeline = kompakt::Pipeline::bitshuffle;
  options.predictor = kompakt::Predictor::tile;
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Exec::memory_space> stream;
  kompakt::compress(exec, field, options, workspace, stream);

  // [device pass]
  kompakt::StreamReader<Exec> const reader(exec, stream);
  kompakt::SlabReader<Field> slabs(exec, reader, {.halo = 1, .slab_bytes = 1 << 18});
  slabs.for_each(exec, [&](kompakt::SlabWindow<Field> const& window) {
    Kokkos::parallel_for("stencil",
                         Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {window.first(), 0, 0},
                                                                      {window.last(), ny, nx}),
                         SecondDifference{window, result});
  });
  slabs.finish(exec);  // throws if the stream is damaged
  // [/device]

  Field const decoded("decoded", nz, ny, nx), expected("expected", nz, ny, nx);
  kompakt::decompress(exec, stream, workspace, decoded);
  Kokkos::parallel_for("stencil",
                       Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {nz, ny, nx}),
                       SecondDifference{decoded, expected});
  kompakt::ErrorStats const stats = kompakt::error_stats(exec, expected, result, 0);
  std::printf("%zu KiB decoded at a time of %zu; %zu values differ\n", slabs.memory_bytes() >> 10,
              field.size() * sizeof(float) >> 10, static_cast<std::size_t>(stats.violations));
  return stats.violations == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  return run();
}
