#include "exec.hpp"
#include "notes.hpp"
#include <algorithm>
#include <kompakt/environment.hpp>
#include <kompakt/threads.hpp>
#include <string>

namespace kompakt::cli {

namespace {

constexpr std::uint64_t enough_memory = std::uint64_t{64} << 20;  // of which less is not spared

// Reading, writing and progress.
constexpr int other_threads = 3;

// None if Kokkos finds the number by itself.
int threads_of(ExecChoice const& choice) {
  HostThreads const threads = host_threads(choice.threads, other_threads);
  if (threads.wanted > static_cast<unsigned long>(threads.count)) {
    note(std::to_string(threads.wanted) + " threads are more than are possible; " +
         std::to_string(threads.count) + " are used");
    return threads.count;
  }
  return choice.threads;
}

Kokkos::InitializationSettings settings_of(ExecChoice const& choice) {
  require_kokkos_environment();
  Kokkos::InitializationSettings settings;
  // Advice on OMP_PROC_BIND is noise to somebody who compresses a file.
  settings.set_disable_warnings(true);
  // Kokkos would print it to standard output, between the bytes of a stream.
  settings.set_print_configuration(false);
  int const threads = threads_of(choice);
  if (threads > 0) settings.set_num_threads(threads);
  return settings;
}

}  // namespace

MemoryLimit memory_for(std::optional<std::uint64_t> given, Space space) {
  if (given) return {*given, "--memory"};
  MemoryLimit limit = free_host_memory();
#ifdef KOKKOS_ENABLE_CUDA
  std::size_t free = 0, total = 0;
  if (space == Space::cuda && cudaMemGetInfo(&free, &total) == cudaSuccess && free < limit.bytes) {
    limit = {free, "device"};
  }
#endif
  static_cast<void>(space);
  limit.bytes = std::max({limit.bytes / 2, std::min(limit.bytes, enough_memory), least_memory});
  return limit;
}

KokkosSession::KokkosSession(ExecChoice const& choice) : m_guard(settings_of(choice)) {}

}  // namespace kompakt::cli
