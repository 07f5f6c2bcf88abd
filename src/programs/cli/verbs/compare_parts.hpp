#ifndef KOMPAKT_CLI_COMPARE_PARTS_HPP
#define KOMPAKT_CLI_COMPARE_PARTS_HPP

#include "compare_verdict.hpp"
#include <cli/parts/exec.hpp>
#include <cli/parts/source.hpp>
#include <kompakt/options.hpp>
#include <optional>

namespace kompakt::cli {

/// Whether a file is compared a part at a time: a stream of several frames, or, unless metrics need all of it, one that
/// does not fit into memory together with both fields. Any other is read whole.
bool is_compared_in_parts(CompareArguments const& arguments, StreamSource const& source);

/// Compares frame by frame; frames that do not fit into memory slab by slab.
/// \throws Error bad_argument also if metrics are asked for that need the whole field
Comparison compare_in_parts(CompareArguments const& arguments, StreamSource const& source,
                            ExecChoice const& exec);

}  // namespace kompakt::cli

#endif
