#include "support/data_set.hpp"
#include <cstdio>
#include <kompakt/error.hpp>

// Writes a generated field to a raw file, for programs that read files.

namespace kompakt::perf {

namespace {

char const* const help =
    "usage: make_field [--extents N,N,N] [--f64] [--density] -o FILE\n"
    "Writes turbulence of these extents (slowest first; default 256,256,256) as raw values, or a "
    "density with peaks.\n";

template <class T>
void write(DataSet const& data, std::string const& path) {
  Kokkos::DefaultHostExecutionSpace const exec;
  auto const values = load<T>(exec, data);
  write_file(path, std::as_bytes(std::span<T const>(values.data(), values.extent(0))),
             Overwrite::yes);
}

int make_field(Flags& flags) {
  if (flags.take_switch("--help") || flags.take_switch("-h")) {
    std::fputs(help, stdout);
    return 0;
  }
  Dtype const dtype = flags.take_switch("--f64") ? Dtype::f64 : Dtype::f32;
  bool const is_density = flags.take_switch("--density");
  DataSet const data =
      generated_data_set(flags.take("--extents", "256,256,256"), dtype, is_density);
  std::string const path = flags.take("-o", "");
  if (path.empty()) throw Error(Status::bad_argument, "-o FILE is missing");
  if (flags.argv()[1] != nullptr) {
    throw Error(Status::bad_argument, std::string("'") + flags.argv()[1] + "' is not a flag");
  }
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  Kokkos::ScopeGuard const kokkos(settings);
  dtype == Dtype::f32 ? write<float>(data, path) : write<double>(data, path);
  std::printf("%s: %s, %s, last index fastest\n", path.c_str(), to_string(dtype),
              text_of_extents(data.shape).c_str());
  return 0;
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  try {
    kompakt::perf::Flags flags(argc, argv);
    return kompakt::perf::make_field(flags);
  } catch (kompakt::Error const& error) {
    std::fprintf(stderr, "make_field: %s\n", error.what());
    return static_cast<int>(error.status());
  } catch (std::exception const& error) {
    std::fprintf(stderr, "make_field: %s\n", error.what());
    return static_cast<int>(kompakt::Status::device);
  }
}
