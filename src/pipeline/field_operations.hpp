#ifndef KOMPAKT_PIPELINE_FIELD_OPERATIONS_HPP
#define KOMPAKT_PIPELINE_FIELD_OPERATIONS_HPP

// The operations that know values only, as record_operations.hpp has those that know records.

#include <pipeline/backend_memory.hpp>
#include <pipeline/resolve.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda/resolve.hpp>
#include <cuda/resolve_batch.hpp>
#endif

#endif
