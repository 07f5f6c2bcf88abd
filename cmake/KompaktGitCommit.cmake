# A source file with the commit that is built, refreshed at each build and touched only on a change.
set(KOMPAKT_GIT_COMMIT_SOURCE "${PROJECT_BINARY_DIR}/git_commit.cpp")
set(KOMPAKT_GIT_COMMIT_ARGS
  -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${KOMPAKT_GIT_COMMIT_SOURCE}
  -P "${CMAKE_CURRENT_LIST_DIR}/write_git_commit.cmake")
execute_process(COMMAND "${CMAKE_COMMAND}" ${KOMPAKT_GIT_COMMIT_ARGS})
add_custom_target(kompakt_git_commit COMMAND "${CMAKE_COMMAND}" ${KOMPAKT_GIT_COMMIT_ARGS}
  BYPRODUCTS "${KOMPAKT_GIT_COMMIT_SOURCE}")
