#ifndef KOMPAKT_CLI_EXEC_HPP
#define KOMPAKT_CLI_EXEC_HPP

#include "memory_limits.hpp"
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kompakt/spaces.hpp>
#include <optional>

namespace kompakt::cli {

struct ExecChoice {
  Space space = default_space();
  int threads = 0;  ///< 0: as the environment says
};

/// Memory that the program may use: what was given, else half of what is free, of the host or, where the work is
/// done on one, of the device, whichever has less. Needs a KokkosSession.
MemoryLimit memory_for(std::optional<std::uint64_t> given, Space space);

/// Kokkos, from here to the end of the scope. Started late, so that a mistake in the arguments
/// does not pay for it.
class KokkosSession {
 public:
  /// \throws Error as require_kokkos_environment() and host_threads()
  explicit KokkosSession(ExecChoice const& choice);

 private:
  Kokkos::ScopeGuard m_guard;
};

}  // namespace kompakt::cli

#endif
