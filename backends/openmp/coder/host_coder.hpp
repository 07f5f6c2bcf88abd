#ifndef KOMPAKT_OPENMP_CODER_HOST_CODER_HPP
#define KOMPAKT_OPENMP_CODER_HOST_CODER_HPP

namespace kompakt::impl::simd {

/// A coder whose tiles pass through the steps of tile_steps.hpp.
template <class Coder>
struct OnHost : Coder {};

/// What codes records on Kokkos::OpenMP in the place of a coder: itself, if there is no specialisation.
template <class Coder>
struct HostCoder {
  using type = Coder;
};
template <class Coder>
using host_coder_t = OnHost<typename HostCoder<Coder>::type>;

}  // namespace kompakt::impl::simd

#endif
