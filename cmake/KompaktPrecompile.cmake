# Kokkos's headers take longer to read than most sources that include them. They are precompiled, once for all targets that are
# compiled with the same flags. CMAKE_DISABLE_PRECOMPILE_HEADERS=ON turns it off; nvcc precompiles nothing.

set(KOMPAKT_PRECOMPILED_OPTIONS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(KOMPAKT_PRECOMPILED_OPTIONS -fpch-preprocess)  # for ccache
endif()

# kompakt_precompiled(GROUP OPTIONS HEADER…): what targets of a group reuse: an object library with the flags that the function
# OPTIONS gives it, and the headers behind Kokkos's.
function(kompakt_precompiled group options)
  if("CUDA" IN_LIST Kokkos_DEVICES OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  set(owner kompakt_precompiled_${group})
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${owner}.cpp" CONTENT "// Headers are what is compiled here.\n" @ONLY)
  add_library(${owner} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${owner}.cpp")
  cmake_language(CALL ${options} ${owner})
  target_precompile_headers(${owner} PRIVATE <Kokkos_Core.hpp> ${ARGN})
  target_compile_options(${owner} PRIVATE ${KOMPAKT_PRECOMPILED_OPTIONS})
endfunction()

# kompakt_precompile(GROUP TARGET): lets a target reuse them. Its flags must be those of the group, or the compiler refuses.
function(kompakt_precompile group target)
  set(owner kompakt_precompiled_${group})
  if(TARGET ${owner} AND NOT target STREQUAL owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_options(${target} PRIVATE ${KOMPAKT_PRECOMPILED_OPTIONS})
  endif()
endfunction()
