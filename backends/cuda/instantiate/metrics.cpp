#include <metrics/metrics.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_METRICS(Kokkos::Cuda)

}  // namespace kompakt::impl
