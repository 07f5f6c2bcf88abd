# cmake -DSOURCE_DIR=… -DOUTPUT=… -P write_git_commit.cmake
# .git may be absent (a tarball): then the commit comes from a file GIT_COMMIT, or is unknown.
set(commit unknown)
if(EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(commit "${described}")
  endif()
endif()
set(text "#include <kompakt/version.hpp>\n\nchar const* kompakt::git_commit() noexcept { return \"${commit}\"; }\n")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
