// A stencil over a compressed field in one kernel, which decodes tiles and visits their values.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/field_sweep.hpp>
#include <kompakt/kompakt.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

constexpr int nz = 96, ny = 64, nx = 80;

// [device body]
struct Laplacian {
  template <class Values>
  KOKKOS_FUNCTION float operator()(Values const& u, int k, int j, int i) const {
    bool const inside = k > 0 && j > 0 && i > 0 && k + 1 < nz && j + 1 < ny && i + 1 < nx;
    if (!inside) return 0;
    return u(k - 1, j, i) + u(k + 1, j, i) + u(k, j - 1, i) + u(k, j + 1, i) + u(k, j, i - 1) +
           u(k, j, i + 1) - 6 * u(k, j, i);
  }
};
// [/device]

/// The same over a field that is there.
struct LaplacianOf {
  Field values, result;
  KOKKOS_FUNCTION void operator()(int k, int j, int i) const {
    result(k, j, i) = Laplacian()(values, k, j, i);
  }
};

int run() {
  Exec const exec;
  Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>> const all(exec, {0, 0, 0}, {nz, ny, nx});
  Field const field("field", nz, ny, nx), result("result", nz, ny, nx);
  Kokkos::parallel_for(
      "fill", all, KOKKOS_LAMBDA(int k, int j, int i) {
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
  kompakt::device::FieldSweep<Field, kompakt::Pipeline::bitshuffle> sweep(
      exec, reader, {.halo = 1, .slab_bytes = 1 << 18});
  sweep.run(exec, "laplacian", result, Laplacian());
  sweep.finish(exec);  // throws if the stream is damaged
  // [/device]

  Field const decoded("decoded", nz, ny, nx), expected("expected", nz, ny, nx);
  kompakt::decompress(exec, stream, workspace, decoded);
  Kokkos::parallel_for("laplacian", all, LaplacianOf{decoded, expected});
  kompakt::ErrorStats const stats = kompakt::error_stats(exec, expected, result, 0);
  std::printf("%zu KiB decoded at a time of %zu; %zu values differ\n", sweep.memory_bytes() >> 10,
              field.size() * sizeof(float) >> 10, static_cast<std::size_t>(stats.violations));
  return stats.violations == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  return run();
}
