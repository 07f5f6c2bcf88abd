// Two fields of a simulation in one file, appended step by step, and one of them read back.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <string>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Field = Kokkos::View<float**, Exec>;

Field waves(Exec const& exec, int step) {
  Field const field("field", 200, 300);
  Kokkos::parallel_for(
      "waves", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {200, 300}),
      KOKKOS_LAMBDA(int i, int j) {
        field(i, j) = Kokkos::sin(0.1f * i + step) * Kokkos::cos(0.07f * j);
      });
  return field;
}

int run(char const* path) {
  Exec const exec;
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Space> stream;

  { kompakt::ArchiveWriter(path, kompakt::Overwrite::yes).commit(); }  // an empty archive
  for (int step = 0; step < 2; ++step) {
    kompakt::compress(exec, waves(exec, step), options, workspace, stream);
    // Whatever happens to this step, those before it are safe.
    kompakt::ArchiveWriter writer = kompakt::ArchiveWriter::append_to(path);
    writer.append("waves " + std::to_string(step), {{"units", "m"}, {"time", std::to_string(step)}},
                  stream.to_host());
    writer.commit();
  }

  kompakt::ArchiveReader reader(path);
  for (kompakt::ArchiveEntry const& entry : reader.entries()) {
    std::printf("%s: %zu bytes\n", entry.name.c_str(), static_cast<std::size_t>(entry.bytes));
  }
  auto const again = kompakt::CompressedStream<Space>::from_host(reader.read("waves 1"));
  Field const restored("restored", 200, 300);
  kompakt::decompress(exec, again, workspace, restored);
  return kompakt::error_stats(exec, waves(exec, 1), restored, 1e-3).violations == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run(argc > 1 ? argv[1] : "waves.kpk");
}
