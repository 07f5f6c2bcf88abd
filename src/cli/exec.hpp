#ifndef KOMPAKT_CLI_EXEC_HPP
#define KOMPAKT_CLI_EXEC_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace kompakt::cli {

enum class ExecSpace { serial, openmp, cuda };

struct ExecChoice {
  ExecSpace space = ExecSpace::serial;
  int threads = 0;  ///< 0: as the environment says
};

char const* to_string(ExecSpace space);
/// Those of this build, the default first: "openmp, serial".
std::string known_exec_spaces();
/// \param word  empty for the default
/// \throws Error bad_argument for an unknown word, device if this build lacks the space
ExecSpace parse_exec_space(std::string_view word);

/// What the program uses when nothing else is said: half of the memory that is free, of the host or, where
/// the work is done on one, of the device, whichever has less. Needs a KokkosSession.
std::uint64_t default_memory_bytes(ExecSpace space);

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
