#include <adios2/plugin/PluginOperatorInterface.h>

// Stands for ADIOS2's library, under its name and with a version.

using Operator = adios2::plugin::PluginOperatorInterface;

/// Calls what a plugin exports. Not as the last thing, which would be a jump that hides the caller.
extern "C" Operator* create_through_loader(Operator* (*create)(adios2::Params const&),
                                           adios2::Params const& parameters) {
  Operator* volatile made = create(parameters);
  return made;
}
