#include <api/instantiate.hpp>

// The calls for the execution spaces of the host, without what is compiled for each coder.

namespace kompakt::impl {

#ifdef KOKKOS_ENABLE_SERIAL
KOMPAKT_INSTANTIATE(Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
KOMPAKT_INSTANTIATE(Kokkos::OpenMP)
#endif

}  // namespace kompakt::impl
