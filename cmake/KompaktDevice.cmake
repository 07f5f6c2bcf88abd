# kompakt::device: kompakt/device.hpp, with which tiles are coded in the kernels of a user. These are the library's own, so
# that a user's unit takes the headers that they are made of, which are installed below kompakt/impl, and the flags that
# the bound rests on: of such a unit no other arithmetic is contracted either.

add_library(kompakt_device INTERFACE)
add_library(kompakt::device ALIAS kompakt_device)
set_target_properties(kompakt_device PROPERTIES EXPORT_NAME device)
target_link_libraries(kompakt_device INTERFACE kompakt)
target_compile_definitions(kompakt_device INTERFACE KOMPAKT_DEVICE_TARGET)
kompakt_exact_arithmetic(kompakt_device INTERFACE)

# What device.hpp includes; Install.as_library compiles a user of the installed ones.
set(headers
  coder/bitshuffle/blocks.hpp coder/bitshuffle/nested.hpp coder/bitshuffle/planes.hpp coder/bitshuffle/record.hpp
  coder/bitshuffle/seat.hpp coder/fixedlength/record.hpp coder/fixedlength/seat.hpp coder/huffman/alphabet.hpp
  coder/huffman/choose_books.hpp coder/huffman/codebook.hpp coder/huffman/dictionary.hpp
  coder/huffman/dictionary.inc coder/huffman/entries.hpp coder/huffman/numbering.hpp
  coder/huffman/prefix_code.hpp coder/huffman/record.hpp coder/huffman/seat.hpp coder/outlier_list.hpp
  coder/rans/books.hpp coder/rans/books.inc coder/rans/counted_codes.hpp coder/rans/neighbours.hpp coder/rans/one_thread.hpp coder/rans/record.hpp coder/rans/seat.hpp
  coder/rans/take_magnitudes.hpp
  coder/rans/state.hpp coder/rans/tile_books.hpp coder/rans/widths.hpp
  coder/row.hpp coder/table.hpp
  container/format.hpp container/header.hpp
  core/bits.hpp core/carver.hpp core/checksum.hpp core/exact.hpp core/exceptions.hpp core/finite_keys.hpp core/fp_environment.hpp
  core/half_tile.hpp
  core/fill.hpp core/lanes.hpp core/lattice.hpp core/log_scale.hpp core/parallel_teams.hpp core/quantize.hpp core/rans.hpp core/record.hpp core/step_keys.hpp core/team.hpp core/tile.hpp
  core/tile_mask.hpp core/type_list.hpp core/types.hpp
  pipeline/backend_memory.hpp pipeline/chunk.hpp pipeline/decode.hpp pipeline/decode_ahead.hpp pipeline/decode_args.hpp pipeline/dispatch.hpp
  pipeline/encode.hpp pipeline/encode_args.hpp pipeline/field_tile.hpp pipeline/finish.hpp pipeline/limits.hpp pipeline/read_chunk.hpp
  pipeline/stored.hpp pipeline/stream_tiles.hpp pipeline/tile_plan.hpp pipeline/tile_steps.hpp pipeline/codec_types.hpp pipeline/tiles_ahead.hpp
  predictor/lorenzo.hpp predictor/row.hpp predictor/table.hpp)
list(TRANSFORM headers PREPEND src/codec/)
if("CUDA" IN_LIST Kokkos_DEVICES)
  # What field_sweep.hpp includes beside these.
  set(cuda_headers
    batch_launch.hpp coder/bitshuffle.hpp coder/fixedlength.hpp coder/huffman.hpp coder/huffman_warp.hpp coder/warp_coder.hpp
    decode.hpp decode_levels.hpp decode_parts.hpp launch.hpp predictor/lorenzo.hpp predictor/warp_predictor.hpp stage.hpp
    sweep.hpp tile_io.hpp tuning.hpp warp.hpp)
  list(TRANSFORM cuda_headers PREPEND backends/cuda/)
  list(APPEND headers ${cuda_headers})
endif()
target_sources(kompakt_device
  INTERFACE
    FILE_SET HEADERS BASE_DIRS include FILES include/kompakt/device.hpp include/kompakt/field_sweep.hpp
  INTERFACE
    FILE_SET internals TYPE HEADERS BASE_DIRS src/codec backends FILES ${headers})
