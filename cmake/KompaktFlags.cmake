# Flags that belong to a target of this project.

# The bound rests on every operation being rounded on its own. The flags come after those of the
# user, so they also undo a -ffast-math in CMAKE_CXX_FLAGS. Trapping and errno are not used; without
# them loops with a rounding or a comparison can be vectorised.
# kompakt_exact_arithmetic(TARGET PRIVATE|INTERFACE)
function(kompakt_exact_arithmetic target scope)
  set(host -fno-fast-math -ffp-contract=off -fno-math-errno -fno-trapping-math)
  target_compile_options(${target} ${scope} ${host})
  if("CUDA" IN_LIST Kokkos_DEVICES)
    target_compile_options(${target} ${scope} --fmad=false --ftz=false --prec-div=true --prec-sqrt=true
      --expt-relaxed-constexpr)  # std::numeric_limits and std::array in kernels
  endif()
endfunction()

function(kompakt_numeric_flags target)
  kompakt_exact_arithmetic(${target} PRIVATE)
  if(KOMPAKT_ARCH)
    target_compile_options(${target} PRIVATE -march=${KOMPAKT_ARCH})
  endif()
  # Kokkos before 4.7.1 and CUDA 13 need a header in front of every unit that includes Kokkos.
  if(KOMPAKT_CUDA13_COMPAT)
    target_compile_options(${target} PUBLIC
      "$<BUILD_INTERFACE:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/cuda13_compat.hpp>"
      "$<INSTALL_INTERFACE:SHELL:-include $<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/cmake/kompakt/cuda13_compat.hpp>")
  endif()
endfunction()

function(kompakt_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpedantic)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Both sides of an & of conditions are worked out where a branch would keep compilers from vectorising.
    target_compile_options(${target} PRIVATE -Wno-bitwise-instead-of-logical)
  endif()
  if(KOMPAKT_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
    if("CUDA" IN_LIST Kokkos_DEVICES)
      target_compile_options(${target} PRIVATE "SHELL:--Werror all-warnings")
    endif()
  endif()
endfunction()

# kompakt_join(TARGET PROPERTY VALUE…): compiles sources of a target together, most of which take less time than what they include.
function(kompakt_join target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes what is joined for headers, which must not have types of a source alone.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# The folders whose headers a layer of the library may include: its own, and the layers below.
set(KOMPAKT_FOLDERS_codec "${PROJECT_SOURCE_DIR}/src/codec" "${PROJECT_SOURCE_DIR}/backends")
set(KOMPAKT_FOLDERS_storage "${PROJECT_SOURCE_DIR}/src/storage" ${KOMPAKT_FOLDERS_codec})
set(KOMPAKT_FOLDERS_faces "${PROJECT_SOURCE_DIR}/src/faces" ${KOMPAKT_FOLDERS_storage})
# Programs are users: of the library they include what is installed.
set(KOMPAKT_FOLDERS_programs "${PROJECT_SOURCE_DIR}/src/programs")
set(KOMPAKT_FOLDERS_all ${KOMPAKT_FOLDERS_programs} ${KOMPAKT_FOLDERS_faces})

# kompakt_library_options(TARGET LAYER): flags, folders and Kokkos for a target that is, or is part of, a layer of the library.
function(kompakt_library_options target layer)
  target_link_libraries(${target} PUBLIC Kokkos::kokkos)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Shared libraries of other languages and of plugins are made of it. Nothing replaces its functions, so that
  # calls among them are as direct as in a program.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_include_directories(${target} PRIVATE
    ${KOMPAKT_FOLDERS_${layer}}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
  kompakt_numeric_flags(${target})
  kompakt_warnings(${target})
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "EXECUTABLE")  # which is compiled in another way than what libraries are made of
    kompakt_precompile(library ${target})
  endif()
endfunction()

# For the Fortran of a target. Values that are equal are what tests ask for.
function(kompakt_fortran_warnings target)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    set(flags -std=f2008 -Wall -Wextra -Wno-compare-reals)
    if(KOMPAKT_WARNINGS_AS_ERRORS)
      list(APPEND flags -Werror)
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:Fortran>:${flags}>")
  endif()
endfunction()
