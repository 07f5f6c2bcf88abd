#include <coder/bitshuffle/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_CODER(BitshuffleDeep, Kokkos::Cuda)
KOMPAKT_INSTANTIATE_CODER(BitshuffleFz, Kokkos::Cuda)

}  // namespace kompakt::impl
