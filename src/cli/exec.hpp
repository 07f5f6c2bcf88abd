#ifndef KOMPAKT_CLI_EXEC_HPP
#define KOMPAKT_CLI_EXEC_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kompakt/spaces.hpp>

namespace kompakt::cli {

struct ExecChoice {
  Space space = default_space();
  int threads = 0;  ///< 0: as the environment says
};

/// What the program uses when nothing else is said: half of the memory that is free, of the host or, where
/// the work is done on one, of the device, whichever has less. Needs a KokkosSession.
std::uint64_t default_memory_bytes(Space space);

/// Kokkos, from here to the end of the scope. Started late, so that a mistake in the arguments
/// does not pay for it.
class KokkosSession {
 public:
  explicit KokkosSession(ExecChoice const& choice);

 private:
  Kokkos::ScopeGuard m_guard;
};

}  // namespace kompakt::cli

#endif
