# kompakt_python_of_setup(OUT): the Python with what scripts/setup has brought; any, if it has not run.
function(kompakt_python_of_setup out)
  set(python "${PROJECT_SOURCE_DIR}/.deps/venv/bin/python")
  if(NOT EXISTS "${python}")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(python "${Python3_EXECUTABLE}")
  endif()
  set(${out} "${python}" PARENT_SCOPE)
endfunction()
