#include <metrics/metrics.hpp>

namespace kompakt::impl {

#ifdef KOKKOS_ENABLE_SERIAL
KOMPAKT_INSTANTIATE_METRICS(Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
KOMPAKT_INSTANTIATE_METRICS(Kokkos::OpenMP)
#endif

}  // namespace kompakt::impl
