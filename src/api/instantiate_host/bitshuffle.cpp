#include <coder/bitshuffle/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

#ifdef KOKKOS_ENABLE_SERIAL
KOMPAKT_INSTANTIATE_CODER_FOR(BitshuffleDeep, generic_tag, Kokkos::Serial)
KOMPAKT_INSTANTIATE_CODER_FOR(BitshuffleFz, generic_tag, Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
KOMPAKT_INSTANTIATE_CODER(BitshuffleDeep, Kokkos::OpenMP)
KOMPAKT_INSTANTIATE_CODER(BitshuffleFz, Kokkos::OpenMP)
#endif

}  // namespace kompakt::impl
