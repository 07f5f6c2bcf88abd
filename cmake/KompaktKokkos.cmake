# Finds Kokkos and refuses, with one line that says what to do, one that cannot work. A Kokkos that the parent project
# builds from its sources is taken as it is: there is no package of it yet, which would say what it has.
set(in_tree OFF)
if(TARGET Kokkos::kokkos)
  get_target_property(imported Kokkos::kokkos IMPORTED)
  if(NOT imported)
    set(in_tree ON)
  endif()
endif()
if(in_tree)
  foreach(name IN ITEMS DEVICES OPTIONS)
    get_directory_property(Kokkos_${name} DIRECTORY "${Kokkos_SOURCE_DIR}" DEFINITION KOKKOS_ENABLED_${name})
  endforeach()
  get_directory_property(Kokkos_VERSION DIRECTORY "${Kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
  set(Kokkos_DIR "${Kokkos_SOURCE_DIR}")
  set(KOMPAKT_KOKKOS_HINT "")  # it is installed with the parent project, wherever that may be
  if(Kokkos_VERSION VERSION_LESS 4.7 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
    message(FATAL_ERROR "kompakt: the Kokkos of ${Kokkos_SOURCE_DIR} is ${Kokkos_VERSION}; take 4.7 or 5")
  endif()
else()
  # PATHS are looked at last: after what the user names, and the system's.
  find_package(Kokkos 4.7...<6 CONFIG PATHS "${KOMPAKT_SETUP_KOKKOS}")
  if(NOT Kokkos_FOUND)
    message(FATAL_ERROR "kompakt: no Kokkos 4.7 or newer found; run scripts/setup, or give "
      "-DKokkos_ROOT=… of your own")
  endif()
  set(KOMPAKT_KOKKOS_HINT "${Kokkos_DIR}")
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
    string(TOUPPER "${Kokkos_OPTIONS}" options)
    if(CUDAToolkit_VERSION VERSION_LESS 13.1 AND NOT "IMPL_VIEW_LEGACY" IN_LIST options)
      message(FATAL_ERROR "kompakt: nvcc 13.0 generates wrong addresses for Kokkos's mdspan-based "
        "View; rebuild Kokkos with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON")
    endif()
  endif()
endif()
