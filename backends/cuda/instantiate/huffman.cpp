#include <coder/huffman/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_CODER_FOR(Huffman, generic_tag, Kokkos::Cuda)
KOMPAKT_INSTANTIATE_CODER_FOR(Huffman, cuda_tag, Kokkos::Cuda)

}  // namespace kompakt::impl
