#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/kompakt.hpp>

// What a user of the library would write, against nothing but its public headers.

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<float**, Exec>;

Field make_field() {
  Field const field("field", 300, 200);
  auto const host = Kokkos::create_mirror_view(field);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    for (std::size_t j = 0; j < host.extent(1); ++j) {
      host(i, j) = static_cast<float>(i * i) * 0.01f - static_cast<float>(j);
    }
  }
  Kokkos::deep_copy(field, host);
  return field;
}

bool round_trip_keeps_bound() {
  Exec const exec;
  Field const field = make_field();
  Field const back("back", field.extent(0), field.extent(1));

  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(0.125);
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Exec::memory_space> stream;
  kompakt::compress(exec, field, options, workspace, stream);
  kompakt::decompress(exec, stream, workspace, back);

  auto const stats = kompakt::error_stats(exec, field, back, stream.info().abs_bound);
  std::printf("kompakt %s (%s): %zu values in %zu bytes, largest error %g of %g\n",
              KOMPAKT_VERSION_STRING, kompakt::git_commit(), field.size(), stream.info().bytes,
              stats.max_abs_error, stream.info().abs_bound);
  return stats.violations == 0 && stream.info().bytes < field.size() * sizeof(float);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  return round_trip_keeps_bound() ? 0 : 1;
}
