#include <api/compress_field.hpp>
#include <metrics/error_stats.hpp>

// The library's code for the execution spaces of the host.

namespace kompakt::impl {

#define KOMPAKT_INSTANTIATE(EXEC)                                                                 \
  template StreamInfo compress_field(EXEC const&, void const*, FieldShape const&, Options const&, \
                                     Workspace<EXEC>&, std::byte*, std::size_t);                  \
  template StreamInfo decompress_field(EXEC const&, std::byte const*, std::size_t,                \
                                       Workspace<EXEC>&, void*, FieldShape const&);               \
  template ErrorStats error_stats(EXEC const&, void const*, void const*, Dtype, std::size_t,      \
                                  double);

#ifdef KOKKOS_ENABLE_SERIAL
KOMPAKT_INSTANTIATE(Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
KOMPAKT_INSTANTIATE(Kokkos::OpenMP)
#endif

}  // namespace kompakt::impl
