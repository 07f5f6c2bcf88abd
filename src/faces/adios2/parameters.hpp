#ifndef KOMPAKT_ADIOS2_PARAMETERS_HPP
#define KOMPAKT_ADIOS2_PARAMETERS_HPP

#include <kompakt/any_codec.hpp>
#include <kompakt/options.hpp>
#include <map>
#include <plugin/target.hpp>
#include <string>

// What a user asks for, in words.

namespace kompakt::adios2 {

/// adios2::Params. ADIOS2 gives keys in small letters.
using Parameters = std::map<std::string, std::string>;

/// How blocks are compressed.
struct Coding {
  Options options{};
  MemoryOf values_in = MemoryOf::host;
};

/// \throws Error bad_argument for a key that is not known or a value that means nothing
Coding coding_of(Parameters const& parameters);
/// Of integers, which are exact whatever bound is asked for.
Options lossless_options();

/// Where values lie. Needed by readers, too.
MemoryOf memory_of(Parameters const& parameters);
/// The parameters space and threads; what is not given is said by KOMPAKT_ADIOS2_SPACE and KOMPAKT_ADIOS2_THREADS.
/// \throws Error bad_argument, device
plugin::Target target_of(Parameters const& parameters);

/// Which version of the interface a caller says it has, for one that does not say it by its name; 0 if it does not.
int interface_of(Parameters const& parameters);

}  // namespace kompakt::adios2

#endif
