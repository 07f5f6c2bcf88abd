#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <string>
#include <vector>

// Streams and values of every coder, predictor and width, to standard output: the same bytes by kernels for any processor and
// by those for wide vectors.

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

template <class T>
Kokkos::View<T***, Exec> make_field() {
  Kokkos::View<T***, Exec> const field("field", 37, 45, 53);
  for (std::size_t i = 0; i < field.size(); ++i) {
    double const x = 0.01 * static_cast<double>(i % 53), y = 0.1 * static_cast<double>(i / 53 % 45);
    field.data()[i] =
        static_cast<T>(std::sin(x + y) * std::exp(0.05 * static_cast<double>(i / 2385)) +
                       1e-4 * static_cast<double>(i * 2654435761u % 1000u));
  }
  return field;
}

template <class T>
void write_round_trip(kompakt::Options const& options) {
  Exec const exec;
  auto const field = make_field<T>();
  Kokkos::View<T***, Exec> const back("back", field.extent(0), field.extent(1), field.extent(2));
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Exec::memory_space> stream;
  kompakt::compress(exec, field, options, workspace, stream);
  kompakt::decompress(exec, stream, workspace, back);
  std::fwrite(stream.data(), 1, stream.info().bytes, stdout);
  std::fwrite(back.data(), sizeof(T), back.size(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  for (std::string const bound : {"abs:1e-3", "r2r:1e-4", "pwr:1e-2", "lossless"}) {
    for (char const* pipeline : {"fixedlength", "bitshuffle", "huffman"}) {
      for (char const* predictor : {"chain", "tile", "interpolate"}) {
        kompakt::Options options;
        try {
          kompakt::set(options, bound + ",pipeline=" + pipeline + ",predictor=" + predictor);
          write_round_trip<float>(options);
          write_round_trip<double>(options);
        } catch (kompakt::Error const& error) {
          std::printf("%s\n", error.what());  // these do not go together
        }
      }
    }
  }
}
