#include <coder/huffman/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

#ifdef KOKKOS_ENABLE_SERIAL
KOMPAKT_INSTANTIATE_CODER_FOR(Huffman, generic_tag, Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
KOMPAKT_INSTANTIATE_CODER(Huffman, Kokkos::OpenMP)
#endif

}  // namespace kompakt::impl
