# Headers of an ADIOS2 whose operators can be plugins of their own: leaves KOMPAKT_ADIOS2_INCLUDE, and if there are none
# the reason in KOMPAKT_NO_ADIOS2. That of scripts/setup is a package of Python; the operator is linked to no ADIOS2.
file(GLOB folders "${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/adios2")
find_path(KOMPAKT_ADIOS2_INCLUDE adios2/common/ADIOSConfig.h HINTS ${ADIOS2_ROOT} ENV ADIOS2_ROOT ${folders}
  PATH_SUFFIXES include DOC "Folder of ADIOS2's headers")
set(KOMPAKT_NO_ADIOS2 "")
set(interface "${KOMPAKT_ADIOS2_INCLUDE}/adios2/plugin/PluginOperatorInterface.h")
set(version "")
if(EXISTS "${interface}")
  file(STRINGS "${interface}" version REGEX "define ADIOS2_PLUGIN_OPERATOR_INTERFACE 2$")
endif()
if(NOT KOMPAKT_CAN_SHARE)
  set(KOMPAKT_NO_ADIOS2 "${KOMPAKT_CANNOT_SHARE}")
elseif(NOT KOMPAKT_ADIOS2_INCLUDE)
  set(KOMPAKT_NO_ADIOS2 "no headers of ADIOS2 found (scripts/setup adios2 installs some)")
elseif(NOT version)
  set(KOMPAKT_NO_ADIOS2
    "the ADIOS2 in ${KOMPAKT_ADIOS2_INCLUDE} has not version 2 of the interface of operators, as 2.12 has")
endif()

# ADIOS2's own library for C++, for programs of ours that use it: kompakt_adios2_client. The package of Python has its
# libraries beside the folder of headers, and what they need in a folder that they find themselves.
find_library(KOMPAKT_ADIOS2_CXX adios2_cxx
  HINTS "${KOMPAKT_ADIOS2_INCLUDE}/.." "${KOMPAKT_ADIOS2_INCLUDE}/../lib" "${KOMPAKT_ADIOS2_INCLUDE}/../lib64")
if(NOT KOMPAKT_NO_ADIOS2 AND KOMPAKT_ADIOS2_CXX AND NOT TARGET kompakt_adios2_client)
  get_filename_component(folder "${KOMPAKT_ADIOS2_CXX}" DIRECTORY)
  add_library(kompakt_adios2_client INTERFACE)
  target_include_directories(kompakt_adios2_client SYSTEM INTERFACE "${KOMPAKT_ADIOS2_INCLUDE}")
  target_link_libraries(kompakt_adios2_client INTERFACE "${KOMPAKT_ADIOS2_CXX}" "${folder}/libadios2_core.so")
  target_link_options(kompakt_adios2_client INTERFACE LINKER:--allow-shlib-undefined)
endif()
