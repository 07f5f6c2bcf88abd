# The Kokkos of scripts/setup, which is taken where none is named or installed: with CUDA where that is asked for.
get_filename_component(deps "${CMAKE_CURRENT_LIST_DIR}/../.deps" ABSOLUTE)
set(KOMPAKT_SETUP_KOKKOS "${deps}/kokkos-openmp/pygenten")
if(KOMPAKT_REQUIRE_CUDA OR NOT EXISTS "${KOMPAKT_SETUP_KOKKOS}")
  set(KOMPAKT_SETUP_KOKKOS "${deps}/kokkos-cuda/pygenten")
endif()

# A Kokkos with CUDA wants its own nvcc_wrapper as the C++ compiler. Unless the user chose a compiler,
# take the wrapper that came with the Kokkos to be used. Included before project().
if(KOMPAKT_REQUIRE_CUDA AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(KOMPAKT_NVCC_WRAPPER nvcc_wrapper
    HINTS "${Kokkos_ROOT}" "$ENV{Kokkos_ROOT}" ${CMAKE_PREFIX_PATH}
    PATHS "${KOMPAKT_SETUP_KOKKOS}"
    PATH_SUFFIXES bin)
  if(NOT KOMPAKT_NVCC_WRAPPER)
    message(FATAL_ERROR "kompakt: no nvcc_wrapper found; run scripts/setup cuda, or give "
      "-DKokkos_ROOT=… of a Kokkos with CUDA")
  endif()
  set(CMAKE_CXX_COMPILER "${KOMPAKT_NVCC_WRAPPER}" CACHE FILEPATH "C++ compiler")
endif()
