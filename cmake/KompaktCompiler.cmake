# A wheel is built with the Kokkos of scripts/setup unless another one is named.
if(SKBUILD AND NOT Kokkos_ROOT AND NOT DEFINED ENV{Kokkos_ROOT})
  set(backend openmp)
  if(KOMPAKT_REQUIRE_CUDA)
    set(backend cuda)
  endif()
  list(APPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_LIST_DIR}/../.deps/kokkos-${backend}/pygenten")
endif()

# A Kokkos with CUDA wants its own nvcc_wrapper as the C++ compiler. Unless the user chose a compiler,
# take the wrapper that came with the Kokkos to be used. Included before project().
if(KOMPAKT_REQUIRE_CUDA AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(KOMPAKT_NVCC_WRAPPER nvcc_wrapper
    HINTS "${Kokkos_ROOT}" "$ENV{Kokkos_ROOT}" ${CMAKE_PREFIX_PATH}
    PATH_SUFFIXES bin)
  if(NOT KOMPAKT_NVCC_WRAPPER)
    message(FATAL_ERROR "kompakt: no nvcc_wrapper found; run scripts/setup cuda, or give "
      "-DKokkos_ROOT=… of a Kokkos with CUDA")
  endif()
  set(CMAKE_CXX_COMPILER "${KOMPAKT_NVCC_WRAPPER}" CACHE FILEPATH "C++ compiler")
endif()
