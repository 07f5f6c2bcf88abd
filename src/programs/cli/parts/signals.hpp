#ifndef KOMPAKT_CLI_SIGNALS_HPP
#define KOMPAKT_CLI_SIGNALS_HPP

namespace kompakt::cli {

/// From now on a program that is ended by a signal, or that crashes, removes its temporary file before it dies of the
/// signal. It says so if it crashes. The same holds for a library that calls exit(), where the exit code is Status::device.
/// A reader that is lost is an error of what is written to it.
void install_signal_handlers();

/// Removes the file that is being written at this moment, if any; one that is appended to gets its old length back. Other
/// threads that append wait from now on. Safe in a signal handler, after which the process ends.
void undo_unfinished_files() noexcept;

/// The verb is over, and who calls exit() from now on means it.
void end_of_work();

/// Ends the program as if it had not been told to go on without a reader; returns if its parent wants it to go on.
void end_by_broken_pipe();

}  // namespace kompakt::cli

#endif
