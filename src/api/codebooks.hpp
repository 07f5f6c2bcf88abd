#ifndef KOMPAKT_API_CODEBOOKS_HPP
#define KOMPAKT_API_CODEBOOKS_HPP

#include <coder/huffman/codebook.hpp>
#include <kompakt/codebooks.hpp>
#include <kompakt/options.hpp>

namespace kompakt::impl {

/// Throws Error bad_argument for a pipeline without codebooks.
void require_codebook_pipeline(char const* function, Pipeline pipeline);

CodebookInfo codebook_info(huffman::CodebookHead head);

}  // namespace kompakt::impl

#endif
