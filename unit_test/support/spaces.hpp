#ifndef KOMPAKT_UNIT_TEST_SUPPORT_SPACES_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_SPACES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <string>
#include <tuple>

namespace kompakt::test {

template <class... Ts>
struct Concat;
template <class... A, class... B, class... Rest>
struct Concat<testing::Types<A...>, testing::Types<B...>, Rest...> {
  using type = typename Concat<testing::Types<A..., B...>, Rest...>::type;
};
template <class... A>
struct Concat<testing::Types<A...>> {
  using type = testing::Types<A...>;
};

/// Every execution space of the host that is compiled in.
using HostSpaces = typename Concat<testing::Types<>
#ifdef KOKKOS_ENABLE_SERIAL
                                   ,
                                   testing::Types<Kokkos::Serial>
#endif
#ifdef KOKKOS_ENABLE_OPENMP
                                   ,
                                   testing::Types<Kokkos::OpenMP>
#endif
                                   >::type;
/// Every execution space that is compiled in.
using Spaces = typename Concat<HostSpaces
#ifdef KOKKOS_ENABLE_CUDA
                               ,
                               testing::Types<Kokkos::Cuda>
#endif
                               >::type;

/// Names of typed tests.
struct SpaceName {
  template <class Exec>
  static std::string GetName(int) {
    return Exec::name();
  }
};

}  // namespace kompakt::test

#endif
