#ifndef KOMPAKT_UNIT_TEST_CLI_LIMITED_MEMORY_HPP
#define KOMPAKT_UNIT_TEST_CLI_LIMITED_MEMORY_HPP

#include <Kokkos_Macros.hpp>

namespace kompakt::test {

/// Why a test cannot hold the program to a limit of memory or address space in this build; none if it can.
inline char const* why_memory_is_not_ours() {
#if defined(KOKKOS_ENABLE_CUDA)
  return "memory and address space of the driver are beyond the program's control";
#elif defined(__SANITIZE_ADDRESS__)
  return "freed memory and shadow of the sanitizer count";
#else
  return nullptr;
#endif
}

}  // namespace kompakt::test

#endif
