#ifndef KOMPAKT_UNIT_TEST_SUPPORT_DEVICE_PART_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_DEVICE_PART_HPP

#include <Kokkos_Core.hpp>

// Headers behind this one are compiled as for a device. A unit includes it before all other headers of the library. Such a unit is a
// program of its own, or has teams of its own.

#undef KOKKOS_IF_ON_DEVICE
#undef KOKKOS_IF_ON_HOST
#define KOKKOS_IF_ON_DEVICE(CODE) \
  { KOKKOS_IMPL_STRIP_PARENS(CODE) }
#define KOKKOS_IF_ON_HOST(CODE) \
  {}

#endif
