#include <coder/huffman/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_CODER_ON_HOST(Huffman)

}  // namespace kompakt::impl
