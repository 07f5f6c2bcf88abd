#ifndef KOMPAKT_ADIOS2_LOADER_HPP
#define KOMPAKT_ADIOS2_LOADER_HPP

#include <optional>
#include <string>

// Which ADIOS2 has loaded the operator. It does not ask for the version of a plugin's interface, and would call what has
// another one at places where other functions are.

namespace kompakt::adios2 {

struct Version {
  int major = 0, minor = 0;
  friend bool operator==(Version const&, Version const&) = default;
};

/// Who calls.
struct Loader {
  std::string file;                ///< library or program
  std::optional<Version> version;  ///< none if it is not ADIOS2's own library
};

/// \param caller  an address in its code
Loader loader_of(void const* caller);

/// \param built_for  whose headers this was compiled with
/// \param vouched    a caller that is not ADIOS2's library says that it has the interface of these
/// \throws Error unsupported_version
void require_loader(Loader const& loader, Version const& built_for, bool vouched);

}  // namespace kompakt::adios2

#endif
