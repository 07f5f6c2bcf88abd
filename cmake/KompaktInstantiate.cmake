# The library's templates are compiled for every execution space that Kokkos has, kernels of a coder and a predictor in
# a unit of their own for each. The units are made from these lists.

# <folder of src/codec/coder>;<seats of its seat.hpp>
set(KOMPAKT_CODERS "fixedlength|FixedLength" "bitshuffle|BitshuffleNested|BitshuffleFz" "huffman|Huffman"
  "rans|Rans")
# <header of src/codec/predictor>|<seat>|<seats of the coders that it goes with; none: all>
set(KOMPAKT_PREDICTORS "lorenzo|Lorenzo" "interpolation|Interpolation|BitshuffleNested|Huffman|Rans")
# <Kokkos device>|<class>|<folder of backends>|<tags of its bodies>
set(KOMPAKT_SPACES "SERIAL|Serial||generic_tag" "OPENMP|OpenMP|openmp|generic_tag|openmp_tag"
  "CUDA|Cuda|cuda|generic_tag|cuda_team_tag|cuda_tag")
# Units with a form for x86-64-v4: on the others it gained less than 5 % over x86-64-v3.
set(KOMPAKT_WIDEST_UNITS fixedlength_lorenzo bitshuffle_lorenzo)

# kompakt_instantiate_coder(OUT SPACE CODER PREDICTORS [WIDE | WIDEST | HAS_WIDE]): appends to the list OUT the units of a coder,
# one for each predictor that it goes with, for a space; as they are for wide vectors, or those that know of such ones.
function(kompakt_instantiate_coder out space coder predictors)
  cmake_parse_arguments(PARSE_ARGV 4 form "WIDE;WIDEST;HAS_WIDE" "" "")
  string(REPLACE "|" ";" space "${space}")
  list(POP_FRONT space device class backend)
  string(REPLACE "|" ";" coder "${coder}")
  list(POP_FRONT coder folder)
  # A coder without a section has its records alone.
  set(includes "#include <coder/${folder}/record.hpp>\n")
  if(EXISTS "${PROJECT_SOURCE_DIR}/src/codec/coder/${folder}/kernels.hpp")
    set(includes "#include <coder/${folder}/kernels.hpp>\n")
  endif()
  foreach(kind IN ITEMS coder team_coder)
    if(backend AND EXISTS "${PROJECT_SOURCE_DIR}/backends/${backend}/${kind}/${folder}.hpp")
      string(APPEND includes "#include <${backend}/${kind}/${folder}.hpp>\n")
    endif()
  endforeach()
  set(prefix "${class}")
  set(wide_tag "")
  if(form_WIDE)
    set(wide_tag wide)
  elseif(form_WIDEST)
    set(wide_tag widest)
  endif()
  if(wide_tag)
    string(APPEND prefix "_${wide_tag}")
    list(GET space -1 space)  # the bodies of the backend
  endif()
  foreach(predictor IN LISTS predictors)
    string(REPLACE "|" ";" predictor "${predictor}")
    list(POP_FRONT predictor header predictor_seat)
    set(knows "")
    if(form_HAS_WIDE)
      set(knows "#define KOMPAKT_HAS_WIDE_BODIES\n")
    endif()
    if("${folder}_${header}" IN_LIST KOMPAKT_WIDEST_UNITS)
      if(form_HAS_WIDE)
        string(APPEND knows "#define KOMPAKT_HAS_WIDEST_BODIES\n")
      endif()
    elseif(form_WIDEST)
      continue()
    endif()
    set(calls "")
    foreach(seat IN LISTS coder)
      if(predictor AND NOT seat IN_LIST predictor)
        continue()
      endif()
      foreach(tag IN LISTS space)
        # Bodies of CUDA need coder and predictor in the form of a warp.
        if(tag STREQUAL "cuda_tag" AND NOT (
            EXISTS "${PROJECT_SOURCE_DIR}/backends/cuda/coder/${folder}.hpp" AND
            EXISTS "${PROJECT_SOURCE_DIR}/backends/cuda/predictor/${header}.hpp"))
          continue()
        endif()
        if(tag STREQUAL "cuda_team_tag" AND NOT
            EXISTS "${PROJECT_SOURCE_DIR}/backends/cuda/team_coder/${folder}.hpp")
          continue()
        endif()
        if(wide_tag)
          set(tag "${wide_tag}_tag<${tag}>")
        endif()
        string(APPEND calls
          "KOMPAKT_INSTANTIATE_KERNELS(${seat}, ${predictor_seat}, ${tag}, Kokkos::${class})\n")
      endforeach()
    endforeach()
    if(calls)
      kompakt_write_unit("${prefix}_${folder}_${header}"
        "${knows}${includes}#include <predictor/${header}.hpp>\n#include <pipeline/kernels_body.hpp>\n" "${calls}")
      list(APPEND ${out} "${unit}")
    endif()
  endforeach()
  set(${out} ${${out}} PARENT_SCOPE)
