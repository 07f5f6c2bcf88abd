#ifndef KOMPAKT_TOOLS_CODEBOOKS_SAMPLE_HPP
#define KOMPAKT_TOOLS_CODEBOOKS_SAMPLE_HPP

#include <cstdint>
#include <kompakt/codebooks.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/workspace.hpp>
#include <vector>

namespace kompakt::tools {

/// What compress() counts in a field before it makes or chooses a codebook.
struct SampleCounts {
  char const* predictor =
      "";  ///< of the sample and the stream, as StreamInfo has it; "" without values
  std::uint64_t chunks = 0, values = 0;  ///< chunks of 4096 values, and values, counted
  /// Words of 4 bytes of the sample that do not depend on codes: heads, exceptions, outlier lists, index; the
  /// widths of pairs are a guess.
  std::uint64_t fixed_words = 0;
  int radius = 0;
  int list_bits = 0;                   ///< of a residual in the outlier list
  std::vector<std::uint32_t> entries;  ///< how often each occurs: symbols, masks, quads
  CodebookInfo codebook;               ///< what compress() stores with the same options
};

/// Counts the entries that the pipeline huffman codes, in the sample and by the kernels of compress().
/// \param exec     Kokkos::Serial or Kokkos::OpenMP; nothing else is instantiated
/// \param field    as that of compress()
/// \param options  as those of compress(), pipeline huffman
/// \throws Error bad_argument for another pipeline or an unusable option, device if there is no memory
/// \note returns after completion; reads at most 2 million values for each predictor that may be chosen, and
///       the field once for an r2r bound
template <class Exec>
SampleCounts count_sample(Exec const& exec, ConstFieldData const& field, Options const& options,
                          Workspace<Exec>& workspace);

}  // namespace kompakt::tools

#endif
