#ifndef KOMPAKT_CLI_THREADS_HPP
#define KOMPAKT_CLI_THREADS_HPP

namespace kompakt::cli {

/// How many threads a number in a variable of the environment asks for; 0 if there is none. Of a list the first
/// one counts.
unsigned long threads_of_environment(char const* variable);

/// How many threads OpenMP starts when nobody says how many: OMP_NUM_THREADS, else one for each core of the
/// process, and no more than OMP_THREAD_LIMIT.
unsigned long threads_of_openmp();

/// Starts so many threads side by side with this one and ends them. The runtime of OpenMP ends the program when it
/// cannot have its threads, which is to be known before.
/// \throws Error device if the system refuses one
void require_threads(unsigned long count);

}  // namespace kompakt::cli

#endif