endfunction()

# kompakt_instantiate_calls(OUT SPACE [GENERIC] [HAS_WIDE]): the unit of a space with the doors and the roads behind them, or with
# those of api/generic.hpp; as it is where kernels have a form for wide vectors.
function(kompakt_instantiate_calls out space)
  cmake_parse_arguments(PARSE_ARGV 2 form "GENERIC;HAS_WIDE" "" "")
  kompakt_class_of(class "${space}")
  set(doors calls)
  if(form_GENERIC)
    set(doors generic_calls)
  endif()
  string(TOUPPER "${doors}" macro)
  set(includes "#include <api/${doors}.hpp>\n")
  if(form_HAS_WIDE)
    string(PREPEND includes "#define KOMPAKT_HAS_WIDE_BODIES\n")
  endif()
  kompakt_write_unit("${class}_${doors}" "${includes}" "KOMPAKT_INSTANTIATE_${macro}(Kokkos::${class})\n")
  set(${out} ${${out}} "${unit}" PARENT_SCOPE)
endfunction()

# kompakt_instantiate_wide_range(OUT SPACE): the unit of a space with the form for wide vectors of what the calls themselves run.
function(kompakt_instantiate_wide_range out space)
  kompakt_class_of(class "${space}")
  kompakt_write_unit("${class}_wide_range" "#include <pipeline/wide_value_range.hpp>\n"
    "KOMPAKT_INSTANTIATE_WIDE_VALUE_RANGE(Kokkos::${class})\n")
  set(${out} ${${out}} "${unit}" PARENT_SCOPE)
endfunction()

# kompakt_instantiate_metrics(OUT SPACE): the unit of a space that compares fields.
function(kompakt_instantiate_metrics out space)
  kompakt_class_of(class "${space}")
  kompakt_write_unit("${class}_metrics" "#include <metrics/metrics.hpp>\n"
    "KOMPAKT_INSTANTIATE_METRICS(Kokkos::${class})\n")
  set(${out} ${${out}} "${unit}" PARENT_SCOPE)
endfunction()

# The class of a space: Serial, OpenMP or Cuda.
function(kompakt_class_of out space)
  string(REPLACE "|" ";" space "${space}")
  list(GET space 1 class)
  set(${out} "${class}" PARENT_SCOPE)
endfunction()

# Writes a unit if its contents have changed; leaves its path in `unit`.
function(kompakt_write_unit name includes calls)
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/instantiate/${name}.cpp")
  file(CONFIGURE OUTPUT "${unit}" @ONLY
    CONTENT "${includes}\nnamespace kompakt::impl {\n\n${calls}\n}  // namespace kompakt::impl\n")
  set(unit "${unit}" PARENT_SCOPE)
endfunction()

# The spaces of KOMPAKT_SPACES that Kokkos has.
set(KOMPAKT_COMPILED_SPACES "")
foreach(space IN LISTS KOMPAKT_SPACES)
  string(REGEX MATCH "^[A-Z]+" device "${space}")
  if(device IN_LIST Kokkos_DEVICES)
    list(APPEND KOMPAKT_COMPILED_SPACES "${space}")
  endif()
endforeach()
