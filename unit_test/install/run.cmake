# Configures, builds and runs a project that uses kompakt.
#   cmake -DPROJECT=… -DWORK=… -DCACHE=… -DGENERATOR=… [-DINSTALL_FROM=…] [-DOPTIONS=…] -P run.cmake
# CACHE: initial cache of the project. INSTALL_FROM: a build folder to install under WORK first.
# Without it WORK/build is kept, so that a second run builds only what changed.

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  message(STATUS "${what}: done")
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix "")
if(INSTALL_FROM)
  file(REMOVE_RECURSE "${WORK}")
  run("installation" "${CMAKE_COMMAND}" --install "${INSTALL_FROM}" --prefix "${WORK}/prefix")
  set(prefix "-Dkompakt_ROOT=${WORK}/prefix")
  # A program that runs here has its pages beside it.
  if(EXISTS "${WORK}/prefix/bin/kompakt")
    foreach(page IN ITEMS man/man1/kompakt.1 bash-completion/completions/kompakt zsh/site-functions/_kompakt
        fish/vendor_completions.d/kompakt.fish)
      if(NOT EXISTS "${WORK}/prefix/share/${page}")
        message(FATAL_ERROR "installation left out share/${page}")
      endif()
    endforeach()
  endif()
endif()
run("configuration" "${CMAKE_COMMAND}" -S "${PROJECT}" -B "${WORK}/build" -G "${GENERATOR}" -C "${CACHE}"
  ${prefix} ${OPTIONS})
run("build" "${CMAKE_COMMAND}" --build "${WORK}/build" --parallel 2)
run("round trip" "${WORK}/build/round_trip")
message(STATUS "${output}")
