#ifndef KOMPAKT_CLI_ENVIRONMENT_HPP
#define KOMPAKT_CLI_ENVIRONMENT_HPP

namespace kompakt::cli {

/// Kokkos ends the program, with a backtrace, for a variable that it cannot read, which is to be known before.
/// \throws Error bad_argument for the first such variable
void require_kokkos_environment();

}  // namespace kompakt::cli

#endif
