#ifndef KOMPAKT_VERSION_HPP
#define KOMPAKT_VERSION_HPP

#include <kompakt/version.h>

namespace kompakt {

/// Commit the library was built from, with "-dirty" if the tree had changes, or "unknown".
char const* git_commit() noexcept;

}  // namespace kompakt

#endif
