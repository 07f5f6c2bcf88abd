# Runs a test program under a tool of valgrind: cmake -DVALGRIND=… "-DTOOL=memcheck;--leak-check=no" -DPROGRAM=… "-DFILTER=…" -P valgrind.cmake
# For memcheck, values that are not set are errors too.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env OMP_NUM_THREADS=1 "${VALGRIND}" --quiet --error-exitcode=99 --tool=${TOOL} "${PROGRAM}"
    "--gtest_filter=${FILTER}" --gtest_brief=1
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "PASSED +. [1-9]")
  message(FATAL_ERROR "valgrind, or the test, ended with ${result}:\n${output}")
endif()
message("${TOOL} of valgrind found nothing in ${FILTER}")
