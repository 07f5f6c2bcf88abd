# Kernels of hosts for wide vectors, in a library that is compiled for any processor of its kind.
#
# Without KOMPAKT_ARCH a library runs everywhere, and on most processors at a third of their speed. So the units of host kernels
# are compiled twice there, the second time for x86-64-v3 (AVX2, BMI2, FMA), and each call looks at the processor
# (src/codec/core/wide_vectors.hpp). Functions of the same name in both forms, which a linker would take for one another, are
# kept apart: the second objects are joined to one, and every name of it but the kernels' own becomes local. So do the values of
# constants, of which there may be two; a variable that Kokkos's headers and library share stays one.

set(wide OFF)
if(NOT KOMPAKT_ARCH AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND CMAKE_OBJCOPY
    AND NOT "CUDA" IN_LIST Kokkos_DEVICES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  execute_process(COMMAND "${CMAKE_LINKER}" --help OUTPUT_VARIABLE help ERROR_QUIET)
  if(help MATCHES "force-group-allocation")
    set(wide ON)
  endif()
endif()
option(KOMPAKT_WIDE_VECTORS "Compile host kernels for x86-64-v3 besides, for processors that have it; needs an empty KOMPAKT_ARCH" ${wide})
if(KOMPAKT_WIDE_VECTORS AND NOT wide)
  message(FATAL_ERROR "kompakt: KOMPAKT_WIDE_VECTORS needs an x86-64 Linux without CUDA, g++, GNU ld with --force-group-allocation, "
    "objcopy, and an empty KOMPAKT_ARCH (it is '${KOMPAKT_ARCH}')")
endif()

# kompakt_wide_object(OUT TARGET): joins the objects of a target to one, in which only the kernels' own names can be seen.
function(kompakt_wide_object out target)
  set(joined "${CMAKE_CURRENT_BINARY_DIR}/${target}_joined.o")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${joined}" "$<TARGET_OBJECTS:${target}>"
    COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=*8wide_tag*" "--keep-global-symbol=*18t_tracking_enabledE"
      "${joined}" "${object}"
    DEPENDS "$<TARGET_OBJECTS:${target}>" COMMENT "Joining ${target}" COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} "${object}" PARENT_SCOPE)
endfunction()
