# The Python package, if it is wanted and can be built: leaves KOMPAKT_HAS_PYTHON, and if it
# cannot, the reason in KOMPAKT_NO_PYTHON.
set(KOMPAKT_HAS_PYTHON FALSE)
set(KOMPAKT_NO_PYTHON "KOMPAKT_ENABLE_PYTHON is off")
if(NOT KOMPAKT_ENABLE_PYTHON)
  return()
endif()

set(python "${PROJECT_SOURCE_DIR}/.deps/python/bin/python")  # of scripts/setup python
if(NOT EXISTS "${python}")
  find_program(python3 python3)
  set(python "${python3}")
endif()
if(NOT SKBUILD)
  set(KOMPAKT_PYTHON "${python}" CACHE FILEPATH "Python that the package is built for and tested with, with nanobind")
  set(Python_EXECUTABLE "${KOMPAKT_PYTHON}")
endif()

set(KOMPAKT_NO_PYTHON "")
if(NOT KOMPAKT_CAN_SHARE)
  set(KOMPAKT_NO_PYTHON "${KOMPAKT_CANNOT_SHARE}")
else()
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "import nanobind; print(nanobind.cmake_dir())"
      OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(failed)
      set(KOMPAKT_NO_PYTHON "${Python_EXECUTABLE} has no nanobind (scripts/setup python installs it)")
    endif()
  else()
    set(KOMPAKT_NO_PYTHON "no Python 3.11 or newer with headers found")
  endif()
endif()

# In a source distribution the package is what is around the library.
set(KOMPAKT_PYTHON_FOLDER "${PROJECT_SOURCE_DIR}/python")
if(NOT EXISTS "${KOMPAKT_PYTHON_FOLDER}")
  set(KOMPAKT_PYTHON_FOLDER "${PROJECT_SOURCE_DIR}/..")
endif()

if(NOT KOMPAKT_NO_PYTHON)
  find_package(nanobind CONFIG REQUIRED)
  set(KOMPAKT_HAS_PYTHON TRUE)
elseif(KOMPAKT_ENABLE_PYTHON STREQUAL "AUTO")
  message(STATUS "kompakt: the Python package is left out: ${KOMPAKT_NO_PYTHON}")
else()
  message(FATAL_ERROR "kompakt: KOMPAKT_ENABLE_PYTHON is on, but ${KOMPAKT_NO_PYTHON}")
endif()
