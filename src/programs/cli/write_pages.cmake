# Writes what the program says of itself into FOLDER: manual page and completions of shells. A program that does not run on this
# machine, such as one for another processor, says nothing: then there are none.
#
# cmake -DPROGRAM=kompakt -DFOLDER=… -P write_pages.cmake
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
foreach(page IN ITEMS kompakt.1 kompakt.bash _kompakt kompakt.fish)
  if(page STREQUAL "kompakt.1")
    set(words man)
  elseif(page STREQUAL "_kompakt")
    set(words completion zsh)
  else()
    string(REPLACE "kompakt." "" shell "${page}")
    set(words completion "${shell}")
  endif()
  execute_process(COMMAND "${PROGRAM}" ${words} OUTPUT_FILE "${FOLDER}/${page}" RESULT_VARIABLE result ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    file(REMOVE "${FOLDER}/${page}")
    message(STATUS "kompakt: no ${page}: ${PROGRAM} ends with ${result} ${said}")
  endif()
endforeach()
if(EXISTS "${FOLDER}/kompakt.1")
  string(TIMESTAMP day "%Y-%m-%d" UTC)  # of SOURCE_DATE_EPOCH, if that is set
  file(ARCHIVE_CREATE OUTPUT "${FOLDER}/kompakt.1.gz" PATHS "${FOLDER}/kompakt.1" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9
    MTIME "${day}")
endif()
file(WRITE "${FOLDER}/written" "")
