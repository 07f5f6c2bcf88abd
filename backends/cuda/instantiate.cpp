#include <api/compress_field.hpp>
#include <metrics/error_stats.hpp>

// The library's code for Kokkos::Cuda: kernels are compiled here and nowhere else.

namespace kompakt::impl {

template StreamInfo compress_field(Kokkos::Cuda const&, void const*, FieldShape const&,
                                   Options const&, Workspace<Kokkos::Cuda>&, std::byte*,
                                   std::size_t);
template StreamInfo decompress_field(Kokkos::Cuda const&, std::byte const*, std::size_t,
                                     Workspace<Kokkos::Cuda>&, void*, FieldShape const&);
template ErrorStats error_stats(Kokkos::Cuda const&, void const*, void const*, Dtype, std::size_t,
                                double);

}  // namespace kompakt::impl
