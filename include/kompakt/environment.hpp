#ifndef KOMPAKT_ENVIRONMENT_HPP
#define KOMPAKT_ENVIRONMENT_HPP

namespace kompakt {

/// Kokkos::initialize() ends the program, with a backtrace, for a variable of the environment that it cannot read,
/// which is to be known before.
/// \throws Error bad_argument for the first such variable
void require_kokkos_environment();

}  // namespace kompakt

#endif
