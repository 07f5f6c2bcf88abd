// A simulation that compresses its field after every time step and keeps the bytes on the host.
// Workspace, stream and host buffer are made once: the steps after the first allocate nothing.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/kompakt.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Field = Kokkos::View<double***, Exec>;

constexpr int steps = 10;

void advance(Exec const& exec, Field const& field, double time) {
  Kokkos::parallel_for(
      "advance", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {48, 64, 80}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        field(i, j, k) = Kokkos::sin(0.1 * i + time) * Kokkos::cos(0.07 * j - time) + 0.01 * k;
      });
}

int run() {
  Exec const exec;
  Field const field("field", 48, 64, 80);

  // An absolute bound means the same in every step; one relative to the range follows the data.
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-5);

  kompakt::Workspace<Exec> workspace(exec);
  std::size_t const largest = kompakt::max_compressed_bytes(kompakt::shape_of(field), options);
  kompakt::CompressedStream<Space> stream(largest);
  Kokkos::View<std::byte*, Kokkos::HostSpace> const host("host", largest);

  std::size_t workspace_bytes = 0;
  for (int step = 0; step < steps; ++step) {
    advance(exec, field, 0.05 * step);
    kompakt::compress(exec, field, options, workspace, stream);  // returns when it is done

    std::size_t const bytes = stream.info().bytes;
    auto const message = Kokkos::subview(host, std::make_pair(std::size_t{0}, bytes));
    Kokkos::deep_copy(exec, message, stream.bytes());
    exec.fence();
    std::printf("step %d: %zu of %zu bytes, ratio %.1f\n", step, bytes, field.size() * 8,
                8.0 * field.size() / bytes);

    if (step == 0) workspace_bytes = workspace.capacity_bytes();
    bool const grown =
        workspace.capacity_bytes() != workspace_bytes || stream.capacity_bytes() != largest;
    if (grown) {
      std::fprintf(stderr, "step %d has allocated memory\n", step);
      return 1;
    }
  }

  // The last step again, from the stream that is still in device memory.
  Field const restored("restored", 48, 64, 80);
  kompakt::decompress(exec, stream, workspace, restored);
  return kompakt::error_stats(exec, field, restored, 1e-5).violations == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run();
}
