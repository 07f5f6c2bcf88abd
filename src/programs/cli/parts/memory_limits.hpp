#ifndef KOMPAKT_CLI_MEMORY_LIMITS_HPP
#define KOMPAKT_CLI_MEMORY_LIMITS_HPP

#include <cstdint>
#include <filesystem>
#include <string>

namespace kompakt::cli {

/// What the program itself and the workspace of the largest radius take, measured as 24 MB with 2 threads.
inline constexpr std::uint64_t program_memory = std::uint64_t{32} << 20;
/// The least that it can do with.
inline constexpr std::uint64_t least_memory = program_memory + (std::uint64_t{1} << 20);

/// Memory that a process may still take, and what says so.
struct MemoryLimit {
  std::uint64_t bytes;
  std::string source;  ///< "MemAvailable", "cgroup /jobs/7", "RLIMIT_AS"; "device", "--memory"
};

/// The least of what the machine has without swapping, of what the control groups of the process leave, its own and
/// those around it (versions 1 and 2), and of the address space that its limit leaves. File caches that would be
/// given up count as free.
/// \param root  where /proc and /sys lie
MemoryLimit free_host_memory(std::filesystem::path const& root = "/");

}  // namespace kompakt::cli

#endif
