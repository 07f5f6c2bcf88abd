#include "exec.hpp"
#include <algorithm>
#include <fstream>
#include <kompakt/error.hpp>
#include <limits>
#include <unistd.h>

namespace kompakt::cli {

namespace {

// Spaces of this build, the preferred first.
constexpr ExecSpace exec_spaces[] = {
#ifdef KOKKOS_ENABLE_CUDA
    ExecSpace::cuda,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    ExecSpace::openmp,
#endif
#ifdef KOKKOS_ENABLE_SERIAL
    ExecSpace::serial,
#endif
};

Kokkos::InitializationSettings settings_of(ExecChoice const& choice) {
  Kokkos::InitializationSettings settings;
  // Advice on OMP_PROC_BIND is noise to somebody who compresses a file.
  settings.set_disable_warnings(true);
  if (choice.threads > 0) settings.set_num_threads(choice.threads);
  return settings;
}

// What can be had without swapping: free memory and caches that would be given up.
std::uint64_t free_host_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string label;
  std::uint64_t kilobytes = 0;
  while (file >> label >> kilobytes) {
    if (label == "MemAvailable:") return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

char const* to_string(ExecSpace space) {
  switch (space) {
    case ExecSpace::serial: return "serial";
    case ExecSpace::openmp: return "openmp";
    case ExecSpace::cuda: return "cuda";
  }
  return "unknown";
}

std::string known_exec_spaces() {
  std::string words;
  for (ExecSpace const space : exec_spaces) {
    words += (words.empty() ? "" : ", ") + std::string(to_string(space));
  }
  return words;
}

ExecSpace parse_exec_space(std::string_view word) {
  if (word.empty()) return exec_spaces[0];
  for (ExecSpace const space : exec_spaces) {
    if (word == to_string(space)) return space;
  }
  bool const other_build = word == "serial" || word == "openmp" || word == "cuda";
  throw Error(other_build ? Status::device : Status::bad_argument,
              "--exec: '" + std::string(word) + "' is not " +
                  (other_build ? "part of this build" : "an execution space") + "; choose from " +
                  known_exec_spaces());
}

std::uint64_t default_memory_bytes(ExecSpace space) {
  std::uint64_t bytes = free_host_memory_bytes();
#ifdef KOKKOS_ENABLE_CUDA
  std::size_t free = 0, total = 0;
  if (space == ExecSpace::cuda && cudaMemGetInfo(&free, &total) == cudaSuccess) {
    bytes = std::min<std::uint64_t>(bytes, free);
  }
#endif
  static_cast<void>(space);
  constexpr std::uint64_t least = std::uint64_t{64} << 20;  // enough to go on with
  return std::max(bytes / 2, least);
}

KokkosSession::KokkosSession(ExecChoice const& choice) : m_guard(settings_of(choice)) {}

}  // namespace kompakt::cli
