#include <api/instantiate.hpp>

// The calls for Kokkos::Cuda and the kernels that know nothing of records.

namespace kompakt::impl {

KOMPAKT_INSTANTIATE(Kokkos::Cuda)

}  // namespace kompakt::impl
