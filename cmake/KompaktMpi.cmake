# MPI, if it is wanted and there: leaves KOMPAKT_HAS_MPI.
set(KOMPAKT_HAS_MPI FALSE)
if(NOT KOMPAKT_ENABLE_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # its interface in C is the one that is used
find_package(MPI COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(KOMPAKT_HAS_MPI TRUE)
elseif(NOT KOMPAKT_ENABLE_MPI STREQUAL "AUTO")
  message(FATAL_ERROR "kompakt: KOMPAKT_ENABLE_MPI is on, but no MPI was found; call scripts/setup mpi, set MPI_CXX_COMPILER, or "
    "leave KOMPAKT_ENABLE_MPI at AUTO")
else()
  message(STATUS "kompakt: no MPI found (scripts/setup mpi installs one): kompakt::mpi and its tests are left out")
endif()

# Open MPI starts more ranks than there are processors, and as root, only if it is told to.
set(flags "")
if(KOMPAKT_HAS_MPI)
  execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "Open MPI|OpenRTE")
    set(flags --oversubscribe --bind-to none)
  endif()
endif()
set(KOMPAKT_MPIEXEC_FLAGS "${flags}" CACHE STRING "What the tests pass to mpiexec beside the number of ranks")

# kompakt_mpi_command(OUT RANKS COMMAND…): leaves a command line that runs a program on so many ranks.
function(kompakt_mpi_command out ranks)
  set(${out} "${MPIEXEC_EXECUTABLE}" ${KOMPAKT_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN} PARENT_SCOPE)
endfunction()

# kompakt_mpi_test_properties(NAME): lets the test run as root. Threads and ranks that wait leave the processor to other ranks.
function(kompakt_mpi_test_properties name)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS 2 LABELS mpi ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMP_NUM_THREADS=1;OMPI_MCA_mpi_yield_when_idle=1;OMP_WAIT_POLICY=passive;OMP_PROC_BIND=false")
endfunction()
