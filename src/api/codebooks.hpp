#ifndef KOMPAKT_API_CODEBOOKS_HPP
#define KOMPAKT_API_CODEBOOKS_HPP

#include <coder/huffman/codebook.hpp>
#include <cstdint>
#include <kompakt/codebooks.hpp>
#include <vector>

// What of kompakt/codebooks.hpp needs no execution space.

namespace kompakt::impl {

/// Throws Error bad_argument for a pipeline without codebooks.
void require_codebook_pipeline(char const* function, Pipeline pipeline);

CodebookInfo codebook_info(huffman::CodebookHead head);

/// What the counts of all alphabets come to; the rest of the report is left empty.
/// \param counts     of entry_count(radius) entries
/// \param list_bits  of a residual in the wide list
CodebookReport report_of_counts(std::vector<std::uint32_t> const& counts, int radius,
                                int list_bits);

}  // namespace kompakt::impl

#endif
