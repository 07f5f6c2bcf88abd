#ifndef KOMPAKT_TOOLS_CODEBOOKS_CODEBOOK_TIMES_HPP
#define KOMPAKT_TOOLS_CODEBOOKS_CODEBOOK_TIMES_HPP

#include <support/flags.hpp>
#include <support/program.hpp>
#include <vector>

namespace kompakt::perf {

/// Registers, for each execution space, field and bound, what counting takes and choosing a codebook, making one
/// and building one on the host, and a whole compression with each.
/// \throws Error bad_argument for a field of double
void register_codebook_times(Run& run, std::vector<BoundWord> const& bounds);

}  // namespace kompakt::perf

#endif
