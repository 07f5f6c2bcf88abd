# Kernels of hosts for wide vectors, in a library that is compiled for any processor of its kind.
#
# Without KOMPAKT_ARCH a library runs everywhere, and on most processors at a third of their speed. So the units of host kernels
# are compiled twice there, the second time for x86-64-v3 (AVX2, BMI2, FMA), and those that gain from it a third time for
# x86-64-v4 (AVX-512). Each call looks at the processor (src/codec/core/wide_vectors.hpp). A linker would take functions of the
# same name in both forms for one another. So the second objects are joined to one, and every name of it but the kernels' own
# becomes local. So do the values of constants: two copies of these do no harm. A variable that Kokkos's headers and library
# share stays one. Initializers of static variables are moved to a section of another name and type, and run before the first
# kernel: at the start of a program any processor would run them.

include(CheckCXXSourceCompiles)
include(CMakeDependentOption)

set(wide OFF)
if(NOT KOMPAKT_ARCH AND NOT Kokkos_ARCH AND NOT "CUDA" IN_LIST Kokkos_DEVICES AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND
    CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_OBJCOPY AND NOT CMAKE_CONFIGURATION_TYPES)
  execute_process(COMMAND "${CMAKE_LINKER}" --help OUTPUT_VARIABLE help ERROR_QUIET)
  # Flags of the user's may ask for such vectors already; sanitizers tell variables of a name from one another.
  check_cxx_source_compiles("
    #if !defined(__x86_64__) || defined(__AVX__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    #error
    #endif
    int main() { return __builtin_cpu_supports(\"x86-64-v3\"); }" KOMPAKT_COMPILES_FOR_ANY_X86_64)
  if(KOMPAKT_COMPILES_FOR_ANY_X86_64 AND help MATCHES "force-group-allocation")
    set(wide ON)
  endif()
endif()
cmake_dependent_option(KOMPAKT_WIDE_VECTORS
  "Compile the kernels of hosts for any x86-64, and for x86-64-v3 and x86-64-v4 where a processor has it" ON wide OFF)

# kompakt_wide_kernels(FORM CLASS FLAGS UNIT...): the units of a space by the tag FORM_tag, for processors of a level.
function(kompakt_wide_kernels form class flags)
  set(target "kompakt_${form}_${class}")
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF DISABLE_PRECOMPILE_HEADERS ON)
  kompakt_codec_options(${target})
  target_compile_options(${target} PRIVATE ${flags} -fno-gnu-unique -fno-lto)
  kompakt_wide_object(object ${target} ${form})
  target_sources(kompakt PRIVATE "${object}")
endfunction()

# kompakt_wide_object(OUT TARGET FORM): joins the objects of a target to one, in which only the kernels' own names can be seen.
function(kompakt_wide_object out target form)
  string(LENGTH "${form}_tag" length)  # as names of C++ have it
  set(joined "${CMAKE_CURRENT_BINARY_DIR}/joined_${target}.o")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${joined}" "$<TARGET_OBJECTS:${target}>"
    COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=*${length}${form}_tag*" "--keep-global-symbol=*18t_tracking_enabledE"
      --rename-section .init_array=kompakt_${form}_init,alloc,load,data,contents
      "${joined}" "${object}"
    DEPENDS "$<TARGET_OBJECTS:${target}>" COMMENT "Joining ${target}" COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} "${object}" PARENT_SCOPE)
endfunction()
