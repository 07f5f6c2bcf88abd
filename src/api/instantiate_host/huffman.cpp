#include <api/codebook_report.hpp>
#include <coder/huffman/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_CODER_ON_HOST(Huffman)

#ifdef KOKKOS_ENABLE_SERIAL
template CodebookReport codebook_report(Kokkos::Serial const&, void const*, FieldShape const&,
                                        Options const&, Workspace<Kokkos::Serial>&);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template CodebookReport codebook_report(Kokkos::OpenMP const&, void const*, FieldShape const&,
                                        Options const&, Workspace<Kokkos::OpenMP>&);
#endif

}  // namespace kompakt::impl
