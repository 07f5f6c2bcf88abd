# The program with the coder and the predictor of this folder: its words, a round trip, and what it says of the stream.
#   cmake -DPROGRAM=... -DFOLDER=... -P test_program.cmake
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
string(REPEAT "0123456789abcdefghijklmnopqrstuv" 2000 values)
file(WRITE "${FOLDER}/field.f32" "${values}")

# run(WORDS...): calls the program, whose output is in `output`.
function(run)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN}: ${code}: ${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(require text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "'${text}' is not in: ${output}")
  endif()
endfunction()

run(compress --help)
require("toy")
require("offset")
run(compress -i field.f32 -t f32 -l 160x100 -m abs -e 1e-30 -c toy --predictor offset -o field.kpk)
run(info field.kpk)
require("toy")
require("offset")
require("pipeline=toy,predictor=offset")
run(decompress -i field.kpk -o again.f32)
run(compare -i field.f32 -t f32 -l 160x100 field.kpk)
run(verify field.kpk)
