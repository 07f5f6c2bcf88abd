#include "context.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <fstream>
#include <kompakt/spaces.hpp>
#include <kompakt/version.hpp>
#include <sstream>
#include <string>

namespace kompakt::perf {

namespace {

/// The first line of a file that starts with `key`, without the key; "unknown" if there is none.
std::string line_after(char const* path, std::string const& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::size_t const begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "unknown" : line.substr(begin);
  }
  return "unknown";
}

#ifdef KOKKOS_ENABLE_CUDA
/// The first word with two dots, such as 580.159.04.
std::string version_in(std::string const& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (std::count(word.begin(), word.end(), '.') >= 2) return word;
  }
  return text;
}
#endif

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::string kokkos_spaces() {
  std::string spaces;
  for (Space const space : compiled_spaces()) {
    with_space(space, [&]<class Exec>(Exec const&) { spaces += std::string(Exec::name()) + ", "; });
  }
  return spaces + "default " + Kokkos::DefaultExecutionSpace::name();
}

/// The command that started this process, without folders in front of the program and without flags
/// that only say where its report goes.
std::string command() {
  std::ifstream file("/proc/self/cmdline");
  std::string words;
  for (std::string word; std::getline(file, word, '\0');) {
    if (words.empty()) {
      words = word.substr(word.rfind('/') + 1);
    } else if (!word.starts_with("--benchmark_out")) {
      words += ' ' + word;
    }
  }
  return words;
}

std::string environment(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "unset";
}

}  // namespace

void add_context() {
  benchmark::AddCustomContext("kompakt_version", KOMPAKT_VERSION_STRING);
  benchmark::AddCustomContext("kompakt_commit", git_commit());
  benchmark::AddCustomContext("command", command());
  benchmark::AddCustomContext("processor", line_after("/proc/cpuinfo", "model name"));
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("build_type", KOMPAKT_PERF_BUILD_TYPE);
  benchmark::AddCustomContext("host_architecture", KOMPAKT_PERF_ARCH);
  benchmark::AddCustomContext("kompakt_vectors", environment("KOMPAKT_VECTORS"));
  benchmark::AddCustomContext("kokkos_version", kokkos_version());
  benchmark::AddCustomContext("kokkos_spaces", kokkos_spaces());
  benchmark::AddCustomContext("host_threads", std::to_string(Kokkos::num_threads()));
  benchmark::AddCustomContext("omp_proc_bind", environment("OMP_PROC_BIND"));
  benchmark::AddCustomContext("omp_places", environment("OMP_PLACES"));
#ifdef KOKKOS_ENABLE_CUDA
  benchmark::AddCustomContext("gpu", Kokkos::Cuda().cuda_device_prop().name);
  benchmark::AddCustomContext(
      "gpu_driver", version_in(line_after("/proc/driver/nvidia/version", "NVRM version")));
  benchmark::AddCustomContext("cuda_runtime", std::to_string(CUDART_VERSION / 1000) + "." +
                                                  std::to_string(CUDART_VERSION % 1000 / 10));
#endif
}

}  // namespace kompakt::perf
