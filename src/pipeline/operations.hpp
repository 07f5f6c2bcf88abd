#ifndef KOMPAKT_PIPELINE_OPERATIONS_HPP
#define KOMPAKT_PIPELINE_OPERATIONS_HPP

// The only header that brings together the generic bodies of the operations and what backends put
// in their place: a translation unit that includes less would silently take the generic body.

#include <pipeline/batch.hpp>
#include <pipeline/choose_predictor.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/encode.hpp>
#include <pipeline/resolve.hpp>
#include <pipeline/value_range.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
#include <openmp/decode.hpp>
#include <openmp/encode.hpp>
#endif
#ifdef KOKKOS_ENABLE_CUDA
#include <cuda/batch.hpp>
#include <cuda/choose_codebook.hpp>
#include <cuda/choose_predictor.hpp>
#include <cuda/decode.hpp>
#include <cuda/encode.hpp>
#include <cuda/resolve.hpp>
#endif

#endif
