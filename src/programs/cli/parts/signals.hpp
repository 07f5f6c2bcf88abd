#ifndef KOMPAKT_CLI_SIGNALS_HPP
#define KOMPAKT_CLI_SIGNALS_HPP

namespace kompakt::cli {

/// From now on a program that is interrupted, terminated or hung up, or that crashes, removes its temporary file
/// before it dies of the signal. It says so if it crashes.
void install_signal_handlers();

}  // namespace kompakt::cli

#endif
