#include <api/instantiate.hpp>

// The library's code for Kokkos::Cuda: kernels are compiled here and nowhere else.

namespace kompakt::impl {

KOMPAKT_INSTANTIATE(Kokkos::Cuda)

}  // namespace kompakt::impl
