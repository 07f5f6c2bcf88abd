# Which Kokkos is found: by this project's own build, by one that has it as a folder, and by one that has it installed.
#   cmake -DPROJECT=… -DWORK=… -DCACHE=… -DGENERATOR=… -DINSTALL_FROM=… -DKOKKOS=… -P run.cmake
# KOKKOS: the folder in which it must be found without an option; the others are told in ../run.cmake.

file(REMOVE_RECURSE "${WORK}")
foreach(variable IN ITEMS Kokkos_ROOT Kokkos_DIR CMAKE_PREFIX_PATH)
  unset(ENV{${variable}})
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${INSTALL_FROM}" --prefix "${WORK}/prefix"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${CACHE}" source REGEX "KOMPAKT_SOURCE")
string(REGEX REPLACE ".*KOMPAKT_SOURCE \"([^\"]*)\".*" "\\1" source "${source}")

# A Kokkos of the user's own, which says that it was found and goes no further.
set(own "${WORK}/own/lib/cmake/Kokkos")
file(WRITE "${own}/KokkosConfig.cmake" "message(FATAL_ERROR \"the Kokkos of the user\")\n")
file(WRITE "${own}/KokkosConfigVersion.cmake" "set(PACKAGE_VERSION 4.7.99)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")

# finds(NAME SOURCE): configures a project without an option and with the user's Kokkos, and looks what it finds.
function(finds name project)
  set(configure "${CMAKE_COMMAND}" -S "${project}" -G "${GENERATOR}" -C "${CACHE}")
  execute_process(COMMAND ${configure} -B "${WORK}/${name}" RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${name}: no Kokkos was found without an option:\n${output}")
  endif()
  load_cache("${WORK}/${name}" READ_WITH_PREFIX found_ Kokkos_DIR)
  if(NOT found_Kokkos_DIR STREQUAL KOKKOS)
    message(FATAL_ERROR "${name}: found '${found_Kokkos_DIR}', not '${KOKKOS}'")
  endif()
  execute_process(COMMAND ${configure} -B "${WORK}/${name}_own" "-DKokkos_ROOT=${WORK}/own"
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT output MATCHES "the Kokkos of the user")
    message(FATAL_ERROR "${name}: the Kokkos of the user was not found:\n${output}")
  endif()
  message(STATUS "${name}: ${found_Kokkos_DIR}, and the user's own")
endfunction()

set(project "cmake_minimum_required(VERSION 3.23)\nproject(code LANGUAGES CXX)\n")
file(WRITE "${WORK}/folder/CMakeLists.txt" "${project}add_subdirectory(\"${source}\" kompakt)\n")
file(WRITE "${WORK}/installed/CMakeLists.txt" "${project}find_package(kompakt 0.2 REQUIRED CONFIG PATHS \"${WORK}/prefix\")\n")
finds(build "${source}")
finds(as_a_folder "${WORK}/folder")
finds(as_installed "${WORK}/installed")
