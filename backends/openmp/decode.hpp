#ifndef KOMPAKT_OPENMP_DECODE_HPP
#define KOMPAKT_OPENMP_DECODE_HPP

#include <Kokkos_Core.hpp>
#include <openmp/coder/bitshuffle.hpp>
#include <openmp/tile_steps.hpp>
#include <pipeline/decode.hpp>

namespace kompakt::impl {

/// The generic walk with the coders of a vector unit.
template <class Coder, class T>
void decode(openmp_tag, Kokkos::OpenMP const& exec, DecodeArgs<T> const& args) {
  decode<simd::host_coder_t<Coder>>(generic_tag{}, exec, args);
}

}  // namespace kompakt::impl

#endif
