#ifndef KOMPAKT_PLUGIN_TARGET_HPP
#define KOMPAKT_PLUGIN_TARGET_HPP

#include <cstddef>
#include <kompakt/spaces.hpp>
#include <optional>
#include <string>
#include <string_view>

// Where a plugin works: nobody but its user can say, through the program that has loaded it.

namespace kompakt::plugin {

struct Target {
  std::optional<Space> space;  ///< none: openmp, or serial where there is none
  int threads = 0;  ///< of openmp, where nobody has initialised Kokkos; 0: as OpenMP says
};

/// A number of threads.
/// \param name  what the text is the value of
/// \throws Error bad_argument
int parse_threads(std::string const& name, std::string_view text);

/// What the variables <prefix>_SPACE and <prefix>_THREADS say.
/// \throws Error bad_argument, naming the variable; device if this build lacks the space
Target target_of_environment(std::string const& prefix);

/// Initialises Kokkos if nobody has.
/// \param threads  as that of a Target
/// \throws Error bad_argument for variables that Kokkos cannot read, device
void require_kokkos(int threads);

/// The space for a piece of work, which for a small one is a single thread. So it is in a process that was forked, such as a
/// worker of Python's multiprocessing: it has none of the threads of its parent, and would wait for them.
Space space_for(Target const& target, std::size_t bytes);

}  // namespace kompakt::plugin

#endif
