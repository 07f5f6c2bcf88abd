# Runs a test program under memcheck of valgrind: cmake -DVALGRIND=… -DPROGRAM=… "-DFILTER=…" -P memcheck.cmake
# Values that are not set are errors too.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env OMP_NUM_THREADS=1 "${VALGRIND}" --quiet --error-exitcode=99 --leak-check=no "${PROGRAM}"
    "--gtest_filter=${FILTER}" --gtest_brief=1
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "PASSED +. [1-9]")
  message(FATAL_ERROR "memcheck, or the test, ended with ${result}:\n${output}")
endif()
message("memcheck found nothing in ${FILTER}")
