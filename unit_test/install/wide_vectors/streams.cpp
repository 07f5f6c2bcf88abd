#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <string>
#include <vector>

// Streams and values of every coder, predictor, width and space of a host, to standard output: the same bytes by kernels for any processor and
// by those for wide vectors.

namespace {

template <class T>
Kokkos::View<T***, Kokkos::HostSpace> make_field() {
  Kokkos::View<T***, Kokkos::HostSpace> const field("field", 37, 45, 53);
  for (std::size_t i = 0; i < field.size(); ++i) {
    double const x = 0.01 * static_cast<double>(i % 53), y = 0.1 * static_cast<double>(i / 53 % 45);
    double const z = 0.05 * static_cast<double>(i / 2385);
    double const noise = 1e-4 * static_cast<double>(i * 2654435761u % 1000u);
    field.data()[i] = static_cast<T>(std::sin(x + y) * std::exp(z) + noise);
  }
  return field;
}

template <class Exec, class T>
void write_round_trip(kompakt::Options const& options) {
  Exec const exec;
  auto const field = make_field<T>();
  Kokkos::View<T***, Kokkos::HostSpace> const back("back", field.extent(0), field.extent(1),
                                                   field.extent(2));
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<typename Exec::memory_space> stream;
  kompakt::compress(exec, field, options, workspace, stream);
  kompakt::decompress(exec, stream, workspace, back);
  std::fwrite(stream.data(), 1, stream.info().bytes, stdout);
  std::fwrite(back.data(), sizeof(T), back.size(), stdout);
}

template <class Exec>
void write_streams() {
  char const* const pipelines[] = {"fixedlength", "bitshuffle,variant=nested",
                                   "bitshuffle,variant=fz", "huffman,variant=dictionary",
                                   "huffman,variant=custom"};
  for (std::string const bound : {"abs:1e-3", "r2r:1e-4", "pwr:1e-2", "lossless"}) {
    for (char const* pipeline : pipelines) {
      for (char const* predictor : {"chain", "tile", "interpolate"}) {
        kompakt::Options options;
        try {
          kompakt::set(options, bound + ",pipeline=" + pipeline + ",predictor=" + predictor);
          write_round_trip<Exec, float>(options);
          write_round_trip<Exec, double>(options);
        } catch (kompakt::Error const& error) {
          std::printf("%s\n", error.what());  // these do not go together
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  write_streams<Kokkos::DefaultHostExecutionSpace>();
#ifdef KOKKOS_ENABLE_SERIAL
  write_streams<Kokkos::Serial>();
#endif
}
