#ifndef KOMPAKT_PIPELINE_RECORD_OPERATIONS_HPP
#define KOMPAKT_PIPELINE_RECORD_OPERATIONS_HPP

// The operations that know records: generic bodies, and what backends put in their place. With field_operations.hpp
// the only header that brings both together: a translation unit that includes less would silently take the generic
// body.

#include <pipeline/choose_tiles.hpp>
#include <pipeline/coder_setup.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/encode.hpp>
#include <pipeline/level_steps.hpp>
#include <predictor/lorenzo.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
#include <openmp/encode.hpp>
#include <openmp/tile_steps.hpp>
#endif
#ifdef KOKKOS_ENABLE_CUDA
#include <cuda/choose_tiles.hpp>
#include <cuda/decode.hpp>
#include <cuda/encode.hpp>
#include <cuda/encode_batch.hpp>
#endif

#endif
