#include "exec.hpp"
#include <algorithm>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace kompakt::cli {

namespace {

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

std::uint64_t default_memory_bytes(Space space) {
  std::uint64_t bytes = free_host_memory_bytes();
#ifdef KOKKOS_ENABLE_CUDA
  std::size_t free = 0, total = 0;
  if (space == Space::cuda && cudaMemGetInfo(&free, &total) == cudaSuccess) {
    bytes = std::min<std::uint64_t>(bytes, free);
  }
#endif
  static_cast<void>(space);
  constexpr std::uint64_t least = std::uint64_t{64} << 20;  // enough to go on with
  return std::max(bytes / 2, least);
}

KokkosSession::KokkosSession(ExecChoice const& choice) : m_guard(settings_of(choice)) {}

}  // namespace kompakt::cli
