#include <api/instantiate.hpp>

// The library's code for the execution spaces of the host.

namespace kompakt::impl {

#ifdef KOKKOS_ENABLE_SERIAL
KOMPAKT_INSTANTIATE(Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
KOMPAKT_INSTANTIATE(Kokkos::OpenMP)
#endif

}  // namespace kompakt::impl
