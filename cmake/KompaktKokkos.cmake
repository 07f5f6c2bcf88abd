# Finds Kokkos and refuses, with one line that says what to do, one that cannot work.
find_package(Kokkos 4.7...<6 CONFIG)
if(NOT Kokkos_FOUND)
  message(FATAL_ERROR "kompakt: no Kokkos 4.7 or newer found; run scripts/setup, or give "
    "-DKokkos_ROOT=… of your own")
endif()
if(KOMPAKT_REQUIRE_CUDA AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "kompakt: the Kokkos in ${Kokkos_DIR} has no CUDA (it has ${Kokkos_DEVICES}); "
    "give -DKokkos_ROOT=… of one built with -DKokkos_ENABLE_CUDA=ON")
endif()
if(KOMPAKT_REQUIRE_OPENMP AND NOT "OPENMP" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "kompakt: the Kokkos in ${Kokkos_DIR} has no OpenMP (it has ${Kokkos_DEVICES}); "
    "give -DKokkos_ROOT=… of one built with -DKokkos_ENABLE_OPENMP=ON")
endif()

set(KOMPAKT_CUDA13_COMPAT "")
if("CUDA" IN_LIST Kokkos_DEVICES)
  # Kokkos exports which CUDA it was built with only through CUDAToolkit, which its config finds.
  if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
    if(Kokkos_VERSION VERSION_LESS 4.7.1)
      set(KOMPAKT_CUDA13_COMPAT "${PROJECT_SOURCE_DIR}/cmake/cuda13_compat.hpp")
    endif()
    kokkos_check(OPTIONS IMPL_VIEW_LEGACY RETURN_VALUE KOMPAKT_LEGACY_VIEW)
    if(CUDAToolkit_VERSION VERSION_LESS 13.1 AND NOT KOMPAKT_LEGACY_VIEW)
      message(FATAL_ERROR "kompakt: nvcc 13.0 generates wrong addresses for Kokkos's mdspan-based "
        "View; rebuild Kokkos with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON")
    endif()
  endif()
endif()
