#include <coder/fixedlength/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_CODER(FixedLength, Kokkos::Cuda)

}  // namespace kompakt::impl
