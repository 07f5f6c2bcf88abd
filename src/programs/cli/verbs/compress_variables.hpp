#ifndef KOMPAKT_CLI_COMPRESS_VARIABLES_HPP
#define KOMPAKT_CLI_COMPRESS_VARIABLES_HPP

#include "compress_arguments.hpp"

namespace kompakt::cli {

/// Makes an archive of all variables of files, with what these say of them: numbers within their bounds,
/// axes and integers that stand for themselves lossless. All of them are in the archive, or none.
/// \returns the exit code
/// \throws Error as a call with one field
int compress_variables(CompressArguments const& arguments);

}  // namespace kompakt::cli

#endif
